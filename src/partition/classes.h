/*
 * classes.h
 *		A frame cut into classes: what every partitioner returns and what every
 *		judge reads.
 */
#ifndef PPREPUB_PARTITION_CLASSES_H
#define PPREPUB_PARTITION_CLASSES_H

#include "frame/frame.h"

typedef struct Classes
{
	uint32		nclasses;
	int			nqis;
	uint64	   *first;			/* [nclasses + 1] class c is rows[first[c]] up
								 * to, not including, rows[first[c + 1]] */
	RowId	   *rows;			/* [first[nclasses]] */
	Span   *regions;		/* [nclasses * nqis] cells that can be printed */
} Classes;

static inline uint64
class_size(const Classes *classes, uint32 c)
{
	return classes->first[c + 1] - classes->first[c];
}

static inline const Span *
class_region(const Classes *classes, uint32 c)
{
	return &classes->regions[(uint64) c * classes->nqis];
}

#endif							/* PPREPUB_PARTITION_CLASSES_H */
