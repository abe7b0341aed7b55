/*
 * newcomers.c
 *		A place for those who were never published: first where buckets lack rows,
 *		then in whole groups of buckets that there are, then in groups of their own.
 *
 * NOTES
 *		In a group of their own it is enough that all values differ (strict: that
 *		updates connect no two).  The rows are laid out value by value, and
 *		dealt to as many groups as the most frequent value has rows, or as there
 *		are rows for: no row meets its own value again, and equal runs of groups
 *		get equal entries.  So there are at most as many new buckets as there are
 *		candidate update sets, and all of them are large.
 */
#include "postgres.h"

#include "compat.h"
#include "frame/arrays.h"
#include "frame/domain.h"
#include "method/m_distinct/m_distinct.h"
#include "miscadmin.h"
#include "utils/memutils.h"

/* Buckets that are tried for whole groups of newcomers. */
#define MAX_TRIED	256

/* The level down to which values must be drawn on so that they yield the amount; 0 if all is too little. */
static uint32
find_level(ValueSet set, const uint32 *avail, uint64 amount)
{
	uint32		low = 0;
	uint32		high = 0;

	for (Code i = 0; i < set.n; i++)
		high = Max(high, avail[set.value[i]]);
	while (low < high)
	{
		uint32		middle = low + (high - low + 1) / 2;
		uint64		sum = 0;

		for (Code i = 0; i < set.n && sum < amount; i++)
			sum += avail[set.value[i]] > middle ? avail[set.value[i]] - middle : 0;
		if (sum >= amount)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

/* Places up to amount of the newcomers left with a value, whose kinds are known by kind_of[]; returns how many found a place. */
static uint32
take(const Distinct *distinct, Placement *placement, uint32 *avail, Code value, uint64 amount)
{
	uint32	   *kind = &distinct->kind_of[value];
	uint32		placed;

	amount = Min(amount, avail[value]);
	if (amount == 0)
		return 0;
	if (*kind >= placement->nkinds || placement->value[*kind] != value)
		*kind = placement_kind(placement, value);
	placed = place(placement, *kind, amount);
	avail[value] -= placed;
	return placed;
}

/* Fills what room there is from the most frequent of those available, so that the rest stays even. */
static void
fill_room(const Distinct *distinct, Placement *placement, uint32 *avail)
{
	const Bucket *bucket = placement->bucket;

	for (uint32 e = 0; e < bucket->nentries; e++)
	{
		ValueSet	set = set_at(distinct->sets, bucket->set[e]);
		uint64		room = room_in(placement, e);
		uint32		level;

		if (room == 0)
			continue;
		level = find_level(set, avail, room);
		for (Code i = 0; i < set.n && (room = room_in(placement, e)) > 0; i++)
			if (avail[set.value[i]] > level)
				(void) take(distinct, placement, avail, set.value[i], Min(room, avail[set.value[i]] - level));
	}
	/* Where a value had its share, or entries overlap: whatever finds a way. */
	for (uint32 e = 0; e < bucket->nentries; e++)
	{
		ValueSet	set = set_at(distinct->sets, bucket->set[e]);

		for (Code i = 0; i < set.n && placement_holes(placement) > 0; i++)
			(void) take(distinct, placement, avail, set.value[i], placement_holes(placement));
	}
}

/* Returns a copy of the newcomers' number for each value, from which placements are subtracted. */
static uint32 *
count_newcomers(const Distinct *distinct)
{
	Code		nvalues = distinct->frame->nsensitive;
	uint32	   *avail = new_array(uint32, nvalues);

	for (Code v = 0; v < nvalues; v++)
		avail[v] = distinct->newcomer[v].count;
	return avail;
}

/* Newcomers of these values join a bucket. */
static void
move_newcomers(Distinct *distinct, uint32 b, Code value, uint32 amount)
{
	Kind	   *kind;

	if (amount == 0)
		return;
	kind = bucket_kind(distinct, b, value);
	for (uint32 i = 0; i < amount; i++)
		kind_push(distinct, kind, kind_pop(distinct, &distinct->newcomer[value]));
	distinct->buckets[b].rows += amount;
	distinct->newcomers -= amount;
}

/* Moves the rows that a placement has of each value beyond those of the bucket. */
static void
move_placed(Distinct *distinct, uint32 b, const Placement *placement, const uint32 *before)
{
	for (uint32 k = 0; k < placement->nkinds; k++)
		move_newcomers(distinct, b, placement->value[k],
					   placement->count[k] - (before == NULL ? 0 : before[k]));
}

static bool
may_join(const Distinct *distinct, const Bucket *bucket)
{
	return !distinct->strict || (bucket->is_apart && bucket->n >= distinct->m);
}

/* The rows of a bucket, and of newcomers what it lacks. */
static Placement *
fill_bucket(const Distinct *distinct, const Bucket *bucket, uint32 *avail)
{
	Placement  *placement = place_bucket(distinct, bucket);

	for (uint32 k = 0; k < placement->nkinds; k++)
		distinct->kind_of[placement->value[k]] = k;
	if (may_join(distinct, bucket) && placement_holes(placement) > 0)
		fill_room(distinct, placement, avail);
	return placement;
}

uint64
unfilled_holes(Distinct *distinct, uint64 *holes)
{
	uint32	   *avail = count_newcomers(distinct);
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "bucket", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(work);
	uint64		sum = 0;

	for (uint32 b = 0; b < distinct->nbuckets; b++)
	{
		MemoryContextReset(work);
		CHECK_FOR_INTERRUPTS();
		holes[b] = distinct->buckets[b].rows == 0 ? 0 :
			placement_holes(fill_bucket(distinct, &distinct->buckets[b], avail));
		sum += holes[b];
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(work);
	return sum;
}

/* Puts newcomers where buckets would need invented rows. */
static void
fill_holes(Distinct *distinct)
{
	uint32	   *avail = count_newcomers(distinct);
	MemoryContext lasting = CurrentMemoryContext;
	MemoryContext work = AllocSetContextCreate(lasting, "bucket", ALLOCSET_DEFAULT_SIZES);

	for (uint32 b = 0; b < distinct->nbuckets && distinct->newcomers > 0; b++)
	{
		Bucket	   *bucket = &distinct->buckets[b];
		Placement  *placement;
		uint32	   *before;

		if (bucket->rows == 0 || !may_join(distinct, bucket))
			continue;
		CHECK_FOR_INTERRUPTS();
		MemoryContextReset(work);
		MemoryContextSwitchTo(work);
		placement = fill_bucket(distinct, bucket, avail);
		before = palloc0(sizeof(uint32) * ((Size) placement->nkinds + 1));
		for (uint32 k = 0; k < bucket->nkinds; k++)
			before[k] = bucket->kinds[k].count;
		MemoryContextSwitchTo(lasting);
		move_placed(distinct, b, placement, before);
	}
	MemoryContextDelete(work);
}

/* ----------------------------------------------------------------
 * Whole groups of newcomers in buckets that there are
 * ----------------------------------------------------------------
 */

/* Rows that must not meet in a new group: of one value or, under strict, of values that updates connect. */
static uint32
block_of(const Distinct *distinct, Code value)
{
	return distinct->strict ? distinct->sets->component[value] : value;
}

/* The most newcomers whose values updates connect. */
static uint32
largest_block(const Distinct *distinct, const uint32 *avail)
{
	Code		nvalues = distinct->frame->nsensitive;
	uint32	   *rows = new_zeros(uint32, nvalues);
	uint32		largest = 0;

	for (Code v = 0; v < nvalues; v++)
	{
		uint32	   *block = &rows[block_of(distinct, v)];

		*block += avail[v];
		largest = Max(largest, *block);
	}
	pfree(rows);
	return largest;
}

/* Fills so many groups of the bucket by newcomers alone; NULL if the rest would be worse off. */
static Placement *
try_groups(const Distinct *distinct, const Bucket *bucket, uint32 groups, const uint32 *avail, uint64 reserved)
{
	Code		nvalues = distinct->frame->nsensitive;
	uint32	   *rest = new_array(uint32, nvalues);
	Placement  *placement = placement_create(distinct->sets, bucket);
	uint64		rows = distinct->newcomers - (uint64) groups * bucket->n;

	memcpy(rest, avail, sizeof(uint32) * nvalues);
	placement->groups = groups;
	fill_room(distinct, placement, rest);
	if (placement_holes(placement) > 0)
		return NULL;
	if (rows != 0 && (rows < reserved || largest_block(distinct, rest) > rows / distinct->m))
		return NULL;
	return placement;
}

/* Adds as many groups of a bucket as newcomers can fill. */
static void
add_groups(Distinct *distinct, uint32 b, uint64 reserved, MemoryContext work)
{
	MemoryContext lasting = MemoryContextSwitchTo(work);
	uint32	   *avail = count_newcomers(distinct);
	uint32		low = 0;
	uint32		high = distinct->newcomers / distinct->buckets[b].n;
	Placement  *best = NULL;

	while (low < high)
	{
		uint32		middle = low + (high - low + 1) / 2;
		Placement  *tried = try_groups(distinct, &distinct->buckets[b], middle, avail, reserved);

		if (tried != NULL)
			best = tried;
		low = tried != NULL ? middle : low;
		high = tried != NULL ? high : middle - 1;
	}
	MemoryContextSwitchTo(lasting);
	if (best != NULL)
		move_placed(distinct, b, best, NULL);
}

/* Adds whole groups of newcomers to buckets, the largest buckets first. */
static void
join_whole_groups(Distinct *distinct)
{
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "groups of newcomers", ALLOCSET_DEFAULT_SIZES);
	Ranked	   *sized = new_array(Ranked, distinct->nbuckets);
	uint32		n = 0;

	for (uint32 b = 0; b < distinct->nbuckets; b++)
		if (distinct->buckets[b].rows > 0 && distinct->buckets[b].n == distinct->m &&
			may_join(distinct, &distinct->buckets[b]))
			sized[n++] = (Ranked) {distinct->buckets[b].rows, b};
	sort_ranked(sized, n);
	for (uint32 i = 0; i < n && i < MAX_TRIED && distinct->newcomers >= distinct->m; i++)
	{
		/* Rows that do not come out even are dealt in larger groups, if there are enough of these. */
		uint64		odd_rows = distinct->newcomers % distinct->m * (distinct->m + 1);

		CHECK_FOR_INTERRUPTS();
		add_groups(distinct, sized[i].what, odd_rows <= distinct->newcomers ? odd_rows : 0, work);
		MemoryContextReset(work);
	}
	MemoryContextDelete(work);
}

/* ----------------------------------------------------------------
 * Groups of their own
 * ----------------------------------------------------------------
 */

/* Raises the error that newcomers cannot be in a class. */
pg_noreturn static void
refuse_group(const Distinct *distinct, Code value)
{
	if (distinct->strict)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("%u new row(s) cannot be in a class of %u sensitive values that updates do not connect",
						distinct->newcomer[value].count, distinct->m),
				 errdetail("They have one sensitive value. Values that updates connect, in any direction and in any number of steps, share no class, and too few others are left."),
				 errhint("Declare a smaller \"m\", or do without \"strict\".")));
	refuse_few_values(distinct);
}

