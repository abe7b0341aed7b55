/*
 * customscan.c
 *		Executing the custom scan.  See plan.h.
 */
#include "postgres.h"

#include "store/plan.h"

#include "access/sysattr.h"
#include "access/tableam.h"
#include "executor/executor.h"
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "pgstat.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/ruleutils.h"

typedef struct StoreScanState
{
	CustomScanState base;
	Bitmapset  *columns;
	Batch	   *batch;			/* of the conditions' columns; NULL if there are no conditions */
	Filter	   *filter;			/* the same */
	bool		all_pass;		/* do all rows of the current group? */
} StoreScanState;

/* ----------------------------------------------------------------
 * Begin and end
 * ----------------------------------------------------------------
 */

/* Prepares the conditions by which groups, and rows, are passed over.  The plan's qual checks the others again. */
static void
begin_filter(StoreScanState *state, List *clauses)
{
	ScanState  *node = &state->base.ss;
	TupleDesc	desc = RelationGetDescr(node->ss_currentRelation);
	Index		relid = ((CustomScan *) node->ps.plan)->scan.scanrelid;
	Bitmapset  *attributes = NULL;
	int		   *columns = palloc(desc->natts * sizeof(int));
	int		   *places = palloc(desc->natts * sizeof(int));
	int			ncolumns = 0;

	pull_varattnos((Node *) clauses, relid, &attributes);
	for (int i = 0; i < desc->natts; i++)
	{
		places[i] = -1;
		if (!bms_is_member(i + 1 - FirstLowInvalidHeapAttributeNumber, attributes))
			continue;
		places[i] = ncolumns;
		columns[ncolumns++] = i;
	}
	state->batch = make_batch(desc, columns, ncolumns);
	state->filter = make_filter(clauses, node, relid, NULL, places, state->batch);
}

/* Prepares columns and conditions. */
static void
begin_scan(CustomScanState *node, EState *estate, int eflags)
{
	StoreScanState *state = (StoreScanState *) node;
	CustomScan *plan = (CustomScan *) node->ss.ps.plan;
	ListCell   *cell;

	foreach(cell, plan->custom_private)
		state->columns = bms_add_member(state->columns, lfirst_int(cell));
	if (plan->custom_exprs != NIL)
		begin_filter(state, plan->custom_exprs);
}

/* The rows of a vector that fulfill the conditions. */
static void
choose_rows(void *arg, bool entered, uint32 vector, bool *wanted)
{
	StoreScanState *state = arg;
	Batch	   *batch = state->batch;
	uint16		rows[ENCODING_VECTOR];
	uint32		n;

	if (entered)
	{
		batch_enter(batch, cursor_group(batch->cursor)->header.nrows);
		state->all_pass = filter_enter(state->filter, batch);
	}
	if (state->all_pass)
	{
		memset(wanted, true, ENCODING_VECTOR);
		return;
	}
	n = batch_go(batch, vector, rows);
	n = filter_rows(state->filter, batch, rows, n);
	memset(wanted, false, ENCODING_VECTOR);
	for (uint32 i = 0; i < n; i++)
		wanted[rows[i]] = true;
}

/* Tells the scan's cursor which columns it has to decode, and which groups it can skip. */
static void
set_up_cursor(StoreScanState *state, TableScanDesc scan)
{
	Cursor	   *cursor = scan_cursor(scan);

	state->base.ss.ss_currentScanDesc = scan;
	cursor_wants(cursor, state->columns);
	if (state->filter == NULL)
		return;
	state->batch->cursor = cursor;
	cursor_skips(cursor, filter_excludes, state->filter);
	cursor_chooses(cursor, choose_rows, state);
}

void
end_store_scan(CustomScanState *node)
{
	if (node->ss.ss_currentScanDesc != NULL)
		table_endscan(node->ss.ss_currentScanDesc);
	node->ss.ss_currentScanDesc = NULL;
}

/* ----------------------------------------------------------------
 * Rows
 * ----------------------------------------------------------------
 */

/* Puts the next row into the slot of the scan. */
static TupleTableSlot *
next_row(ScanState *node)
{
	StoreScanState *state = (StoreScanState *) node;
	TupleTableSlot *slot = node->ss_ScanTupleSlot;

	CHECK_FOR_INTERRUPTS();
	if (node->ss_currentScanDesc == NULL)
		set_up_cursor(state, table_beginscan(node->ss_currentRelation, node->ps.state->es_snapshot, 0, NULL, 0));
	if (cursor_next(scan_cursor(node->ss_currentScanDesc), node->ps.state->es_direction, slot))
		pgstat_count_heap_getnext(node->ss_currentRelation);
	return slot;
}

/* All conditions are checked by ExecScan, too. */
static bool
recheck(ScanState *node, TupleTableSlot *slot)
{
	return true;
}

