/*
 * fetch.c
 *		Fetching rows by number.  See fetch.h.
 */
#include "postgres.h"

#include "store/fetch.h"

#include "access/htup_details.h"
#include "access/parallel.h"
#include "access/xact.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "store/cache.h"
#include "store/lookup.h"
#include "store/pending.h"
#include "store/refuse.h"
#include "store/rownumber.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

struct Fetcher
{
	Relation	rel;			/* borrowed */
	Store	   *store;			/* owned, NULL until needed */
	ChunkReader *reader;		/* owned */
	MemoryContext context;		/* owned: what one row takes */
};

Fetcher *
begin_fetcher(Relation rel)
{
	Fetcher    *fetcher = palloc0(sizeof(Fetcher));

	fetcher->rel = rel;
	fetcher->context = AllocSetContextCreate(CurrentMemoryContext, "fetching a row", ALLOCSET_SMALL_SIZES);
	return fetcher;
}

void
end_fetcher(Fetcher *fetcher)
{
	if (fetcher->reader)
		end_chunks(fetcher->reader);
	if (fetcher->store)
		close_store(fetcher->store);
	MemoryContextDelete(fetcher->context);
	pfree(fetcher);
}

/* A table that had no rows before may have some now. */
static bool
open_fetcher(Fetcher *fetcher, Snapshot snapshot)
{
	MemoryContext old;

	if (fetcher->reader != NULL)
		return true;
	old = MemoryContextSwitchTo(GetMemoryChunkContext(fetcher));
	fetcher->store = open_store(fetcher->rel);
	if (fetcher->store != NULL)
		fetcher->reader = begin_chunks(fetcher->store, snapshot);
	MemoryContextSwitchTo(old);
	return fetcher->reader != NULL;
}

static Datum
value_of(RowGroup *group, Fetcher *fetcher, int column, uint32 index, bool *isnull)
{
	EncodedColumn *encoded;
	Datum		value;
	const char *wrong;

	*isnull = true;
	if (TupleDescAttr(group->desc, column)->attisdropped)
		return (Datum) 0;
	if (column >= group->header.natts)
		return getmissingattr(group->desc, column + 1, isnull);
	encoded = group_column(group, column);
	if (encoded == NULL)
		return (Datum) 0;
	wrong = decode_row(encoded, index, fetcher->context, &value, isnull);
	if (wrong != NULL)
		group_damaged(group, column, wrong);
	return value;
}

static void
store_row(Fetcher *fetcher, RowGroup *group, uint32 index, TupleTableSlot *slot)
{
	group->desc = slot->tts_tupleDescriptor;
	for (int i = 0; i < group->desc->natts; i++)
		slot->tts_values[i] = value_of(group, fetcher, i, index, &slot->tts_isnull[i]);
}

static bool
fetch_from_group(Fetcher *fetcher, uint64 row, Snapshot snapshot, TupleTableSlot *slot)
{
	Chunk		header;
	RowGroup   *group;
	uint32		index;
	bool		found;

	set_chunks_snapshot(fetcher->reader, snapshot);
	if (!find_header_upto(fetcher->reader, row, &header))
		return false;
	group = cached_group(fetcher->reader, &header);
	found = group_index_of(group, row, true, &index);
	if (found)
		store_row(fetcher, group, index, slot);
	done_with_group(group);
	return found;
}

/*
 * What checks for duplicates throws the row away, and does it while it holds a
 * lock on a page of its index: nothing is decoded then.
 */
static bool
only_existence_counts(Snapshot snapshot)
{
	return !IsMVCCSnapshot(snapshot) && InterruptHoldoffCount > 0;
}

/* Somebody may be merging groups: see row_exists(). */
static bool
fetch_again(Fetcher *fetcher, uint64 row, TupleTableSlot *slot)
{
	Snapshot	latest = RegisterSnapshot(GetLatestSnapshot());
	bool		found = fetch_from_group(fetcher, row, latest, slot);

	UnregisterSnapshot(latest);
	return found;
}

/*
 * For who looks for duplicates and wants to see them (exclusion constraints).  A row
 * that another session has not sealed yet cannot be shown: we wait for its end.
 */
static bool
fetch_dirty(Fetcher *fetcher, uint64 row, Snapshot snapshot, TupleTableSlot *slot)
{
	while (row_exists(fetcher->reader, row, snapshot))
	{
		SnapshotData again;
		ItemPointerData tid;

		InitDirtySnapshot(again);
		if (fetch_from_group(fetcher, row, &again, slot))
			return true;
		if (!TransactionIdIsValid(snapshot->xmin))
			return fetch_again(fetcher, row, slot);
		tid_of_row(row, &tid);
		XactLockTableWait(snapshot->xmin, fetcher->rel, &tid, XLTW_RecheckExclusionConstr);
	}
	return false;
}

static bool
fetch_visible(Fetcher *fetcher, uint64 row, Snapshot snapshot, TupleTableSlot *slot)
{
	if (fetch_from_group(fetcher, row, snapshot, slot) ||
		(!IsMVCCSnapshot(snapshot) && !IsInParallelMode() && fetch_again(fetcher, row, slot)))
		return true;
	/* A worker has no part of what its leader has pending. */
	if (IsParallelWorker() && is_reserved_by_us(fetcher->reader, row))
		refuse(fetcher->rel, REFUSE_PARALLEL);
	return false;
}

static bool
fetch_pending(Fetcher *fetcher, uint64 row, Snapshot snapshot, TupleTableSlot *slot)
{
	PendingGroup *group = pending_group_of(fetcher->rel, row, snapshot);

	if (group == NULL)
		return false;
	store_pending_row(group, (uint32) (row - group->first), slot->tts_tupleDescriptor, slot);
	if (snapshot->snapshot_type == SNAPSHOT_DIRTY)
		snapshot->xmin = snapshot->xmax = InvalidTransactionId;
	return true;
}

static bool
fetch(Fetcher *fetcher, uint64 row, Snapshot snapshot, TupleTableSlot *slot)
{
	if (fetch_pending(fetcher, row, snapshot, slot))
		return true;
	if (!open_fetcher(fetcher, snapshot))
		return false;
	if (only_existence_counts(snapshot))
	{
		if (!row_exists(fetcher->reader, row, snapshot))
			return false;
		memset(slot->tts_isnull, true, slot->tts_tupleDescriptor->natts);
		return true;
	}
	if (snapshot->snapshot_type == SNAPSHOT_DIRTY)
		return fetch_dirty(fetcher, row, snapshot, slot);
	return fetch_visible(fetcher, row, snapshot, slot);
}

/* Nobody deletes a row, so one that anybody has seen is there for SnapshotSelf, too. */
bool
fetch_row(Fetcher *fetcher, uint64 row, Snapshot snapshot, TupleTableSlot *slot)
{
	bool		found;

	ExecClearTuple(slot);
	found = fetch(fetcher, row, snapshot->snapshot_type == SNAPSHOT_ANY ? SnapshotSelf : snapshot, slot);
	if (found)
	{
		tid_of_row(row, &slot->tts_tid);
		slot->tts_tableOid = RelationGetRelid(fetcher->rel);
		ExecStoreVirtualTuple(slot);
		ExecMaterializeSlot(slot);
	}
	MemoryContextReset(fetcher->context);
	return found;
}
