/*
 * handler.h
 *		The access method's table of callbacks.
 */
#ifndef PPREPUB_STORE_HANDLER_H
#define PPREPUB_STORE_HANDLER_H

#include "postgres.h"

#include "access/tableam.h"
#include "compat.h"

extern const TableAmRoutine *pprepub_methods(void);

/* tuples.c */
extern struct IndexFetchTableData *pprepub_index_fetch_begin(Relation rel);
extern void pprepub_index_fetch_reset(struct IndexFetchTableData *data);
extern void pprepub_index_fetch_end(struct IndexFetchTableData *data);
extern bool pprepub_index_fetch_tuple(struct IndexFetchTableData *data, ItemPointer tid, Snapshot snapshot,
									  TupleTableSlot *slot, bool *call_again, bool *all_dead);
extern bool pprepub_tuple_fetch_row_version(Relation rel, ItemPointer tid, Snapshot snapshot, TupleTableSlot *slot);
extern void pprepub_tuple_get_latest_tid(TableScanDesc scan, ItemPointer tid);
extern bool pprepub_tuple_satisfies_snapshot(Relation rel, TupleTableSlot *slot, Snapshot snapshot);
extern TransactionId pprepub_index_delete_tuples(Relation rel, TM_IndexDeleteOp *delstate);
extern void pprepub_tuple_insert(Relation rel, TupleTableSlot *slot, CommandId cid, int options,
								 struct BulkInsertStateData *bistate);
extern void pprepub_tuple_insert_speculative(Relation rel, TupleTableSlot *slot, CommandId cid, int options,
											 struct BulkInsertStateData *bistate, uint32 token);
extern void pprepub_tuple_complete_speculative(Relation rel, TupleTableSlot *slot, uint32 token, bool succeeded);
extern void pprepub_multi_insert(Relation rel, TupleTableSlot **slots, int nslots, CommandId cid, int options,
								 struct BulkInsertStateData *bistate);
extern TM_Result pprepub_tuple_delete(Relation rel, ItemPointer tid, CommandId cid, Snapshot snapshot,
									  Snapshot crosscheck, bool wait, TM_FailureData *tmfd, bool changing_part);
extern TM_Result pprepub_tuple_update(Relation rel, ItemPointer otid, TupleTableSlot *slot, CommandId cid,
									  Snapshot snapshot, Snapshot crosscheck, bool wait, TM_FailureData *tmfd,
									  LockTupleMode *lockmode, TU_UpdateIndexes *update_indexes);
extern TM_Result pprepub_tuple_lock(Relation rel, ItemPointer tid, Snapshot snapshot, TupleTableSlot *slot,
									CommandId cid, LockTupleMode mode, LockWaitPolicy wait_policy, uint8 flags,
									TM_FailureData *tmfd);
extern void pprepub_finish_bulk_insert(Relation rel, int options);

/* index.c */
extern double pprepub_index_build_range_scan(Relation rel, Relation index, struct IndexInfo *info, bool allow_sync,
											 bool anyvisible, bool progress, BlockNumber start, BlockNumber blocks,
											 IndexBuildCallback callback, void *state, TableScanDesc scan);
extern void pprepub_index_validate_scan(Relation rel, Relation index, struct IndexInfo *info, Snapshot snapshot,
										struct ValidateIndexState *state);

/* files.c */
extern void pprepub_relation_set_new_filelocator(Relation rel, const RelFileLocator *node, char persistence,
												 TransactionId *freeze_xid, MultiXactId *minmulti);
extern void pprepub_relation_nontransactional_truncate(Relation rel);
extern void pprepub_relation_copy_data(Relation rel, const RelFileLocator *node);
extern uint64 pprepub_relation_size(Relation rel, ForkNumber fork);
extern bool pprepub_relation_needs_toast_table(Relation rel);
extern Oid	pprepub_relation_toast_am(Relation rel);
extern void pprepub_relation_estimate_size(Relation rel, int32 *attr_widths, BlockNumber *pages, double *tuples,
										   double *allvisfrac);

/* rewrite.c */
extern void pprepub_relation_copy_for_cluster(Relation old, Relation new, Relation index, bool use_sort,
											  TransactionId oldest_xmin, TransactionId *xid_cutoff,
											  MultiXactId *multi_cutoff, double *num_tuples, double *tups_vacuumed,
											  double *tups_recently_dead);

/* vacuum.c */
extern void pprepub_relation_vacuum(Relation rel, struct VacuumParams *params, BufferAccessStrategy strategy);

#endif							/* PPREPUB_STORE_HANDLER_H */
