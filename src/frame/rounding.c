/*
 * rounding.c
 *		Looking for the roundest number, date or time in a gap.
 *
 * NOTES
 *		Upper ends are never part of the cell: one that is would be somebody's.
 *
 *		How far out an end may lie is measured in doubles, for the sake of speed, and
 *		whether it lies before the next one by the type's own order.
 */
#include "frame/rounding.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "datatype/timestamp.h"
#include "frame/arrays.h"
#include "frame/bins.h"
#include "frame/line.h"
#include "frame/print.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/memutils.h"

/* How far out an end may lie: a tenth of the cell's width. */
#define PARTS 10

/* Doubles that differ by less are taken for equal. */
#define TOLERANCE 1e-9

/* Numbers are looked at to so many digits more than their first one. */
#define MAX_DIGITS 40

/* ----------------------------------------------------------------
 * Grids, from coarse to fine
 * ----------------------------------------------------------------
 */

static const RangeStep dates[] =
{
	{.months = 100 * MONTHS_PER_YEAR}, {.months = 10 * MONTHS_PER_YEAR}, {.months = MONTHS_PER_YEAR},
	{.months = 3}, {.months = 1}, {.unit = 1},
};

static const RangeStep times[] =
{
	{.months = 100 * MONTHS_PER_YEAR}, {.months = 10 * MONTHS_PER_YEAR}, {.months = MONTHS_PER_YEAR},
	{.months = 3}, {.months = 1}, {.unit = USECS_PER_DAY}, {.unit = USECS_PER_HOUR}, {.unit = 10 * USECS_PER_MINUTE},
	{.unit = USECS_PER_MINUTE}, {.unit = USECS_PER_SEC}, {.unit = 100000}, {.unit = 10000}, {.unit = 1000},
	{.unit = 100}, {.unit = 10}, {.unit = 1},
};

/* The tens and fives of whole numbers: 10^18, 5 * 10^17, 10^17, ..., 5, 1; false behind them. */
static bool
whole_grid(int i, RangeStep *grid)
{
	static const int64 powers[] =
	{
		INT64CONST(1000000000000000000), INT64CONST(100000000000000000), INT64CONST(10000000000000000),
		INT64CONST(1000000000000000), INT64CONST(100000000000000), INT64CONST(10000000000000), INT64CONST(1000000000000),
		INT64CONST(100000000000), INT64CONST(10000000000), 1000000000, 100000000, 10000000, 1000000, 100000, 10000, 1000, 100, 10, 1,
	};

	if (i >= 2 * (int) lengthof(powers) - 1)
		return false;
	grid->unit = i % 2 == 1 ? powers[(i + 1) / 2] * 5 : powers[i / 2];
	return true;
}

/* An end that is to be rounded. */
typedef struct Rounding
{
	RangeBound	exact;
	Oid			type;			/* that the range is over */
	int			exponent;		/* numbers: of the first digit that can matter */
	double		place;			/* of the end */
	double		reach;			/* how far out the rounded one may lie */
} Rounding;

/* Does the next point of a grid surely lie too far out?  Most do, and to find it exactly is slow. */
static bool
is_out_of_reach(const Rounding *rounding, double width)
{
	double		rest = fmod(rounding->place, width);
	double		slack = rounding->reach * TOLERANCE + (fabs(rounding->place) + width) * 1e-12;

	if (rest < 0)
		rest += width;
	return (rounding->exact.lower ? rest : width - rest) > rounding->reach + slack &&
		(rounding->exact.lower ? width - rest : rest) > slack;
}

/* The tens and fives of numbers with a fraction; sets no number where there is no point to be found. */
static bool
number_grid(int i, const Rounding *rounding, RangeStep *grid)
{
	int			exponent = rounding->exponent - (i + 1) / 2;
	int			digit = i % 2 == 1 ? 5 : 1;

	if (i > 2 * MAX_DIGITS)
		return false;
	if (!is_out_of_reach(rounding, digit * pow(10, exponent)))
		grid->number = DatumGetNumeric(DirectFunctionCall3(numeric_in, CStringGetDatum(psprintf("%de%d", digit, exponent)),
														   ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1)));
	return true;
}

/* A type's grids by their numbers; false behind the last. */
static bool
find_grid(int i, const Rounding *rounding, RangeStep *grid)
{
	*grid = (RangeStep) {0};
	switch (rounding->type)
	{
		case INT4OID:
		case INT8OID:
			if (!whole_grid(i, grid))
				return false;
			break;
		case NUMERICOID:
			if (!number_grid(i, rounding, grid))
				return false;
			break;
		case DATEOID:
			if (i >= (int) lengthof(dates))
				return false;
			*grid = dates[i];
			break;
		default:
			if (i >= (int) lengthof(times))
				return false;
			*grid = times[i];
			break;
	}
	grid->type = rounding->type;
	return true;
}

