/*
 * census.c
 *		Counting rows group by group.  See census.h.
 */
#include "postgres.h"

#include "store/census.h"

#include "miscadmin.h"
#include "store/group.h"
#include "store/lookup.h"
#include "utils/memutils.h"

typedef struct Counted
{
	uint64		first;
	uint32		span;
	uint32		nrows;
	uint64		before;			/* rows of groups before this one */
} Counted;

struct Census
{
	Counted    *groups;
	uint64		ngroups;
	uint64		room;
	uint64		rows;
};

/* Adds a group's rows to the census; they follow those of all groups before it. */
static void
count_group(Census *census, Relation rel, const Chunk *header)
{
	GroupHeader contents;

	read_header(rel, header, &contents);
	if (census->ngroups == census->room)
	{
		census->room *= 2;
		census->groups = repalloc_huge(census->groups, census->room * sizeof(Counted));
	}
	census->groups[census->ngroups++] = (Counted) {header->first, contents.span, contents.nrows, census->rows};
	census->rows += contents.nrows;
}

Census *
take_census(Relation rel, Snapshot snapshot)
{
	Census	   *census = palloc0(sizeof(Census));
	Store	   *store = open_store(rel);
	ChunkReader *reader;
	Chunk		header;
	uint64		from = 0;

	census->room = 64;
	census->groups = palloc(census->room * sizeof(Counted));
	if (store == NULL)
		return census;
	reader = begin_chunks(store, snapshot);
	while (find_header_from(reader, from, &header))
	{
		CHECK_FOR_INTERRUPTS();
		count_group(census, rel, &header);
		from = header.first + 1;
	}
	end_chunks(reader);
	close_store(store);
	return census;
}

double
census_rows(const Census *census)
{
	return (double) census->rows;
}

/* The number of the row that has "row" others before it; an estimate where numbers have gaps. */
static uint64
number_of(const Census *census, uint64 row)
{
	uint64		low = 0;
	uint64		high = census->ngroups;
	const Counted *group;

	if (census->ngroups == 0)
		return 0;
	while (low + 1 < high)
	{
		uint64		middle = low + (high - low) / 2;

		if (census->groups[middle].before <= row)
			low = middle;
		else
			high = middle;
	}
	group = &census->groups[low];
	return group->first + (row - group->before) * group->span / Max(group->nrows, 1);
}

void
census_block(const Census *census, BlockNumber block, BlockNumber blocks, uint64 *from, uint64 *upto)
{
	double		share = (double) census->rows / Max(blocks, 1);

	*from = number_of(census, (uint64) (block * share));
	*upto = block + 1 >= blocks ? number_of(census, census->rows) : number_of(census, (uint64) ((block + 1.0) * share));
}
