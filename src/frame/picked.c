/*
 * picked.c
 *		Rows of a table that a plan picks by an index.
 *
 * NOTES
 *		The plan is the server's, and so is everything that it asks of an index,
 *		of a row, and of the rights to them.  Only the rows themselves are fetched
 *		by us, where nothing else is to be done with them: they come in another
 *		order, which means nothing to whoever reads a source.
 *
 *		There is no portal, which a source's own code could fetch from, or close.
 */
#include "frame/picked.h"

#include "access/genam.h"
#include "access/heapam.h"
#include "access/relscan.h"
#include "executor/executor.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "nodes/tidbitmap.h"
#include "tcop/utility.h"
#include "utils/memutils.h"
#include "utils/plancache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

/* What an index tells of the rows that are wanted. */
typedef struct Picks
{
	ItemPointerData *tids;
	uint64		n;
	uint64		allocated;
	bool		is_sorted;
	ExprState  *condition;		/* what the index was asked for */
	bool		is_sure;		/* that these rows meet it */
} Picks;

static void
add_pick(Picks *picks, const ItemPointerData *tid, bool is_sure)
{
	if (picks->n == picks->allocated)
	{
		picks->allocated = picks->allocated * 2 + 1024;
		picks->tids = picks->tids == NULL ? palloc(sizeof(ItemPointerData) * picks->allocated) :
			repalloc_huge(picks->tids, sizeof(ItemPointerData) * picks->allocated);
	}
	if (picks->n > 0 && ItemPointerCompare(&picks->tids[picks->n - 1], unconstify(ItemPointerData *, tid)) > 0)
		picks->is_sorted = false;
	picks->tids[picks->n++] = *tid;
	picks->is_sure &= is_sure;
}

static int
compare_tids(const void *a, const void *b, void *arg)
{
	return ItemPointerCompare(unconstify(ItemPointerData *, (const ItemPointerData *) a),
							  unconstify(ItemPointerData *, (const ItemPointerData *) b));
}

static bool
ask_index(IndexScanState *scan, Picks *picks)
{
	const EState *estate = scan->ss.ps.state;
	IndexScanDesc desc;
	ItemPointer tid;

	if (scan->iss_NumOrderByKeys > 0)
		return false;
	if (scan->iss_NumRuntimeKeys > 0 && !scan->iss_RuntimeKeysReady)
		ExecReScan(&scan->ss.ps);
	picks->condition = scan->indexqualorig;
	desc = index_beginscan(scan->ss.ss_currentRelation, scan->iss_RelationDesc, estate->es_snapshot,
						   scan->iss_NumScanKeys, 0);
	index_rescan(desc, scan->iss_ScanKeys, scan->iss_NumScanKeys, NULL, 0);
	while ((tid = index_getnext_tid(desc, ForwardScanDirection)) != NULL)
	{
		CHECK_FOR_INTERRUPTS();
		add_pick(picks, tid, !desc->xs_recheck);
	}
	index_endscan(desc);
	return true;
}

/* False where only the page is known of some rows. */
static bool
take_bitmap(TIDBitmap *bitmap, Picks *picks)
{
	TBMIterator *iterator = tbm_begin_iterate(bitmap);
	TBMIterateResult *page;
	bool		is_exact = true;

	while (is_exact && (page = tbm_iterate(iterator)) != NULL)
	{
		is_exact = page->ntuples >= 0;
		for (int i = 0; i < page->ntuples; i++)
		{
			ItemPointerData tid;

			ItemPointerSet(&tid, page->blockno, page->offsets[i]);
			add_pick(picks, &tid, !page->recheck);
		}
	}
	tbm_end_iterate(iterator);
	return is_exact;
}

/* One or several, as they are combined. */
static bool
ask_indexes(BitmapHeapScanState *scan, Picks *picks)
{
	TIDBitmap  *bitmap = (TIDBitmap *) MultiExecProcNode(outerPlanState(scan));
	bool		is_exact = take_bitmap(bitmap, picks);

	picks->condition = scan->bitmapqualorig;
	tbm_free(bitmap);
	if (!is_exact)
		ExecReScan(&scan->ss.ps);	/* as if nobody had asked */
	return is_exact;
}

/* Is there nothing in the plan but to pick rows of a heap?  What is to be picked then. */
static bool
pick(const QueryDesc *query, Picks *picks)
{
	PlanState  *plan = query->planstate;
	bool		is_scan = IsA(plan, IndexScanState) || IsA(plan, BitmapHeapScanState);

	if (!is_scan || query->estate->es_junkFilter != NULL ||
		((ScanState *) plan)->ss_currentRelation->rd_tableam != GetHeapamTableAmRoutine())
		return false;
	return IsA(plan, IndexScanState) ? ask_index((IndexScanState *) plan, picks) :
		ask_indexes((BitmapHeapScanState *) plan, picks);
}

