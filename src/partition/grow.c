/*
 * grow.c
 *		From rows to classes that meet ratios, in five steps.
 *
 *		1. grow.c			rows that no class could take are left out
 *		2. records.c		equal rows become one record
 *		3. grow.c			records are cut, from the top down, into blocks
 *		4. grow_seed.c		classes grow in a block, from the bottom up; the rest of
 *							two blocks is looked at as one, and so on upward
 *		5. grow_adopt.c		single rows that are left join a class
 *
 * NOTES
 *		A block is so many times larger than a class that it has the values that
 *		a class needs, and small enough to be looked at once a class.
 */
#include "postgres.h"

#include <math.h>

#include "common/pg_prng.h"
#include "frame/arrays.h"
#include "miscadmin.h"
#include "partition/classes.h"
#include "partition/growing.h"
#include "utils/memutils.h"

/* A block holds so many classes, about. */
#define BLOCK_CLASSES 24

/* A block that cannot well be parted may be so many times larger, or take so many steps. */
#define MOST_BLOCKS 8
#define MOST_STEPS 200000000.0

/* The share of rows without company in their part that is no reason not to part them. */
#define TOLERATED 0.01

/* A row that is left looks at so many classes on each side. */
#define REACH 64

/* In the end it looks at as many as that takes no more steps for all rows that are left. */
#define LAST_STEPS UINT64CONST(200000000)
#define LAST_PASSES 8

/* ----------------------------------------------------------------
 * Rows that may find a class
 * ----------------------------------------------------------------
 */

/* Notes the ratio that each row demands of its own value, and leaves out rows that could only be in a class larger than all rows together. */
static uint64
leave_impossible(Growth *growth, RowId *rows, uint64 nrows)
{
	uint64		n = 0;

	if (growth->ratios->first == NULL)
		return nrows;
	growth->own = new_zeros(double, growth->frame->nrows);
	for (uint64 i = 0; i < nrows; i++)
	{
		RowId		row = rows[i];
		const Demand *demand = own_demand(growth->ratios, row);

		if (demand != NULL)
			growth->own[row] = demand->ratio;
		if (growth->own[row] > nrows)
			continue;
		rows[i] = rows[n];
		rows[n++] = row;
	}
	return n;
}

/*
 * Puts the rows that may find a class first; returns how many they are.  A value that more rows have than classes
 * can take, however the rows are dealt, keeps no more of them than that, one for each of the smallest classes: which
 * ones is drawn by lot, so that it says nothing else of anybody who is left out.
 */
static uint64
keep_feasible(RowId *rows, uint64 nrows, const Ratios *ratios, uint64 seed)
{
	Size		n = (Size) ratios->nvalues + 1;
	uint64	   *total = new_zeros(uint64, n);
	uint64	   *count = new_array(uint64, n);	/* of which so many are kept */
	uint64		company = 0;	/* rows that need none */
	uint64		feasible = nrows;
	uint64		before;
	uint64		kept = 0;
	pg_prng_state random;

	for (uint64 i = 0; i < nrows; i++)
		if (ratios->value[rows[i]] == NO_CODE)
			company++;
		else
			total[ratios->value[rows[i]]]++;
	memcpy(count, total, sizeof(uint64) * n);
	do
	{
		uint64		most = feasible / (uint64) ceil(ratios->base);

		before = feasible;
		feasible = company;
		for (Code value = 0; value < ratios->nvalues; value++)
		{
			count[value] = Min(count[value], most);
			feasible += count[value];
		}
	} while (feasible < before);
	pg_prng_seed(&random, seed);
	for (uint64 i = 0; i < nrows; i++)
	{
		RowId		row = rows[i];
		Code		value = ratios->value[row];

		if (value != NO_CODE)
		{
			bool		is_drawn = count[value] == total[value] || pg_prng_uint64_range(&random, 1, total[value]) <= count[value];

			total[value]--;
			if (!is_drawn)
				continue;
			count[value]--;
		}
		rows[i] = rows[kept];
		rows[kept++] = row;
	}
	pfree(total);
	pfree(count);
	return kept;
}

/* ----------------------------------------------------------------
 * Blocks of records that lie near to each other, each record's rows by what a class is to them
 * ----------------------------------------------------------------
 */

