/*
 * grown.c
 *		The classes that have grown so far, and how they end.
 */
#include "postgres.h"

#include "frame/arrays.h"
#include "miscadmin.h"
#include "partition/growing.h"
#include "utils/memutils.h"

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

/* ----------------------------------------------------------------
 * The end
 * ----------------------------------------------------------------
 */

/* Rows that need no company: those of a record that are left stand together. */
static void
free_the_rest(Growth *growth)
{
	uint32	   *class_of = new_array(uint32, growth->records->nrecords);

	memset(class_of, 0xff, sizeof(uint32) * growth->records->nrecords);	/* NO_CLASS */
	for (uint32 s = 0; s < growth->nshelves; s++)
	{
		Shelf	   *shelf = &growth->shelves[s];
		uint32	   *c = &class_of[shelf->record];

		if (shelf->kind != FREE || shelf->rows == 0)
			continue;
		CHECK_FOR_INTERRUPTS();
		if (*c == NO_CLASS)
			*c = grown_create(growth);
		for (; shelf->rows > 0; shelf->rows--)
			grown_add(growth, *c, growth->records->rows[shelf->from + shelf->rows - 1]);
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

Classes *
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
