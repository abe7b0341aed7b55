/*
 * living.c
 *		Collecting the numbers of rows that are there, or may come.  See living.h.
 *
 * NOTES
 *		Every number below the counter has a reservation in the TOAST relation when
 *		we begin, unless its transaction is dead (metapage.h), and none of them is
 *		given again.  A group has all rows that came of its reservation.  Whether a
 *		transaction has ended is seen chunk by chunk, and a page of the index may
 *		have been read before a header came to it: so a reservation without a header
 *		behind it has all of its numbers living, committed or not.
 */
#include "postgres.h"

#include "store/living.h"

#include "miscadmin.h"
#include "store/group.h"
#include "store/rownumber.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

typedef struct Range
{
	uint64		from;
	uint64		upto;
} Range;

struct Living
{
	Counters	counters;
	uint64		settled;
	Range	   *ranges;			/* in order; they neither overlap nor touch */
	uint64		nranges;
	uint64		room;
};

/* Adds numbers, which may continue or overlap those added last. */
static void
add_range(Living *living, uint64 from, uint64 upto)
{
	Range	   *last = living->nranges > 0 ? &living->ranges[living->nranges - 1] : NULL;

	if (last != NULL && from <= last->upto)
	{
		last->upto = Max(last->upto, upto);
		return;
	}
	if (living->nranges == living->room)
	{
		living->room *= 2;
		living->ranges = repalloc_huge(living->ranges, living->room * sizeof(Range));
	}
	living->ranges[living->nranges++] = (Range) {from, upto};
}

/* Adds the numbers of a group's rows. */
static void
add_group(Living *living, ChunkReader *reader, const Chunk *header)
{
	MemoryContext context;
	RowGroup   *group;
	GroupHeader contents;

	read_header(chunks_store(reader)->rel, header, &contents);
	if (contents.numbers_length == 0)
	{
		add_range(living, header->first, header->first + contents.nrows);
		return;
	}
	context = AllocSetContextCreate(CurrentMemoryContext, "a group's numbers", ALLOCSET_DEFAULT_SIZES);
	group = open_group(reader, header, context);
	for (uint32 i = 0; i < group->header.nrows; i++)
	{
		uint64		row = group_number(group, i);

		add_range(living, row, row + 1);
	}
	MemoryContextDelete(context);
}

/* Reads only the last chunks of each group, the reservation and the header. */
static void
look_at_all(Living *living, ChunkReader *reader, Snapshot dirty)
{
	Relation	rel = chunks_store(reader)->rel;
	Chunk		chunk;
	bool		found = chunk_from(reader, living->counters.valid, 0, &chunk);

	while (found)
	{
		uint64		first = chunk.first;

		CHECK_FOR_INTERRUPTS();
		if (chunk.damage != NULL)
			chunk_damaged(rel, first, chunk.damage);
		if (chunk.part < PART_RESERVATION)
		{
			found = chunk_from(reader, first, PART_RESERVATION, &chunk);
			continue;
		}
		if (TransactionIdIsValid(dirty->xmin))
			living->settled = Min(living->settled, first);
		if (chunk.part == PART_RESERVATION)
		{
			uint32		rows = reserved_rows(rel, &chunk);

			found = next_chunk(reader, &chunk);
			if (!found || chunk.damage != NULL || chunk.first != first)
				add_range(living, first, first + rows);
			continue;
		}
		add_group(living, reader, &chunk);
		/* The group's numbers may have been read meanwhile. */
		found = chunk_from(reader, first + 1, 0, &chunk);
	}
}

Living *
find_living(Relation rel)
{
	Living	   *living = palloc0(sizeof(Living));
	SnapshotData dirty;
	Store	   *store;
	ChunkReader *reader;

	living->room = 64;
	living->ranges = palloc(living->room * sizeof(Range));
	if (!end_reservations(rel, &living->counters))
		return living;
	living->settled = living->counters.next;
	if ((store = open_store(rel)) == NULL)
		return living;
	InitDirtySnapshot(dirty);
	reader = begin_chunks(store, &dirty);
	look_at_all(living, reader, &dirty);
	end_chunks(reader);
	close_store(store);
	return living;
}

bool
any_newly_dead(const Living *living)
{
	uint64		from = Min(living->counters.cleaned, living->counters.next);
	uint64		dead = living->counters.next - from;

	for (uint64 i = 0; i < living->nranges; i++)
	{
		uint64		low = Max(living->ranges[i].from, from);
		uint64		high = Min(living->ranges[i].upto, living->counters.next);

		if (low < high)
			dead -= high - low;
	}
	return dead > 0;
}

bool
any_newly_settled(const Living *living)
{
	return living->settled > living->counters.cleaned;
}

bool
number_is_dead(const Living *living, uint64 row)
{
	uint64		low = 0;
	uint64		high = living->nranges;

	if (row >= living->counters.next)
		return false;
	/* The first range that ends behind the row. */
	while (low < high)
	{
		uint64		middle = low + (high - low) / 2;

		if (living->ranges[middle].upto <= row)
			low = middle + 1;
		else
			high = middle;
	}
	return low == living->nranges || row < living->ranges[low].from;
}

uint64
settled_below(const Living *living)
{
	return living->settled;
}
