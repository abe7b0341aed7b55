/*
 * greedy.c
 *		Buckets for each two that intersect; each row to the bucket and entry that
 *		scores best when its turn comes; balancing in the end.
 *
 * NOTES
 *		Where the paper leaves something open, it has what helps it: plans without
 *		distinct representatives are dropped, newcomers without a bucket are put
 *		into groups as method m-distinct does it, buckets are split by the same
 *		code, and a group is completed by whatever values it can be completed with.
 *		An area is the product of the numbers of codes that a box covers, so that it
 *		is never 0.
 */
#include "greedy.h"

#include "method/m_distinct/m_distinct.h"
#include "miscadmin.h"
#include "partition/buckets.h"

#define MAX_QIS 8
#define NO_BUCKET PG_UINT32_MAX

/* A bucket as rows come to it. */
typedef struct Filling
{
	uint32		rows;
	uint32		most_frequent;
	uint32	   *in_entry;		/* [entries] */
	uint32	   *frequency;		/* [values] */
	Span		box[MAX_QIS];
} Filling;

typedef struct Assigned
{
	RowId		row;
	uint32		bucket;
	uint32		entry;
} Assigned;

/* Rows that may be in the same buckets: of one value, and of one bucket before or of none. */
typedef struct Crowd
{
	uint32		before;			/* or NO_BUCKET */
	Code		value;
	uint32		buckets;		/* CNT_buc */
	uint32	   *suitable;		/* [buckets] */
	RowId		head;
} Crowd;

typedef struct Waiting
{
	uint32		buckets;		/* of its crowd */
	uint32		crowd;
	RowId		row;
} Waiting;

typedef struct Greedy
{
	Distinct   *distinct;
	uint32		first_buckets;
	bool	   *implied;		/* [first buckets][buckets] */
	Filling    *filling;		/* [buckets] */
	Crowd	   *crowds;
	uint32		ncrowds;
	Assigned   *assigned;		/* [rows] */
	uint32		nassigned;
	Classes    *classes;
	uint64		counterfeits_allocated;
} Greedy;

/* ----------------------------------------------------------------
 * Algorithm 2
 * ----------------------------------------------------------------
 */

/*
 * The assignment with the least cost, by shortest augmenting paths with
 * potentials (Kuhn and Munkres); pair[j] is set to the row of column j.
 */
static void
pair_entries(const double *cost, uint32 n, uint32 *pair)
{
	double	   *of_row = palloc0(sizeof(double) * (n + 1));
	double	   *of_column = palloc0(sizeof(double) * (n + 1));
	double	   *least = palloc(sizeof(double) * (n + 1));
	uint32	   *row = palloc0(sizeof(uint32) * (n + 1));	/* of each column, from 1 on */
	uint32	   *way = palloc0(sizeof(uint32) * (n + 1));
	bool	   *used = palloc(sizeof(bool) * (n + 1));

	for (uint32 i = 1; i <= n; i++)
	{
		uint32		column = 0;

		row[0] = i;
		memset(used, 0, sizeof(bool) * (n + 1));
		for (uint32 j = 0; j <= n; j++)
			least[j] = 1e300;
		do
		{
			double		delta = 1e300;
			uint32		next = 0;

			used[column] = true;
			for (uint32 j = 1; j <= n; j++)
			{
				double		reduced;

				if (used[j])
					continue;
				reduced = cost[(Size) (row[column] - 1) * n + j - 1] - of_row[row[column]] - of_column[j];
				if (reduced < least[j])
				{
					least[j] = reduced;
					way[j] = column;
				}
				if (least[j] < delta)
				{
					delta = least[j];
					next = j;
				}
			}
			for (uint32 j = 0; j <= n; j++)
			{
				if (used[j])
				{
					of_row[row[j]] += delta;
					of_column[j] -= delta;
				}
				else
					least[j] -= delta;
			}
			column = next;
		} while (row[column] != 0);
		while (column != 0)
		{
			row[column] = row[way[column]];
			column = way[column];
		}
	}
	for (uint32 j = 1; j <= n; j++)
		pair[j - 1] = row[j] - 1;
}

