/*
 * scan.c
 *		Table scans of every kind, over a cursor.
 *
 * NOTES
 *		SnapshotAny is asked for by those who build an index, under a lock that
 *		keeps writers and mergers away.  To them, a row that was rolled back is
 *		none: what they get is what is committed or our own.
 *
 *		Serializable transactions lock the table as a whole when they scan it.
 *		What they read in the TOAST relation, and who is writing there, heap and
 *		btree find out by themselves.
 */
#include "postgres.h"

#include "store/scan.h"

#include "access/tsmapi.h"
#include "compat.h"
#include "miscadmin.h"
#include "nodes/tidbitmap.h"
#include "pgstat.h"
#include "port/atomics.h"
#include "storage/predicate.h"
#include "store/blocks.h"
#include "store/census.h"
#include "store/handler.h"
#include "store/lookup.h"
#include "store/pending.h"
#include "store/refuse.h"
#include "store/rownumber.h"
#include "utils/snapmgr.h"

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

	/* ANALYZE */
	Census	   *census;			/* NULL until needed */

	/* Samples */
	BlockNumber block;			/* the current one, or InvalidBlockNumber */
	uint64		from;			/* its rows */
	uint64		upto;
} StoreScan;

bool
is_stored(Relation rel)
{
	return rel->rd_tableam == pprepub_methods();
}

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

static void
note_counters(StoreScan *scan)
{
	if (!read_counters(scan->base.rs_rd, &scan->counters))
		memset(&scan->counters, 0, sizeof(scan->counters));
}

/* A plan that was made when the table was smaller would fail in the executor's prefetching. */
static void
check_bitmap(StoreScan *scan)
{
	if ((scan->base.rs_flags & SO_TYPE_BITMAPSCAN) && scan->counters.next / ROWS_PER_BLOCK > MAX_BLOCKS)
		refuse(scan->base.rs_rd, REFUSE_BITMAP);
}

static void
lock_for_serializable(const StoreScan *scan)
{
	if (scan->base.rs_flags & (SO_TYPE_SEQSCAN | SO_TYPE_SAMPLESCAN | SO_TYPE_TIDRANGESCAN))
		PredicateLockRelation(scan->base.rs_rd, scan->base.rs_snapshot);
}

TableScanDesc
pprepub_scan_begin(Relation rel, Snapshot snapshot, int nkeys, struct ScanKeyData *key,
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
	scan->block = InvalidBlockNumber;
	note_counters(scan);
	check_bitmap(scan);
	RelationIncrementReferenceCount(rel);
	scan->cursor = begin_cursor(rel, snapshot->snapshot_type == SNAPSHOT_ANY ? SnapshotSelf : snapshot);
	if (pscan != NULL)
		cursor_shares(scan->cursor, claim_group, pscan);
	lock_for_serializable(scan);
	if (flags & SO_TYPE_SEQSCAN)
		pgstat_count_heap_scan(rel);
	return &scan->base;
}

void
pprepub_scan_end(TableScanDesc base)
{
	StoreScan  *scan = (StoreScan *) base;

	end_cursor(scan->cursor);
	RelationDecrementReferenceCount(base->rs_rd);
	if (base->rs_flags & SO_TEMP_SNAPSHOT)
		UnregisterSnapshot(base->rs_snapshot);
	pfree(scan);
}

void
pprepub_scan_rescan(TableScanDesc base, struct ScanKeyData *key, bool set_params,
					bool allow_strat, bool allow_sync, bool allow_pagemode)
{
	StoreScan  *scan = (StoreScan *) base;

	note_counters(scan);
	check_bitmap(scan);
	restart_cursor(scan->cursor);
	scan->block = InvalidBlockNumber;
	scan->nplaces = 0;
	lock_for_serializable(scan);
	if (base->rs_flags & SO_TYPE_SEQSCAN)
		pgstat_count_heap_scan(base->rs_rd);
}

/* ----------------------------------------------------------------
 * In order
 * ----------------------------------------------------------------
 */

bool
pprepub_scan_getnextslot(TableScanDesc base, ScanDirection direction, TupleTableSlot *slot)
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
row_at_or_after(ItemPointer tid)
{
	uint64		block = ItemPointerGetBlockNumberNoCheck(tid);
	uint64		offset = ItemPointerGetOffsetNumberNoCheck(tid);

	return block * ROWS_PER_BLOCK + (offset == 0 ? 0 : Min(offset - 1, ROWS_PER_BLOCK));
}

