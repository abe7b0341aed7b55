/*
 * aggregate.c
 *		Executing the aggregating custom scan.  See plan.h.
 *
 * MEMORY
 *		When groups take as much as a hash table may, those that there are are handed on, and
 *		counting begins anew: the Finalize Aggregate adds the parts up.
 */
#include "postgres.h"

#include "store/plan.h"

#include "access/tableam.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/rel.h"

typedef struct StoreAggregateState
{
	CustomScanState base;
	int			nkeys;
	int			ntallies;
	Tally	   *tallies;
	Batch	   *batch;
	Filter	   *filter;
	Keys	   *keys;			/* NULL without GROUP BY; then */
	Count	   *counts;			/* there are these */
	MemoryContext kept;			/* of counts' values */

	/* Where it is */
	bool		in_group;		/* of the table */
	uint32		vector;			/* the next one in it */
	bool	   *open;			/* for each tally: does it need the rows of this group? */
	bool		at_end;			/* of the table */
	bool		handing_on;

	/* Count */
	uint64		answered;		/* groups, by their headers alone */
} StoreAggregateState;

List *
list_of_aggregate_plan(const AggregatePlan *plan)
{
	return list_make4(plan->columns, plan->kinds, plan->operators, plan->collations);
}

AggregatePlan
aggregate_plan_of_list(List *list)
{
	return (AggregatePlan) {linitial(list), lsecond(list), lthird(list), lfourth(list)};
}

/* ----------------------------------------------------------------
 * Begin and end
 * ----------------------------------------------------------------
 */

/* The columns to be read, once each; places says where each attribute's column is among them, or -1. */
static int *
choose_columns(const AggregatePlan *plan, int *ncolumns, int *places)
{
	int		   *columns = palloc(Max(list_length(plan->columns), 1) * sizeof(int));
	ListCell   *cell;

	*ncolumns = 0;
	foreach(cell, plan->columns)
	{
		int			place = 0;

		while (place < *ncolumns && columns[place] != lfirst_int(cell) - 1)
			place++;
		if (lfirst_int(cell) == 0)
			place = -1;
		else if (place == *ncolumns)
			columns[(*ncolumns)++] = lfirst_int(cell) - 1;
		places[foreach_current_index(cell)] = place;
	}
	return columns;
}

/* Prepares the tallies and, for a query with GROUP BY, the table of its groups. */
static void
begin_counting(StoreAggregateState *state, const AggregatePlan *plan, const int *places)
{
	TupleTableSlot *slot = state->base.ss.ss_ScanTupleSlot;
	ListCell   *cell;

	state->nkeys = list_length(plan->operators);
	state->ntallies = list_length(plan->kinds);
	state->tallies = palloc0(Max(state->ntallies, 1) * sizeof(Tally));
	state->open = palloc(Max(state->ntallies, 1) * sizeof(bool));
	foreach(cell, plan->kinds)
	{
		int			i = foreach_current_index(cell);

		begin_tally(&state->tallies[i], lfirst_int(cell), list_nth_int(plan->columns, state->nkeys + i), state->batch);
	}
	if (state->nkeys > 0)
	{
		TupleDesc	desc = CreateTemplateTupleDesc(state->nkeys);

		for (int i = 0; i < state->nkeys; i++)
			TupleDescCopyEntry(desc, i + 1, slot->tts_tupleDescriptor, i + 1);
		state->keys = make_keys(&state->base.ss.ps, desc, places, plan->operators, plan->collations, state->ntallies,
								state->base.ss.ps.plan->plan_rows);
		state->kept = keys_context(state->keys);
	}
	else
	{
		state->kept = AllocSetContextCreate(CurrentMemoryContext, "counts", ALLOCSET_SMALL_SIZES);
		state->counts = palloc0(Max(state->ntallies, 1) * sizeof(Count));
	}
}

/* Prepares columns, counts and conditions. */
static void
begin_aggregate(CustomScanState *node, EState *estate, int eflags)
{
	StoreAggregateState *state = (StoreAggregateState *) node;
	CustomScan *scan = (CustomScan *) node->ss.ps.plan;
	AggregatePlan plan = aggregate_plan_of_list(scan->custom_private);
	int		   *places = palloc(Max(list_length(plan.columns), 1) * sizeof(int));
	int			ncolumns;
	int		   *columns = choose_columns(&plan, &ncolumns, places);

	state->batch = make_batch(RelationGetDescr(node->ss.ss_currentRelation), columns, ncolumns);
	begin_counting(state, &plan, places);
	if (scan->custom_exprs != NIL)
		state->filter = make_filter(scan->custom_exprs, &node->ss, INDEX_VAR,
									ExecInitExtraTupleSlot(estate, node->ss.ss_ScanTupleSlot->tts_tupleDescriptor, &TTSOpsVirtual),
									places, state->batch);
}