/* The sets of a bucket's entries, each as often as its multiplicity says. */
static SetId *
bucket_slots(const Bucket *bucket)
{
	SetId	   *slots = palloc(sizeof(SetId) * (bucket->n + 1));
	uint32		at = 0;

	for (uint32 e = 0; e < bucket->nentries; e++)
		for (uint32 i = 0; i < bucket->multiplicity[e]; i++)
			slots[at++] = bucket->set[e];
	return slots;
}

/* What is in both sets, and the share of values of either that it is. */
static SetId
set_intersection(Sets *sets, SetId a, SetId b)
{
	ValueSet	x = set_at(sets, a);
	Code	   *both = new_array(Code, x.n);
	Code		n = 0;
	SetId		result;

	for (Code i = 0; i < x.n; i++)
		if (set_has(sets, b, x.value[i]))
			both[n++] = x.value[i];
	result = set_find(sets, both, n);
	pfree(both);
	return result;
}

static double
sets_overlap(Sets *sets, SetId a, SetId b)
{
	double		both = 0;

	if (a == b)
		return 1;
	for (Code i = 0; i < set_at(sets, a).n; i++)
		both += set_has(sets, b, set_at(sets, a).value[i]);
	return both / (set_at(sets, a).n + set_at(sets, b).n - both);
}

/* The entries of the bucket where two of equal size meet by the plan of greatest overlap, or NULL if there is none. */
static SetId *
meet_by_best_plan(Distinct *distinct, const Bucket *a, const Bucket *b)
{
	SetId	   *x = bucket_slots(a);
	SetId	   *y = bucket_slots(b);
	uint32		n = a->n;
	double	   *cost = palloc(sizeof(double) * n * n);
	uint32	   *pair = palloc(sizeof(uint32) * n);
	Code	   *value = palloc(sizeof(Code) * n);

	for (uint32 i = 0; i < n; i++)
		for (uint32 j = 0; j < n; j++)
		{
			double		both = sets_overlap(distinct->sets, x[i], y[j]);

			cost[(Size) i * n + j] = both > 0 ? -both : n;	/* more than all others can save */
		}
	pair_entries(cost, n, pair);
	for (uint32 j = 0; j < n; j++)
	{
		if (cost[(Size) pair[j] * n + j] > 0)
			return NULL;
		y[j] = set_intersection(distinct->sets, x[pair[j]], y[j]);
		value[j] = NO_CODE;
	}
	return represent(distinct->sets, y, n, value) ? y : NULL;
}

static bool
create_buckets(Distinct *distinct, uint32 most_buckets)
{
	uint32		n = distinct->nbuckets;

	for (uint32 j = 0; j < n; j++)
		for (uint32 i = 0; i < j; i++)
		{
			SetId	   *slots;

			if (distinct->nbuckets > most_buckets)
				return false;
			CHECK_FOR_INTERRUPTS();
			if (distinct->buckets[i].n != distinct->buckets[j].n)
				continue;
			slots = meet_by_best_plan(distinct, &distinct->buckets[i], &distinct->buckets[j]);
			if (slots != NULL)
				(void) bucket_find(distinct, slots, distinct->buckets[i].n, false);
		}
	return distinct->nbuckets <= most_buckets;
}

static bool
is_subset(const Sets *sets, SetId part, SetId whole)
{
	ValueSet	set = set_at(sets, part);

	for (Code i = 0; i < set.n; i++)
		if (!set_has(sets, whole, set.value[i]))
			return false;
	return true;
}

/* The room of an entry for entries that are its subsets: augmenting paths. */
static bool
find_whole(const Sets *sets, const Bucket *whole, const Bucket *part, uint32 e, uint32 *pairs, bool *visited)
{
	for (uint32 f = 0; f < whole->nentries; f++)
	{
		uint32		taken = 0;

		if (visited[f] || !is_subset(sets, part->set[e], whole->set[f]))
			continue;
		visited[f] = true;
		for (uint32 g = 0; g < part->nentries; g++)
			taken += pairs[g * whole->nentries + f];
		if (taken < whole->multiplicity[f])
		{
			pairs[e * whole->nentries + f]++;
			return true;
		}
		for (uint32 g = 0; g < part->nentries; g++)
			if (pairs[g * whole->nentries + f] > 0 && find_whole(sets, whole, part, g, pairs, visited))
			{
				pairs[g * whole->nentries + f]--;
				pairs[e * whole->nentries + f]++;
				return true;
			}
	}
	return false;
}

