/*
 * newcomers.c
 *		A place for those who were never published: the places of those who have left,
 *		near where they live, or else sets of their own.
 *
 * NOTES
 *		In a set of their own it is enough that all values differ (strict: that updates connect no two).
 *		Values that updates do not connect never become the same one, so that people
 *		can stay together for long: such sets are made first.
 */
#include "postgres.h"

#include "frame/arrays.h"
#include "frame/domain.h"
#include "method/m_distinct/m_distinct.h"
#include "miscadmin.h"

#define LOOK 128				/* sets of which a row that is left takes the nearest */

/* ----------------------------------------------------------------
 * Places that are free
 * ----------------------------------------------------------------
 */

/* Rows of which no two share a set, unless it is of people who came earlier: of one value or, under strict, of one component. */
static const Frame *
blocks(const Distinct *distinct)
{
	return distinct->strict ? distinct->making.frame : distinct->frame;
}

/* Of which component newcomers may be who take a cell; NO_CODE if nobody may. */
static Code
component_of_cell(const Making *making, uint64 set, uint32 cell)
{
	const Distinct *distinct = (const Distinct *) making;
	const MadeSet *made = &making->sets[set];
	const Bucket *bucket = &distinct->buckets[made->signature];

	if (made->true_rows == 0 || cell >= bucket->n)
		return NO_CODE;
	if (distinct->strict && !(bucket->is_apart && bucket->n >= distinct->m))
		return NO_CODE;
	/* People of a class of whom fewer than a third are left may do better with others. */
	if (!distinct->is_dealt && 3 * made->true_rows < bucket->n)
		return NO_CODE;
	return distinct->sets->component[set_at(distinct->sets, tuple_words(making->signatures, made->signature)[cell]).value[0]];
}

static bool
fits_cell(const Making *making, uint64 set, uint32 cell, RowId row)
{
	const Distinct *distinct = (const Distinct *) making;
	Code		value = distinct->frame->sensitive[row];

	return set_has(distinct->sets, tuple_words(making->signatures, making->sets[set].signature)[cell], value) &&
		!set_shows(distinct, set, value);
}

/* Lists rows by their codes in the frame. */
static void
list_newcomers(Making *making, const RowId *rows, uint64 n)
{
	const Frame *frame = making->frame;

	making->first_new = new_zeros(uint64, (uint64) frame->nsensitive + 1);
	making->end_new = new_array(uint64, frame->nsensitive);
	making->newcomer = new_array(RowId, n);
	for (uint64 i = 0; i < n; i++)
		making->first_new[frame->sensitive[rows[i]] + 1]++;
	for (Code v = 0; v < frame->nsensitive; v++)
		making->first_new[v + 1] += making->first_new[v];
	memcpy(making->end_new, making->first_new, sizeof(uint64) * frame->nsensitive);
	for (uint64 i = 0; i < n; i++)
		making->newcomer[making->end_new[frame->sensitive[rows[i]]]++] = rows[i];
}

void
take_places(Distinct *distinct, bool is_dealt)
{
	Making	   *making = &distinct->making;

	distinct->is_dealt = is_dealt;
	if (distinct->newcomers == 0)
		return;
	making->returning = making->nsets;
	making->code_of_cell = component_of_cell;
	making->fits = fits_cell;
	list_newcomers(making, distinct->newcomer, distinct->newcomers);
	follow(making);
	distinct->newcomers = 0;
	for (Code c = 0; c < making->frame->nsensitive; c++)
		for (uint64 i = making->first_new[c]; i < making->end_new[c]; i++)
			distinct->newcomer[distinct->newcomers++] = making->newcomer[i];
}

/* ----------------------------------------------------------------
 * Sets of their own
 * ----------------------------------------------------------------
 */

/* Raises the error that newcomers cannot be in a class. */
pg_noreturn static void
refuse_group(const Distinct *distinct, const Making *left, Code value)
{
	uint64		rows = 0;

	for (uint64 i = 0; i < left->first_new[left->frame->nsensitive]; i++)
		rows += distinct->frame->sensitive[left->newcomer[i]] == value;
	if (distinct->strict)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg(UINT64_FORMAT " new row(s) cannot be in a class of %u sensitive values that updates do not connect",
						rows, distinct->m),
				 errdetail("They have one sensitive value. Values that updates connect, in any direction and in any number of steps, share no class, and too few others are left."),
				 errhint("Declare a smaller \"m\", or do without \"strict\".")));
	refuse_few_values(distinct);
}

