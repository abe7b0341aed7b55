/*
 * aggregate.c
 *		Executing the aggregating custom scan.  See plan.h.
 *
 * GROUP BY
 *		Equal is what the query's grouping operators say; the table of groups is
 *		PostgreSQL's own.  Rows are looked up by their codes where there are some, and
 *		where keys change from one row to the next.
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

/* Combinations of codes that are remembered, at most. */
#define MOST_KNOWN 16384

/* An estimate of groups is not believed beyond this. */
#define MOST_EXPECTED 65536

typedef struct Key
{
	int			place;			/* in the batch */
	bool		by_value;
	const CodedVector *coded;	/* or NULL */
	const BatchColumn *column;
} Key;

typedef struct StoreAggregateState
{
	CustomScanState base;
	int			nkeys;
	Key		   *keys;
	int			ntallies;
	Tally	   *tallies;
	Batch	   *batch;
	Filter	   *filter;
	MemoryContext kept;			/* of counts, their values, and the table */
	Count	   *counts;			/* without GROUP BY */

	/* The table of groups, with GROUP BY */
	TupleDesc	desc;
	AttrNumber *attributes;
	Oid		   *functions;
	FmgrInfo   *hashes;
	Oid		   *collations;
	TupleHashTable table;
	TupleHashIterator iterator;
	TupleTableSlot *input;
	TupleTableSlot *output;
	MemoryContext scratch;

	/* Counts of combinations of codes that were met in the current group of rows, or NULL */
	bool		remembers;
	bool		clean;			/* for this group */
	Count	  **known;

	/* Where it is */
	bool		in_group;		/* of the table */
	uint32		vector;			/* the next one in it */
	bool	   *open;			/* for each tally: does it need the rows of this group? */
	bool		at_end;			/* of the table */
	bool		handing_on;

	/* Count */
	uint64		answered;		/* groups, by their headers alone */
} StoreAggregateState;

/* ----------------------------------------------------------------
 * Begin and end
 * ----------------------------------------------------------------
 */

/* Begins to count. */
static void
forget_counts(StoreAggregateState *state)
{
	const Plan *plan = state->base.ss.ps.plan;
	MemoryContext old;

	if (state->nkeys > 0)
		ExecClearTuple(state->output);
	MemoryContextReset(state->kept);
	old = MemoryContextSwitchTo(state->kept);
	if (state->nkeys == 0)
		state->counts = palloc0(Max(state->ntallies, 1) * sizeof(Count));
	else
		state->table = make_tuple_hash(&state->base.ss.ps, state->desc, state->nkeys, state->attributes, state->functions,
									   state->hashes, state->collations, (long) Min(Max(plan->plan_rows, 1), MOST_EXPECTED),
									   state->kept, state->scratch);
	MemoryContextSwitchTo(old);
	state->clean = false;
}

/* Takes what rows are grouped by. */
static void
begin_keys(StoreAggregateState *state, List *operators, List *collations, const int *places)
{
	TupleDesc	desc = CreateTemplateTupleDesc(state->nkeys);
	EState	   *estate = state->base.ss.ps.state;
	Oid		   *equal = palloc(state->nkeys * sizeof(Oid));

	state->keys = palloc0(state->nkeys * sizeof(Key));
	state->attributes = palloc(state->nkeys * sizeof(AttrNumber));
	state->collations = palloc(state->nkeys * sizeof(Oid));
	for (int i = 0; i < state->nkeys; i++)
	{
		TupleDescCopyEntry(desc, i + 1, state->base.ss.ss_ScanTupleSlot->tts_tupleDescriptor, i + 1);
		state->keys[i].place = places[i];
		state->keys[i].by_value = TupleDescAttr(desc, i)->attbyval;
		state->attributes[i] = i + 1;
		state->collations[i] = list_nth_oid(collations, i);
		equal[i] = list_nth_oid(operators, i);
	}
	TupleDescFinalize(desc);
	execTuplesHashPrepare(state->nkeys, equal, &state->functions, &state->hashes);
	state->desc = desc;
	state->scratch = AllocSetContextCreate(CurrentMemoryContext, "hashing", ALLOCSET_DEFAULT_SIZES);
	state->input = ExecInitExtraTupleSlot(estate, desc, &TTSOpsVirtual);
	state->output = ExecInitExtraTupleSlot(estate, desc, &TTSOpsMinimalTuple);
	state->known = palloc(MOST_KNOWN * sizeof(Count *));
}