/* USS(whole) implies USS(part). */
static bool
implies(const Sets *sets, const Bucket *whole, const Bucket *part)
{
	uint32	   *pairs;
	bool	   *visited;
	bool		all = true;

	if (whole->n != part->n)
		return false;
	pairs = palloc0(sizeof(uint32) * whole->nentries * part->nentries);
	visited = palloc(sizeof(bool) * whole->nentries);
	for (uint32 e = 0; e < part->nentries && all; e++)
		for (uint32 i = 0; i < part->multiplicity[e] && all; i++)
		{
			memset(visited, 0, sizeof(bool) * whole->nentries);
			all = find_whole(sets, whole, part, e, pairs, visited);
		}
	pfree(pairs);
	pfree(visited);
	return all;
}

/* ----------------------------------------------------------------
 * Algorithm 3
 * ----------------------------------------------------------------
 */

static bool
covers_value(const Distinct *distinct, const Bucket *bucket, Code value)
{
	for (uint32 e = 0; e < bucket->nentries; e++)
		if (set_has(distinct->sets, bucket->set[e], value))
			return true;
	return false;
}

static bool
is_suitable(const Greedy *greedy, const Crowd *crowd, uint32 b)
{
	if (crowd->before != NO_BUCKET && !greedy->implied[(Size) crowd->before * greedy->distinct->nbuckets + b])
		return false;
	return covers_value(greedy->distinct, &greedy->distinct->buckets[b], crowd->value);
}

static void
add_crowd(Greedy *greedy, uint32 before, const Kind *kind)
{
	uint32		nbuckets = greedy->distinct->nbuckets;
	Crowd		crowd = {.before = before,.value = kind->value,.head = kind->head};

	crowd.suitable = palloc(sizeof(uint32) * ((Size) nbuckets + 1));
	for (uint32 b = 0; b < nbuckets; b++)
		if (is_suitable(greedy, &crowd, b))
			crowd.suitable[crowd.buckets++] = b;
	crowd.suitable = repalloc(crowd.suitable, sizeof(uint32) * ((Size) crowd.buckets + 1));
	greedy->crowds[greedy->ncrowds++] = crowd;
}

/* Takes everybody out of buckets, but newcomers for whom there is none. */
static void
gather_crowds(Greedy *greedy)
{
	Distinct   *distinct = greedy->distinct;
	uint32		most = distinct->frame->nsensitive;
	Kind	   *kinds;

	for (uint32 b = 0; b < distinct->nbuckets; b++)
		most += distinct->buckets[b].nkinds;
	greedy->crowds = palloc(sizeof(Crowd) * (most + 1));
	for (uint32 b = 0; b < greedy->first_buckets; b++)
		for (uint32 k = 0; k < distinct->buckets[b].nkinds; k++)
			add_crowd(greedy, b, &distinct->buckets[b].kinds[k]);
	for (uint32 b = 0; b < distinct->nbuckets; b++)
		distinct->buckets[b].rows = distinct->buckets[b].nkinds = 0;
	kinds = palloc(sizeof(Kind) * ((Size) distinct->frame->nsensitive + 1));
	for (Code v = 0; v < distinct->frame->nsensitive; v++)
		kinds[v] = (Kind) {v, 0, NO_ROW};
	for (uint64 i = 0; i < distinct->newcomers; i++)
		kind_push(distinct, &kinds[distinct->frame->sensitive[distinct->newcomer[i]]], distinct->newcomer[i]);
	distinct->newcomers = 0;
	for (Code v = 0; v < distinct->frame->nsensitive; v++)
	{
		if (kinds[v].count == 0)
			continue;
		add_crowd(greedy, NO_BUCKET, &kinds[v]);
		if (greedy->crowds[greedy->ncrowds - 1].buckets > 0)
			continue;
		greedy->ncrowds--;
		for (RowId row = kinds[v].head; row != NO_ROW; row = distinct->next[row])
			distinct->newcomer[distinct->newcomers++] = row;
	}
	pfree(kinds);
}