/* A set of rows and, in entries behind theirs, of rows that are to be invented. */
static void
add_set(Distinct *distinct, const RowId *rows, uint32 nrows, SetId *slots, uint32 n)
{
	Sets	   *sets = distinct->sets;
	uint64		set;

	for (uint32 i = 0; i < nrows; i++)
		slots[i] = sets->of_value[distinct->frame->sensitive[rows[i]]];
	set = set_create(&distinct->making, bucket_find(distinct, slots, n, false));
	for (uint32 i = 0; i < nrows; i++)
		(void) set_take(distinct, set, slots[i], rows[i]);
}

/* Newcomers who live close together make sets; their codes differ in each. */
static void
add_local_sets(Distinct *distinct, const Frame *frame)
{
	Making		local = distinct->making;
	SetId	   *slots = new_array(SetId, distinct->m);

	local.frame = frame;
	/* Where all values stay as they are, only people of one signature can ever come together. */
	local.shares = distinct->sets->ncomponents == distinct->frame->nsensitive;
	local.signatures = tuple_numbers_create(ANY_WIDTH);
	making_clear(&local);
	list_newcomers(&local, distinct->newcomer, distinct->newcomers);
	distinct->newcomers = make_local_sets(&local, distinct->newcomer);
	distinct->making.random = local.random;
	for (uint64 set = 0; set < local.nsets; set++)
		add_set(distinct, local.cells + local.sets[set].first, distinct->m, slots, distinct->m);
	pfree(slots);
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

/* A value, and how many people have it. */
typedef struct Ranked
{
	uint64		amount;
	Code		what;
} Ranked;

DEFINE_ORDER(compare_ranked, Ranked, DESCENDING(amount) ASCENDING(what));

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
	qsort(list, *n, sizeof(Ranked), compare_ranked);
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

/* ----------------------------------------------------------------
 * The last rows
 * ----------------------------------------------------------------
 */

/* The cell of a set that a row can take: the set's width for one more, which sets of newcomers have; NO_CODE if there is none. */
static uint32
cell_for(const Distinct *distinct, uint64 set, uint64 first_own, RowId row)
{
	const Making *making = &distinct->making;
	const MadeSet *made = &making->sets[set];
	uint32		n = set_values(making, set);
	Code		component = making->frame->sensitive[row];

	for (uint32 i = 0; i < n && made->true_rows < n; i++)
		if (making->cells[made->first + i] == NO_ROW && component_of_cell(making, set, i) == component && fits_cell(making, set, i, row))
			return i;
	if (set < first_own || n >= distinct->widest || set_shows(distinct, set, distinct->frame->sensitive[row]))
		return NO_CODE;
	for (uint32 i = 0; i < n && distinct->strict; i++)
		if (component_of_cell(making, set, i) == component)
			return NO_CODE;
	return n;
}

/* One row more for a set of newcomers. */
static void
widen_set(Distinct *distinct, uint64 set, RowId row)
{
	Making	   *making = &distinct->making;
	uint32		n = set_values(making, set);
	RowId	   *rows = new_array(RowId, n + 1);
	SetId	   *slots = new_array(SetId, n + 1);

	memcpy(rows, making->cells + making->sets[set].first, sizeof(RowId) * n);
	rows[n] = row;
	making->sets[set].true_rows = 0;
	add_set(distinct, rows, n + 1, slots, n + 1);
	making->sets[set] = making->sets[--making->nsets];
	memcpy(set_hull(making, set), set_hull(making, making->nsets), sizeof(Span) * making->measure->ndimensions);
	pfree(rows);
	pfree(slots);
}

/* Rows of a block go where they widen a set least; returns how many find no place, which come first. */
static uint64
place_rows(Distinct *distinct, uint64 first_own, RowId *rows, uint64 n)
{
	Making	   *making = &distinct->making;
	uint64	   *open = new_array(uint64, making->nsets);
	bool	   *failed = new_zeros(bool, distinct->frame->nsensitive);
	uint64		nopen = 0;
	uint64		left = 0;

	for (uint64 set = 0; set < making->nsets; set++)
		if (making->sets[set].true_rows > 0 && (set >= first_own || making->sets[set].true_rows < set_values(making, set)))
			open[nopen++] = set;
	for (uint64 k = 0; k < n; k++)
	{
		Code		value = distinct->frame->sensitive[rows[k]];
		uint64		from = nopen == 0 ? 0 : pg_prng_uint64_range(&making->random, 0, nopen - 1);
		uint64		best = nopen;
		double		least = 0;
		uint32		cell;

		CHECK_FOR_INTERRUPTS();
		for (uint64 i = 0, looked = 0; i < nopen && looked < LOOK && !failed[value]; i++)
		{
			uint64		at = (from + i) % nopen;
			double		cost;

			if (cell_for(distinct, open[at], first_own, rows[k]) == NO_CODE)
				continue;
			cost = cost_of_joining(making, open[at], rows[k]);
			if (looked++ > 0 && cost >= least)
				continue;
			least = cost;
			best = at;
		}
		if (best == nopen)
		{
			failed[value] = true;
			rows[left++] = rows[k];
			continue;
		}
		cell = cell_for(distinct, open[best], first_own, rows[k]);
		if (cell == set_values(making, open[best]))
			widen_set(distinct, open[best], rows[k]);
		else
			set_put(making, open[best], cell, rows[k]);
		open[best] = open[--nopen]; /* no row of the block more */
	}
	pfree(failed);
	pfree(open);
	return left;
}

/* Rows that are in no set come of fewer than m blocks: invented rows make up for the others. */
static void
add_last_sets(Distinct *distinct, Making *left)
{
	Code		nblocks = 0;
	Code		largest = 0;
	Code		nfrequent;
	Ranked	   *frequent = frequent_values(distinct, &nfrequent);
	uint64		nsets = 0;
	SetId	   *slots = new_array(SetId, distinct->m);
	RowId	   *cell;

	for (Code b = 0; b < left->frame->nsensitive; b++)
	{
		if (left->end_new[b] == left->first_new[b])
			continue;
		left->first_new[nblocks] = left->first_new[b];
		left->end_new[nblocks] = left->end_new[b];
		if (left->end_new[b] - left->first_new[b] > nsets)
		{
			nsets = left->end_new[b] - left->first_new[b];
			largest = nblocks;
		}
		nblocks++;
	}
	if (nblocks == 0)
		return;
	cell = new_array(RowId, nsets * nblocks);
	even_split(left->frame, left->newcomer, left->first_new, left->end_new, nblocks, nsets, cell);
	for (uint64 set = 0; set < nsets; set++)
	{
		RowId	   *row = cell + set * nblocks;
		uint32		n = 0;

		CHECK_FOR_INTERRUPTS();
		for (Code b = 0; b < nblocks; b++)
			if (row[b] != NO_ROW)
				row[n++] = row[b];
		for (uint32 i = 0; i < n; i++)
			slots[i] = distinct->sets->of_value[distinct->frame->sensitive[row[i]]];
		if (!complete_slots(distinct, frequent, nfrequent, slots, n))
			refuse_group(distinct, left, distinct->frame->sensitive[left->newcomer[left->first_new[largest]]]);
		add_set(distinct, row, n, slots, distinct->m);
	}
	pfree(cell);
	pfree(slots);
	pfree(frequent);
}

void
add_newcomers(Distinct *distinct)
{
	uint64		first_own = distinct->making.nsets;
	Making		left = {.frame = blocks(distinct)};
	uint64		most = 0;

	if (distinct->newcomers == 0)
		return;
	/* Rows that do not come out even make larger sets, unless a block is so large that rows must be invented anyway. */
	list_newcomers(&left, distinct->newcomer, distinct->newcomers);
	for (Code b = 0; b < left.frame->nsensitive; b++)
		most = Max(most, left.end_new[b] - left.first_new[b]);
	distinct->widest = most > (distinct->newcomers + distinct->newcomers / 4) / distinct->m ? distinct->m : distinct->m + 1;
	if (distinct->newcomers > 0 && (distinct->strict || distinct->sets->ncomponents >= distinct->m))
		add_local_sets(distinct, distinct->making.frame);
	if (distinct->newcomers > 0 && !distinct->strict)
		add_local_sets(distinct, distinct->frame);
	if (distinct->newcomers == 0)
		return;
	list_newcomers(&left, distinct->newcomer, distinct->newcomers);
	for (Code b = 0; b < left.frame->nsensitive; b++)
		if (left.end_new[b] > left.first_new[b])
			left.end_new[b] = left.first_new[b] +
				place_rows(distinct, first_own, left.newcomer + left.first_new[b], left.end_new[b] - left.first_new[b]);
	add_last_sets(distinct, &left);
}
