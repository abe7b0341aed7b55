/*
 * cell_measure.c
 *		How long a printed cell is, and how much of it lies in a bin.
 *
 * NOTES
 *		Distances of whole numbers, days and microseconds are taken without sign: those from one end of a type to
 *		the other have no room otherwise.  Numbers are numeric until they are divided.
 */
#include "frame/cell_measure.h"

#include "catalog/pg_type.h"
#include "compat.h"
#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"

static Oid
element_of(const TypeCacheEntry *range)
{
	return range->rngelemtype->type_id;
}

void
verify_measurable(const TypeCacheEntry *range)
{
	switch (range->type_id)
	{
		case INT4RANGEOID:
		case INT8RANGEOID:
		case NUMRANGEOID:
		case DATERANGEOID:
		case TSRANGEOID:
		case TSTZRANGEOID:
			return;
		default:
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("cells of type %s cannot be measured", format_type_be(range->type_id)),
					 errhint("Cells are of type int4range, int8range, numrange, daterange, tsrange or tstzrange.")));
	}
}

/* ----------------------------------------------------------------
 * Ends
 * ----------------------------------------------------------------
 */

/* Does the type call the value infinite, or is it not a number? */
static bool
is_infinite(Oid type, Datum value)
{
	switch (type)
	{
		case DATEOID:
			return DATE_NOT_FINITE(DatumGetDateADT(value));
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return TIMESTAMP_NOT_FINITE(DatumGetTimestamp(value));
		case NUMERICOID:
			return numeric_is_nan(DatumGetNumeric(value)) || numeric_is_inf(DatumGetNumeric(value));
		default:
			return false;
	}
}

bool
range_ends(const TypeCacheEntry *range, const RangeType *cell, RangeBound *lower, RangeBound *upper)
{
	bool		is_empty;

	range_deserialize(unconstify(TypeCacheEntry *, range), cell, lower, upper, &is_empty);
	return !is_empty && !lower->infinite && !upper->infinite &&
		!is_infinite(element_of(range), lower->val) && !is_infinite(element_of(range), upper->val);
}

/* A value of a type that counts whole numbers, days or microseconds. */
static int64
point_of(Oid type, Datum value)
{
	switch (type)
	{
		case INT4OID:
			return DatumGetInt32(value);
		case DATEOID:
			return DatumGetDateADT(value);
		case INT8OID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return DatumGetInt64(value);
		default:
			elog(ERROR, "type %u does not count", type);
	}
}

static Datum
point_datum(Oid type, int64 point)
{
	return type == INT4OID ? Int32GetDatum((int32) point) :
		type == DATEOID ? DateADTGetDatum((DateADT) point) : Int64GetDatum(point);
}

/* How many points lie between two ends. */
static uint64
points_apart(Oid type, const RangeBound *lower, const RangeBound *upper)
{
	return (uint64) point_of(type, upper->val) - (uint64) point_of(type, lower->val);
}

static Datum
numbers_apart(const RangeBound *lower, const RangeBound *upper)
{
	return DirectFunctionCall2(numeric_sub, upper->val, lower->val);
}

static double
number_as_double(Datum number)
{
	return DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, number));
}

double
ends_apart(const TypeCacheEntry *range, const RangeBound *lower, const RangeBound *upper)
{
	Oid			type = element_of(range);

	switch (type)
	{
		case NUMERICOID:
			return number_as_double(numbers_apart(lower, upper));
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return (double) points_apart(type, lower, upper) / USECS_PER_SEC;
		default:
			return (double) points_apart(type, lower, upper);
	}
}

/* Halves are added, since the sum of both ends may have too many digits. */
static Datum
middle_number(Datum lower, Datum upper)
{
	Datum		half = DirectFunctionCall3(numeric_in, CStringGetDatum("0.5"), ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));

	return DirectFunctionCall1(numeric_trim_scale,
							   DirectFunctionCall2(numeric_add,
												   DirectFunctionCall2(numeric_mul, lower, half),
												   DirectFunctionCall2(numeric_mul, upper, half)));
}

Datum
ends_middle(const TypeCacheEntry *range, const RangeBound *lower, const RangeBound *upper)
{
	Oid			type = element_of(range);

	if (type == NUMERICOID)
		return middle_number(lower->val, upper->val);
	return point_datum(type, (int64) ((uint64) point_of(type, lower->val) + points_apart(type, lower, upper) / 2));
}

/* ----------------------------------------------------------------
 * Cells and bins
 * ----------------------------------------------------------------
 */

bool
range_is_withheld(const RangeType *cell)
{
	char		flags = range_get_flags(cell);

	return (flags & RANGE_EMPTY) == 0 && (flags & RANGE_LB_INF) != 0 && (flags & RANGE_UB_INF) != 0;
}

bool
range_lies_in(TypeCacheEntry *range, const RangeType *cell, const RangeType *bin)
{
	return !RangeIsEmpty(cell) && range_contains_internal(range, bin, cell);
}

/* How long one range is in terms of another that holds it and is not of one value. */
static double
part_of(TypeCacheEntry *range, const RangeType *piece, const RangeBound *lower, const RangeBound *upper)
{
	Oid			type = element_of(range);
	RangeBound	from;
	RangeBound	to;

	if (!range_ends(range, piece, &from, &to))
		return 0;
	if (type != NUMERICOID)
		return (double) points_apart(type, &from, &to) / (double) points_apart(type, lower, upper);
	return number_as_double(DirectFunctionCall2(numeric_div, numbers_apart(&from, &to), numbers_apart(lower, upper)));
}

double
range_share_in(TypeCacheEntry *range, const RangeType *cell, const RangeType *bin, const RangeType *whole, bool *is_unknown)
{
	RangeBound	lower;
	RangeBound	upper;

	*is_unknown = false;
	if (range_lies_in(range, cell, bin))
		return 1;
	if (whole != NULL)
		cell = range_intersect_internal(range, cell, whole);
	if (range_lies_in(range, cell, bin))
		return 1;
	if (!range_overlaps_internal(range, cell, bin))
		return 0;
	*is_unknown = !range_ends(range, cell, &lower, &upper);
	return *is_unknown ? 0 : part_of(range, range_intersect_internal(range, cell, bin), &lower, &upper);
}

RangeType *
leaves_range(int64 first, int64 leaves)
{
	RangeBound	lower = {.val = Int64GetDatum(first), .inclusive = true, .lower = true};
	RangeBound	upper = {.val = Int64GetDatum(first + leaves)};

	return make_range(lookup_type_cache(INT8RANGEOID, TYPECACHE_RANGE_INFO), &lower, &upper, false, NULL);
}

/* ----------------------------------------------------------------
 * Texts
 * ----------------------------------------------------------------
 */

TextCell
text_cell(const char *bytes, Size n)
{
	bool		is_prefix = n > 0 && bytes[n - 1] == '*';

	return (TextCell) {.bytes = bytes, .n = is_prefix ? n - 1 : n, .is_prefix = is_prefix};
}

static bool
begins_with(TextCell cell, TextCell start)
{
	return cell.n >= start.n && memcmp(cell.bytes, start.bytes, start.n) == 0;
}

bool
text_lies_in(TextCell cell, TextCell bin)
{
	return begins_with(cell, bin) && (bin.is_prefix || (cell.n == bin.n && !cell.is_prefix));
}

bool
text_touches(TextCell cell, TextCell bin)
{
	return text_lies_in(cell, bin) || text_lies_in(bin, cell);
}
