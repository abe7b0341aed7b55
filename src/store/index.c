/*
 * index.c
 *		Building indexes.
 *
 * NOTES
 *		Rows are never changed, so there are no broken chains, no rows recently
 *		dead, and none in progress but those of our own transaction: others have
 *		ended before an index is built under a lock, or are distinguished by the
 *		snapshot when it is built concurrently.
 */
#include "postgres.h"

#include "store/handler.h"

#include "access/genam.h"
#include "catalog/index.h"
#include "catalog/pg_am_d.h"
#include "commands/progress.h"
#include "compat.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/execnodes.h"
#include "optimizer/optimizer.h"
#include "pgstat.h"
#include "store/blocks.h"
#include "store/refuse.h"
#include "store/scan.h"
#include "utils/snapmgr.h"
#include "utils/tuplesort.h"

/* The state for making index entries from rows. */
typedef struct EntryMaker
{
	struct IndexInfo *info;		/* borrowed */
	EState	   *estate;			/* owned */
	ExprContext *econtext;
	ExprState  *predicate;
	TupleTableSlot *slot;		/* owned */
	Datum		values[INDEX_MAX_KEYS];
	bool		isnull[INDEX_MAX_KEYS];
} EntryMaker;

/* Prepares the executor's state for computing an index's expressions and its predicate. */
static void
begin_entries(EntryMaker *maker, Relation rel, struct IndexInfo *info)
{
	maker->info = info;
	maker->estate = CreateExecutorState();
	maker->econtext = GetPerTupleExprContext(maker->estate);
	maker->slot = table_slot_create(rel, NULL);
	maker->econtext->ecxt_scantuple = maker->slot;
	maker->predicate = ExecPrepareQual(info->ii_Predicate, maker->estate);
}

/* False: a partial index has no entry for the row in the slot. */
static bool
make_entry(EntryMaker *maker)
{
	MemoryContextReset(maker->econtext->ecxt_per_tuple_memory);
	if (maker->predicate != NULL && !ExecQual(maker->predicate, maker->econtext))
		return false;
	FormIndexDatum(maker->info, maker->slot, maker->estate, maker->values, maker->isnull);
	return true;
}

static void
end_entries(EntryMaker *maker)
{
	ExecDropSingleTupleTableSlot(maker->slot);
	FreeExecutorState(maker->estate);
	/* Their states may point into the executor state that is gone. */
	maker->info->ii_ExpressionsState = NIL;
	maker->info->ii_PredicateState = NULL;
}

/* Only the columns of the index are read. */
static void
want_columns(TableScanDesc scan, const struct IndexInfo *info)
{
	Relation	rel = scan->rs_rd;
	Bitmapset  *numbers = NULL;
	Bitmapset  *columns = NULL;
	int			number = -1;

	for (int i = 0; i < info->ii_NumIndexAttrs; i++)
		if (info->ii_IndexAttrNumbers[i] > 0)
			columns = bms_add_member(columns, info->ii_IndexAttrNumbers[i] - 1);
	pull_varattnos((Node *) info->ii_Expressions, 1, &numbers);
	pull_varattnos((Node *) info->ii_Predicate, 1, &numbers);
	while ((number = bms_next_member(numbers, number)) >= 0)
	{
		AttrNumber	attno = number + FirstLowInvalidHeapAttributeNumber;

		if (attno == 0)
			columns = bms_add_range(columns, 0, RelationGetNumberOfAttributes(rel) - 1);
		else if (attno > 0)
			columns = bms_add_member(columns, attno - 1);
	}
	cursor_wants(scan_cursor(scan), columns, false);
}

static void
report_total(Relation rel)
{
	Counters	counters;

	pgstat_progress_update_param(PROGRESS_SCAN_BLOCKS_TOTAL,
								 read_counters(rel, &counters) ? blocks_of(&counters) : 0);
}

