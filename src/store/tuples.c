/*
 * tuples.c
 *		Callbacks for one row: fetching, inserting, and what is refused.
 */
#include "postgres.h"

#include "store/handler.h"

#include "access/relscan.h"
#include "compat.h"
#include "store/fetch.h"
#include "store/pending.h"
#include "store/refuse.h"
#include "store/rownumber.h"

/* ----------------------------------------------------------------
 * Through an index
 * ----------------------------------------------------------------
 */

typedef struct StoreIndexFetch
{
	IndexFetchTableData base;
	Fetcher    *fetcher;		/* owned */
} StoreIndexFetch;

struct IndexFetchTableData *
pprepub_index_fetch_begin(Relation rel)
{
	StoreIndexFetch *fetch = palloc0(sizeof(StoreIndexFetch));

	fetch->base.rel = rel;
	fetch->fetcher = begin_fetcher(rel, true);
	return &fetch->base;
}

/* Relations stay open for the next scan. */
void
pprepub_index_fetch_reset(struct IndexFetchTableData *data)
{
}

void
pprepub_index_fetch_end(struct IndexFetchTableData *data)
{
	end_fetcher(((StoreIndexFetch *) data)->fetcher);
	pfree(data);
}

/*
 * A row that is not found is left to VACUUM: one snapshot does not show that
 * the row is dead to all others.
 */
bool
pprepub_index_fetch_tuple(struct IndexFetchTableData *data, ItemPointer tid, Snapshot snapshot,
						  TupleTableSlot *slot, bool *call_again, bool *all_dead)
{
	uint64		row;

	*call_again = false;
	if (all_dead)
		*all_dead = false;
	return row_of_tid(tid, &row) && fetch_row(((StoreIndexFetch *) data)->fetcher, row, snapshot, slot);
}

/* No entry was marked as dead by us; of those that an index only hopes are, none is. */
TransactionId
pprepub_index_delete_tuples(Relation rel, TM_IndexDeleteOp *delstate)
{
	if (delstate->bottomup)
		delstate->ndeltids = 0;
	return InvalidTransactionId;
}

/* ----------------------------------------------------------------
 * By TID
 * ----------------------------------------------------------------
 */

bool
pprepub_tuple_fetch_row_version(Relation rel, ItemPointer tid, Snapshot snapshot, TupleTableSlot *slot)
{
	Fetcher    *fetcher;
	uint64		row;
	bool		found;

	if (!row_of_tid(tid, &row))
		return false;
	fetcher = begin_fetcher(rel, false);
	found = fetch_row(fetcher, row, snapshot, slot);
	end_fetcher(fetcher);
	return found;
}

/* A row has only one version. */
void
pprepub_tuple_get_latest_tid(TableScanDesc scan, ItemPointer tid)
{
}

bool
pprepub_tuple_satisfies_snapshot(Relation rel, TupleTableSlot *slot, Snapshot snapshot)
{
	TupleTableSlot *other = table_slot_create(rel, NULL);
	bool		found = pprepub_tuple_fetch_row_version(rel, &slot->tts_tid, snapshot, other);

	ExecDropSingleTupleTableSlot(other);
	return found;
}

/*
 * Rows are never changed or deleted, so a lock that only keeps others from
 * doing so is granted at once.
 */
TM_Result
pprepub_tuple_lock(Relation rel, ItemPointer tid, Snapshot snapshot, TupleTableSlot *slot,
				   CommandId cid, LockTupleMode mode, LockWaitPolicy wait_policy, uint8 flags,
				   TM_FailureData *tmfd)
{
	if (mode != LockTupleKeyShare && mode != LockTupleShare)
		refuse(rel, REFUSE_LOCK);
	tmfd->traversed = false;
	return pprepub_tuple_fetch_row_version(rel, tid, snapshot, slot) ? TM_Ok : TM_Invisible;
}

/* ----------------------------------------------------------------
 * Inserting
 * ----------------------------------------------------------------
 */

void
pprepub_tuple_insert(Relation rel, TupleTableSlot *slot, CommandId cid, int options,
					 struct BulkInsertStateData *bistate)
{
	add_pending(rel, slot, cid, options, bistate != NULL);
}

void
pprepub_multi_insert(Relation rel, TupleTableSlot **slots, int nslots, CommandId cid, int options,
					 struct BulkInsertStateData *bistate)
{
	for (int i = 0; i < nslots; i++)
		add_pending(rel, slots[i], cid, options, nslots > 1);
}

void
pprepub_finish_bulk_insert(Relation rel, int options)
{
	seal_pending(rel);
}

/* ----------------------------------------------------------------
 * Refused
 * ----------------------------------------------------------------
 */

void
pprepub_tuple_insert_speculative(Relation rel, TupleTableSlot *slot, CommandId cid, int options,
								 struct BulkInsertStateData *bistate, uint32 token)
{
	refuse(rel, REFUSE_CONFLICT);
}

void
pprepub_tuple_complete_speculative(Relation rel, TupleTableSlot *slot, uint32 token, bool succeeded)
{
	refuse(rel, REFUSE_CONFLICT);
}

TM_Result
pprepub_tuple_delete(Relation rel, ItemPointer tid, CommandId cid, Snapshot snapshot,
					 Snapshot crosscheck, bool wait, TM_FailureData *tmfd, bool changing_part)
{
	refuse(rel, REFUSE_DELETE);
}

TM_Result
pprepub_tuple_update(Relation rel, ItemPointer otid, TupleTableSlot *slot, CommandId cid,
					 Snapshot snapshot, Snapshot crosscheck, bool wait, TM_FailureData *tmfd,
					 LockTupleMode *lockmode, TU_UpdateIndexes *update_indexes)
{
	refuse(rel, REFUSE_UPDATE);
}
