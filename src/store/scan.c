/*
 * scan.c
 *		Table scans of every kind, over a cursor; and indexes, which are built by scans.
 *
 * NOTES
 *		SnapshotAny is asked for by those who build an index, under a lock that
 *		keeps writers away.  To them, a row that was rolled back is
 *		none: what they get is what is committed or our own.
 *
 *		Serializable transactions lock the table as a whole when they scan it.
 *		What they read in the TOAST relation, and who is writing there, heap and
 *		btree find out by themselves.
 *
 *		Rows are never changed, so an index finds no broken chains, no rows recently
 *		dead, and none in progress but those of our own transaction: others have
 *		ended before it is built under a lock, or are distinguished by the snapshot
 *		when it is built concurrently.
 */
#include "postgres.h"

#include "store/handler.h"

#include "access/genam.h"
#include "access/tsmapi.h"
#include "catalog/index.h"
#include "catalog/pg_am_d.h"
#include "commands/progress.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/execnodes.h"
#include "nodes/tidbitmap.h"
#include "optimizer/optimizer.h"
#include "pgstat.h"
#include "port/atomics.h"
#include "storage/predicate.h"
#include "utils/snapmgr.h"
#include "utils/tuplesort.h"

/* The shared position of a parallel scan: groups that begin before next are taken. */
typedef struct StoreParallelScan
{
	ParallelTableScanDescData base;
	pg_atomic_uint64 next;
} StoreParallelScan;

typedef struct StoreScan
{
	TableScanDescData base;
	Cursor	   *cursor;			/* owned */
	Counters	counters;		/* all zero for a table without rows */

	/* Bitmaps: the current page, all of whose rows are wanted if it is lossy */
	BlockNumber page;
	bool		is_lossy;
	int			nplaces;
	int			place;			/* the next one */
	const OffsetNumber *places; /* [nplaces] unless it is lossy */
#if PG_VERSION_NUM >= 180000
	bool		recheck;
	OffsetNumber offsets[TBM_MAX_TUPLES_PER_PAGE];
#endif

	/* Samples */
	BlockNumber block;			/* the current one, or InvalidBlockNumber */
	uint64		from;			/* its rows */
	uint64		upto;
} StoreScan;

Cursor *
scan_cursor(TableScanDesc scan)
{
	return ((StoreScan *) scan)->cursor;
}

/* ----------------------------------------------------------------
 * Begin and end
 * ----------------------------------------------------------------
 */

static bool
claim_group(void *arg, uint64 *from, uint64 to)
{
	return pg_atomic_compare_exchange_u64(&((StoreParallelScan *) arg)->next, from, to);
}

/* Takes the counters, and the locks of a serializable transaction. */
static void
get_ready(StoreScan *scan)
{
	Relation	rel = scan->base.rs_rd;

	scan->block = InvalidBlockNumber;
	scan->nplaces = 0;
	if (!read_counters(rel, &scan->counters))
		memset(&scan->counters, 0, sizeof(scan->counters));
	/* A plan that was made when the table was smaller would fail in the executor's prefetching. */
	if ((scan->base.rs_flags & SO_TYPE_BITMAPSCAN) && scan->counters.next / ROWS_PER_BLOCK > MAX_BLOCKS)
		refuse(rel, REFUSE_BITMAP);
	if (scan->base.rs_flags & (SO_TYPE_SEQSCAN | SO_TYPE_SAMPLESCAN | SO_TYPE_TIDRANGESCAN))
		PredicateLockRelation(rel, scan->base.rs_snapshot);
	if (scan->base.rs_flags & SO_TYPE_SEQSCAN)
		pgstat_count_heap_scan(rel);
}

/* Begins a scan of any kind; its snapshot is our own where ANALYZE gives none. */
static TableScanDesc
scan_begin(Relation rel, Snapshot snapshot, int nkeys, struct ScanKeyData *key,
		   ParallelTableScanDesc pscan, uint32 flags)
{
	StoreScan  *scan = palloc0(sizeof(StoreScan));

	if (nkeys != 0)
		elog(ERROR, "scan keys are for catalogs");
	if (snapshot == NULL)
	{
		/* ANALYZE */
		snapshot = RegisterSnapshot(GetLatestSnapshot());
		flags |= SO_TEMP_SNAPSHOT;
	}
	scan->base.rs_rd = rel;
	scan->base.rs_snapshot = snapshot;
	scan->base.rs_flags = flags;
	scan->base.rs_parallel = pscan;
	get_ready(scan);
	RelationIncrementReferenceCount(rel);
	scan->cursor = begin_cursor(rel, snapshot->snapshot_type == SNAPSHOT_ANY ? SnapshotSelf : snapshot);
	if (pscan != NULL)
		cursor_shares(scan->cursor, claim_group, pscan);
	return &scan->base;
}

