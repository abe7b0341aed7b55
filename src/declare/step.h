/*
 * step.h
 *		The step of a range: the numbers, dates or times that its cells may end at.
 *
 * A step divides the line of a type into bins, [20,25) and [25,30) for a step
 * of 5, and cells are made of whole bins.  Bins of numbers begin at multiples of
 * the step, those of months at multiples counted from the year 0, and those of
 * days and times at multiples counted from a Monday (UTC for timestamptz).
 */
#ifndef PPREPUB_DECLARE_STEP_H
#define PPREPUB_DECLARE_STEP_H

#include "postgres.h"

#include "declare/publication.h"
#include "utils/numeric.h"

typedef struct RangeStep
{
	Oid			type;			/* of the ends of bins: the one that the printed ranges are over */

	/* One of these */
	int64		unit;			/* whole numbers; days of dates, microseconds of timestamps; or 0 */
	int32		months;			/* of dates and timestamps; or 0 */
	Numeric		number;			/* of numeric, and of real and double precision; or NULL */
} RangeStep;

/* A range's step in the current context, or NULL without; an error if it does not suit the column's type. */
extern const RangeStep *step_of(const DeclaredColumn *column);

#endif							/* PPREPUB_DECLARE_STEP_H */
