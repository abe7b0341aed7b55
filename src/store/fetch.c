/*
 * fetch.c
 *		Fetching rows by number.  See rows.h.
 */
#include "postgres.h"

#include "store/rows.h"

#include "access/htup_details.h"
#include "access/parallel.h"
#include "access/relscan.h"
#include "miscadmin.h"
#include "store/handler.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

/* The most groups that are remembered; more would take longer to search. */
#define KNOWN_GROUPS 512

/* A group that the snapshot sees. */
typedef struct KnownGroup
{
	uint64		first;
	RowGroup   *group;			/* borrowed from the cache */
} KnownGroup;

/* Rows from .. upto - 1 of the current group have this value. */
typedef struct KeptValue
{
	uint32		from;
	uint32		upto;
	Datum		value;
	bool		isnull;
} KeptValue;

struct Fetcher
{
	IndexFetchTableData base;	/* with the table, which is borrowed */
	Store	   *store;			/* owned, NULL until needed */
	ChunkReader *reader;		/* owned */

	/* Groups that need not be looked for again, as long as the snapshot and the cache's generation are these */
	Snapshot	snapshot;		/* not to be looked into */
	TransactionId xmin;
	TransactionId xmax;
	CommandId	curcid;
	uint64		generation;
	int			nknown;
	KnownGroup *known;			/* owned, in order; NULL until needed */

	/* Values of the rows fetched last */
	MemoryContext context;		/* owned: what values need */
	const RowGroup *current;	/* the group of the kept values, or NULL */
	uint64		stamp;			/* the current group's */
	uint64		kept_generation;	/* of the cache: values may point into the group */
	int			natts;
	KeptValue  *kept;			/* owned: for each column; NULL until needed */
};

/* More than this is not kept of values. */
#define KEPT_BYTES (256 * 1024)

Fetcher *
begin_fetcher(Relation rel)
{
	Fetcher    *fetcher = palloc0(sizeof(Fetcher));

	fetcher->base.rel = rel;
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
	if (fetcher->known)
		pfree(fetcher->known);
	if (fetcher->kept)
		pfree(fetcher->kept);
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
	fetcher->store = open_store(fetcher->base.rel, false);
	if (fetcher->store != NULL)
		fetcher->reader = begin_chunks(fetcher->store, snapshot);
	MemoryContextSwitchTo(old);
	return fetcher->reader != NULL;
}

/* ----------------------------------------------------------------
 * Values
 * ----------------------------------------------------------------
 */

/* Finds the value of a row, and the run of rows that are known to share it. */
static void
find_value(RowGroup *group, Fetcher *fetcher, int column, uint32 index, KeptValue *kept)
{
	EncodedColumn *encoded = NULL;
	uint32		length = group->header.nrows - index;
	const char *wrong;

	kept->value = (Datum) 0;
	kept->isnull = true;
	if (TupleDescAttr(group->desc, column)->attisdropped)
		length = 0;
	else if (column >= group->header.natts)
	{
		/* The value is the descriptor's, which may be another next time. */
		kept->value = getmissingattr(group->desc, column + 1, &kept->isnull);
		length = 0;
	}
	else if ((encoded = group_column(group, column)) != NULL)
	{
		wrong = decode_run(encoded, index, fetcher->context, &kept->value, &kept->isnull, &length);
		if (wrong != NULL)
			group_damaged(group, column, wrong);
	}
	kept->from = index;
	kept->upto = index + length;
}

/* Puts a row of a group into the slot; values that the row before had, too, are not decoded again. */
static void
store_row(Fetcher *fetcher, RowGroup *group, uint32 index, TupleTableSlot *slot)
{
	int			natts = slot->tts_tupleDescriptor->natts;

	group->desc = slot->tts_tupleDescriptor;
	if (fetcher->current != group || fetcher->stamp != group->stamp || fetcher->natts != natts ||
		fetcher->kept_generation != cache_generation() ||
		MemoryContextMemAllocated(fetcher->context, true) > KEPT_BYTES)
	{
		/* Begins to keep values of another group, or of the same one after its memory was freed. */
		MemoryContextReset(fetcher->context);
		if (fetcher->kept == NULL || fetcher->natts < natts)
		{
			if (fetcher->kept)
				pfree(fetcher->kept);
			fetcher->kept = MemoryContextAlloc(GetMemoryChunkContext(fetcher), Max(natts, 1) * sizeof(KeptValue));
		}
		memset(fetcher->kept, 0, natts * sizeof(KeptValue));
		fetcher->natts = natts;
		fetcher->current = group;
		fetcher->stamp = group->stamp;
		fetcher->kept_generation = cache_generation();
	}
	for (int i = 0; i < natts; i++)
	{
		KeptValue  *kept = &fetcher->kept[i];

		if (index < kept->from || index >= kept->upto)
		{
			kept->upto = 0;
			find_value(group, fetcher, i, index, kept);
		}
		slot->tts_values[i] = kept->value;
		slot->tts_isnull[i] = kept->isnull;
	}
}

/* ----------------------------------------------------------------
 * Groups
 * ----------------------------------------------------------------
 */

/* A snapshot sees the same groups all the time, and no two of them have a row in common. */
static bool
knows_groups(const Fetcher *fetcher, Snapshot snapshot)
{
	return fetcher->nknown > 0 && fetcher->snapshot == snapshot && IsMVCCSnapshot(snapshot) &&
		fetcher->xmin == snapshot->xmin && fetcher->xmax == snapshot->xmax && fetcher->curcid == snapshot->curcid &&
		fetcher->generation == cache_generation();
}