/* Ends a scan, with all that it has opened. */
static void
scan_end(TableScanDesc base)
{
	StoreScan  *scan = (StoreScan *) base;

	end_cursor(scan->cursor);
	RelationDecrementReferenceCount(base->rs_rd);
	if (base->rs_flags & SO_TEMP_SNAPSHOT)
		UnregisterSnapshot(base->rs_snapshot);
	pfree(scan);
}

static void
scan_rescan(TableScanDesc base, struct ScanKeyData *key, bool set_params,
			bool allow_strat, bool allow_sync, bool allow_pagemode)
{
	get_ready((StoreScan *) base);
	restart_cursor(scan_cursor(base));
}

/* ----------------------------------------------------------------
 * In order
 * ----------------------------------------------------------------
 */

static bool
scan_getnextslot(TableScanDesc base, ScanDirection direction, TupleTableSlot *slot)
{
	if (!cursor_next(scan_cursor(base), direction, slot))
		return false;
	pgstat_count_heap_getnext(base->rs_rd);
	return true;
}

/*
 * Any TID can be asked for.  Places in a block that no row has are taken for the
 * nearest that one can have.
 */
static uint64
nearest_row(ItemPointer tid, uint64 place)
{
	uint64		row = ItemPointerGetBlockNumberNoCheck(tid);

	row = row * ROWS_PER_BLOCK + Min(place, ROWS_PER_BLOCK);
	return Min(row, MAX_ROWS);
}

static void
scan_set_tidrange(TableScanDesc base, ItemPointer mintid, ItemPointer maxtid)
{
	uint64		place = ItemPointerGetOffsetNumberNoCheck(mintid);
	uint64		from = nearest_row(mintid, place == 0 ? 0 : place - 1);
	uint64		upto = nearest_row(maxtid, ItemPointerGetOffsetNumberNoCheck(maxtid));

	cursor_range(scan_cursor(base), from, Max(from, upto));
}

static bool
tuple_tid_valid(TableScanDesc base, ItemPointer tid)
{
	uint64		row;

	return row_of_tid(tid, &row) && row < ((StoreScan *) base)->counters.next;
}

/* ----------------------------------------------------------------
 * In parallel
 * ----------------------------------------------------------------
 */

static Size
parallelscan_estimate(Relation rel)
{
	return sizeof(StoreParallelScan);
}

/* Workers do not have our memory: what is pending is sealed before they start. */
static Size
parallelscan_initialize(Relation rel, ParallelTableScanDesc pscan)
{
	StoreParallelScan *shared = (StoreParallelScan *) pscan;

	seal_pending(rel);
	if (has_pending(rel, GetActiveSnapshot()))
		refuse(rel, REFUSE_PARALLEL);
	set_scanned(&shared->base, rel);
	shared->base.phs_syncscan = false;
	pg_atomic_init_u64(&shared->next, 0);
	return sizeof(StoreParallelScan);
}

static void
parallelscan_reinitialize(Relation rel, ParallelTableScanDesc pscan)
{
	pg_atomic_write_u64(&((StoreParallelScan *) pscan)->next, 0);
}

/* ----------------------------------------------------------------
 * By block
 * ----------------------------------------------------------------
 */

