/*
 * grow.h
 *		Classes in which no row is linked to a value too well, from the bottom up
 *		or from the top down, losing little.
 */
#ifndef PPREPUB_PARTITION_GROW_H
#define PPREPUB_PARTITION_GROW_H

#include "partition/classes.h"
#include "partition/ratios.h"

/*
 * Cuts the given rows of the frame into classes that meet the ratios.  Rows that
 * were not asked for are in a class only where they help to make it large
 * enough.  A row without a protected value needs no company: what is left of
 * these stands in classes of equal rows.  Rows that no class can take are in
 * none.
 *
 * Regions are the smallest cells that cover their members.  The result is the
 * same for the same frame, rows and seed.  Everything returned is allocated in
 * the caller's context; the array rows is permuted.
 */
typedef struct GrowOptions
{
	bool		top_down;
	uint64		seed;
} GrowOptions;

extern Classes *grow_classes(const Frame *frame, RowId *rows, uint64 nrows,
							 const Ratios *ratios, const GrowOptions *options);

#endif							/* PPREPUB_PARTITION_GROW_H */