/* A row, as far as the rest of the plan lets it through. */
static void
receive_pick(ScanState *scan, const Picks *picks, DestReceiver *receiver)
{
	PlanState  *plan = &scan->ps;
	ExprContext *context = plan->ps_ExprContext;

	context->ecxt_scantuple = scan->ss_ScanTupleSlot;
	if ((picks->is_sure || ExecQual(picks->condition, context)) && ExecQual(plan->qual, context))
	{
		plan->state->es_processed++;
		receiver->receiveSlot(plan->ps_ProjInfo == NULL ? scan->ss_ScanTupleSlot : ExecProject(plan->ps_ProjInfo),
							  receiver);
	}
	ResetExprContext(context);
}

static void
fetch_picks(const QueryDesc *query, Picks *picks, HeapPages *pages, ItemPointer at)
{
	ScanState  *scan = (ScanState *) query->planstate;
	HeapRows	rows;

	if (!picks->is_sorted)
		qsort_interruptible(picks->tids, picks->n, sizeof(ItemPointerData), compare_tids, NULL);
	rows = heap_rows(pages, scan->ss_currentRelation, picks->tids, picks->n);
	for (uint64 i = 0; i < picks->n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (!heap_row_follow(&rows, i, scan->ss_ScanTupleSlot))
			continue;
		*at = scan->ss_ScanTupleSlot->tts_tid;
		receive_pick(scan, picks, query->dest);
	}
	ExecClearTuple(scan->ss_ScanTupleSlot);
}

/* False where it is another kind of query, and nothing has been done. */
static bool
run_picking(const QueryDesc *query, HeapPages *pages, ItemPointer at)
{
	MemoryContext old = MemoryContextSwitchTo(query->estate->es_query_cxt);
	Picks		picks = {.is_sorted = true,.is_sure = true};
	bool		is_picking = pick(query, &picks);

	if (is_picking)
		fetch_picks(query, &picks, pages, at);
	MemoryContextSwitchTo(old);
	return is_picking;
}

static void
run_statement(PlannedStmt *statement, const char *sql, ParamListInfo params, HeapPages *pages, ItemPointer at,
			  DestReceiver *receiver)
{
	QueryDesc  *query = CreateQueryDesc(statement, sql, GetActiveSnapshot(), InvalidSnapshot, receiver, params, NULL, 0);

	ExecutorStart(query, 0);
	if (!run_picking(query, pages, at))
		ExecutorRun(query, ForwardScanDirection, 0, true);
	ExecutorFinish(query);
	ExecutorEnd(query);
	FreeQueryDesc(query);
}

/* Parsed, with all that views and rules make of it, and planned for these parameters. */
static SPIPlanPtr
prepare(const char *sql, ParamListInfo params)
{
	SPIPrepareOptions options = {
		.parserSetup = params == NULL ? NULL : params->parserSetup,
		.parserSetupArg = params == NULL ? NULL : params->parserSetupArg,
		.cursorOptions = CURSOR_OPT_PARALLEL_OK,
	};
	SPIPlanPtr	plan = SPI_prepare_extended(sql, &options);

	if (plan == NULL)
		elog(ERROR, "could not parse a query of the source: %s", SPI_result_code_string(SPI_result));
	return plan;
}

/* As SPI refuses it: what locks rows, for one, is not. */
static PlannedStmt *
only_reading(const CachedPlan *plan)
{
	PlannedStmt *statement = linitial_node(PlannedStmt, plan->stmt_list);

	if (list_length(plan->stmt_list) != 1 || !CommandIsReadOnly(statement))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("%s is not allowed in a non-volatile function", CreateCommandName((Node *) statement))));
	return statement;
}

static void
tell_statement(void *sql)
{
	errcontext("SQL statement \"%s\"", (const char *) sql);
}

void
run_query(const char *sql, ParamListInfo params, HeapPages *pages, ItemPointer at, DestReceiver *receiver)
{
	SPIPlanPtr	plan = prepare(sql, params);
	CachedPlan *cached;
	ErrorContextCallback context = {
		.previous = error_context_stack,
		.callback = tell_statement,
		.arg = unconstify(char *, sql),
	};

	error_context_stack = &context;
	cached = GetCachedPlan(linitial(SPI_plan_get_plan_sources(plan)), params, NULL, NULL);
	run_statement(only_reading(cached), sql, params, pages, at, receiver);
	ReleaseCachedPlan(cached, NULL);
	error_context_stack = context.previous;
	SPI_freeplan(plan);
}
