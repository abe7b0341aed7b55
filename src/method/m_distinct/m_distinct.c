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

/* Rows that observers would not expect are for the caller to refuse, who can name values. */
static void
verify_rows(const Frame *frame, const Past *past)
{
	Assert(past->updates->nvalues == frame->nsensitive);
	for (uint64 row = 0; row < frame->nrows; row++)
		if (frame->sensitive[row] == NO_CODE || updates_size(past->updates, frame->sensitive[row]) == 0)
			elog(ERROR, "a row has a sensitive value that is not declared");
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

	verify_rows(frame, past);
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
