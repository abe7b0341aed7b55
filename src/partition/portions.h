/*
 * portions.h
 *		Many records in portions, each of which is partitioned by itself: by this
 *		process, or by others at the same time.
 *
 * The first cuts are made by one process, which hands out a part as a portion as
 * soon as it is small enough.  A portion holds all that it takes: whoever partitions
 * it looks at nothing else but the setting, which all portions share.  So classes
 * are the same however many processes there are, and whichever is the first to end.
 *
 * A portion is one piece of memory, without pointers, to lie in shared memory.
 */
#ifndef PPREPUB_PARTITION_PORTIONS_H
#define PPREPUB_PARTITION_PORTIONS_H

#include "frame/frame.h"
#include "partition/principle.h"

/* A portion has at most so many records and rows, unless a part of more rows cannot be cut. */
#define PORTION_RECORDS 4096
#define PORTION_ROWS	131072

/* Everything that all portions share. */
typedef struct PortionSetting
{
	Frame		frame;			/* its rows, whatever they are, are not looked at */
	Principle	principle;
	uint32		nrecords;		/* of all portions together */
} PortionSetting;

typedef struct Portion
{
	uint32		number;
	uint32		nrecords;
	uint32		nrows;
	int			nqis;
	uint64		first_row;		/* of the portion, where the rows of all stand; for those who handed it out */

	/* Its classes, once it is partitioned */
	uint32		nclasses;
	uint32		most_classes;
} Portion;

/* Where in a portion its arrays are. */
typedef struct PortionArrays
{
	uint32	   *first;			/* [nrecords + 1] record r is rows first[r] up to, not including, first[r + 1] */
	Code	   *tuples;			/* [nrecords * nqis] as records have them */
	Code	   *sensitive;		/* [nrows] */

	/* Its classes, once it is partitioned */
	RowId	   *rows;			/* [nrows] of the portion, class by class */
	uint32	   *first_of_class; /* [nclasses + 1] */
	Span	   *regions;		/* [nclasses * nqis] */
} PortionArrays;

/* The bytes of a portion with so many records and rows. */
extern Size portion_bytes(const PortionSetting *setting, uint32 nrecords, uint32 nrows);

/* Makes a portion in that many bytes; its first arrays are the caller's to fill. */
extern Portion *portion_create(void *room, const PortionSetting *setting, uint32 nrecords, uint32 nrows);

extern PortionArrays portion_arrays(Portion *portion);

/* A process that partitions portions of a setting, one after the other. */
typedef struct Partitioner Partitioner;
extern Partitioner *partitioner_create(const PortionSetting *setting);
extern void partition_portion(Partitioner *partitioner, Portion *portion);

/* Hands portions out one after the other, and takes them back, partitioned, in any order. */
typedef struct PortionSource
{
	const PortionSetting *setting;
	uint64		nrows;			/* of all portions together */

	/*
	 * Lays the next portion out in this room, unless it is too large: such a one is partitioned at once.  NULL: no
	 * more.
	 */
	Portion    *(*next) (struct PortionSource *source, void *room, Size bytes);
	void		(*take) (struct PortionSource *source, Portion *portion);
} PortionSource;

/* Processes that partition a source's portions, until there are no more. */
typedef struct Crew
{
	void		(*partition) (PortionSource *source);
} Crew;

/* Has this process alone do it. */
extern void partition_alone(PortionSource *source);

#endif							/* PPREPUB_PARTITION_PORTIONS_H */
