/*
 * cor_partition.h
 *		A bucket cut into classes that are hc-safe: phase 4 of Cor-Split.
 */
#ifndef PPREPUB_PARTITION_COR_PARTITION_H
#define PPREPUB_PARTITION_COR_PARTITION_H

#include "history/past.h"
#include "partition/signature_buckets.h"

/* ----------------------------------------------------------------
 * Would a class let observers tell few of its people from those of an
 * earlier class?  Paper 004, Figure 6.
 *
 * Two classes with most of their people in common correlate the few who are
 * not.  A class of size s is safe with degree n if each earlier class has all of
 * its people in common with it, or s - n at most.  Counterfeits are in no earlier
 * class.  This asks for no less than Definition 7, which looks only at classes
 * that show the same values.
 * ----------------------------------------------------------------
 */

typedef struct HcRoom
{
	uint32	   *count;			/* [companies] zeros between two questions */
} HcRoom;

extern HcRoom hc_room(const Companies *companies);

/*
 * By how many people in all the class has too many in common with earlier ones:
 * 0 if it is safe.  rows[nrows] are its people, size counts counterfeits, too.
 * The time that it takes grows with how often these people were in other company.
 */
extern uint64 hc_excess(const Companies *companies, const RowId *rows, uint64 nrows, uint64 size, uint32 n, HcRoom *room);

/* The most people that it has in common with an earlier class that has not all of them. */
extern uint64 hc_most_in_common(const Companies *companies, const RowId *rows, uint64 nrows, uint64 size, HcRoom *room);

/* ----------------------------------------------------------------
 * Classes of a bucket
 * ----------------------------------------------------------------
 */

/* A class of a bucket: one set of a row of each value, or several. */
typedef struct HcClass
{
	uint64		first;			/* a set; the others follow by next[] */
	uint64		sets;			/* 0: it was merged into another */
	uint64		counterfeit_sets;	/* more, without a true row */
} HcClass;

typedef struct CorPartition
{
	const Frame *frame;
	const Paths *paths;
	const Companies *companies;
	uint32		n;				/* the degree */
	uint32		nvalues;		/* of the bucket */
	uint64		sets;
	RowId	   *cell;			/* [sets * nvalues] rows, or NO_ROW for counterfeits */
	uint64	   *next;			/* [sets] the next set of a class, or NO_SET */
	uint64	   *class_of;		/* [sets] */
	HcClass    *classes;		/* [sets] */

	/* Scratch */
	RowId	   *rows;			/* of a class */
	uint64		rows_allocated;
	HcRoom	   *room;			/* borrowed */
} CorPartition;

#define NO_SET PG_UINT64_MAX

/*
 * Which classes of the past are here with all of their people?  Those who were
 * last in one stay together.  [classes of the paths]
 */
extern bool *whole_classes(const Frame *frame, const Paths *paths);

extern void cor_partition(CorPartition *partition, const Frame *frame, const Paths *paths, const Companies *companies,
						  const bool *is_whole, Buckets *buckets, uint32 b, uint32 n, HcRoom *room);

#endif							/* PPREPUB_PARTITION_COR_PARTITION_H */