/* May a row of this value be in a group with these entries? */
static bool
fits(const Distinct *distinct, const SetId *slots, uint32 n, SetId set, Code *scratch)
{
	Sets	   *sets = distinct->sets;
	SetId	   *more;
	bool		result;

	if (distinct->strict)
	{
		for (uint32 i = 0; i < n; i++)
			if (!sets_apart(sets, slots[i], set))
				return false;
		return true;
	}
	more = palloc(sizeof(SetId) * (n + 1));
	memcpy(more, slots, sizeof(SetId) * n);
	more[n] = set;
	memset(scratch, 0xff, sizeof(Code) * (n + 1));	/* NO_CODE */
	result = represent(sets, more, n + 1, scratch);
	pfree(more);
	return result;
}

/* Values that were declared, those that most people have first. */
static Ranked *
frequent_values(const Distinct *distinct, Code *n)
{
	Code		nvalues = distinct->frame->nsensitive;
	Ranked	   *list = new_array(Ranked, nvalues);

	*n = 0;
	for (Code v = 0; v < nvalues; v++)
		if (distinct->sets->of_value[v] != NO_SET)
			list[(*n)++] = (Ranked) {distinct->frequency[v], v};
	sort_ranked(list, *n);
	return list;
}

/* Entries for invented rows, up to m; false if these values do not allow it. */
static bool
complete_slots(const Distinct *distinct, const Ranked *frequent, Code nfrequent, SetId *slots, uint32 n)
{
	Code	   *scratch = palloc(sizeof(Code) * (distinct->m + 1));
	bool		progress = true;

	while (n < distinct->m && progress)
	{
		progress = false;
		for (Code i = 0; i < nfrequent && n < distinct->m; i++)
		{
			SetId		set = distinct->sets->of_value[frequent[i].what];

			if (!fits(distinct, slots, n, set, scratch))
				continue;
			slots[n++] = set;
			progress = !distinct->strict;
		}
	}
	pfree(scratch);
	return n == distinct->m;
}

