/*
 * lookup.c
 *		Finding groups by their rows' numbers.  See layout.h for their order.
 */
#include "postgres.h"

#include "store/group.h"

#include "access/parallel.h"
#include "access/xact.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

/* Raises an error if the chunk is damaged, since the group that it belongs to is not known. */
static void
check_chunk(ChunkReader *reader, const Chunk *chunk)
{
	if (chunk->damage != NULL)
		chunk_damaged(chunks_store(reader)->rel, chunk->first, chunk->damage);
}

/*
 * Goes back to the last header at or before a row.  A group's header is its
 * last part; a reservation alone has no rows that a snapshot can see.
 */
bool
find_header_upto(ChunkReader *reader, uint64 row, Chunk *header)
{
	bool		found = chunk_upto(reader, row, PART_MAX, header);

	while (found)
	{
		/* A damaged chunk's own position cannot be trusted, so it is limited to the row's. */
		if (header->damage != NULL)
			chunk_damaged(chunks_store(reader)->rel, Min(header->first, row), header->damage);
		if (header->part == PART_HEADER)
			break;
		if (header->part != PART_RESERVATION)
			chunk_damaged(chunks_store(reader)->rel, header->first, "Its header is missing.");
		if (header->first == 0)
			return false;
		found = chunk_upto(reader, header->first - 1, PART_MAX, header);
	}
	return found && header->first >= chunks_store(reader)->counters.valid;
}

/*
 * Decides which group the damaged chunk that the reader has come to belongs
 * to.  Its place in the index is right, so it is the next good chunk's group's
 * if that group begins with it.  Else a whole group may be lost there, and
 * *next is where others go on.
 */
static GroupFound
whose_is_it(ChunkReader *reader, uint64 row, Chunk *chunk, uint64 *next)
{
	ItemPointerData tid = chunk->tuple->t_self;
	const char *damage = chunk->damage;
	uint64		said = chunk->first;
	bool		found;

	do
		found = next_chunk(reader, chunk);
	while (found && chunk->damage != NULL);
	*next = found ? chunk->first : MAX_ROWS;
	if (found && chunk_from(reader, *next, 0, chunk) && ItemPointerEquals(&chunk->tuple->t_self, &tid))
	{
		chunk->first = *next;
		return GROUP_FOUND;
	}
	chunk->first = said >= row && said < *next ? said : row;
	chunk->damage = damage;
	return GROUP_LOST;
}

GroupFound
find_group_from(ChunkReader *reader, uint64 row, Chunk *chunk, uint64 *next)
{
	if (!chunk_from(reader, row, 0, chunk))
		return GROUP_NONE;
	return chunk->damage == NULL ? GROUP_FOUND : whose_is_it(reader, row, chunk, next);
}

/* The header stands behind the reservation, and behind the parts of a group that has some. */
bool
find_header_from(ChunkReader *reader, uint64 row, Chunk *header)
{
	uint64		next;
	GroupFound	found;

	row = Max(row, chunks_store(reader)->counters.valid);
	found = find_group_from(reader, row, header, &next);
	while (found == GROUP_FOUND)
	{
		uint64		first = header->first;

		if (header->damage != NULL || header->part < PART_RESERVATION)
		{
			/* Not chunk_between(), which gives headers that are dead, too, unless the snapshot is an MVCC one. */
			bool		any = chunk_from(reader, first, PART_HEADER, header);

			if (any && header->damage != NULL)
				chunk_damaged(chunks_store(reader)->rel, first, header->damage);
			if (any && header->first == first && header->part == PART_HEADER)
				return true;
			chunk_damaged(chunks_store(reader)->rel, first, "Its header is missing.");
		}
		if (header->part == PART_HEADER)
			return true;
		found = next_chunk(reader, header) ? GROUP_FOUND : GROUP_NONE;
		if (found == GROUP_FOUND && header->damage != NULL)
			found = whose_is_it(reader, first, header, &next);
	}
	if (found == GROUP_LOST)
		check_chunk(reader, header);
	return false;
}

