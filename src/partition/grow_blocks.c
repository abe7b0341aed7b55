/*
 * grow_blocks.c
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

static RowNeed
need_of(const Growth *growth, RowId row)
{
	if (!is_asked_for(growth, row))
		return ONLY_HELPS;
	return growth->ratios->value[row] == NO_CODE ? NEEDS_NONE : NEEDS_CLASS;
}

static void
add_batch(Growth *growth, uint32 record, RowNeed need, uint32 from, uint32 rows)
{
	if (rows > 0)
		growth->batches[growth->nbatches++] = (Batch) {record, need, from, rows};
}

/* Sorts some rows of a record by needs; within one the order remains. */
static void
batch_rows(Growth *growth, uint32 record, uint32 from, uint32 end)
{
	RowId	   *rows = growth->records->rows;
	RowId	   *spare = growth->spare;
	uint32		at = from;

	memcpy(spare, rows + from, sizeof(RowId) * (end - from));
	for (RowNeed need = NEEDS_CLASS; need <= NEEDS_NONE; need++)
	{
		uint32		start = at;

		for (uint32 i = 0; i < end - from; i++)
			if (need_of(growth, spare[i]) == need)
				rows[at++] = spare[i];
		add_batch(growth, record, need, start, at - start);
	}
}

static void
end_block(Growth *growth)
{
	if (growth->nbatches > growth->block[growth->nblocks])
		growth->block[++growth->nblocks] = growth->nbatches;
}

/* A block of some records; a record that is large by itself is more than one. */
static void
batch_block(Growth *growth, const uint32 *items, uint32 nitems)
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
			batch_rows(growth, record, from, from + n);
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

/* Counts the rows of a part whose value too many of its rows have. */
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

/* Makes room for as many batches and blocks as there can be. */
static void
make_batches(Growth *growth, uint64 size)
{
	const Records *records = growth->records;
	Size		chunks = records->first[records->nrecords] / Max(size / 2, 1) + records->nrecords;
	Size		n = Min(chunks, records->first[records->nrecords]) + 1;

	growth->most = Max(MOST_BLOCKS * size, (uint64) sqrt(MOST_STEPS * growth->least));
	growth->spare = new_array(RowId, largest_record(records));
	growth->batches = new_array(Batch, (Size) 3 * n);
	growth->block = new_array(uint32, 2 * n);
	growth->block[0] = 0;
	for (uint32 r = 0; r < records->nrecords; r++)
		for (uint32 row = records->first[r]; row < records->first[r + 1]; row++)
			growth->record_of[records->rows[row]] = r;
}

/* Cuts into blocks of so many rows at least, where that saves something. */
void
cut_into_blocks(Growth *growth, Work *work, uint64 size)
{
	Cutter	   *cutter = cutter_create(work);
	CutStack	stack = cut_stack_create(growth->records);

	make_batches(growth, size);
	while (stack.depth > 0)
	{
		Part		part = cut_stack_pop(&stack);
		uint32	   *items = stack.items + part.from;
		uint32		n = part.to - part.from;
		const Part *parts;
		uint32		nparts = cut_records(cutter, &stack, part, &parts);

		CHECK_FOR_INTERRUPTS();
		if (nparts > 0 && !may_part(growth, items, parts, nparts))
			nparts = 0;
		if (nparts == 0)
			batch_block(growth, items, n);
		cut_stack_push(&stack, part.from, parts, nparts);
	}
}

/* ----------------------------------------------------------------
 * Classes from the top down: a set that is allowed is cut while its parts are
 *
 * A set that is not allowed may have parts that are, when a row that demands
 * much of a value parts with those that have it (Wong et al. deny it in their
 * corollary 3).  So it is cut all the same; if it is still not allowed when it
 * cannot be cut any more, its rows are left to grow from the bottom up.
 * ----------------------------------------------------------------
 */

/* Are the rows of these records allowed as a class? */
static bool
is_allowed(Growth *growth, const uint32 *items, uint32 nitems)
{
	const Records *records = growth->records;
	Crowd	   *crowd = growth->crowd;
	bool		is_allowed;

	for (uint32 i = 0; i < nitems; i++)
		for (uint32 at = records->first[items[i]]; at < records->first[items[i] + 1]; at++)
			crowd_add(crowd, records->rows[at]);
	crowd->goal = crowd->size;
	is_allowed = crowd_is_allowed(crowd);
	crowd_clear(crowd);
	return is_allowed;
}

static bool
are_allowed(Growth *growth, const uint32 *items, const Part *parts, uint32 nparts)
{
	for (uint32 i = 0; i < nparts; i++)
		if (!is_allowed(growth, items + parts[i].from, parts[i].to - parts[i].from))
			return false;
	return true;
}

/* Has any row of these records a value that needs a class? */
static bool
has_needing(const Growth *growth, const uint32 *items, uint32 nitems)
{
	const Records *records = growth->records;

	for (uint32 i = 0; i < nitems; i++)
		for (uint32 at = records->first[items[i]]; at < records->first[items[i] + 1]; at++)
			if (growth->ratios->value[records->rows[at]] != NO_CODE)
				return true;
	return false;
}

/* Makes one class of all rows of these records. */
static void
make_class(Growth *growth, const uint32 *items, uint32 nitems)
{
	const Records *records = growth->records;
	uint32		c = grown_create(growth);

	for (uint32 i = 0; i < nitems; i++)
		for (uint32 at = records->first[items[i]]; at < records->first[items[i] + 1]; at++)
			grown_add(growth, c, records->rows[at]);
}

void
split_records(Growth *growth, Work *work, uint64 size)
{
	Principle	least = principle_k_l(growth->least, 1);
	const Principle *before = work->principle;
	Cutter	   *cutter = cutter_create(work);
	CutStack	stack = cut_stack_create(growth->records);

	make_batches(growth, size);
	work->principle = &least;
	while (stack.depth > 0)
	{
		Part		part = cut_stack_pop(&stack);
		uint32	   *items = stack.items + part.from;
		uint32		n = part.to - part.from;
		const Part *parts;
		uint32		nparts = cut_records(cutter, &stack, part, &parts);

		CHECK_FOR_INTERRUPTS();
		if (!is_allowed(growth, items, n))
		{
			if (nparts == 0)
				batch_block(growth, items, n);
		}
		else if (nparts == 0 || !are_allowed(growth, items, parts, nparts))
		{
			nparts = 0;
			if (has_needing(growth, items, n))
				make_class(growth, items, n);
			else
				batch_block(growth, items, n);
		}
		cut_stack_push(&stack, part.from, parts, nparts);
	}
	work->principle = before;
}
