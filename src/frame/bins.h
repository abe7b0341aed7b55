/*
 * bins.h
 *		The bins that a step divides a line into.
 *
 * A bin is known by the value that it begins with, of the step's type: by the
 * least value of the type where the bin begins before all of them.
 */
#ifndef PPREPUB_FRAME_BINS_H
#define PPREPUB_FRAME_BINS_H

#include "postgres.h"

#include "declare/publication.h"
#include "frame/dictionary.h"
#include "utils/rangetypes.h"

/* The bin of a value, given with its type; NaN and the infinities stay what they are. */
extern Datum bin_of(const RangeStep *step, Oid type, Datum value);

/* Where a bin begins, or ends, as a bound of a range: infinite if that is beyond the values of the type. */
extern RangeBound bin_bound(const RangeStep *step, Datum bin, bool lower);

/* The width of a bin as place_of() measures it. */
extern double bin_width(const RangeStep *step, Datum bin);

/* Is a finite bound of a range one where a bin begins? */
extern bool is_bin_bound(const RangeStep *step, const RangeBound *bound);

/* Bins by their numbers, and the number of the bin of each value of a dictionary. */
typedef struct Bins
{
	Dictionary *bins;
	uint32	   *number;			/* [values] */
} Bins;

extern Bins bins_of(const RangeStep *step, Oid type, const Dictionary *values);

#endif							/* PPREPUB_FRAME_BINS_H */
