/*
 * line.h
 *		Values of the types that ranges are over, on a line: numbers, dates, times; and the bins that a step divides it into.
 *
 * A bin is known by the value that it begins with, of the step's type: by the least value of the type where the bin
 * begins before all of them.
 */
#ifndef PPREPUB_FRAME_LINE_H
#define PPREPUB_FRAME_LINE_H

#include "postgres.h"

#include "declare/publication.h"
#include "frame/dictionary.h"
#include "utils/rangetypes.h"

/* Converts a number of any type to numeric, without rounding; and the text of a number. */
extern Datum exact_number(Oid type, Datum value);
extern Datum number_of_text(const char *text);

/* A value's place on the line, to measure widths; doubles are too coarse to order values by. */
extern double place_of(Oid type, Datum value);

/* The width of a line between two values, or 0 where doubles cannot tell. */
extern double line_width(Oid type, Datum low, Datum high);

/* Orders two values as their type does; most types need no call of their comparison function. */
extern int	compare_values(Oid type, Datum a, Datum b);

/* NaN and the infinities have no place on a line. */
extern bool is_finite(Oid type, Datum value);

/* ---- Bins ---- */

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

#endif							/* PPREPUB_FRAME_LINE_H */
