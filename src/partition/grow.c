/*
 * grow.c
 *		From rows to classes that meet ratios, in five steps.
 *
 *		1. ripe.c		rows that no class could take are left out
 *		2. records.c	equal rows become one record
 *		3. shelves.c	records are cut, from the top down, into blocks
 *		4. seed.c		classes grow in a block, from the bottom up; what is left
 *						of two blocks is looked at as one, and so on upward
 *		5. adopt.c		single rows that are left join a class
 *
 * NOTES
 *		A block is so many times larger than a class that it has the values that
 *		a class needs, and small enough to be looked at once a class.
 */
#include "postgres.h"

#include <math.h>

#include "frame/arrays.h"
#include "miscadmin.h"
#include "partition/growing.h"
#include "utils/memutils.h"

/* A block holds so many classes, about. */
#define BLOCK_CLASSES 24

/* A row that is left looks at so many classes on each side. */
#define REACH 64

/* In the end it looks at as many as that takes no more steps for all rows that are left. */
#define LAST_STEPS UINT64CONST(200000000)
#define BEST_PASSES 8
#define ANY_PASSES 3

/* What each row demands of its own value. */
static void
measure_demands(Growth *growth, const RowId *rows, uint64 nrows)
{
	if (growth->ratios->first == NULL)
		return;
	growth->own = new_zeros(double, growth->frame->nrows);
	for (uint64 i = 0; i < nrows; i++)
	{
		const Demand *demand = own_demand(growth->ratios, rows[i]);

		if (demand != NULL)
			growth->own[rows[i]] = demand->ratio;
	}
}

/* Who could only be in a class that is larger than all rows is left out. */
static uint64
leave_impossible(const Growth *growth, RowId *rows, uint64 nrows)
{
	uint64		n = 0;

	for (uint64 i = 0; i < nrows; i++)
	{
		RowId		row = rows[i];

		if (growth->own != NULL && growth->own[row] > nrows)
			continue;
		rows[i] = rows[n];
		rows[n++] = row;
	}
	return n;
}

static Growth *
growth_create(const Frame *frame, const Ratios *ratios, const GrowOptions *options)
{
	Growth	   *growth = palloc0(sizeof(Growth));

	growth->frame = frame;
	growth->ratios = ratios;
	growth->least = (uint64) ceil(ratios->base);
	growth->options = options;
	growth->next = new_array(RowId, frame->nrows);
	growth->record_of = new_array(uint32, frame->nrows);
	growth->crowd = crowd_create(ratios);
	return growth;
}

/* Grows classes in some blocks, first in each half of them; returns how many needy rows are left. */
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
	left = grow_from_shelves(seeder, growth->block[first], growth->block[end]);
	if (left == 0 || end - first > 1)
		return left;
	return adopt_from_shelves(growth, growth->block[first], growth->block[end],
							  &(Adoption) {.near = (near + growth->nclasses) / 2,.reach = REACH,.best = 1});
}

static void
grow_all(Growth *growth)
{
	Seeder	   *seeder = seeder_create(growth);
	uint32		left = growth->nblocks == 0 ? 0 : grow_blocks(growth, seeder, 0, growth->nblocks);

	if (left > 0)
		(void) adopt_from_shelves(growth, 0, growth->nshelves,
								  &(Adoption) {.reach = Min(growth->nclasses, LAST_STEPS / left),.best = BEST_PASSES,.any = ANY_PASSES});
}

Classes *
grow_classes(const Frame *frame, RowId *rows, uint64 nrows, const Ratios *ratios, const GrowOptions *options)
{
	MemoryContext context = CurrentMemoryContext;
	MemoryContext work_context = AllocSetContextCreate(context, "grow", ALLOCSET_DEFAULT_SIZES);
	uint64		block = BLOCK_CLASSES * (uint64) ceil(ratios->base);
	Principle	large_enough = principle_k_l(block, 1);
	Growth	   *growth;
	Work	   *work;
	Classes    *classes;

	MemoryContextSwitchTo(work_context);
	growth = growth_create(frame, ratios, options);
	measure_demands(growth, rows, nrows);
	nrows = leave_impossible(growth, rows, nrows);
	nrows = ripe_rows(rows, nrows, ratios, options->seed);
	work = work_create(frame, rows, nrows, &large_enough, options->seed);
	growth->records = work->records;
	if (options->top_down)
		split_records(growth, work, block);
	else
		fill_shelves(growth, work, block);
	grow_all(growth);
	classes = grown_classes(growth, context);
	MemoryContextSwitchTo(context);
	MemoryContextDelete(work_context);
	return classes;
}
