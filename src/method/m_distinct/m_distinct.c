/*
 * m_distinct.c
 *		The method of Li and Zhou: no candidate value of a person can be excluded,
 *		although people come, go and change.
 *
 * NOTES
 *		The values that a value can become are declared, and publicly known.  A row
 *		in a class before is put into a class to whose values those of the former
 *		can all have become, one by one, so that old and new candidates do not
 *		prune each other (Definitions 14 and 15, in the one-to-one form).  Strict
 *		(m-Distinct*): in the first class that a person is in, updates connect no
 *		two values, in any direction; so the ways that lead from its values never
 *		meet, and the risk stays at 1/m.  The paper only asks that no two values
 *		ever become the same.  With its rule, an observer who follows all people
 *		might still strike candidates out.  With ours, each value of a class is of
 *		a component of its own, for ever, so that there is a world in which a
 *		person has the value of another component: exchange the two components in
 *		all classes that show the same ones.
 *
 *		Every row is published.  What is missing is invented, and anyone may
 *		know how many rows of a class are.
 */
#include "postgres.h"

#include "frame/arrays.h"
#include "method/m_distinct/m_distinct.h"
#include "miscadmin.h"
#include "portability/instr_time.h"
#include "utils/memutils.h"

/* The parameters, in the order of the table. */
enum
{
	DISTINCT_M,
	DISTINCT_UPDATES,
	DISTINCT_STRICT
};

static const ParamSpec distinct_params[] = {
	[DISTINCT_M] = {"m", PARAM_INTEGER, PARAM_REQUIRED, 1, 1000, NULL, NULL, STRENGTH_MORE},
	[DISTINCT_UPDATES] = {"updates", PARAM_TABLE, PARAM_REQUIRED, 0, 0, NULL, NULL, STRENGTH_NONE},
	[DISTINCT_STRICT] = {"strict", PARAM_BOOLEAN, PARAM_OPTIONAL, 0, 0, NULL, "false", STRENGTH_MORE},
	{"accept_insensitive", PARAM_BOOLEAN, PARAM_OPTIONAL, 0, 0, NULL, NULL, STRENGTH_NONE},
	{.name = NULL}
};

static const TableColumn update_columns[] = {
	{TABLE_SENSITIVE, "from_value", false},
	{TABLE_SENSITIVE, "to_value", false},
	{TABLE_NUMBER, "probability", true},
	{TABLE_END, NULL, false}
};

static const TableSpec distinct_tables[] = {
	{"updates", update_columns},
	{NULL, NULL}
};

static SourceNeeds
distinct_needs(const int64 *params)
{
	return (SourceNeeds) {.values = params[DISTINCT_M], .for_fewer_values = "a smaller \"m\", or a table \"updates\" with all values that there can be"};
}

/* ----------------------------------------------------------------
 * Buckets become classes: split, invented rows added, and covered
 * ----------------------------------------------------------------
 */

typedef struct Grouping
{
	Distinct   *distinct;
	Drafting   *drafting;
	Splitter   *splitter;
	BalancedRow *rows;			/* [most rows] */
	uint32	   *size;			/* [most groups] */
	SetId	   *slots;			/* [most slots] */
	Code	   *value;			/* [most slots] */
} Grouping;

/*
 * A value for an invented row: of those that leave the next release most
 * choice, one as frequent as among the true rows, drawn by lot.  NO_CODE if
 * the entry's values are all in the group.
 */
static Code
invent_value(Grouping *grouping, uint32 n, SetId id)
{
	Distinct   *distinct = grouping->distinct;
	ValueSet	set = set_at(distinct->sets, id);
	Code		widest = 0;
	uint64		weight = 0;
	Code		drawn = NO_CODE;

	for (Code i = 0; i < set.n; i++)
	{
		Code		value = set.value[i];
		uint64		own = distinct->frequency[value] + 1;
		Code		width = updates_size(distinct->updates, value);
		uint32		at = 0;

		while (at < n && grouping->value[at] != value)
			at++;
		if (width < widest || at < n)
			continue;
		weight = (width > widest ? 0 : weight) + own;
		widest = width;
		if (pg_prng_uint64_range(&distinct->random, 0, weight - 1) < own)
			drawn = value;
	}
	return drawn;
}