static uint64
row_after(ItemPointer tid)
{
	uint64		block = ItemPointerGetBlockNumberNoCheck(tid);
	uint64		offset = ItemPointerGetOffsetNumberNoCheck(tid);

	return block * ROWS_PER_BLOCK + Min(offset, ROWS_PER_BLOCK);
}

void
pprepub_scan_set_tidrange(TableScanDesc base, ItemPointer mintid, ItemPointer maxtid)
{
	uint64		from = row_at_or_after(mintid);
	uint64		upto = row_after(maxtid);

	from = Min(from, MAX_ROWS);
	upto = Min(upto, MAX_ROWS);
	cursor_range(scan_cursor(base), from, Max(from, upto));
}

bool
pprepub_scan_getnextslot_tidrange(TableScanDesc base, ScanDirection direction, TupleTableSlot *slot)
{
	return pprepub_scan_getnextslot(base, direction, slot);
}

bool
pprepub_tuple_tid_valid(TableScanDesc base, ItemPointer tid)
{
	uint64		row;

	return row_of_tid(tid, &row) && row < cursor_numbers(scan_cursor(base));
}

/* ----------------------------------------------------------------
 * In parallel
 * ----------------------------------------------------------------
 */

Size
pprepub_parallelscan_estimate(Relation rel)
{
	return sizeof(StoreParallelScan);
}

Size
pprepub_parallelscan_initialize(Relation rel, ParallelTableScanDesc pscan)
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

void
pprepub_parallelscan_reinitialize(Relation rel, ParallelTableScanDesc pscan)
{
	pg_atomic_write_u64(&((StoreParallelScan *) pscan)->next, 0);
}

/* ----------------------------------------------------------------
 * By block
 * ----------------------------------------------------------------
 */

/* Turns to a block that ANALYZE has drawn. */
static void
analyze_block(StoreScan *scan, BlockNumber block)
{
	uint64		from;
	uint64		upto;

	if (scan->census == NULL)
		scan->census = take_census(scan->base.rs_rd, scan->base.rs_snapshot);
	census_block(scan->census, block, blocks_of(&scan->counters), &from, &upto);
	cursor_range_onward(scan->cursor, from, upto);
}

/* The stream's blocks are only numbers to us: it must not read them, for no file has them. */
#if PG_VERSION_NUM >= 170000
bool
pprepub_scan_analyze_next_block(TableScanDesc base, ReadStream * stream)
{
	BufferAccessStrategy strategy;
	BlockNumber block = read_stream_next_block(stream, &strategy);

	if (!BlockNumberIsValid(block))
		return false;
	analyze_block((StoreScan *) base, block);
	return true;
}
#else
bool
pprepub_scan_analyze_next_block(TableScanDesc base, BlockNumber block, BufferAccessStrategy strategy)
{
	analyze_block((StoreScan *) base, block);
	return true;
}
#endif

bool
pprepub_scan_analyze_next_tuple(TableScanDesc base, TransactionId oldest_xmin,
								double *liverows, double *deadrows, TupleTableSlot *slot)
{
	if (!cursor_next(scan_cursor(base), ForwardScanDirection, slot))
		return false;
	*liverows += 1;
	return true;
}

/* Were the counters read before the bitmap was made?  If so, its indexes had no dead rows below "cleaned". */
#define BITMAP_COMES_LATER (PG_VERSION_NUM < 180000)

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
		{
			if (!scan->is_lossy && BITMAP_COMES_LATER && row < scan->counters.cleaned)
				verify_row_is_there(scan->base.rs_rd, row);
			continue;
		}
		pgstat_count_heap_fetch(scan->base.rs_rd);
		return true;
	}
	ExecClearTuple(slot);
	return false;
}

#if PG_VERSION_NUM >= 180000
bool
pprepub_scan_bitmap_next_tuple(TableScanDesc base, TupleTableSlot *slot, bool *recheck,
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
bool
pprepub_scan_bitmap_next_block(TableScanDesc base, struct TBMIterateResult *page)
{
	begin_page((StoreScan *) base, page->blockno, page->ntuples < 0, page->offsets, page->ntuples);
	return true;
}

bool
pprepub_scan_bitmap_next_tuple(TableScanDesc base, struct TBMIterateResult *page, TupleTableSlot *slot)
{
	return next_of_page((StoreScan *) base, slot);
}
#endif

bool
pprepub_scan_sample_next_block(TableScanDesc base, struct SampleScanState *scanstate)
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

bool
pprepub_scan_sample_next_tuple(TableScanDesc base, struct SampleScanState *scanstate, TupleTableSlot *slot)
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
