/*
 * shelves.c
 *		Rows that are in no class yet, sorted: cut into blocks of records that lie
 *		near to each other, each record's rows by what a class is to them.
 */
#include "postgres.h"

#include <math.h>

#include "frame/arrays.h"
#include "miscadmin.h"
#include "partition/growing.h"
#include "utils/memutils.h"

/* A block that cannot well be parted may be so many times larger, or take so many steps. */
#define MOST_BLOCKS 8
#define MOST_STEPS 200000000.0

/* The share of rows without company in their part that is no reason not to part them. */
#define TOLERATED 0.01

static ShelfKind
kind_of(const Growth *growth, RowId row)
{
	if (!is_asked_for(growth, row))
		return HELPING;
	return growth->ratios->value[row] == NO_CODE ? FREE : NEEDY;
}

static void
add_shelf(Growth *growth, uint32 record, ShelfKind kind, uint32 from, uint32 rows)
{
	if (rows > 0)
		growth->shelves[growth->nshelves++] = (Shelf) {record, kind, from, rows};
}

/* Sorts some rows of a record by kinds; within one the order remains. */
static void
shelve_rows(Growth *growth, uint32 record, uint32 from, uint32 end)
{
	RowId	   *rows = growth->records->rows;
	RowId	   *spare = growth->spare;
	uint32		at = from;

	memcpy(spare, rows + from, sizeof(RowId) * (end - from));
	for (ShelfKind kind = NEEDY; kind <= FREE; kind++)
	{
		uint32		start = at;

		for (uint32 i = 0; i < end - from; i++)
			if (kind_of(growth, spare[i]) == kind)
				rows[at++] = spare[i];
		add_shelf(growth, record, kind, start, at - start);
	}
}

static void
end_block(Growth *growth)
{
	if (growth->nshelves > growth->block[growth->nblocks])
		growth->block[++growth->nblocks] = growth->nshelves;
}

/* A block of some records; a record that is large by itself is more than one. */
void
shelve_block(Growth *growth, const uint32 *items, uint32 nitems)
{
	const uint32 *first = growth->records->first;
	uint64		most = growth->most;

	for (uint32 i = 0; i < nitems; i++)
	{
		uint32		record = items[i];

		CHECK_FOR_INTERRUPTS();
		for (uint32 from = first[record]; from < first[record + 1];)
		{
			uint32		left = first[record + 1] - from;
			uint32		n = left > most ? most / 2 : left;

			if (left > most)
				end_block(growth);
			shelve_rows(growth, record, from, from + n);
			from += n;
			if (left > most)
				end_block(growth);
		}
	}
	end_block(growth);
}

static uint32
largest_record(const Records *records)
{
	uint32		largest = 0;

	for (uint32 r = 0; r < records->nrecords; r++)
		largest = Max(largest, record_rows(records, r));
	return largest;
}

/* How many rows of a part have a value that too many of it have. */
static uint64
excess_of(Growth *growth, const uint32 *items, uint32 nitems, uint64 *rows)
{
	const Records *records = growth->records;
	Crowd	   *crowd = growth->crowd;
	uint64		excess = 0;
	uint64		most;

	for (uint32 i = 0; i < nitems; i++)
		for (uint32 at = records->first[items[i]]; at < records->first[items[i] + 1]; at++)
			crowd_count(crowd, records->rows[at]);
	*rows = crowd->size;
	most = crowd->size / growth->least;
	for (Code i = 0; i < crowd->ntouched; i++)
		if (crowd->count[crowd->touched[i]] > most)
			excess += crowd->count[crowd->touched[i]] - most;
	crowd_clear(crowd);
	return excess;
}

/* Would each part have company for nearly all of its rows?  Otherwise they are a block, unless they are far too many. */
static bool
may_part(Growth *growth, const uint32 *items, const Part *parts, uint32 nparts)
{
	uint64		excess = 0;
	uint64		all = 0;

	for (uint32 i = 0; i < nparts; i++)
	{
		uint64		rows;

		excess += excess_of(growth, items + parts[i].from, parts[i].to - parts[i].from, &rows);
		all += rows;
	}
	return all > growth->most || excess <= all * TOLERATED;
}

/* As many shelves and blocks as there can be, at most. */
void
make_shelves(Growth *growth, uint64 size)
{
	const Records *records = growth->records;
	Size		chunks = records->first[records->nrecords] / Max(size / 2, 1) + records->nrecords;
	Size		n = Min(chunks, records->first[records->nrecords]) + 1;

	growth->most = Max(MOST_BLOCKS * size, (uint64) sqrt(MOST_STEPS * growth->least));
	growth->spare = new_array(RowId, largest_record(records));
	growth->shelves = new_array(Shelf, (Size) 3 * n);
	growth->block = new_array(uint32, 2 * n);
	growth->block[0] = 0;
	for (uint32 r = 0; r < records->nrecords; r++)
		for (uint32 row = records->first[r]; row < records->first[r + 1]; row++)
			growth->record_of[records->rows[row]] = r;
}

/*
 * Cuts into blocks of so many rows at least, where that saves something.  What
 * is still to be cut stands on a stack.
 */
void
fill_shelves(Growth *growth, Work *work, uint64 size)
{
	uint32		nrecords = growth->records->nrecords;
	Cutter	   *cutter = cutter_create(work);
	uint32	   *items = new_array(uint32, nrecords);
	Part	   *stack = new_array(Part, nrecords);
	uint32		depth = 0;

	make_shelves(growth, size);
	for (uint32 i = 0; i < nrecords; i++)
		items[i] = i;
	if (nrecords > 0)
		stack[depth++] = (Part) {0, nrecords};
	while (depth > 0)
	{
		Part		part = stack[--depth];
		uint32		nparts = cut_records(cutter, items + part.from, part.to - part.from, stack + depth);

		CHECK_FOR_INTERRUPTS();
		if (nparts > 0 && !may_part(growth, items + part.from, stack + depth, nparts))
			nparts = 0;
		if (nparts == 0)
			shelve_block(growth, items + part.from, part.to - part.from);
		for (uint32 i = 0; i < nparts; i++)
		{
			stack[depth].from += part.from;
			stack[depth++].to += part.from;
		}
	}
}