/* The stream's blocks are only numbers to us: it must not read them, for no file has them. */
static bool
#if PG_VERSION_NUM >= 170000
scan_analyze_next_block(TableScanDesc base, ReadStream * stream)
{
	BufferAccessStrategy strategy;
	BlockNumber block = read_stream_next_block(stream, &strategy);
#else
scan_analyze_next_block(TableScanDesc base, BlockNumber block, BufferAccessStrategy strategy)
{
#endif
	uint64		from;
	uint64		upto;

	if (!BlockNumberIsValid(block))
		return false;
	rows_of_block(&((StoreScan *) base)->counters, block, &from, &upto);
	cursor_range(scan_cursor(base), from, upto);
	return true;
}

static bool
scan_analyze_next_tuple(TableScanDesc base until_18(TransactionId oldest_xmin),
						double *liverows, double *deadrows, TupleTableSlot *slot)
{
	if (!cursor_next(scan_cursor(base), ForwardScanDirection, slot))
		return false;
	*liverows += 1;
	return true;
}

/* Turns to a page of the bitmap. */
static void
begin_page(StoreScan *scan, BlockNumber page, bool is_lossy, const OffsetNumber *places, int nplaces)
{
	scan->page = page;
	scan->is_lossy = is_lossy;
	scan->places = places;
	scan->nplaces = is_lossy ? ROWS_PER_BLOCK : nplaces;
	scan->place = 0;
}

/* The next row of the bitmap's current page. */
static bool
next_of_page(StoreScan *scan, TupleTableSlot *slot)
{
	while (scan->place < scan->nplaces)
	{
		ItemPointerData tid;
		uint64		row;
		int			place = scan->place++;

		CHECK_FOR_INTERRUPTS();
		ItemPointerSet(&tid, scan->page, scan->is_lossy ? place + 1 : scan->places[place]);
		if (!row_of_tid(&tid, &row))
			continue;
		if (!cursor_row(scan->cursor, row, slot))
			continue;
		pgstat_count_heap_fetch(scan->base.rs_rd);
		return true;
	}
	ExecClearTuple(slot);
	return false;
}

#if PG_VERSION_NUM >= 180000
/* The next row of the bitmap, page after page. */
static bool
scan_bitmap_next_tuple(TableScanDesc base, TupleTableSlot *slot, bool *recheck,
					   uint64 *lossy_pages, uint64 *exact_pages)
{
	StoreScan  *scan = (StoreScan *) base;
	TBMIterateResult page;

	while (!next_of_page(scan, slot))
	{
		CHECK_FOR_INTERRUPTS();
		if (!tbm_iterate(&base->st.rs_tbmiterator, &page))
			return false;
		begin_page(scan, page.blockno, page.lossy, scan->offsets,
				   page.lossy ? 0 : tbm_extract_page_tuple(&page, scan->offsets, lengthof(scan->offsets)));
		scan->recheck = page.recheck;
		*(page.lossy ? lossy_pages : exact_pages) += 1;
	}
	*recheck = scan->recheck;
	return true;
}
#else
static bool
scan_bitmap_next_block(TableScanDesc base, struct TBMIterateResult *page)
{
	begin_page((StoreScan *) base, page->blockno, page->ntuples < 0, page->offsets, page->ntuples);
	return true;
}

static bool
scan_bitmap_next_tuple(TableScanDesc base, struct TBMIterateResult *page, TupleTableSlot *slot)
{
	return next_of_page((StoreScan *) base, slot);
}
#endif

/* Turns to the next block that TABLESAMPLE draws. */
static bool
scan_sample_next_block(TableScanDesc base, struct SampleScanState *scanstate)
{
	StoreScan  *scan = (StoreScan *) base;
	TsmRoutine *tsm = scanstate->tsmroutine;
	BlockNumber nblocks = blocks_of(&scan->counters);

	if (nblocks == 0)
		return false;
	if (tsm->NextSampleBlock)
		scan->block = tsm->NextSampleBlock(scanstate, nblocks);
	else if (scan->block == InvalidBlockNumber)
		scan->block = 0;
	else if (++scan->block >= nblocks)
		scan->block = InvalidBlockNumber;
	if (scan->block == InvalidBlockNumber)
		return false;
	rows_of_block(&scan->counters, scan->block, &scan->from, &scan->upto);
	return true;
}

/* The next row that it draws of that block. */
static bool
scan_sample_next_tuple(TableScanDesc base, struct SampleScanState *scanstate, TupleTableSlot *slot)
{
	StoreScan  *scan = (StoreScan *) base;
	OffsetNumber most = (OffsetNumber) Min(scan->upto - scan->from, PG_UINT16_MAX);
	OffsetNumber place;

	while ((place = scanstate->tsmroutine->NextSampleTuple(scanstate, scan->block, most)) != InvalidOffsetNumber)
	{
		CHECK_FOR_INTERRUPTS();
		if (!cursor_row(scan->cursor, scan->from + place - 1, slot))
			continue;
		pgstat_count_heap_getnext(base->rs_rd);
		return true;
	}
	ExecClearTuple(slot);
	return false;
}

/* ----------------------------------------------------------------
 * Building indexes
 * ----------------------------------------------------------------
 */

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
	Bitmapset  *numbers = NULL;
	Bitmapset  *columns;

	pull_varattnos((Node *) info->ii_Expressions, 1, &numbers);
	pull_varattnos((Node *) info->ii_Predicate, 1, &numbers);
	columns = columns_of(numbers, RelationGetNumberOfAttributes(scan->rs_rd));
	for (int i = 0; i < info->ii_NumIndexAttrs; i++)
		if (info->ii_IndexAttrNumbers[i] > 0)
			columns = bms_add_member(columns, info->ii_IndexAttrNumbers[i] - 1);
	cursor_wants(scan_cursor(scan), columns);
}