/* Prepares columns, counts and conditions. */
static void
begin_aggregate(CustomScanState *node, EState *estate, int eflags)
{
	StoreAggregateState *state = (StoreAggregateState *) node;
	CustomScan *scan = (CustomScan *) node->ss.ps.plan;
	List	   *attributes = linitial(scan->custom_private);
	List	   *kinds = lsecond(scan->custom_private);
	List	   *operators = lthird(scan->custom_private);
	int		   *places = palloc(Max(list_length(attributes), 1) * sizeof(int));
	int		   *columns = palloc(Max(list_length(attributes), 1) * sizeof(int));
	int			ncolumns = 0;
	ListCell   *cell;

	/* Columns are read once each. */
	foreach(cell, attributes)
	{
		int			place = 0;

		while (place < ncolumns && columns[place] != lfirst_int(cell) - 1)
			place++;
		if (lfirst_int(cell) == 0)
			place = -1;
		else if (place == ncolumns)
			columns[ncolumns++] = lfirst_int(cell) - 1;
		places[foreach_current_index(cell)] = place;
	}
	state->batch = make_batch(RelationGetDescr(node->ss.ss_currentRelation), columns, ncolumns);
	state->nkeys = list_length(operators);
	state->ntallies = list_length(kinds);
	state->tallies = palloc0(Max(state->ntallies, 1) * sizeof(Tally));
	state->open = palloc(Max(state->ntallies, 1) * sizeof(bool));
	foreach(cell, kinds)
		begin_tally(&state->tallies[foreach_current_index(cell)], lfirst_int(cell), state->batch,
					places[state->nkeys + foreach_current_index(cell)]);
	if (state->nkeys > 0)
		begin_keys(state, operators, lfourth(scan->custom_private), places);
	state->kept = AllocSetContextCreate(CurrentMemoryContext, "counts", ALLOCSET_DEFAULT_SIZES);
	forget_counts(state);
	if (scan->custom_exprs != NIL)
		state->filter = make_filter(scan->custom_exprs, &node->ss, INDEX_VAR,
									ExecInitExtraTupleSlot(estate, node->ss.ss_ScanTupleSlot->tts_tupleDescriptor, &TTSOpsVirtual),
									places, state->batch);
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
	forget_counts(state);
	state->in_group = state->at_end = state->handing_on = false;
}

/* ----------------------------------------------------------------
 * Groups of the query
 * ----------------------------------------------------------------
 */

/* Brings the keys of a vector. Combinations of codes are remembered if all of them last, and if they are not too many. */
static void
bring_keys(StoreAggregateState *state)
{
	uint64		combinations = 1;

	state->remembers = true;
	for (int i = 0; i < state->nkeys; i++)
	{
		Key		   *key = &state->keys[i];

		key->column = &state->batch->columns[key->place];
		key->coded = batch_codes(state->batch, key->place);
		if (key->coded == NULL)
			batch_values(state->batch, key->place);
		state->remembers = state->remembers && key->coded != NULL && key->coded->lasting;
		if (state->remembers)
			combinations *= key->coded->ncodes;
		state->remembers = state->remembers && combinations <= MOST_KNOWN;
	}
	if (state->remembers && !state->clean)
		memset(state->known, 0, combinations * sizeof(Count *));
	state->clean = state->remembers;
	MemoryContextReset(state->scratch);
}

/* Have two rows the same values, as far as that can be seen at once? */
static inline bool
are_alike(const Key *key, uint16 row, uint16 other)
{
	if (key->coded != NULL)
		return key->coded->codes[row] == key->coded->codes[other];
	return key->by_value && key->column->values[row] == key->column->values[other] &&
		key->column->nulls[row] == key->column->nulls[other];
}

/* Finds the row's group in the table, or makes it. */
static Count *
look_up(StoreAggregateState *state, uint16 row)
{
	TupleTableSlot *slot = state->input;
	TupleHashEntry entry;
	bool		isnew;
	uint32		hash;

	ExecClearTuple(slot);
	for (int i = 0; i < state->nkeys; i++)
	{
		const Key  *key = &state->keys[i];

		if (key->coded != NULL)
			slot->tts_values[i] = batch_value_of_code(state->batch, key->place, key->coded->codes[row], &slot->tts_isnull[i]);
		else
		{
			slot->tts_values[i] = key->column->values[row];
			slot->tts_isnull[i] = key->column->nulls[row];
		}
	}
	ExecStoreVirtualTuple(slot);
	entry = LookupTupleHashEntry(state->table, slot, &isnew, &hash);
	if (isnew)
		tuple_hash_data(state->table, entry) = MemoryContextAllocZero(state->kept, Max(state->ntallies, 1) * sizeof(Count));
	return tuple_hash_data(state->table, entry);
}

/* The counts of a row's group, and how many of n rows from it on are in the same one. */
static Count *
counts_of_rows(StoreAggregateState *state, const uint16 *rows, uint32 n, uint32 *same)
{
	uint32		combination = 0;
	Count	  **known;

	*same = n;
	if (state->nkeys == 0)
		return state->counts;
	for (int i = 0; i < state->nkeys; i++)
	{
		uint32		j = 1;

		while (j < *same && are_alike(&state->keys[i], rows[0], rows[j]))
			j++;
		*same = j;
	}
	if (!state->remembers)
		return look_up(state, rows[0]);
	for (int i = 0; i < state->nkeys; i++)
		combination = combination * state->keys[i].coded->ncodes + state->keys[i].coded->codes[rows[0]];
	known = &state->known[combination];
	if (*known == NULL)
		*known = look_up(state, rows[0]);
	return *known;
}

/* ----------------------------------------------------------------
 * Counting up
 * ----------------------------------------------------------------
 */