/* Reports the progress of a build, once for each block. */
static void
report_done(ItemPointer tid, BlockNumber *reported)
{
	BlockNumber block = ItemPointerGetBlockNumber(tid);

	if (block == *reported)
		return;
	pgstat_progress_update_param(PROGRESS_SCAN_BLOCKS_DONE, block);
	*reported = block;
}

/* Adds an entry for every row of the scan; returns the number of rows. */
static double
add_all_entries(TableScanDesc scan, Relation index, EntryMaker *maker, bool progress,
				IndexBuildCallback callback, void *state)
{
	BlockNumber reported = InvalidBlockNumber;
	double		rows = 0;

	while (table_scan_getnextslot(scan, ForwardScanDirection, maker->slot))
	{
		CHECK_FOR_INTERRUPTS();
		if (progress)
			report_done(&maker->slot->tts_tid, &reported);
		rows += 1;
		if (make_entry(maker))
			callback(index, &maker->slot->tts_tid, maker->values, maker->isnull, true, state);
	}
	return rows;
}

double
pprepub_index_build_range_scan(Relation rel, Relation index, struct IndexInfo *info, bool allow_sync,
							   bool anyvisible, bool progress, BlockNumber start, BlockNumber blocks,
							   IndexBuildCallback callback, void *state, TableScanDesc scan)
{
	EntryMaker	maker;
	Snapshot	registered = NULL;
	double		rows;

	/* BRIN would summarise block ranges, and the blocks of our TIDs do not exist. */
	if (index->rd_rel->relam == BRIN_AM_OID)
		refuse(rel, REFUSE_BRIN);

	begin_entries(&maker, rel, info);
	if (scan == NULL)
	{
		if (info->ii_Concurrent)
			registered = RegisterSnapshot(GetTransactionSnapshot());
		scan = table_beginscan_strat(rel, registered ? registered : SnapshotAny, 0, NULL, true, allow_sync);
	}
	want_columns(scan, info);
	if (progress)
		report_total(rel);
	rows = add_all_entries(scan, index, &maker, progress, callback, state);
	table_endscan(scan);
	if (registered)
		UnregisterSnapshot(registered);
	end_entries(&maker);
	return rows;
}

/* ----------------------------------------------------------------
 * The second phase of CREATE INDEX CONCURRENTLY
 * ----------------------------------------------------------------
 */

/* The next TID that the index has, from the sort; false at the end. */
static bool
next_indexed(struct ValidateIndexState *state, ItemPointer tid)
{
	Datum		value;
	bool		isnull;

	if (!sorted_datum(state->tuplesort, true, &value, &isnull))
		return false;
	itemptr_decode(tid, DatumGetInt64(value));
	return true;
}

/* Adds the rows that the snapshot sees and the index does not have: both come in order. */
void
pprepub_index_validate_scan(Relation rel, Relation index, struct IndexInfo *info, Snapshot snapshot,
							struct ValidateIndexState *state)
{
	EntryMaker	maker;
	TableScanDesc scan = table_beginscan_strat(rel, snapshot, 0, NULL, true, false);
	BlockNumber reported = InvalidBlockNumber;
	ItemPointerData indexed;
	bool		more;

	begin_entries(&maker, rel, info);
	want_columns(scan, info);
	report_total(rel);
	more = next_indexed(state, &indexed);
	while (table_scan_getnextslot(scan, ForwardScanDirection, maker.slot))
	{
		ItemPointer tid = &maker.slot->tts_tid;

		CHECK_FOR_INTERRUPTS();
		state->htups += 1;
		report_done(tid, &reported);
		while (more && ItemPointerCompare(&indexed, tid) < 0)
			more = next_indexed(state, &indexed);
		if ((more && ItemPointerCompare(&indexed, tid) == 0) || !make_entry(&maker))
			continue;
		index_insert(index, maker.values, maker.isnull, tid, rel,
					 info->ii_Unique ? UNIQUE_CHECK_YES : UNIQUE_CHECK_NO, false, info);
		state->tups_inserted += 1;
	}
	table_endscan(scan);
	end_entries(&maker);
}