/* Sorts some rows of a record by needs; within one the order remains. */
static void
batch_rows(Growth *growth, uint32 record, uint32 from, uint32 end)
{
	RowId	   *rows = growth->records->rows;
	uint32		at = from;

	memcpy(growth->spare, rows + from, sizeof(RowId) * (end - from));
	for (RowNeed need = NEEDS_CLASS; need <= NEEDS_NONE; need++)
	{
		uint32		start = at;

		for (uint32 i = 0; i < end - from; i++)
		{
			RowId		row = growth->spare[i];

			if (need == (!is_asked_for(growth, row) ? ONLY_HELPS : growth->ratios->value[row] == NO_CODE ? NEEDS_NONE : NEEDS_CLASS))
				rows[at++] = row;
		}
		if (at > start)
			growth->batches[growth->nbatches++] = (Batch) {record, need, start, at - start};
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

/* Would each part have company for nearly all of its rows?  Otherwise they are a block, unless they are far too many. */
static bool
may_part(Growth *growth, const uint32 *items, const Part *parts, uint32 nparts)
{
	const Records *records = growth->records;
	Crowd	   *crowd = growth->crowd;
	uint64		excess = 0;		/* rows of a part whose value too many of its rows have */
	uint64		all = 0;

	for (uint32 p = 0; p < nparts; p++)
	{
		uint64		most;

		for (uint32 i = parts[p].from; i < parts[p].to; i++)
			for (uint32 at = records->first[items[i]]; at < records->first[items[i] + 1]; at++)
				crowd_count(crowd, records->rows[at]);
		most = crowd->size / growth->least;
		for (Code i = 0; i < crowd->ntouched; i++)
			if (crowd->count[crowd->touched[i]] > most)
				excess += crowd->count[crowd->touched[i]] - most;
		all += crowd->size;
		crowd_clear(crowd);
	}
	return all > growth->most || excess <= all * TOLERATED;
}

/* Puts all rows into batches, in blocks of so many rows at least: cut where that saves something. */
static void
cut_into_blocks(Growth *growth, Work *work, uint64 size)
{
	const Records *records = growth->records;
	Cutter	   *cutter = cutter_create(work);
	Size		chunks = records->first[records->nrecords] / Max(size / 2, 1) + records->nrecords;
	Size		n = Min(chunks, records->first[records->nrecords]) + 1;
	uint32		largest = 0;
	Part		part;
	const uint32 *items;

	for (uint32 r = 0; r < records->nrecords; r++)
	{
		largest = Max(largest, record_rows(records, r));
		for (uint32 row = records->first[r]; row < records->first[r + 1]; row++)
			growth->record_of[records->rows[row]] = r;
	}
	growth->most = Max(MOST_BLOCKS * size, (uint64) sqrt(MOST_STEPS * growth->least));
	growth->spare = new_array(RowId, largest);
	growth->batches = new_array(Batch, (Size) 3 * n);
	growth->block = new_array(uint32, 2 * n);
	growth->block[0] = 0;
	while (next_part(cutter, &part, &items))
	{
		const Part *parts;
		uint32		nparts = cut_part(cutter, part, &parts);

		CHECK_FOR_INTERRUPTS();
		if (nparts > 0 && !may_part(growth, items, parts, nparts))
			nparts = 0;
		if (nparts == 0)
			batch_block(growth, items, part.to - part.from);
		leave_parts(cutter, part.from, parts, nparts);
	}
}

/* ----------------------------------------------------------------
 * Classes that have grown
 * ----------------------------------------------------------------
 */

uint32
grown_create(Growth *growth)
{
	if (growth->nclasses == growth->classes_allocated)
	{
		growth->classes_allocated = array_room(growth->classes_allocated, growth->nclasses + 1);
		array_resize(growth->classes, growth->classes_allocated);
		array_resize(growth->hulls, (Size) growth->classes_allocated * growth->records->ndimensions);
	}
	growth->classes[growth->nclasses] = (Grown) {.head = NO_ROW};
	hull_clear(growth->records, grown_hull(growth, growth->nclasses));
	return growth->nclasses++;
}

void
grown_add(Growth *growth, uint32 c, RowId row)
{
	Grown	   *class = &growth->classes[c];

	growth->next[row] = class->head;
	class->head = row;
	class->size++;
	class->asked += is_asked_for(growth, row);
	hull_add_tuple(growth->records, grown_hull(growth, c), record_tuple(growth->records, growth->record_of[row]));
	class->loss = -1;
}

/*
 * Ends growing: rows that need no company come into classes, those of a record that are left together, and all classes are
 * written down in the given context.
 */
static Classes *
grown_classes(Growth *growth, MemoryContext context)
{
	const Records *records = growth->records;
	uint32	   *class_of = new_array(uint32, records->nrecords);
	MemoryContext old;
	Classes    *classes;
	uint64		rows = 0;

	memset(class_of, 0xff, sizeof(uint32) * records->nrecords); /* NO_CLASS */
	for (uint32 s = 0; s < growth->nbatches; s++)
	{
		Batch	   *batch = &growth->batches[s];
		uint32	   *c = &class_of[batch->record];

		if (batch->need != NEEDS_NONE || batch->rows == 0)
			continue;
		CHECK_FOR_INTERRUPTS();
		if (*c == NO_CLASS)
			*c = grown_create(growth);
		for (; batch->rows > 0; batch->rows--)
			grown_add(growth, *c, records->rows[batch->from + batch->rows - 1]);
	}
	for (uint32 c = 0; c < growth->nclasses; c++)
		rows += growth->classes[c].size;
	old = MemoryContextSwitchTo(context);
	classes = palloc0(sizeof(Classes));
	classes->nqis = growth->frame->nqis;
	classes->first = new_zeros(uint64, growth->nclasses);
	classes->rows = new_array(RowId, rows);
	classes->regions = new_array(Span, (Size) growth->nclasses * classes->nqis);
	MemoryContextSwitchTo(old);
	for (uint32 c = 0; c < growth->nclasses; c++)
	{
		Span	   *region = &classes->regions[(Size) c * classes->nqis];
		uint64		at = classes->first[c];

		CHECK_FOR_INTERRUPTS();
		for (int d = 0; d < records->ndimensions; d++)
			region[records->dimensions[d].qi] = domain_cover(records->dimensions[d].domain, grown_hull(growth, c)[d]);
		for (RowId row = growth->classes[c].head; row != NO_ROW; row = growth->next[row])
			classes->rows[at++] = row;
		classes->first[c + 1] = at;
		if (growth->frame->upto != NULL)	/* hulls cover but one row of each person */
			rows_region(growth->frame, classes->rows + classes->first[c], class_size(classes, c), region);
	}
	classes->nclasses = growth->nclasses;
	return classes;
}

/* ----------------------------------------------------------------
 * Growing
 * ----------------------------------------------------------------
 */

/* Grows classes in some blocks, first in each half of them; returns how many rows that need a class are left. */
static uint32
grow_blocks(Growth *growth, Seeder *seeder, uint32 first, uint32 end)
{
	uint32		middle = first + (end - first) / 2;
	uint32		near = growth->nclasses;
	uint32		left = 1;

	if (end - first > 1)
	{
		left = grow_blocks(growth, seeder, first, middle);
		near = growth->nclasses;
		left += grow_blocks(growth, seeder, middle, end);
	}
	if (left == 0)
		return 0;
	left = grow_from_batches(seeder, growth->block[first], growth->block[end]);
	if (left == 0 || end - first > 1)
		return left;
	return adopt_from_batches(growth, growth->block[first], growth->block[end],
							  (near + growth->nclasses) / 2, REACH, 1);
}

Classes *
grow_classes(const Frame *frame, RowId *rows, uint64 nrows, const Ratios *ratios, uint64 seed)
{
	MemoryContext context = CurrentMemoryContext;
	MemoryContext work_context = AllocSetContextCreate(context, "grow", ALLOCSET_DEFAULT_SIZES);
	uint64		least = (uint64) ceil(ratios->base);
	Principle	large_enough = principle_k_l(BLOCK_CLASSES * least, 1);
	Growth		growth = {.frame = frame, .ratios = ratios, .least = least};
	uint32		left = 0;
	Seeder	   *seeder;
	Work	   *work;
	Classes    *classes;

	MemoryContextSwitchTo(work_context);
	growth.next = new_array(RowId, frame->nrows);
	growth.record_of = new_array(uint32, frame->nrows);
	growth.crowd = crowd_create(ratios);
	nrows = leave_impossible(&growth, rows, nrows);
	nrows = keep_feasible(rows, nrows, ratios, seed);
	work = work_create(frame, records_collapse(frame, rows, nrows, seed), nrows, &large_enough);
	growth.records = work->records;
	cut_into_blocks(&growth, work, large_enough.k);
	seeder = seeder_create(&growth);
	if (growth.nblocks > 0)
		left = grow_blocks(&growth, seeder, 0, growth.nblocks);
	/* Any class may adopt the rows that are left. */
	if (left > 0)
		(void) adopt_from_batches(&growth, 0, growth.nbatches, 0, Min(growth.nclasses, LAST_STEPS / left), LAST_PASSES);
	classes = grown_classes(&growth, context);
	MemoryContextSwitchTo(context);
	MemoryContextDelete(work_context);
	return classes;
}
