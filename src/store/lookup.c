/*
 * lookup.c
 *		Finding groups by their rows' numbers.  See layout.h for their order.
 */
#include "postgres.h"

#include "store/group.h"

#include "access/xact.h"
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

/* Does the chunk's group hold the row, or may it come to? */
static bool
holds(ChunkReader *reader, const Chunk *chunk, uint64 row)
{
	Relation	rel = chunks_store(reader)->rel;
	GroupHeader header;

	check_chunk(reader, chunk);
	if (chunk->part == PART_RESERVATION)
		return row - chunk->first < reserved_rows(rel, chunk);
	if (chunk->part != PART_HEADER)
		return false;
	read_header(rel, chunk, &header);
	return row - chunk->first < header.nrows;
}

bool
row_exists(ChunkReader *reader, uint64 row, Snapshot snapshot)
{
	Chunk		chunk;

	set_chunks_snapshot(reader, snapshot);
	if (!chunk_upto(reader, row, PART_MAX, &chunk) || chunk.first < chunks_store(reader)->counters.valid ||
		!holds(reader, &chunk, row))
		return false;
	if (snapshot->snapshot_type == SNAPSHOT_DIRTY)
		snapshot->xmax = InvalidTransactionId;
	return true;
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