/* δ: the groups that the bucket takes as it is. */
static uint32
groups_of(const Bucket *bucket, const Filling *filling)
{
	uint32		groups = filling->most_frequent;

	for (uint32 e = 0; e < bucket->nentries; e++)
		groups = Max(groups, (filling->in_entry[e] + bucket->multiplicity[e] - 1) / bucket->multiplicity[e]);
	return groups;
}

/* λ: how much larger the row makes the box. */
static double
growth_of(const Frame *frame, const Filling *filling, RowId row)
{
	double		growth = 1;

	for (int q = 0; q < frame->nqis && filling->rows > 0; q++)
		growth *= (double) span_width(span_hull(filling->box[q], span_of(frame->code[q][row]))) / span_width(filling->box[q]);
	return growth;
}

/* The best entry of a bucket, and its score (Equation 3). */
static double
score_bucket(const Greedy *greedy, uint32 b, RowId row, Code value, uint32 *entry)
{
	const Bucket *bucket = &greedy->distinct->buckets[b];
	const Filling *filling = &greedy->filling[b];
	uint32		groups = groups_of(bucket, filling);
	double		growth = growth_of(greedy->distinct->frame, filling, row);
	double		best = -1e300;

	for (uint32 e = 0; e < bucket->nentries; e++)
	{
		bool		is_full = filling->frequency[value] == groups || filling->in_entry[e] == groups * bucket->multiplicity[e];
		double		score = is_full ? -growth : 1 / growth;

		if (!set_has(greedy->distinct->sets, bucket->set[e], value))
			continue;
		if (score > best || (score == best && filling->in_entry[e] < filling->in_entry[*entry]))
		{
			best = score;
			*entry = e;
		}
	}
	return best;
}

static void
assign_row(Greedy *greedy, RowId row, uint32 b, uint32 entry)
{
	const Frame *frame = greedy->distinct->frame;
	Filling    *filling = &greedy->filling[b];
	Code		value = frame->sensitive[row];

	for (int q = 0; q < frame->nqis; q++)
	{
		Span		own = span_of(frame->code[q][row]);

		filling->box[q] = filling->rows == 0 ? own : span_hull(filling->box[q], own);
	}
	filling->rows++;
	filling->in_entry[entry]++;
	filling->frequency[value]++;
	filling->most_frequent = Max(filling->most_frequent, filling->frequency[value]);
	greedy->assigned[greedy->nassigned++] = (Assigned) {row, b, entry};
}

static void
assign(Greedy *greedy, RowId row, const Crowd *crowd)
{
	double		best = -1e300;
	uint32		best_bucket = 0;
	uint32		best_entry = 0;

	for (uint32 i = 0; i < crowd->buckets; i++)
	{
		uint32		entry = 0;
		double		score = score_bucket(greedy, crowd->suitable[i], row, crowd->value, &entry);

		if (score <= best)
			continue;
		best = score;
		best_bucket = crowd->suitable[i];
		best_entry = entry;
	}
	assign_row(greedy, row, best_bucket, best_entry);
}