static bool
skip_group(void *arg, const RowGroup *group)
{
	return filter_excludes(((StoreAggregateState *) arg)->filter, group);
}

/* Begins the scan when it is needed first: EXPLAIN does without. */
static void
need_scan(StoreAggregateState *state)
{
	ScanState  *node = &state->base.ss;

	if (node->ss_currentScanDesc != NULL)
		return;
	node->ss_currentScanDesc = table_beginscan(node->ss_currentRelation, node->ps.state->es_snapshot, 0, NULL);
	state->batch->cursor = scan_cursor(node->ss_currentScanDesc);
	if (state->filter != NULL)
		cursor_skips(state->batch->cursor, skip_group, state);
}

static void
end_aggregate(CustomScanState *node)
{
	if (node->ss.ss_currentScanDesc != NULL)
		table_endscan(node->ss.ss_currentScanDesc);
	node->ss.ss_currentScanDesc = NULL;
}

/* Begins anew, with parameters that may have changed. */
static void
rescan_aggregate(CustomScanState *node)
{
	StoreAggregateState *state = (StoreAggregateState *) node;

	if (node->ss.ss_currentScanDesc != NULL)
		table_rescan(node->ss.ss_currentScanDesc, NULL);
	if (state->filter != NULL)
		renew_filter(state->filter);
	if (state->keys != NULL)
		reset_keys(state->keys);
	else
	{
		MemoryContextReset(state->kept);
		memset(state->counts, 0, state->ntallies * sizeof(Count));
	}
	state->in_group = state->at_end = state->handing_on = false;
}

/* ----------------------------------------------------------------
 * Counting up
 * ----------------------------------------------------------------
 */

/* Lets the header of the group that was entered answer; true if rows are needed, too. */
static bool
ask_header(StoreAggregateState *state, bool all)
{
	bool		needed = !all || state->keys != NULL;

	if (needed)
	{
		memset(state->open, true, state->ntallies);
		return true;
	}
	for (int i = 0; i < state->ntallies; i++)
	{
		state->open[i] = !tally_header(&state->tallies[i], &state->counts[i], state->batch, state->kept);
		needed = needed || state->open[i];
	}
	state->answered += !needed;
	return needed;
}

/* Enters the next group of the table whose rows are needed; false at the end. */
static bool
enter_next_group(StoreAggregateState *state)
{
	uint32		nrows;

	while (cursor_next_group(state->batch->cursor, &nrows))
	{
		batch_enter(state->batch, nrows);
		if (!ask_header(state, state->filter == NULL || filter_enter(state->filter, state->batch)))
			continue;
		if (state->keys != NULL)
			keys_enter(state->keys);
		state->vector = 0;
		state->in_group = true;
		return true;
	}
	return false;
}

static void
count_rows(StoreAggregateState *state, Count *counts, const uint16 *rows, uint32 n)
{
	for (int i = 0; i < state->ntallies; i++)
		if (state->open[i])
			tally_rows(&state->tallies[i], &counts[i], state->batch, rows, n, state->kept);
}

/* Counts those rows of the next vector that pass the filter. */
static void
count_vector(StoreAggregateState *state)
{
	Batch	   *batch = state->batch;
	uint16		rows[ENCODING_VECTOR];
	uint32		n;
	uint32		same;

	batch_go(batch, state->vector++);
	state->in_group = state->vector * ENCODING_VECTOR < batch->nrows;
	n = batch_rows(batch, rows);
	if (state->filter != NULL)
		n = filter_rows(state->filter, batch, rows, n);
	if (n == 0)
		return;
	if (state->keys == NULL)
	{
		count_rows(state, state->counts, rows, n);
		return;
	}
	keys_go(state->keys, batch);
	for (uint32 i = 0; i < n; i += same)
	{
		Count	   *counts = counts_of_rows(state->keys, batch, rows + i, n - i, &same);

		count_rows(state, counts, rows + i, same);
	}
}

/* Counts up to the end of the table, or until there are too many groups. */
static void
count_up(StoreAggregateState *state)
{
	while (state->in_group || enter_next_group(state))
	{
		CHECK_FOR_INTERRUPTS();
		count_vector(state);
		if (state->keys != NULL && keys_are_many(state->keys))
			return;
	}
	state->at_end = true;
}