/* The slots of a group, with the values of its rows. */
static uint32
fill_slots(Grouping *grouping, const Bucket *bucket, const BalancedRow *rows, uint32 nrows)
{
	const Frame *frame = grouping->distinct->frame;
	uint32		at = 0;

	for (uint32 e = 0; e < bucket->nentries; e++)
	{
		uint32		end = at + bucket->multiplicity[e];

		for (uint32 i = 0; i < nrows; i++)
			if (rows[i].entry == e)
			{
				grouping->slots[at] = bucket->set[e];
				grouping->value[at++] = frame->sensitive[rows[i].row];
			}
		for (; at < end; at++)
		{
			grouping->slots[at] = bucket->set[e];
			grouping->value[at] = NO_CODE;
		}
	}
	return at;
}

/* Completes a group by invented rows, so that each entry has a value of its own. */
static void
invent_rows(Grouping *grouping, const Bucket *bucket, const BalancedRow *rows, uint32 nrows)
{
	const Frame *frame = grouping->distinct->frame;
	uint32		n = fill_slots(grouping, bucket, rows, nrows);
	Code	   *counterfeit = drafting_invent(grouping->drafting, n - nrows);

	for (uint32 i = 0; i < n; i++)
		if (grouping->value[i] == NO_CODE)
			grouping->value[i] = invent_value(grouping, n, grouping->slots[i]);
	if (!represent(grouping->distinct->sets, grouping->slots, n, grouping->value))
		elog(ERROR, "a group cannot be completed");
	for (uint32 i = 0; i < n; i++)
	{
		bool		is_true = false;

		for (uint32 k = 0; k < nrows; k++)
			is_true |= frame->sensitive[rows[k].row] == grouping->value[i];
		if (!is_true)
			*counterfeit++ = grouping->value[i];
	}
}

/* The rows of the bucket with an entry each, as the placement says; kinds in several entries are dealt out evenly. */
static void
enter_rows(Grouping *grouping, const Bucket *bucket, const Placement *placement)
{
	const Distinct *distinct = grouping->distinct;
	uint32	   *left = palloc(sizeof(uint32) * bucket->nentries);
	BalancedRow *next = grouping->rows;

	for (uint32 k = 0; k < bucket->nkinds; k++)
	{
		uint32		e = 0;

		memcpy(left, placement->in + (Size) k * bucket->nentries, sizeof(uint32) * bucket->nentries);
		for (RowId row = bucket->kinds[k].head; row != NO_ROW; row = distinct->next[row])
		{
			do
				e = (e + 1) % bucket->nentries;
			while (left[e] == 0);
			left[e]--;
			*next++ = (BalancedRow) {row, e};
		}
	}
}

/* Splits a bucket into groups, and makes a class of each. */
static void
draft_bucket(Grouping *grouping, const Bucket *bucket)
{
	Placement  *placement = place_bucket(grouping->distinct, bucket);
	BalancedRow *rows = grouping->rows;

	enter_rows(grouping, bucket, placement);
	split_bucket(grouping->splitter, &(BalancedBucket) {
				 .nentries = bucket->nentries, .multiplicity = bucket->multiplicity,
				 .ngroups = placement->groups, .nrows = bucket->rows, .rows = rows}, grouping->size);
	for (uint32 g = 0; g < placement->groups; g++)
	{
		uint32		nrows = grouping->size[g];

		if (nrows == 0)
			continue;
		for (uint32 i = 0; i < nrows; i++)
			drafting_add_rows(grouping->drafting, &rows[i].row, 1);
		if (bucket->n > nrows)
			invent_rows(grouping, bucket, rows, nrows);
		(void) drafting_end_class(grouping->drafting, NULL);
		rows += nrows;
	}
}