static int
compare_waiting(const void *a, const void *b)
{
	const Waiting *x = a;
	const Waiting *y = b;

	if (x->buckets != y->buckets)
		return x->buckets < y->buckets ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

/* Those who have the least choice come first, and otherwise as they stand. */
static void
assign_crowds(Greedy *greedy)
{
	const Distinct *distinct = greedy->distinct;
	Waiting    *queue = palloc_extended(sizeof(Waiting) * (distinct->frame->nrows + 1), MCXT_ALLOC_HUGE);
	uint64		n = 0;

	for (uint32 c = 0; c < greedy->ncrowds; c++)
		for (RowId row = greedy->crowds[c].head; row != NO_ROW; row = distinct->next[row])
			queue[n++] = (Waiting) {greedy->crowds[c].buckets, c, row};
	qsort(queue, n, sizeof(Waiting), compare_waiting);
	for (uint64 i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		assign(greedy, queue[i].row, &greedy->crowds[queue[i].crowd]);
	}
	pfree(queue);
}

static void
assign_rows(Greedy *greedy)
{
	Distinct   *distinct = greedy->distinct;

	greedy->filling = palloc_extended(sizeof(Filling) * ((Size) distinct->nbuckets + 1), MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	for (uint32 b = 0; b < distinct->nbuckets; b++)
	{
		greedy->filling[b].in_entry = palloc0(sizeof(uint32) * distinct->buckets[b].nentries);
		greedy->filling[b].frequency = palloc0(sizeof(uint32) * ((Size) distinct->frame->nsensitive + 1));
	}
	greedy->implied = palloc_extended(sizeof(bool) * greedy->first_buckets * distinct->nbuckets + 1, MCXT_ALLOC_HUGE);
	for (uint32 a = 0; a < greedy->first_buckets; a++)
		for (uint32 b = 0; b < distinct->nbuckets; b++)
			greedy->implied[(Size) a * distinct->nbuckets + b] =
				a == b || implies(distinct->sets, &distinct->buckets[a], &distinct->buckets[b]);
	gather_crowds(greedy);
	assign_crowds(greedy);
}

/* ----------------------------------------------------------------
 * Balancing, and groups
 * ----------------------------------------------------------------
 */

static bool
is_among(const Code *value, uint32 n, Code wanted)
{
	for (uint32 i = 0; i < n; i++)
		if (value[i] == wanted)
			return true;
	return false;
}

/* Of each slot that has none, a value drawn at random; and then whatever it takes. */
static void
complete_group(Greedy *greedy, const SetId *slots, Code *value, uint32 n)
{
	Distinct   *distinct = greedy->distinct;

	for (uint32 i = 0; i < n; i++)
	{
		ValueSet	set = set_at(distinct->sets, slots[i]);
		Code		from = pg_prng_uint64_range(&distinct->making.random, 0, set.n - 1);

		for (Code k = 0; k < set.n && value[i] == NO_CODE; k++)
			if (!is_among(value, n, set.value[(from + k) % set.n]))
				value[i] = set.value[(from + k) % set.n];
	}
	if (!represent(distinct->sets, slots, n, value))
		elog(ERROR, "a group cannot be completed");
}

static void
add_paper_group(Greedy *greedy, const Bucket *bucket, const BalancedRow *rows, uint32 nrows)
{
	Classes    *classes = greedy->classes;
	const Frame *frame = greedy->distinct->frame;
	SetId	   *slots = palloc(sizeof(SetId) * bucket->n);
	Code	   *value = palloc(sizeof(Code) * bucket->n);
	Code	   *own = palloc(sizeof(Code) * (nrows + 1));
	uint32		c = classes->nclasses++;
	uint32		at = 0;

	classes->first[c + 1] = classes->first[c] + nrows;
	classes->first_counterfeit[c + 1] = classes->first_counterfeit[c];
	for (uint32 e = 0; e < bucket->nentries; e++)
	{
		uint32		end = at + bucket->multiplicity[e];

		for (uint32 i = 0; i < nrows; i++)
			if (rows[i].entry == e)
			{
				slots[at] = bucket->set[e];
				value[at++] = frame->sensitive[rows[i].row];
			}
		for (; at < end; at++)
		{
			slots[at] = bucket->set[e];
			value[at] = NO_CODE;
		}
	}
	complete_group(greedy, slots, value, bucket->n);
	for (uint32 i = 0; i < nrows; i++)
	{
		classes->rows[classes->first[c] + i] = rows[i].row;
		own[i] = frame->sensitive[rows[i].row];
	}
	for (uint32 i = 0; i < bucket->n; i++)
		if (!is_among(own, nrows, value[i]))
			classes->counterfeit[classes->first_counterfeit[c + 1]++] = value[i];
	pfree(slots);
	pfree(value);
	pfree(own);
}

static void
make_room(Classes *classes, uint64 groups, uint64 counterfeits)
{
	Size		nclasses = classes->nclasses + groups + 2;

	classes->first = repalloc_huge(classes->first, sizeof(uint64) * nclasses);
	classes->first_counterfeit = repalloc_huge(classes->first_counterfeit, sizeof(uint64) * nclasses);
	counterfeits += classes->first_counterfeit[classes->nclasses];
	classes->counterfeit = repalloc_huge(classes->counterfeit, sizeof(Code) * (counterfeits + 1));
}

static int
compare_assigned(const void *a, const void *b)
{
	const Assigned *x = a;
	const Assigned *y = b;

	if (x->bucket != y->bucket)
		return x->bucket < y->bucket ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

static void
split_buckets(Greedy *greedy)
{
	Distinct   *distinct = greedy->distinct;
	uint32		most_entries = 1;
	Splitter   *splitter;
	BalancedRow *rows = palloc_extended(sizeof(BalancedRow) * (greedy->nassigned + 1), MCXT_ALLOC_HUGE);
	uint32	   *size = palloc_extended(sizeof(uint32) * (greedy->nassigned + 1), MCXT_ALLOC_HUGE);

	for (uint32 b = 0; b < distinct->nbuckets; b++)
		most_entries = Max(most_entries, distinct->buckets[b].nentries);
	splitter = splitter_create(distinct->frame, greedy->nassigned, most_entries);
	qsort(greedy->assigned, greedy->nassigned, sizeof(Assigned), compare_assigned);
	for (uint32 from = 0, to; from < greedy->nassigned; from = to)
	{
		uint32		b = greedy->assigned[from].bucket;
		const Bucket *bucket = &distinct->buckets[b];
		uint32		groups = groups_of(bucket, &greedy->filling[b]);
		BalancedRow *group = rows;

		for (to = from; to < greedy->nassigned && greedy->assigned[to].bucket == b; to++)
			rows[to - from] = (BalancedRow) {greedy->assigned[to].row, greedy->assigned[to].entry};
		split_bucket(splitter, &(BalancedBucket) {
					 .nentries = bucket->nentries,.multiplicity = bucket->multiplicity,
					 .ngroups = groups,.nrows = to - from,.rows = rows}, size);
		make_room(greedy->classes, groups, (uint64) groups * bucket->n - (to - from));
		for (uint32 g = 0; g < groups; group += size[g++])
			if (size[g] > 0)
				add_paper_group(greedy, bucket, group, size[g]);
	}
}

static Kind *
bucket_kind(Bucket *bucket, Code value)
{
	for (uint32 k = 0; k < bucket->nkinds; k++)
		if (bucket->kinds[k].value == value)
			return &bucket->kinds[k];
	return add_kind(bucket, value);
}

/* All people who were put together go to their buckets. */
static void
fill_buckets(Distinct *distinct)
{
	for (uint64 set = 0; set < distinct->making.nsets; set++)
	{
		MadeSet    *made = &distinct->making.sets[set];
		Bucket	   *bucket = &distinct->buckets[made->signature];

		for (uint32 i = 0; i < bucket->n; i++)
		{
			RowId		row = distinct->making.cells[made->first + i];

			if (row == NO_ROW)
				continue;
			kind_push(distinct, bucket_kind(bucket, distinct->frame->sensitive[row]), row);
			bucket->rows++;
		}
		made->true_rows = 0;
	}
}

Classes *
greedy_classes(const Frame *frame, const Past *past, uint32 m, uint64 seed, uint32 most_buckets, uint32 *buckets)
{
	Greedy		greedy = {.distinct = distinct_create(frame, past, (int64[]) {m, 1, false}, seed)};
	Draft	   *newcomers;

	Assert(frame->nqis <= MAX_QIS);
	greedy.assigned = palloc_extended(sizeof(Assigned) * (frame->nrows + 1), MCXT_ALLOC_HUGE);
	enter_people(greedy.distinct);
	fill_buckets(greedy.distinct);
	greedy.first_buckets = greedy.distinct->nbuckets;
	if (!create_buckets(greedy.distinct, most_buckets))
		return NULL;
	*buckets = greedy.distinct->nbuckets;
	assign_rows(&greedy);
	add_newcomers(greedy.distinct);
	newcomers = draft_sets(greedy.distinct, CurrentMemoryContext);
	greedy.classes = newcomers->classes;
	split_buckets(&greedy);
	return greedy.classes;
}