/* The number of known groups that begin at or before the row. */
static int
known_upto(const Fetcher *fetcher, uint64 row)
{
	int			low = 0;
	int			high = fetcher->nknown;

	while (low < high)
	{
		int			middle = low + (high - low) / 2;

		if (fetcher->known[middle].first <= row)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Adds a group to those found under the snapshot, sorted by their first rows. */
static void
note_group(Fetcher *fetcher, RowGroup *group, Snapshot snapshot)
{
	int			place;

	if (!IsMVCCSnapshot(snapshot))
		return;
	if (!knows_groups(fetcher, snapshot) || fetcher->nknown == KNOWN_GROUPS)
	{
		fetcher->snapshot = snapshot;
		fetcher->xmin = snapshot->xmin;
		fetcher->xmax = snapshot->xmax;
		fetcher->curcid = snapshot->curcid;
		fetcher->generation = cache_generation();
		fetcher->nknown = 0;
	}
	if (fetcher->known == NULL)
		fetcher->known = MemoryContextAlloc(GetMemoryChunkContext(fetcher), KNOWN_GROUPS * sizeof(KnownGroup));
	place = known_upto(fetcher, group->first);
	if (place > 0 && fetcher->known[place - 1].first == group->first)
		return;
	memmove(&fetcher->known[place + 1], &fetcher->known[place], (fetcher->nknown - place) * sizeof(KnownGroup));
	fetcher->known[place] = (KnownGroup) {group->first, group};
	fetcher->nknown++;
}

/* Fetches a row from the group that has it under the snapshot. */
static bool
fetch_from_group(Fetcher *fetcher, uint64 row, Snapshot snapshot, TupleTableSlot *slot)
{
	RowGroup   *group = NULL;
	int			n = knows_groups(fetcher, snapshot) ? known_upto(fetcher, row) : 0;
	bool		found;

	set_chunks_snapshot(fetcher->reader, snapshot);
	if (n > 0 && row <= group_last(fetcher->known[n - 1].group))
	{
		group = fetcher->known[n - 1].group;
		use_group_again(group, fetcher->reader);
	}
	else
	{
		Chunk		header;

		if (!find_header_upto(fetcher->reader, row, &header))
			return false;
		group = cached_group(fetcher->reader, &header);
		note_group(fetcher, group, snapshot);
	}
	found = group_has(group, row);
	if (found)
		store_row(fetcher, group, row - group->first, slot);
	done_with_group(group);
	return found;
}

/*
 * Fetches a row by the kind of the snapshot: from memory, by its existence alone, or from its group.  Rows are never
 * deleted, so SnapshotAny finds with SnapshotSelf every row that some snapshot has seen.
 */
static bool
fetch(Fetcher *fetcher, uint64 row, Snapshot snapshot, TupleTableSlot *slot)
{
	PendingGroup *group = pending_group_of(fetcher->base.rel, row, snapshot);

	if (group != NULL)
	{
		TupleDesc	desc = slot->tts_tupleDescriptor;

		for (int i = 0; i < desc->natts; i++)
			slot->tts_values[i] = pending_value(group, (uint32) (row - group->first), i, desc, &slot->tts_isnull[i]);
		/* A dirty snapshot learns that there is no transaction to wait for. */
		if (snapshot->snapshot_type == SNAPSHOT_DIRTY)
			snapshot->xmin = snapshot->xmax = InvalidTransactionId;
		return true;
	}
	if (!open_fetcher(fetcher, snapshot))
		return false;

	/*
	 * Checks for duplicates throw the row away, and hold a lock on a page of the index meanwhile: nothing is decoded
	 * then.
	 */
	if (!IsMVCCSnapshot(snapshot) && InterruptHoldoffCount > 0)
	{
		if (!row_exists(fetcher->reader, row, snapshot))
			return false;
		memset(slot->tts_isnull, true, slot->tts_tupleDescriptor->natts);
		return true;
	}
	if (snapshot->snapshot_type == SNAPSHOT_DIRTY)
	{
		/*
		 * For checks that look at the duplicates (exclusion constraints).  A row that another session has not sealed
		 * yet cannot be shown: we wait for its end.
		 */
		while (row_exists(fetcher->reader, row, snapshot))
		{
			SnapshotData again;
			ItemPointerData tid;

			InitDirtySnapshot(again);
			if (fetch_from_group(fetcher, row, &again, slot))
				return true;
			if (!TransactionIdIsValid(snapshot->xmin))
				return false;
			tid_of_row(row, &tid);
			XactLockTableWait(snapshot->xmin, fetcher->base.rel, &tid, XLTW_RecheckExclusionConstr);
		}
		return false;
	}
	if (fetch_from_group(fetcher, row, snapshot, slot))
		return true;
	/* A worker has no part of what its leader has pending. */
	if (IsParallelWorker() && is_reserved_by_us(fetcher->reader, row))
		refuse(fetcher->base.rel, REFUSE_PARALLEL);
	return false;
}

bool
fetch_row(Fetcher *fetcher, uint64 row, Snapshot snapshot, TupleTableSlot *slot)
{
	ExecClearTuple(slot);
	if (!fetch(fetcher, row, snapshot->snapshot_type == SNAPSHOT_ANY ? SnapshotSelf : snapshot, slot))
		return false;
	tid_of_row(row, &slot->tts_tid);
	slot->tts_tableOid = RelationGetRelid(fetcher->base.rel);
	ExecStoreVirtualTuple(slot);
	ExecMaterializeSlot(slot);
	return true;
}