/* Most queries go without a qual, and need not pay for ExecScan(). */
static TupleTableSlot *
exec_scan(CustomScanState *node)
{
	if (node->ss.ps.qual == NULL && node->ss.ps.ps_ProjInfo == NULL && node->ss.ps.state->es_epq_active == NULL)
		return next_row(&node->ss);
	return ExecScan(&node->ss, next_row, recheck);
}

/* Begins anew, with parameters that may have changed. */
static void
rescan(CustomScanState *node)
{
	StoreScanState *state = (StoreScanState *) node;

	if (state->filter != NULL)
		renew_filter(state->filter);
	if (node->ss.ss_currentScanDesc != NULL)
		table_rescan(node->ss.ss_currentScanDesc, NULL);
	ExecScanReScan(&node->ss);
}

/* ----------------------------------------------------------------
 * Workers
 * ----------------------------------------------------------------
 */

static Size
estimate_shared(CustomScanState *node, ParallelContext *pcxt)
{
	return table_parallelscan_estimate(node->ss.ss_currentRelation, node->ss.ps.state->es_snapshot);
}

static void
initialize_shared(CustomScanState *node, ParallelContext *pcxt, void *coordinate)
{
	table_parallelscan_initialize(node->ss.ss_currentRelation, coordinate, node->ss.ps.state->es_snapshot);
	set_up_cursor((StoreScanState *) node, table_beginscan_parallel(node->ss.ss_currentRelation, coordinate, 0));
}

static void
reinitialize_shared(CustomScanState *node, ParallelContext *pcxt, void *coordinate)
{
	table_parallelscan_reinitialize(node->ss.ss_currentRelation, coordinate);
}

static void
initialize_worker(CustomScanState *node, shm_toc *toc, void *coordinate)
{
	set_up_cursor((StoreScanState *) node, table_beginscan_parallel(node->ss.ss_currentRelation, coordinate, 0));
}

/* ----------------------------------------------------------------
 * EXPLAIN
 * ----------------------------------------------------------------
 */

void
explain_columns(const CustomScanState *node, const Bitmapset *columns, ExplainState *es)
{
	TupleDesc	desc = RelationGetDescr(node->ss.ss_currentRelation);
	List	   *names = NIL;
	int			column = -1;

	while ((column = bms_next_member(columns, column)) >= 0)
		names = lappend(names, NameStr(TupleDescAttr(desc, column)->attname));
	ExplainPropertyList("Columns", names, es);
}

void
explain_clauses(CustomScanState *node, const char *label, List *ancestors, ExplainState *es)
{
	CustomScan *plan = (CustomScan *) node->ss.ps.plan;
	List	   *context;

	if (plan->custom_exprs == NIL)
		return;
	context = set_deparse_context_plan(es->deparse_cxt, &plan->scan.plan, ancestors);
	ExplainPropertyText(label,
						deparse_expression((Node *) make_ands_explicit(list_copy(plan->custom_exprs)), context,
										   explained_tables(es) > 1 || es->verbose, false), es);
}

void
explain_groups(CustomScanState *node, uint64 answered, ExplainState *es)
{
	uint64		read = 0;
	uint64		skipped = 0;

	if (node->ss.ss_currentScanDesc != NULL)
		cursor_counts(scan_cursor(node->ss.ss_currentScanDesc), &read, &skipped);
	ExplainPropertyUInteger("Groups Read", NULL, read - answered, es);
	ExplainPropertyUInteger("Groups Skipped", NULL, skipped, es);
}

/* Shows columns and conditions and, with ANALYZE, how many groups were read and skipped, unless workers have counts of their own. */
static void
explain_scan(CustomScanState *node, List *ancestors, ExplainState *es)
{
	explain_columns(node, ((StoreScanState *) node)->columns, es);
	explain_clauses(node, "Skips Groups By", ancestors, es);
	if (es->analyze && !node->ss.ps.plan->parallel_aware)
		explain_groups(node, 0, es);
}

static const CustomExecMethods exec_methods = {
	.CustomName = "pprepub",
	.BeginCustomScan = begin_scan,
	.ExecCustomScan = exec_scan,
	.EndCustomScan = end_store_scan,
	.ReScanCustomScan = rescan,
	.EstimateDSMCustomScan = estimate_shared,
	.InitializeDSMCustomScan = initialize_shared,
	.ReInitializeDSMCustomScan = reinitialize_shared,
	.InitializeWorkerCustomScan = initialize_worker,
	.ExplainCustomScan = explain_scan
};

static Node *
make_state(CustomScan *scan)
{
	StoreScanState *state = palloc0(sizeof(StoreScanState));

	NodeSetTag(state, T_CustomScanState);
	state->base.methods = &exec_methods;
	return (Node *) state;
}

const CustomScanMethods store_scan_methods = {
	.CustomName = "pprepub",
	.CreateCustomScanState = make_state
};
