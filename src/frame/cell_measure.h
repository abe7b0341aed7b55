/*
 * cell_measure.h
 *		How long a printed cell is, and how much of it lies in a bin.
 *
 * Cells and bins are ranges, or texts: a value, or a prefix that ends in a star, of which the shortest is the star alone.
 * Neither tells of NULL, which callers look after.
 */
#ifndef PPREPUB_FRAME_CELL_MEASURE_H
#define PPREPUB_FRAME_CELL_MEASURE_H

#include "postgres.h"

#include "utils/rangetypes.h"
#include "utils/typcache.h"

/* ----------------------------------------------------------------
 * Ranges: of whole numbers, days, numbers and times
 * ----------------------------------------------------------------
 */

/* An error if ranges of the type cannot be measured: releases print none of it. */
extern void verify_measurable(const TypeCacheEntry *range);

/*
 * The ends of a range; false if it is empty, or an end is unbounded, or infinite.  Whole numbers and days begin
 * with the lower end, and end before the upper one.
 */
extern bool range_ends(const TypeCacheEntry *range, const RangeType *cell, RangeBound *lower, RangeBound *upper);

/* Whole numbers, days, the length of numbers, or seconds, from one end to the other. */
extern double ends_apart(const TypeCacheEntry *range, const RangeBound *lower, const RangeBound *upper);

/* The value in the middle; of whole numbers and days rounded down, so that it lies in the cell. */
extern Datum ends_middle(const TypeCacheEntry *range, const RangeBound *lower, const RangeBound *upper);

/* Is neither end told? */
extern bool range_is_withheld(const RangeType *cell);

/* An empty cell lies in no bin. */
extern bool range_lies_in(TypeCacheEntry *range, const RangeType *cell, const RangeType *bin);

/*
 * The share of a cell that lies in a bin, if what it covers is evenly spread; whole is what it can cover at most, or
 * NULL.  *is_unknown if the cell has no end, and whole gives it none.
 */
extern double range_share_in(TypeCacheEntry *range, const RangeType *cell, const RangeType *bin, const RangeType *whole,
							 bool *is_unknown);

/* Leaves of a tree, numbered depth-first, as a range of whole numbers. */
extern RangeType *leaves_range(int64 first, int64 leaves);

/* ----------------------------------------------------------------
 * Texts
 * ----------------------------------------------------------------
 */

typedef struct TextCell
{
	const char *bytes;			/* borrowed */
	Size		n;				/* without the star */
	bool		is_prefix;
} TextCell;

extern TextCell text_cell(const char *bytes, Size n);
extern bool text_lies_in(TextCell cell, TextCell bin);
extern bool text_touches(TextCell cell, TextCell bin);

/* Is it the star alone? */
static inline bool
text_is_withheld(TextCell cell)
{
	return cell.is_prefix && cell.n == 0;
}

#endif							/* PPREPUB_FRAME_CELL_MEASURE_H */