/* A run of newcomers who share a candidate update set. */
typedef struct Run
{
	uint64		first;			/* place in the layout */
	uint64		end;
	SetId		set;
	Code	   *value;			/* [end - first] whose turn it is */
} Run;

typedef struct Layout
{
	uint32		nruns;
	Run		   *runs;
	uint64		rows;
	uint32		groups;
} Layout;

typedef struct Placed
{
	uint32		block;			/* under strict */
	SetId		set;
	Code		value;
} Placed;

/* Orders values by block, then by set, so that a run's values become neighbors. */
static int
compare_placed(const void *a, const void *b)
{
	const Placed *x = a;
	const Placed *y = b;

	if (x->block != y->block)
		return x->block < y->block ? -1 : 1;
	if (x->set != y->set)
		return x->set < y->set ? -1 : 1;
	return (x->value > y->value) - (x->value < y->value);
}

typedef struct Turn
{
	double		when;
	Code		value;
} Turn;

/* Orders turns by their time, ties by value. */
static int
compare_turns(const void *a, const void *b)
{
	const Turn *x = a;
	const Turn *y = b;

	if (x->when != y->when)
		return x->when < y->when ? -1 : 1;
	return (x->value > y->value) - (x->value < y->value);
}

/*
 * Each value evenly over the run, so that all buckets get their share of it.
 * Only where no group gets two rows of the run: then any order will do.
 */
