/*
 * cor_partition.h
 *		A bucket cut into classes that are hc-safe: phase 4 of Cor-Split.
 */
#ifndef PPREPUB_PARTITION_COR_PARTITION_H
#define PPREPUB_PARTITION_COR_PARTITION_H

#include "history/paths.h"
#include "partition/hc_safe.h"
#include "partition/signature_buckets.h"

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
