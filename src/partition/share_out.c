/*
 * share_out.c
 *		Cutting many records into portions, and putting together what becomes of them.
 *
 * NOTES
 *		Portions are laid out one after the other, and so are their rows; what is
 *		done with a portion does not move it.  So portions may come back in any order.
 */
#include "postgres.h"

#include "frame/arrays.h"
#include "miscadmin.h"
#include "partition/first_cuts.h"
#include "partition/portions.h"
#include "partition/share_out.h"
#include "shared/progress.h"

/* A portion that came back. */
typedef struct Returned
{
	uint32		first_class;	/* in the order of return */
	uint32		nclasses;
} Returned;

typedef struct Sharing
{
	PortionSource source;
	Work	   *work;			/* borrowed */
	FirstParts *parts;			/* NULL: all records are on the stack from the start */
	uint64		nstacked;		/* parts that were put there, one after the other */
	Cutter	   *cutter;
	CutStack	stack;
	Partitioner *partitioner;	/* of large portions; NULL until there is one */

	/* The rows of all portions that were handed out; of those that came back class by class */
	RowId	   *rows;			/* [nrows] */
	uint64		nlaid;

	/* Portions that came back, by their numbers; and their classes, in the order of return */
	uint32		nportions;
	uint32		portions_allocated;
	Returned   *returned;
	uint32		nclasses;
	uint32		classes_allocated;
	uint32	   *size;			/* [nclasses] */
	Span	   *regions;		/* [nclasses * nqis] */
	RowId	   *aside;
	uint64		aside_allocated;
} Sharing;

static uint64
rows_of_part(const Sharing *sharing, Part part)
{
	uint64		rows = 0;

	for (uint32 i = part.from; i < part.to; i++)
		rows += sharing->stack.nrows[i];
	return rows;
}

/* Is a part small enough to be a portion, or too small to be cut? */
static bool
is_portion(const Sharing *sharing, Part part, uint64 nrows)
{
	uint32		n = part.to - part.from;

	return n <= most_gathered(sharing->work) || (n <= PORTION_RECORDS && nrows <= PORTION_ROWS);
}

/* Puts the next part on the stack, which is empty; false if there is no more. */
static bool
stack_part(Sharing *sharing)
{
	const FirstParts *parts = sharing->parts;
	const Records *records = sharing->work->records;
	const uint32 *record;
	uint32		n;

	if (parts == NULL || sharing->nstacked == parts->nparts)
		return false;
	record = parts->records + parts->first[sharing->nstacked];
	n = parts->first[sharing->nstacked + 1] - parts->first[sharing->nstacked];
	sharing->nstacked++;
	for (uint32 i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		cut_stack_put(&sharing->stack, records, i, record[i], record_rows(records, record[i]));
	}
	cut_stack_push(&sharing->stack, 0, &(Part) {0, n}, 1);
	return true;
}

/* Cuts until a part is a portion, or cannot be cut; false if nothing is left. */
static bool
next_part(Sharing *sharing, Part *part, uint64 *nrows)
{
	while (sharing->stack.depth > 0 || stack_part(sharing))
	{
		const Part *parts;
		uint32		nparts;

		*part = cut_stack_pop(&sharing->stack);
		*nrows = rows_of_part(sharing, *part);
		if (is_portion(sharing, *part, *nrows))
			return true;
		nparts = cut_records(sharing->cutter, &sharing->stack, *part, &parts);
		if (nparts == 0)
			return true;
		cut_stack_push(&sharing->stack, part->from, parts, nparts);
	}
	return false;
}

/* Lays a part out as a portion, and its rows behind those of the portions before. */
static Portion *
lay_out(Sharing *sharing, void *room, Part part, uint32 nrows)
{
	const Work *work = sharing->work;
	const uint32 *first = work->records->first;
	Portion    *portion = portion_create(room, sharing->source.setting, part.to - part.from, nrows);
	PortionArrays arrays = portion_arrays(portion);
	RowId	   *rows = sharing->rows + sharing->nlaid;
	uint32		n = 0;

	portion->number = sharing->nportions++;
	portion->first_row = sharing->nlaid;
	sharing->nlaid += nrows;
	memcpy(arrays.tuples, sharing->stack.tuples + (Size) part.from * portion->nqis,
		   sizeof(Code) * portion->nrecords * portion->nqis);
	for (uint32 r = 0; r < portion->nrecords; r++)
	{
		uint32		record = sharing->stack.items[part.from + r];

		CHECK_FOR_INTERRUPTS();
		arrays.first[r] = n;
		for (uint32 i = first[record]; i < first[record + 1]; i++)
		{
			rows[n] = work->records->rows[i];
			arrays.sensitive[n++] = work->sensitive[i];
		}
	}
	arrays.first[portion->nrecords] = n;
	return portion;
}

/* Puts the rows of a portion in the order of its classes. */
static void
order_rows(Sharing *sharing, const Portion *portion, const PortionArrays *arrays)
{
	RowId	   *rows = sharing->rows + portion->first_row;

	array_reserve(sharing->aside, sharing->aside_allocated, portion->nrows);
	memcpy(sharing->aside, rows, sizeof(RowId) * portion->nrows);
	for (uint32 i = 0; i < portion->nrows; i++)
		rows[i] = sharing->aside[arrays->rows[i]];
}