static void
lay_evenly(const Distinct *distinct, Run *run, const Placed *placed, uint32 n)
{
	uint64		rows = run->end - run->first;
	Turn	   *turns = new_array(Turn, rows);
	uint64		at = 0;

	for (uint32 i = 0; i < n; i++)
	{
		uint32		count = distinct->newcomer[placed[i].value].count;

		for (uint32 j = 0; j < count; j++)
			turns[at++] = (Turn) {(j + 0.5) / count, placed[i].value};
	}
	qsort(turns, rows, sizeof(Turn), compare_turns);
	for (uint64 i = 0; i < rows; i++)
		run->value[i] = turns[i].value;
	pfree(turns);
}

/* Lays newcomers out in a row, sorted so that groups at equal distances take different values. */
static Layout
lay_out(const Distinct *distinct, uint32 groups)
{
	Code		nvalues = distinct->frame->nsensitive;
	Placed	   *placed = new_array(Placed, nvalues);
	Layout		layout = {.groups = groups};
	uint32		n = 0;

	for (Code v = 0; v < nvalues; v++)
		if (distinct->newcomer[v].count > 0)
			placed[n++] = (Placed) {distinct->strict ? block_of(distinct, v) : 0, distinct->sets->of_value[v], v};
	qsort(placed, n, sizeof(Placed), compare_placed);
	layout.runs = palloc(sizeof(Run) * ((Size) n + 1));
	for (uint32 i = 0; i < n;)
	{
		Run		   *run = &layout.runs[layout.nruns++];
		uint32		from = i;

		*run = (Run) {.first = layout.rows, .set = placed[i].set};
		for (; i < n && placed[i].set == placed[from].set && (!distinct->strict || placed[i].block == placed[from].block); i++)
			layout.rows += distinct->newcomer[placed[i].value].count;
		run->end = layout.rows;
		run->value = new_array(Code, (run->end - run->first));
		if (run->end - run->first <= groups)
			lay_evenly(distinct, run, placed + from, i - from);
		else
			for (uint64 at = 0; from < i; from++)
				for (uint32 j = 0; j < distinct->newcomer[placed[from].value].count; j++)
					run->value[at++] = placed[from].value;
	}
	pfree(placed);
	return layout;
}

/* The run that a place is in. */
static const Run *
run_at(const Layout *layout, uint64 place)
{
	uint32		low = 0;
	uint32		high = layout->nruns - 1;

	while (low < high)
	{
		uint32		middle = (low + high) / 2;

		if (layout->runs[middle].end <= place)
			low = middle + 1;
		else
			high = middle;
	}
	return &layout->runs[low];
}

/* Where entries change from one group to the next: the first groups of runs with equal entries. */
static uint32 *
find_changes(const Layout *layout, uint32 *n)
{
	uint32	   *change = palloc(sizeof(uint32) * ((Size) layout->nruns + 3));
	uint32		kept = 0;

	*n = 0;
	change[(*n)++] = 0;
	change[(*n)++] = layout->rows % layout->groups;
	for (uint32 r = 0; r < layout->nruns; r++)
		change[(*n)++] = layout->runs[r].first % layout->groups;
	sort_codes(change, *n);
	for (uint32 i = 0; i < *n; i++)
		if (i == 0 || change[i] != change[i - 1])
			change[kept++] = change[i];
	change[kept] = layout->groups;
	*n = kept;
	return change;
}

