/*
 * grow.c
 *		From rows to classes that meet ratios, in five steps.
 *
 *		1. grow.c			rows that no class could take are left out
 *		2. records.c		equal rows become one record
 *		3. grow_blocks.c	records are cut, from the top down, into blocks
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

/* ----------------------------------------------------------------
 * Rows that may find a class
 *
 * A value that more rows have than classes can take, however the rows are dealt,
 * keeps no more of them than that: which ones is drawn by lot, so that it says
 * nothing else of anybody who is left out.
 * ----------------------------------------------------------------
 */

/* Notes the ratio that each row demands of its own value. */
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

/* Leaves out rows that could only be in a class larger than all rows together. */
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

typedef struct Feasibility
{
	const Ratios *ratios;		/* borrowed */
	uint64		rows;			/* that may be in a class */
	uint64		company;		/* those of them that need none */
	uint64	   *count;			/* [values] of the others */
} Feasibility;

/* Counts the rows of each value, and those that need no company. */
static void
count_rows_by_value(Feasibility *feasible, const RowId *rows, uint64 nrows)
{
	const Ratios *ratios = feasible->ratios;

	for (uint64 i = 0; i < nrows; i++)
	{
		if (ratios->value[rows[i]] == NO_CODE)
			feasible->company++;
		else
			feasible->count[ratios->value[rows[i]]]++;
	}
	feasible->rows = nrows;
}

/* How many rows of a value there may be, if there are so many rows in all: one for each of the smallest classes. */
static uint64
most_of_a_value(const Feasibility *feasible)
{
	return feasible->rows / (uint64) ceil(feasible->ratios->base);
}

/* Lowers what is counted until no value has more rows than the others can hide. */
static void
cap_counts(Feasibility *feasible)
{
	uint64		before;

	do
	{
		uint64		most = most_of_a_value(feasible);

		before = feasible->rows;
		feasible->rows = feasible->company;
		for (Code value = 0; value < feasible->ratios->nvalues; value++)
		{
			feasible->count[value] = Min(feasible->count[value], most);
			feasible->rows += feasible->count[value];
		}
	} while (feasible->rows < before);
}

/* Draws, of the rows of each value, as many as there may be, and puts them first; returns how many they are. */
static uint64
draw_lots(Feasibility *feasible, RowId *rows, uint64 nrows, uint64 *total, uint64 seed)
{
	const Ratios *ratios = feasible->ratios;
	pg_prng_state random;
	uint64		kept = 0;

	pg_prng_seed(&random, seed);
	for (uint64 i = 0; i < nrows; i++)
	{
		RowId		row = rows[i];
		Code		value = ratios->value[row];

		if (value != NO_CODE)
		{
			bool		is_drawn = feasible->count[value] == total[value] ||
				pg_prng_uint64_range(&random, 1, total[value]) <= feasible->count[value];

			total[value]--;
			if (!is_drawn)
				continue;
			feasible->count[value]--;
		}
		rows[i] = rows[kept];
		rows[kept++] = row;
	}
	return kept;
}

/* Puts the rows that may find a class first; returns how many they are. */
static uint64
keep_feasible(RowId *rows, uint64 nrows, const Ratios *ratios, uint64 seed)
{
	Size		n = (Size) ratios->nvalues + 1;
	Feasibility feasible = {
		.ratios = ratios,
		.count = new_zeros(uint64, n),
	};
	uint64	   *total = new_array(uint64, n);

	count_rows_by_value(&feasible, rows, nrows);
	memcpy(total, feasible.count, sizeof(uint64) * n);
	cap_counts(&feasible);
	nrows = draw_lots(&feasible, rows, nrows, total, seed);
	pfree(total);
	pfree(feasible.count);
	return nrows;
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
	if (growth->ratios->value[row] != NO_CODE)
		*value_word(class, growth->ratios->value[row]) |= value_bit(growth->ratios->value[row]);
	hull_add_tuple(growth->records, grown_hull(growth, c), record_tuple(growth->records, growth->record_of[row]));
	class->loss = -1;
	if (class->crowd != NULL)
		pfree(class->crowd);
	class->crowd = NULL;
}

double
grown_loss(Growth *growth, uint32 c)
{
	Grown	   *class = &growth->classes[c];

	if (class->loss < 0)
		class->loss = hull_loss(growth->records, grown_hull(growth, c));
	return class->loss;
}

/* Puts rows that need no company into classes: those of a record that are left stand together. */
static void
free_the_rest(Growth *growth)
{
	uint32	   *class_of = new_array(uint32, growth->records->nrecords);

	memset(class_of, 0xff, sizeof(uint32) * growth->records->nrecords); /* NO_CLASS */
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
			grown_add(growth, *c, growth->records->rows[batch->from + batch->rows - 1]);
	}
	pfree(class_of);
}

static void
print_region(const Growth *growth, uint32 c, Span *region)
{
	const Records *records = growth->records;

	for (int d = 0; d < records->ndimensions; d++)
		region[records->dimensions[d].qi] = domain_cover(records->dimensions[d].domain, grown_hull(growth, c)[d]);
}

/* Ends growing: writes down the classes in the given context. */
static Classes *
grown_classes(Growth *growth, MemoryContext context)
{
	MemoryContext old;
	Classes    *classes;
	uint64		rows = 0;

	free_the_rest(growth);
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
		uint64		at = classes->first[c];

		CHECK_FOR_INTERRUPTS();
		print_region(growth, c, &classes->regions[(Size) c * classes->nqis]);
		for (RowId row = growth->classes[c].head; row != NO_ROW; row = growth->next[row])
			classes->rows[at++] = row;
		classes->first[c + 1] = at;
	}
	classes->nclasses = growth->nclasses;
	return classes;
}

/* ----------------------------------------------------------------
 * Growing
 * ----------------------------------------------------------------
 */

/* Allocates the state of a call of grow_classes(). */
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
							  &(Adoption) {.near = (near + growth->nclasses) / 2, .reach = REACH, .best = 1});
}

/* Grows classes block by block; then any class may adopt the rows that are left. */
static void
grow_all(Growth *growth)
{
	Seeder	   *seeder = seeder_create(growth);
	uint32		left = growth->nblocks == 0 ? 0 : grow_blocks(growth, seeder, 0, growth->nblocks);

	if (left > 0)
		(void) adopt_from_batches(growth, 0, growth->nbatches,
								  &(Adoption) {.reach = Min(growth->nclasses, LAST_STEPS / left), .best = BEST_PASSES, .any = ANY_PASSES});
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
	nrows = keep_feasible(rows, nrows, ratios, options->seed);
	work = work_create(frame, records_collapse(frame, rows, nrows, options->seed), nrows, &large_enough);
	growth->records = work->records;
	if (options->top_down)
		split_records(growth, work, block);
	else
		cut_into_blocks(growth, work, block);
	grow_all(growth);
	classes = grown_classes(growth, context);
	MemoryContextSwitchTo(context);
	MemoryContextDelete(work_context);
	return classes;
}