/* Does a version of a group hold the row, or may it come to? */
static bool
holds(ChunkReader *reader, const Chunk *chunk, uint64 row)
{
	bool		result = false;

	check_chunk(reader, chunk);
	if (chunk->part == PART_RESERVATION)
		result = row - chunk->first < reserved_rows(chunks_store(reader)->rel, chunk);
	else if (chunk->part == PART_HEADER)
	{
		MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "a group's header", ALLOCSET_SMALL_SIZES);
		uint32		index;

		result = group_index_of(open_group(reader, chunk, context), row, true, &index);
		MemoryContextDelete(context);
	}
	return result;
}

/*
 * Given a header whose transaction may still abort: another version of its
 * group that is not in doubt takes its place, if there is one.  The header may
 * even go away meanwhile.
 */
static bool
settled_version(ChunkReader *reader, Chunk *chunk, Snapshot dirty, bool *gone)
{
	uint64		first = chunk->first;
	ItemPointerData tid = chunk->tuple->t_self;
	bool		settled = false;
	bool		found;

	while (!settled && next_chunk(reader, chunk) && chunk->first == first && chunk->part == PART_HEADER)
		if (!TransactionIdIsValid(dirty->xmin))
			settled = true;
	if (settled)
		return true;
	/* The reader has moved on: back to the one that was given. */
	for (found = chunk_upto(reader, first, PART_HEADER, chunk); found; found = next_chunk(reader, chunk))
		if (ItemPointerEquals(&chunk->tuple->t_self, &tid))
			return false;
	*gone = true;
	return false;
}

/*
 * One try of row_exists().  A merge replaces a group by a version that holds
 * the same rows: while one is under way, the old version is still good, and
 * the transaction that deletes it need not be waited for.
 */
static bool
row_exists_now(ChunkReader *reader, uint64 row, Snapshot snapshot)
{
	bool		dirty = snapshot->snapshot_type == SNAPSHOT_DIRTY;
	Chunk		chunk;
	TransactionId inserter;
	bool		found;

	set_chunks_snapshot(reader, snapshot);
	found = chunk_upto(reader, row, PART_MAX, &chunk) && chunk.first >= chunks_store(reader)->counters.valid;
	if (!found)
		return false;
	inserter = dirty ? snapshot->xmin : InvalidTransactionId;
	if (chunk.part == PART_HEADER && TransactionIdIsValid(inserter))
	{
		bool		gone = false;

		if (settled_version(reader, &chunk, snapshot, &gone))
			inserter = InvalidTransactionId;
		if (gone)
			return row_exists_now(reader, row, snapshot);
	}
	if (!holds(reader, &chunk, row))
		return false;
	if (dirty)
	{
		snapshot->xmin = inserter;
		snapshot->xmax = InvalidTransactionId;
	}
	return true;
}

/*
 * While a merge commits we may see neither side: the old version is dead
 * already, and the new one was not yet there when the index was read.  In that
 * case the rows were committed before, and an MVCC snapshot sees them.
 */
bool
row_exists(ChunkReader *reader, uint64 row, Snapshot snapshot)
{
	Snapshot	latest;
	bool		found = row_exists_now(reader, row, snapshot);

	if (found || IsMVCCSnapshot(snapshot) || IsInParallelMode())
		return found;
	latest = RegisterSnapshot(GetLatestSnapshot());
	found = row_exists_now(reader, row, latest);
	if (snapshot->snapshot_type == SNAPSHOT_DIRTY)
		snapshot->xmin = snapshot->xmax = InvalidTransactionId;
	UnregisterSnapshot(latest);
	return found;
}

bool
is_reserved_by_us(ChunkReader *reader, uint64 row)
{
	Chunk		chunk;

	set_chunks_snapshot(reader, SnapshotSelf);
	return chunk_upto(reader, row, PART_MAX, &chunk) && chunk.part == PART_RESERVATION &&
		TransactionIdIsCurrentTransactionId(HeapTupleHeaderGetXmin(chunk.tuple->t_data)) &&
		holds(reader, &chunk, row);
}