/* Keeps the classes of a portion that comes back. */
static void
take_portion(PortionSource *source, Portion *portion)
{
	Sharing    *sharing = (Sharing *) source;
	PortionArrays arrays = portion_arrays(portion);
	uint32		nclasses = sharing->nclasses + portion->nclasses;

	order_rows(sharing, portion, &arrays);
	if (nclasses > sharing->classes_allocated)
	{
		sharing->classes_allocated = array_room(sharing->classes_allocated, nclasses);
		array_resize(sharing->size, sharing->classes_allocated);
		array_resize(sharing->regions, (Size) sharing->classes_allocated * portion->nqis);
	}
	for (uint32 c = 0; c < portion->nclasses; c++)
		sharing->size[sharing->nclasses + c] = arrays.first_of_class[c + 1] - arrays.first_of_class[c];
	memcpy(sharing->regions + (Size) sharing->nclasses * portion->nqis, arrays.regions,
		   sizeof(Span) * portion->nclasses * portion->nqis);
	array_reserve(sharing->returned, sharing->portions_allocated, sharing->nportions);
	sharing->returned[portion->number] = (Returned) {sharing->nclasses, portion->nclasses};
	sharing->nclasses = nclasses;
	progress_step(portion->nrows);
}

/* A portion that has no room where others partition portions. */
static void
partition_large(Sharing *sharing, Part part, uint32 nrows)
{
	Size		bytes = portion_bytes(sharing->source.setting, part.to - part.from, nrows);
	Portion    *portion = lay_out(sharing, palloc_extended(bytes, MCXT_ALLOC_HUGE), part, nrows);

	if (sharing->partitioner == NULL)
		sharing->partitioner = partitioner_create(sharing->source.setting);
	partition_portion(sharing->partitioner, portion);
	take_portion(&sharing->source, portion);
	pfree(portion);
}

/* Lays out the next portion that has room; partitions those before it that have none. */
static Portion *
next_portion(PortionSource *source, void *room, Size bytes)
{
	Sharing    *sharing = (Sharing *) source;
	Part		part;
	uint64		nrows;

	while (next_part(sharing, &part, &nrows))
	{
		CHECK_FOR_INTERRUPTS();
		if (portion_bytes(source->setting, part.to - part.from, nrows) <= bytes)
			return lay_out(sharing, room, part, nrows);
		partition_large(sharing, part, nrows);
	}
	return NULL;
}

/* Puts the classes of all portions together, in the order of the portions. */
static Classes *
put_together(const Sharing *sharing, MemoryContext context)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	Classes    *classes = palloc0(sizeof(Classes));
	int			nqis = sharing->work->frame->nqis;
	uint32		n = 0;

	classes->nqis = nqis;
	classes->nclasses = sharing->nclasses;
	classes->first = new_array(uint64, sharing->nclasses);
	classes->regions = new_array(Span, (Size) sharing->nclasses * nqis);
	classes->rows = sharing->work->records->rows;
	MemoryContextSwitchTo(old);
	classes->first[0] = 0;
	for (uint32 p = 0; p < sharing->nportions; p++)
	{
		const Returned *returned = &sharing->returned[p];

		memcpy(classes->regions + (Size) n * nqis, sharing->regions + (Size) returned->first_class * nqis,
			   sizeof(Span) * returned->nclasses * nqis);
		for (uint32 c = 0; c < returned->nclasses; c++, n++)
			classes->first[n + 1] = classes->first[n] + sharing->size[returned->first_class + c];
	}
	memcpy(classes->rows, sharing->rows, sizeof(RowId) * sharing->nlaid);
	return classes;
}

/* The most records of a part. */
static uint32
largest_part(const FirstParts *parts)
{
	uint64		largest = 0;

	for (uint64 p = 0; p < parts->nparts; p++)
		largest = Max(largest, parts->first[p + 1] - parts->first[p]);
	return largest;
}

Classes *
share_out(Work *work, uint64 nrows, MemoryContext context)
{
	PortionSetting setting = {.frame = *work->frame, .principle = *work->principle, .nrecords = work->records->nrecords};
	Sharing		sharing = {
		.source = {.setting = &setting, .nrows = nrows, .next = next_portion, .take = take_portion},
		.work = work,
	};

	if (work->records->nrecords <= PORTION_RECORDS && nrows <= PORTION_ROWS)
	{
		Classes    *classes = partition_work(work, nrows, context);

		progress_step(nrows);
		return classes;
	}
	sharing.parts = first_cuts(work, PORTION_RECORDS, PORTION_ROWS);
	if (sharing.parts != NULL)
	{
		uint32		largest = largest_part(sharing.parts);

		sharing.stack = cut_stack_with_room(work->records, largest);
		sharing.cutter = cutter_create(work, largest);
	}
	else
	{
		sharing.stack = cut_stack_taking(work->records);
		sharing.cutter = cutter_create(work, work->records->nrecords);
	}
	sharing.rows = new_array(RowId, nrows);
	if (work->frame->crew != NULL)
		work->frame->crew->partition(&sharing.source);
	else
		partition_alone(&sharing.source);
	return put_together(&sharing, context);
}