/* ----------------------------------------------------------------
 * Ends
 * ----------------------------------------------------------------
 */

void
round_ends(Coding *coding, const bool *is_end)
{
	Code		nvalues = domain_values(coding->domain);
	Code		n = 0;

	for (Code code = 0; code < nvalues; code++)
		n += is_end[code];
	coding->ends = new_array(Code, n);
	coding->nends = 0;
	for (Code code = 0; code < nvalues; code++)
		if (is_end[code])
			coding->ends[coding->nends++] = code;
}

/* The last end before a code, or the first one behind it; NO_CODE for none. */
static Code
next_end(const Coding *coding, Code code, bool before)
{
	Code		low = 0;
	Code		high = coding->nends;

	while (low < high)
	{
		Code		middle = low + (high - low) / 2;

		if (before ? coding->ends[middle] < code : coding->ends[middle] <= code)
			low = middle + 1;
		else
			high = middle;
	}
	if (before)
		return low == 0 ? NO_CODE : coding->ends[low - 1];
	return low == coding->nends ? NO_CODE : coding->ends[low];
}

/* An end of a cell, and how far out it may be put, the next one being there. */
static Rounding
measure_end(const Coding *coding, Span cell, bool lower, Code next)
{
	double		low = place_of(coding->type, coding->values[cell.lo]);
	double		high = place_of(coding->type, coding->values[cell.hi]);
	Rounding	rounding = {.type = range_over(coding->type)->rngelemtype->type_id, .place = lower ? low : high};

	rounding.reach = isfinite(high - low) ? (high - low) / PARTS : 0;
	if (rounding.type == NUMERICOID && rounding.reach > 0)
		rounding.exponent = (int) ceil(log10(Max(fabs(low), fabs(high))));
	else if (rounding.type != NUMERICOID && rounding.reach < 1)
		rounding.reach = 0;
	else if (rounding.type != NUMERICOID && !lower)
		rounding.reach += 1;	/* what is behind the last value is no part of the cell */
	if (next != NO_CODE)
	{
		double		gap = fabs(place_of(coding->type, coding->values[next]) - rounding.place);

		rounding.reach = Min(rounding.reach, gap);
	}
	rounding.exact = bound_of(coding->type, coding->values[lower ? cell.lo : cell.hi], lower);
	return rounding;
}

/* May the end be put there: far enough from the next one, and not too far out? */
static bool
is_between(const Coding *coding, const Rounding *rounding, const RangeBound *found, Code next)
{
	int			order;

	if (found->infinite || fabs(place_of(rounding->type, found->val) - rounding->place) > rounding->reach * (1 + TOLERANCE))
		return false;
	if (next == NO_CODE)
		return true;
	order = compare_values(rounding->type, found->val, bound_of(coding->type, coding->values[next], true).val);
	return found->lower ? order > 0 : order <= 0;
}

/* The end on the coarsest grid; as it is where there is none. */
static RangeBound
find_round(const Coding *coding, const Rounding *rounding, Code next)
{
	RangeStep	grid;

	for (int i = 0; rounding->reach > 0 && !rounding->exact.infinite && find_grid(i, rounding, &grid); i++)
	{
		RangeBound	found;

		if (grid.number == NULL && grid.months == 0 && (grid.unit == 0 || is_out_of_reach(rounding, grid.unit)))
			continue;
		found = bin_bound(&grid, bin_of(&grid, rounding->type, rounding->exact.val), rounding->exact.lower);
		if (is_between(coding, rounding, &found, next))
			return found;
	}
	return rounding->exact;
}

RangeBound
rounded_end(const Coding *coding, Span cell, bool lower)
{
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "rounding", ALLOCSET_SMALL_SIZES);
	MemoryContext old = MemoryContextSwitchTo(work);
	Code		next = next_end(coding, lower ? cell.lo : cell.hi, lower);
	Rounding	rounding = measure_end(coding, cell, lower, next);
	RangeBound	found = find_round(coding, &rounding, next);

	MemoryContextSwitchTo(old);
	if (!found.infinite && rounding.type == NUMERICOID)
		found.val = datumCopy(found.val, false, -1);
	MemoryContextDelete(work);
	return found;
}