/* ----------------------------------------------------------------
 * Handing on
 * ----------------------------------------------------------------
 */

/* Fills the slot of the scan: keys, and the states of the aggregates. */
static TupleTableSlot *
put_states(StoreAggregateState *state, const TupleTableSlot *keys, const Count *counts)
{
	ScanState  *node = &state->base.ss;
	TupleTableSlot *slot = node->ss_ScanTupleSlot;
	ExprContext *econtext = node->ps.ps_ExprContext;
	MemoryContext old = MemoryContextSwitchTo(econtext->ecxt_per_tuple_memory);

	ExecStoreAllNullTuple(slot);
	for (int i = 0; i < state->nkeys; i++)
	{
		slot->tts_values[i] = keys->tts_values[i];
		slot->tts_isnull[i] = keys->tts_isnull[i];
	}
	for (int i = 0; i < state->ntallies; i++)
		slot->tts_values[state->nkeys + i] = tally_result(&state->tallies[i], &counts[i], &slot->tts_isnull[state->nkeys + i]);
	MemoryContextSwitchTo(old);
	if (node->ps.ps_ProjInfo == NULL)
		return slot;
	econtext->ecxt_scantuple = slot;
	return ExecProject(node->ps.ps_ProjInfo);
}

/* The next group of those that are counted, or NULL; without GROUP BY there is one. */
static TupleTableSlot *
next_states(StoreAggregateState *state)
{
	TupleTableSlot *keys = NULL;
	const Count *counts = state->counts;

	if (!state->handing_on)
		return NULL;
	if (state->keys == NULL)
		state->handing_on = false;
	else if ((counts = next_group(state->keys, &keys)) == NULL)
	{
		reset_keys(state->keys);
		state->handing_on = false;
		return NULL;
	}
	return put_states(state, keys, counts);
}

/* Hands on what is counted, and counts on when all of that is handed on. */
static TupleTableSlot *
exec_aggregate(CustomScanState *node)
{
	StoreAggregateState *state = (StoreAggregateState *) node;
	TupleTableSlot *slot;

	need_scan(state);
	ResetExprContext(node->ss.ps.ps_ExprContext);
	while ((slot = next_states(state)) == NULL)
	{
		if (state->at_end)
			return ExecClearTuple(node->ss.ss_ScanTupleSlot);
		count_up(state);
		if (state->keys != NULL)
			begin_groups(state->keys);
		state->handing_on = true;
	}
	return slot;
}

/* ----------------------------------------------------------------
 * EXPLAIN
 * ----------------------------------------------------------------
 */

/* Shows columns and conditions and, with ANALYZE, how many groups were read, skipped, or answered by their headers. */
static void
explain_aggregate(CustomScanState *node, List *ancestors, ExplainState *es)
{
	StoreAggregateState *state = (StoreAggregateState *) node;
	Bitmapset  *columns = NULL;
	uint64		read = 0;
	uint64		skipped = 0;

	for (int i = 0; i < state->batch->ncolumns; i++)
		columns = bms_add_member(columns, state->batch->columns[i].column);
	explain_columns(node, columns, es);
	explain_clauses(node, "Filter", ancestors, es);
	if (!es->analyze)
		return;
	if (node->ss.ss_currentScanDesc != NULL)
		cursor_counts(state->batch->cursor, &read, &skipped);
	ExplainPropertyUInteger("Groups Read", NULL, read - state->answered, es);
	ExplainPropertyUInteger("Groups Skipped", NULL, skipped, es);
	ExplainPropertyUInteger("Groups Answered by Headers", NULL, state->answered, es);
}

static const CustomExecMethods exec_methods = {
	.CustomName = "pprepub aggregate",
	.BeginCustomScan = begin_aggregate,
	.ExecCustomScan = exec_aggregate,
	.EndCustomScan = end_aggregate,
	.ReScanCustomScan = rescan_aggregate,
	.ExplainCustomScan = explain_aggregate
};

static Node *
make_state(CustomScan *scan)
{
	StoreAggregateState *state = palloc0(sizeof(StoreAggregateState));

	NodeSetTag(state, T_CustomScanState);
	state->base.methods = &exec_methods;
	return (Node *) state;
}

const CustomScanMethods store_aggregate_methods = {
	.CustomName = "pprepub aggregate",
	.CreateCustomScanState = make_state
};