/* Groups begin .. end, which have equal entries: place i, i + groups, i + 2 groups … each. */
static void
deal_groups(Distinct *distinct, const Layout *layout, uint32 begin, uint32 end,
			const Ranked *frequent, Code nfrequent)
{
	uint32		most = Max(distinct->m, layout->rows / layout->groups + 1);
	SetId	   *slots = palloc(sizeof(SetId) * (most + 1));
	uint32		n = 0;
	uint32		b;

	for (uint64 place = begin; place < layout->rows; place += layout->groups)
		slots[n++] = run_at(layout, place)->set;
	if (n < distinct->m && !complete_slots(distinct, frequent, nfrequent, slots, n))
		refuse_group(distinct, run_at(layout, begin)->value[begin - run_at(layout, begin)->first]);
	b = bucket_find(distinct, slots, Max(n, distinct->m), false);
	for (uint64 first = begin; first < layout->rows; first += layout->groups)
		for (uint64 place = first; place < first + (end - begin); place++)
		{
			const Run  *run = run_at(layout, place);

			move_newcomers(distinct, b, run->value[place - run->first], 1);
		}
	pfree(slots);
}

/* ----------------------------------------------------------------
 * Groups of their own, where updates are such that blocks say too little
 * ----------------------------------------------------------------
 */

/* How many groups of these values leave the others, which may not meet them, no worse off. */
static uint32
groups_apart(const Distinct *distinct, const Ranked *list, Code nlist, const Code *chosen, uint32 n)
{
	const uint32 *component = distinct->sets->component;
	uint64	   *waiting = palloc0(sizeof(uint64) * ((Size) distinct->sets->ncomponents + 1));
	uint64		rows = 0;
	uint64		other = 0;
	uint64		least = PG_UINT32_MAX;

	for (Code i = 0; i < nlist; i++)
	{
		rows += list[i].amount;
		waiting[component[list[i].what]] += list[i].amount;
	}
	for (uint32 k = 0; k < n; k++)
	{
		waiting[component[chosen[k]]] = 0;
		least = Min(least, distinct->newcomer[chosen[k]].count);
	}
	for (uint32 c = 0; c < distinct->sets->ncomponents; c++)
		other = Max(other, waiting[c]);
	pfree(waiting);
	return Max(1, Min(least, rows / distinct->m > other ? rows / distinct->m - other : 1));
}

/* Deals newcomers into groups of values of which updates connect no two, the most frequent first. */
static void
deal_apart(Distinct *distinct)
{
	Code	   *chosen = palloc(sizeof(Code) * distinct->m);
	SetId	   *slots = palloc(sizeof(SetId) * (distinct->m + 1));
	Code		nfrequent;
	Ranked	   *frequent = frequent_values(distinct, &nfrequent);
	Ranked	   *list = new_array(Ranked, nfrequent);

	while (distinct->newcomers > 0)
	{
		uint32		n = 0;
		uint32		groups;
		uint32		b;

		CHECK_FOR_INTERRUPTS();
		for (Code i = 0; i < nfrequent; i++)
			list[i] = (Ranked) {distinct->newcomer[frequent[i].what].count, frequent[i].what};
		sort_ranked(list, nfrequent);
		for (Code i = 0; i < nfrequent && n < distinct->m && list[i].amount > 0; i++)
		{
			SetId		set = distinct->sets->of_value[list[i].what];

			if (n > 0 && !fits(distinct, slots, n, set, NULL))
				continue;
			chosen[n] = list[i].what;
			slots[n++] = set;
		}
		while (!complete_slots(distinct, frequent, nfrequent, slots, n))
			if (--n == 0)
				refuse_group(distinct, list[0].what);
		groups = groups_apart(distinct, list, nfrequent, chosen, n);
		b = bucket_find(distinct, slots, distinct->m, false);
		for (uint32 i = 0; i < n; i++)
			move_newcomers(distinct, b, chosen[i], groups);
	}
}

void
place_newcomers(Distinct *distinct)
{
	uint32		largest;
	uint32		groups;
	Layout		layout;
	uint32		n;
	uint32	   *change;
	Ranked	   *frequent;
	Code		nfrequent;

	fill_holes(distinct);
	join_whole_groups(distinct);
	if (distinct->newcomers == 0)
		return;
	largest = largest_block(distinct, count_newcomers(distinct));
	groups = distinct->newcomers / distinct->m;
	if (distinct->newcomers < distinct->m || largest > groups)
		groups = Max((distinct->newcomers + distinct->m - 1) / distinct->m, largest);
	if (distinct->strict && (uint64) groups * distinct->m > distinct->newcomers)
	{
		deal_apart(distinct);
		return;
	}
	layout = lay_out(distinct, groups);
	change = find_changes(&layout, &n);
	frequent = frequent_values(distinct, &nfrequent);
	for (uint32 i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		deal_groups(distinct, &layout, change[i], change[i + 1], frequent, nfrequent);
	}
}