/* Lets the header of the group that was entered answer, where all of its rows are meant; true if rows are needed, too. */
static bool
ask_header(StoreAggregateState *state, bool all)
{
	bool		needed = !all || state->nkeys > 0;

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
		state->clean = false;
		state->vector = 0;
		state->in_group = true;
		return true;
	}
	return false;
}

/* Counts those rows of the next vector that pass the filter. */
static void
count_vector(StoreAggregateState *state)
{
	Batch	   *batch = state->batch;
	uint16		rows[ENCODING_VECTOR];
	uint32		n;
	uint32		same;

	n = batch_go(batch, state->vector++, rows);
	state->in_group = state->vector * ENCODING_VECTOR < batch->nrows;
	if (state->filter != NULL)
		n = filter_rows(state->filter, batch, rows, n);
	if (n > 0 && state->nkeys > 0)
		bring_keys(state);
	for (uint32 at = 0; at < n; at += same)
	{
		Count	   *counts = counts_of_rows(state, rows + at, n - at, &same);

		for (int i = 0; i < state->ntallies; i++)
			if (state->open[i])
				tally_rows(&state->tallies[i], &counts[i], batch, rows + at, same, state->kept);
	}
}

/* ----------------------------------------------------------------
 * Handing on
 * ----------------------------------------------------------------
 */

/* The next group of those that are counted, or NULL; without GROUP BY there is one.  Keys go into the slot of the scan. */
static const Count *
next_counts(StoreAggregateState *state, TupleTableSlot *slot)
{
	TupleHashEntry entry;

	if (!state->handing_on)
		return NULL;
	if (state->nkeys == 0)
	{
		state->handing_on = false;
		return state->counts;
	}
	entry = ScanTupleHashTable(state->table, &state->iterator);
	if (entry == NULL)
	{
		forget_counts(state);
		state->handing_on = false;
		return NULL;
	}
	ExecStoreMinimalTuple(entry->firstTuple, state->output, false);
	slot_getallattrs(state->output);
	for (int i = 0; i < state->nkeys; i++)
	{
		slot->tts_values[i] = state->output->tts_values[i];
		slot->tts_isnull[i] = state->output->tts_isnull[i];
	}
	return tuple_hash_data(state->table, entry);
}

/* Hands on what is counted, and counts on when all of that is handed on. */
static TupleTableSlot *
exec_aggregate(CustomScanState *node)
{
	StoreAggregateState *state = (StoreAggregateState *) node;
	ScanState  *scan = &node->ss;
	ExprContext *econtext = scan->ps.ps_ExprContext;
	TupleTableSlot *slot = scan->ss_ScanTupleSlot;
	const Count *counts;
	MemoryContext old;

	/* The scan begins when it is needed first: EXPLAIN does without. */
	if (scan->ss_currentScanDesc == NULL)
	{
		scan->ss_currentScanDesc = table_beginscan(scan->ss_currentRelation, scan->ps.state->es_snapshot, 0, NULL, 0);
		state->batch->cursor = scan_cursor(scan->ss_currentScanDesc);
		if (state->filter != NULL)
			cursor_skips(state->batch->cursor, filter_excludes, state->filter);
	}
	ResetExprContext(econtext);
	ExecStoreAllNullTuple(slot);
	while ((counts = next_counts(state, slot)) == NULL)
	{
		if (state->at_end)
			return ExecClearTuple(slot);
		/* Counts up to the end of the table, or until there are too many groups. */
		do
		{
			CHECK_FOR_INTERRUPTS();
			state->at_end = !state->in_group && !enter_next_group(state);
			if (!state->at_end)
				count_vector(state);
		} while (!state->at_end && (state->nkeys == 0 || MemoryContextMemAllocated(state->kept, true) <= get_hash_memory_limit()));
		if (state->nkeys > 0)
			InitTupleHashIterator(state->table, &state->iterator);
		state->handing_on = true;
	}
	old = MemoryContextSwitchTo(econtext->ecxt_per_tuple_memory);
	for (int i = 0; i < state->ntallies; i++)
		slot->tts_values[state->nkeys + i] = tally_result(&state->tallies[i], &counts[i], &slot->tts_isnull[state->nkeys + i]);
	MemoryContextSwitchTo(old);
	econtext->ecxt_scantuple = slot;
	return scan->ps.ps_ProjInfo == NULL ? slot : ExecProject(scan->ps.ps_ProjInfo);
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

	for (int i = 0; i < state->batch->ncolumns; i++)
		columns = bms_add_member(columns, state->batch->columns[i].column);
	explain_columns(node, columns, es);
	explain_clauses(node, "Filter", ancestors, es);
	if (!es->analyze)
		return;
	explain_groups(node, state->answered, es);
	ExplainPropertyUInteger("Groups Answered by Headers", NULL, state->answered, es);
}

static const CustomExecMethods exec_methods = {
	.CustomName = "pprepub aggregate",
	.BeginCustomScan = begin_aggregate,
	.ExecCustomScan = exec_aggregate,
	.EndCustomScan = end_store_scan,
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
