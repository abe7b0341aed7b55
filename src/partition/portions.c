/*
 * portions.c
 *		A portion as a piece of memory, and how one process partitions it.
 */
#include "postgres.h"

#include "frame/arrays.h"
#include "miscadmin.h"
#include "partition/groups.h"
#include "partition/mondrian.h"
#include "partition/portions.h"
#include "utils/memutils.h"

struct Partitioner
{
	const PortionSetting *setting;	/* borrowed */
	Records    *described;		/* what records are like; no portion's own */
	MemoryContext work;			/* of the portion at hand */
};

/* Every class has k rows. */
static uint32
most_classes_of(const PortionSetting *setting, uint32 nrows)
{
	return nrows / Max(1, setting->principle.k) + 1;
}

Size
portion_bytes(const PortionSetting *setting, uint32 nrecords, uint32 nrows)
{
	Size		nclasses = most_classes_of(setting, nrows);
	Size		nqis = setting->frame.nqis;

	return MAXALIGN(sizeof(Portion)) +
		sizeof(uint32) * ((Size) nrecords + 1) + sizeof(Code) * nqis * nrecords + sizeof(Code) * nrows +
		sizeof(RowId) * nrows + sizeof(uint32) * (nclasses + 1) + sizeof(Span) * nqis * nclasses;
}

Portion *
portion_create(void *room, const PortionSetting *setting, uint32 nrecords, uint32 nrows)
{
	Portion    *portion = room;

	*portion = (Portion) {
		.nrecords = nrecords, .nrows = nrows, .nqis = setting->frame.nqis,
		.most_classes = most_classes_of(setting, nrows)
	};
	return portion;
}

/* All elements are made of numbers of 4 bytes, so that arrays can follow each other. */
PortionArrays
portion_arrays(Portion *portion)
{
	PortionArrays arrays;

	StaticAssertStmt(sizeof(Span) == 2 * sizeof(uint32), "a span is two numbers");
	arrays.first = (uint32 *) ((char *) portion + MAXALIGN(sizeof(Portion)));
	arrays.tuples = arrays.first + portion->nrecords + 1;
	arrays.sensitive = arrays.tuples + (Size) portion->nrecords * portion->nqis;
	arrays.rows = arrays.sensitive + portion->nrows;
	arrays.first_of_class = arrays.rows + portion->nrows;
	arrays.regions = (Span *) (arrays.first_of_class + portion->most_classes + 1);
	return arrays;
}

Partitioner *
partitioner_create(const PortionSetting *setting)
{
	Partitioner *partitioner = palloc0(sizeof(Partitioner));

	partitioner->setting = setting;
	partitioner->described = records_describe(&setting->frame, setting->nrecords);
	partitioner->work = AllocSetContextCreate(CurrentMemoryContext, "portion", ALLOCSET_DEFAULT_SIZES);
	return partitioner;
}

/* The portion as a frame of its own, whose rows stand record by record. */
static Frame *
frame_of(const Partitioner *partitioner, const Portion *portion, const PortionArrays *arrays)
{
	const Records *described = partitioner->described;
	Frame	   *frame = palloc(sizeof(Frame));

	*frame = partitioner->setting->frame;
	frame->nrows = portion->nrows;
	frame->sensitive = arrays->sensitive;
	frame->code = palloc0(sizeof(Code *) * (frame->nqis + 1));
	for (int d = 0; d < described->ndimensions; d++)
	{
		Code	   *code = new_array(Code, portion->nrows);

		frame->code[described->dimensions[d].qi] = code;
		for (uint32 r = 0; r < portion->nrecords; r++)
			for (uint32 i = arrays->first[r]; i < arrays->first[r + 1]; i++)
				code[i] = arrays->tuples[(Size) r * described->ndimensions + d];
	}
	return frame;
}

/* The records of the portion; each row stands where its number says. */
static Records *
records_of(const Partitioner *partitioner, const Portion *portion, const PortionArrays *arrays)
{
	Records    *records = palloc(sizeof(Records));

	*records = *partitioner->described;
	records->nrecords = portion->nrecords;
	records->first = arrays->first;
	records->tuples = arrays->tuples;
	records->rows = arrays->rows;
	for (uint32 i = 0; i < portion->nrows; i++)
		records->rows[i] = i;
	return records;
}

/* Notes the classes, whose rows stand in the portion already. */
static void
note_classes(Portion *portion, const PortionArrays *arrays, const Classes *classes)
{
	Assert(classes->rows == arrays->rows && classes->nclasses <= portion->most_classes);
	for (uint32 c = 0; c <= classes->nclasses; c++)
		arrays->first_of_class[c] = classes->first[c];
	memcpy(arrays->regions, classes->regions, sizeof(Span) * classes->nclasses * portion->nqis);
	portion->nclasses = classes->nclasses;
}

void
partition_portion(Partitioner *partitioner, Portion *portion)
{
	const PortionSetting *setting = partitioner->setting;
	PortionArrays arrays = portion_arrays(portion);
	MemoryContext old;
	Work	   *work;

	MemoryContextReset(partitioner->work);
	old = MemoryContextSwitchTo(partitioner->work);
	work = work_create(frame_of(partitioner, portion, &arrays), records_of(partitioner, portion, &arrays),
					   portion->nrows, &setting->principle);
	work->many_records = setting->nrecords > MANY_RECORDS;
	note_classes(portion, &arrays, partition_work(work, portion->nrows, partitioner->work));
	MemoryContextSwitchTo(old);
}

void
partition_alone(PortionSource *source)
{
	Size		bytes = portion_bytes(source->setting, PORTION_RECORDS, Min(source->nrows, PORTION_ROWS));
	Partitioner *partitioner = partitioner_create(source->setting);
	void	   *room = palloc_extended(bytes, MCXT_ALLOC_HUGE);
	Portion    *portion;

	while ((portion = source->next(source, room, bytes)) != NULL)
	{
		CHECK_FOR_INTERRUPTS();
		partition_portion(partitioner, portion);
		source->take(source, portion);
	}
	pfree(room);
}
