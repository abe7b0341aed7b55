/*
 * scan.h
 *		Table scans: the callbacks, and what our own plan node asks for besides.
 */
#ifndef PPREPUB_STORE_SCAN_H
#define PPREPUB_STORE_SCAN_H

#include "postgres.h"

#include "access/relscan.h"
#include "access/tableam.h"
#include "store/cursor.h"

/* Is it a table of ours? */
extern bool is_stored(Relation rel);

/* The cursor under a scan of such a table. */
extern Cursor *scan_cursor(TableScanDesc scan);

/* Callbacks */
extern TableScanDesc pprepub_scan_begin(Relation rel, Snapshot snapshot, int nkeys, struct ScanKeyData *key,
										ParallelTableScanDesc pscan, uint32 flags);
extern void pprepub_scan_end(TableScanDesc scan);
extern void pprepub_scan_rescan(TableScanDesc scan, struct ScanKeyData *key, bool set_params,
								bool allow_strat, bool allow_sync, bool allow_pagemode);
extern bool pprepub_scan_getnextslot(TableScanDesc scan, ScanDirection direction, TupleTableSlot *slot);
extern void pprepub_scan_set_tidrange(TableScanDesc scan, ItemPointer mintid, ItemPointer maxtid);
extern bool pprepub_scan_getnextslot_tidrange(TableScanDesc scan, ScanDirection direction, TupleTableSlot *slot);
extern Size pprepub_parallelscan_estimate(Relation rel);
extern Size pprepub_parallelscan_initialize(Relation rel, ParallelTableScanDesc pscan);
extern void pprepub_parallelscan_reinitialize(Relation rel, ParallelTableScanDesc pscan);
extern bool pprepub_tuple_tid_valid(TableScanDesc scan, ItemPointer tid);

extern bool pprepub_scan_analyze_next_tuple(TableScanDesc scan, TransactionId oldest_xmin,
											double *liverows, double *deadrows, TupleTableSlot *slot);
#if PG_VERSION_NUM >= 170000
extern bool pprepub_scan_analyze_next_block(TableScanDesc scan, ReadStream * stream);
#else
extern bool pprepub_scan_analyze_next_block(TableScanDesc scan, BlockNumber block, BufferAccessStrategy strategy);
#endif
#if PG_VERSION_NUM >= 180000
extern bool pprepub_scan_bitmap_next_tuple(TableScanDesc scan, TupleTableSlot *slot, bool *recheck,
										   uint64 *lossy_pages, uint64 *exact_pages);
#else
extern bool pprepub_scan_bitmap_next_block(TableScanDesc scan, struct TBMIterateResult *page);
extern bool pprepub_scan_bitmap_next_tuple(TableScanDesc scan, struct TBMIterateResult *page, TupleTableSlot *slot);
#endif
extern bool pprepub_scan_sample_next_block(TableScanDesc scan, struct SampleScanState *scanstate);
extern bool pprepub_scan_sample_next_tuple(TableScanDesc scan, struct SampleScanState *scanstate,
										   TupleTableSlot *slot);

#endif							/* PPREPUB_STORE_SCAN_H */