Draft *
draft_groups(Distinct *distinct, MemoryContext context)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	Grouping	grouping = {.distinct = distinct, .drafting = drafting_create(distinct->frame, distinct->m)};
	MemoryContext work;
	uint64		most_rows = 0;
	uint32		most_entries = 0;
	uint32		most_slots = 0;

	MemoryContextSwitchTo(old);
	work = AllocSetContextCreate(old, "bucket", ALLOCSET_DEFAULT_SIZES);
	for (uint32 b = 0; b < distinct->nbuckets; b++)
	{
		most_rows = Max(most_rows, distinct->buckets[b].rows);
		most_entries = Max(most_entries, distinct->buckets[b].nentries);
		most_slots = Max(most_slots, distinct->buckets[b].n);
	}
	grouping.splitter = splitter_create(distinct->frame, most_rows, most_entries);
	grouping.rows = new_array(BalancedRow, most_rows);
	grouping.size = new_array(uint32, most_rows);
	grouping.slots = palloc(sizeof(SetId) * (most_slots + 1));
	grouping.value = palloc(sizeof(Code) * (most_slots + 1));
	for (uint32 b = 0; b < distinct->nbuckets; b++)
	{
		if (distinct->buckets[b].rows == 0)
			continue;
		CHECK_FOR_INTERRUPTS();
		MemoryContextReset(work);
		MemoryContextSwitchTo(work);
		draft_bucket(&grouping, &distinct->buckets[b]);
		MemoryContextSwitchTo(old);
	}
	MemoryContextDelete(work);
	return grouping.drafting->draft;
}

/* ----------------------------------------------------------------
 * The draft
 * ----------------------------------------------------------------
 */

/* Sets up the state of a draft. */
static Distinct *
distinct_create(const Frame *frame, const Past *past, const int64 *params, uint64 seed)
{
	Distinct   *distinct = palloc0(sizeof(Distinct));
	Size		nvalues = (Size) frame->nsensitive + 1;

	distinct->frame = frame;
	distinct->updates = past->updates;
	distinct->paths = past->paths;
	distinct->is_mixed = past->is_mixed;
	distinct->m = params[DISTINCT_M];
	distinct->strict = params[DISTINCT_STRICT] == 1;
	pg_prng_seed(&distinct->random, seed);
	distinct->sets = sets_create(past->updates);
	distinct->entries = tuple_numbers_create(ANY_WIDTH);
	array_reserve(distinct->buckets, distinct->buckets_allocated, 64);
	distinct->next = new_array(RowId, frame->nrows);
	distinct->frequency = new_zeros(uint64, nvalues);
	for (uint64 row = 0; row < frame->nrows; row++)
		distinct->frequency[frame->sensitive[row]]++;
	distinct->newcomer = new_array(Kind, nvalues);
	for (Code v = 0; v < frame->nsensitive; v++)
		distinct->newcomer[v] = (Kind) {v, 0, NO_ROW};
	distinct->kind_of = new_zeros(uint32, nvalues);
	return distinct;
}

/* Puts people into buckets, joins these, adds newcomers, and splits buckets into classes. */
static Draft *
distinct_draft(const Frame *frame, const Past *past, const int64 *params, uint64 seed)
{
	MemoryContext context = CurrentMemoryContext;
	MemoryContext work = AllocSetContextCreate(context, "m-distinct", ALLOCSET_DEFAULT_SIZES);
	Distinct   *distinct;
	Draft	   *draft;
	instr_time	start;
	instr_time	now;

	/* Rows that observers would not expect are for the caller to refuse, who can name values. */
	Assert(past->updates->nvalues == frame->nsensitive);
	for (uint64 row = 0; row < frame->nrows; row++)
		if (frame->sensitive[row] == NO_CODE || updates_size(past->updates, frame->sensitive[row]) == 0)
			elog(ERROR, "a row has a sensitive value that is not declared");
	MemoryContextSwitchTo(work);
	distinct = distinct_create(frame, past, params, seed);
	make_buckets(distinct);
	join_buckets(distinct);
	place_newcomers(distinct);
	INSTR_TIME_SET_CURRENT(start);
	draft = draft_groups(distinct, context);
	INSTR_TIME_SET_CURRENT(now);
	INSTR_TIME_SUBTRACT(now, start);
	draft->cutting_seconds = INSTR_TIME_GET_DOUBLE(now);
	MemoryContextSwitchTo(context);
	MemoryContextDelete(work);
	return draft;
}

const Method m_distinct_method = {
	.declaration = {
		.name = "m-distinct",
		.params = distinct_params,
		.tables = distinct_tables,
		.classes = true,
		.counterfeits = true,
		.past = PAST_LAST,
		.needs = distinct_needs,
	},
	.draft = distinct_draft,
};
