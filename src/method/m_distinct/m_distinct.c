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
	NOISE_PARAM,
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
 * Sets become classes
 * ----------------------------------------------------------------
 */

/*
 * A value for an invented row: of those that leave the next release most
 * choice, one as frequent as among the true rows, drawn by lot.  NO_CODE if
 * the entry's values are all in the group.
 */
static Code
invent_value(Distinct *distinct, const Code *values, uint32 n, SetId id)
{
	ValueSet	set = set_at(distinct->sets, id);
	Code		widest = 0;
	uint64		weight = 0;
	Code		drawn = NO_CODE;

	for (Code i = 0; i < set.n; i++)
	{
		Code		value = set.value[i];
		uint64		own = distinct->frequency[value] + 1;
		Code		width = updates_size(distinct->sets->updates, value);
		uint32		at = 0;

		while (at < n && values[at] != value)
			at++;
		if (width < widest || at < n)
			continue;
		weight = (width > widest ? 0 : weight) + own;
		widest = width;
		if (pg_prng_uint64_range(&distinct->making.random, 0, weight - 1) < own)
			drawn = value;
	}
	return drawn;
}

/* Completes a set by invented rows, so that each entry has a value of its own. */
static void
invent_rows(Distinct *distinct, Drafting *drafting, uint64 set, Code *value)
{
	const Frame *frame = distinct->frame;
	const MadeSet *made = &distinct->making.sets[set];
	const SetId *slots = tuple_words(distinct->making.signatures, made->signature);
	const RowId *cell = distinct->making.cells + made->first;
	uint32		n = distinct->buckets[made->signature].n;
	Code	   *counterfeit = drafting_invent(drafting, n - made->true_rows);

	for (uint32 i = 0; i < n; i++)
		value[i] = cell[i] == NO_ROW ? NO_CODE : frame->sensitive[cell[i]];
	for (uint32 i = 0; i < n; i++)
		if (value[i] == NO_CODE)
			value[i] = invent_value(distinct, value, n, slots[i]);
	if (!represent(distinct->sets, slots, n, value))
		elog(ERROR, "a group cannot be completed");
	for (uint32 i = 0; i < n; i++)
		if (!set_shows(distinct, set, value[i]))
			*counterfeit++ = value[i];
}

Draft *
draft_sets(Distinct *distinct, MemoryContext context)
{
	const Making *making = &distinct->making;
	MemoryContext old = MemoryContextSwitchTo(context);
	Drafting   *drafting = drafting_create(distinct->frame, distinct->m);
	uint32		most = 0;
	Code	   *value;

	MemoryContextSwitchTo(old);
	for (uint32 b = 0; b < distinct->nbuckets; b++)
		most = Max(most, distinct->buckets[b].n);
	value = new_array(Code, most);
	for (uint64 set = 0; set < making->nsets; set++)
	{
		const MadeSet *made = &making->sets[set];

		if (made->true_rows == 0)
			continue;
		CHECK_FOR_INTERRUPTS();
		for (uint32 i = 0; i < distinct->buckets[made->signature].n; i++)
			if (making->cells[made->first + i] != NO_ROW)
				drafting_add_rows(drafting, &making->cells[made->first + i], 1);
		if (made->true_rows < distinct->buckets[made->signature].n)
			invent_rows(distinct, drafting, set, value);
		(void) drafting_end_class(drafting, NULL);
	}
	pfree(value);
	return drafting->draft;
}

/* ----------------------------------------------------------------
 * The draft
 * ----------------------------------------------------------------
 */

Distinct *
distinct_create(const Frame *frame, const Past *past, const int64 *params, uint64 seed)
{
	Distinct   *distinct = palloc0(sizeof(Distinct));
	Making	   *making = &distinct->making;
	Frame	   *by_component = memcpy(palloc(sizeof(Frame)), frame, sizeof(Frame));

	distinct->frame = frame;
	distinct->paths = past->paths;
	distinct->is_mixed = past->is_mixed;
	distinct->m = making->m = params[DISTINCT_M];
	distinct->strict = params[DISTINCT_STRICT] == 1;
	distinct->sets = sets_create(past->updates);
	distinct->frequency = new_zeros(uint64, frame->nsensitive);
	array_reserve(distinct->buckets, distinct->buckets_allocated, 64);
	distinct->next = new_array(RowId, frame->nrows);
	distinct->newcomer = new_array(RowId, frame->nrows);
	distinct->kind_of = new_zeros(uint32, frame->nsensitive);

	by_component->nsensitive = distinct->sets->ncomponents;
	by_component->sensitive = new_array(Code, frame->nrows);
	for (uint64 row = 0; row < frame->nrows; row++)
	{
		distinct->frequency[frame->sensitive[row]]++;
		by_component->sensitive[row] = distinct->sets->component[frame->sensitive[row]];
	}
	making->frame = by_component;
	making->together = 1;
	pg_prng_seed(&making->random, seed);
	making->signatures = tuple_numbers_create(ANY_WIDTH);
	making->measure = records_none(frame);
	making_clear(making);
	return distinct;
}

/* Keeps people together or deals them anew, adds newcomers, and makes classes of all sets. */
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
	enter_people(distinct);
	take_places(distinct, false);
	deal_anew(distinct);
	take_places(distinct, true);
	add_newcomers(distinct);
	INSTR_TIME_SET_CURRENT(start);
	draft = draft_sets(distinct, context);
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