static void
report_total(TableScanDesc scan)
{
	pgstat_progress_update_param(PROGRESS_SCAN_BLOCKS_TOTAL, blocks_of(&((StoreScan *) scan)->counters));
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

/* Builds an index from all rows. */
static double
index_build_range_scan(Relation rel, Relation index, struct IndexInfo *info, bool allow_sync,
					   bool anyvisible, bool progress, BlockNumber start, BlockNumber blocks,
					   IndexBuildCallback callback, void *state, TableScanDesc scan)
{
	EntryMaker	maker;
	Snapshot	registered = NULL;
	BlockNumber reported = InvalidBlockNumber;
	double		rows = 0;

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
		report_total(scan);
	while (table_scan_getnextslot(scan, ForwardScanDirection, maker.slot))
	{
		CHECK_FOR_INTERRUPTS();
		if (progress)
			report_done(&maker.slot->tts_tid, &reported);
		rows += 1;
		if (make_entry(&maker))
			callback(index, &maker.slot->tts_tid, maker.values, maker.isnull, true, state);
	}
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
	bool		found = sorted_datum(state->tuplesort, true, &value, &isnull);

	if (found)
		itemptr_decode(tid, DatumGetInt64(value));
	return found;
}

/* Adds the rows that the snapshot sees and the index does not have: both come in order. */
static void
index_validate_scan(Relation rel, Relation index, struct IndexInfo *info, Snapshot snapshot,
					struct ValidateIndexState *state)
{
	EntryMaker	maker;
	TableScanDesc scan = table_beginscan_strat(rel, snapshot, 0, NULL, true, false);
	BlockNumber reported = InvalidBlockNumber;
	ItemPointerData indexed;
	bool		more;

	begin_entries(&maker, rel, info);
	want_columns(scan, info);
	report_total(scan);
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

void
add_scan_callbacks(TableAmRoutine *methods)
{
	methods->scan_begin = scan_begin;
	methods->scan_end = scan_end;
	methods->scan_rescan = scan_rescan;
	methods->scan_getnextslot = scan_getnextslot;
	methods->scan_set_tidrange = scan_set_tidrange;
	methods->scan_getnextslot_tidrange = scan_getnextslot;
	methods->parallelscan_estimate = parallelscan_estimate;
	methods->parallelscan_initialize = parallelscan_initialize;
	methods->parallelscan_reinitialize = parallelscan_reinitialize;
	methods->tuple_tid_valid = tuple_tid_valid;
	methods->scan_analyze_next_block = scan_analyze_next_block;
	methods->scan_analyze_next_tuple = scan_analyze_next_tuple;
#if PG_VERSION_NUM < 180000
	methods->scan_bitmap_next_block = scan_bitmap_next_block;
#endif
	methods->scan_bitmap_next_tuple = scan_bitmap_next_tuple;
	methods->scan_sample_next_block = scan_sample_next_block;
	methods->scan_sample_next_tuple = scan_sample_next_tuple;
	methods->index_build_range_scan = index_build_range_scan;
	methods->index_validate_scan = index_validate_scan;
}
