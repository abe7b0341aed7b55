/*
 * line.c
 *		Values of the types that ranges are over: their order, their places, and the bins that they are rounded down to,
 *		towards minus infinity, also below 0 and before Christ.  For everybody, how wide a range is, and where its middle is.
 *
 * NOTES
 *		Distances of whole numbers, days and microseconds are taken without sign: those from one end of a type to
 *		the other have no room otherwise.
 */
#include "frame/line.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "common/int.h"
#include "compat_numeric.h"
#include "fmgr.h"
#include "frame/arrays.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/datetime.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

PG_FUNCTION_INFO_V1(pprepub_midpoint);
PG_FUNCTION_INFO_V1(pprepub_width);

/* 2000-01-03, a Monday */
#define ORIGIN_DAY 2

#define DAYS_OF_A_MONTH	(DAYS_PER_YEAR / MONTHS_PER_YEAR)

/* ---- Values ---- */

Datum
number_of_text(const char *text)
{
	return DirectFunctionCall3(numeric_in, CStringGetDatum(text), ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));
}

Datum
exact_number(Oid type, Datum value)
{
	switch (type)
	{
		case INT2OID:
			return DirectFunctionCall1(int2_numeric, value);
		case INT4OID:
			return DirectFunctionCall1(int4_numeric, value);
		case INT8OID:
			return DirectFunctionCall1(int8_numeric, value);

			/* the shortest text that reads back as the same float: a cast would round it */
		case FLOAT4OID:
			return number_of_text(DatumGetCString(DirectFunctionCall1(float4out, value)));
		case FLOAT8OID:
			return number_of_text(DatumGetCString(DirectFunctionCall1(float8out, value)));
		default:
			return value;
	}
}

/* A value of a type that counts: whole numbers, days, microseconds. */
static inline int64
whole_of(Oid type, Datum value)
{
	switch (type)
	{
		case INT2OID:
			return DatumGetInt16(value);
		case INT4OID:
			return DatumGetInt32(value);
		case DATEOID:
			return DatumGetDateADT(value);
		default:
			return DatumGetInt64(value);	/* bigint, and timestamps */
	}
}

/* The value of a type that ranges are over which a whole number stands for. */
static Datum
datum_of(Oid type, int64 whole)
{
	return type == INT4OID ? Int32GetDatum((int32) whole) : type == DATEOID ? DateADTGetDatum((DateADT) whole) : Int64GetDatum(whole);
}

double
place_of(Oid type, Datum value)
{
	switch (type)
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case DATEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return (double) whole_of(type, value);
		case FLOAT4OID:
			return DatumGetFloat4(value);
		case FLOAT8OID:
			return DatumGetFloat8(value);
		case NUMERICOID:
			return DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, value));
		default:
			elog(ERROR, "type %u has no ranges", type);
	}
}

int
compare_values(Oid type, Datum a, Datum b)
{
	if (type == NUMERICOID)
		return DatumGetInt32(DirectFunctionCall2(numeric_cmp, a, b));
	if (type == FLOAT4OID || type == FLOAT8OID)
	{
		double		x = place_of(type, a);
		double		y = place_of(type, b);

		return (x > y) - (x < y);
	}
	else
	{
		int64		x = whole_of(type, a);
		int64		y = whole_of(type, b);

		return (x > y) - (x < y);
	}
}

bool
is_finite(Oid type, Datum value)
{
	switch (type)
	{
		case FLOAT4OID:
			return isfinite(DatumGetFloat4(value));
		case FLOAT8OID:
			return isfinite(DatumGetFloat8(value));
		case NUMERICOID:
			return !numeric_is_nan(DatumGetNumeric(value)) && !numeric_is_inf(DatumGetNumeric(value));
		case DATEOID:
			return !DATE_NOT_FINITE(DatumGetDateADT(value));
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return !TIMESTAMP_NOT_FINITE(DatumGetTimestamp(value));
		default:
			return true;
	}
}

double
line_width(Oid type, Datum low, Datum high)
{
	double		width;

	if (!is_finite(type, low) || !is_finite(type, high))
		return 0;
	width = place_of(type, high) - place_of(type, low);
	return isfinite(width) ? width : 0;
}

/* ---- Bins of whole numbers, days, microseconds ---- */

/* A bin: from low up to, not including, high, as far as the type has these values. */
typedef struct WholeBin
{
	bool		has_low;
	bool		has_high;
	int64		low;
	int64		high;
} WholeBin;

/* The least value that a bin of the type can begin with, and the greatest that a range of it can end before. */
static int64
least_of(Oid type)
{
	return type == INT4OID ? PG_INT32_MIN : type == INT8OID ? PG_INT64_MIN :
		type == DATEOID ? DATETIME_MIN_JULIAN - POSTGRES_EPOCH_JDATE : MIN_TIMESTAMP;
}

static int64
greatest_of(Oid type)
{
	return type == INT4OID ? PG_INT32_MAX : type == INT8OID ? PG_INT64_MAX :
		type == DATEOID ? DATE_END_JULIAN - POSTGRES_EPOCH_JDATE - 1 : END_TIMESTAMP - 1;
}

/* The rest of a division that rounds towards minus infinity. */
static int64
rest_of(int64 number, int64 divisor)
{
	int64		rest = number % divisor;

	return rest < 0 ? rest + divisor : rest;
}

/* Sets where a month begins, counted from January of the year 0; false if no date is there. */
static bool
month_begins(Oid type, int64 month, int64 *begins)
{
	int			year = (month - rest_of(month, MONTHS_PER_YEAR)) / MONTHS_PER_YEAR;
	int			in_year = rest_of(month, MONTHS_PER_YEAR) + 1;

	if (!IS_VALID_JULIAN(year, in_year, 1))
		return false;
	*begins = date2j(year, in_year, 1) - POSTGRES_EPOCH_JDATE;
	return type == DATEOID || !pg_mul_s64_overflow(*begins, USECS_PER_DAY, begins);
}

/* The bin that holds a whole number. */
static WholeBin
find_bin(const RangeStep *step, int64 whole)
{
	bool		is_number = step->type == INT4OID || step->type == INT8OID;
	WholeBin	bin = {0};

	if (step->months > 0)
	{
		int64		day = step->type == DATEOID ? whole : (whole - rest_of(whole, USECS_PER_DAY)) / USECS_PER_DAY;
		int			year;
		int			in_year;
		int			in_month;
		int64		month;

		j2date(day + POSTGRES_EPOCH_JDATE, &year, &in_year, &in_month);
		month = (int64) year * MONTHS_PER_YEAR + in_year - 1;
		month -= rest_of(month, step->months);
		bin.has_low = month_begins(step->type, month, &bin.low);
		bin.has_high = month_begins(step->type, month + step->months, &bin.high);
	}
	else
	{
		int64		origin = is_number ? 0 : step->type == DATEOID ? ORIGIN_DAY : ORIGIN_DAY * USECS_PER_DAY;
		int64		rest = rest_of(whole - origin, step->unit);

		bin.has_low = !pg_sub_s64_overflow(whole, rest, &bin.low);
		bin.has_high = !pg_add_s64_overflow(whole, step->unit - rest, &bin.high);
	}
	bin.has_low = bin.has_low && bin.low > least_of(step->type);
	bin.has_high = bin.has_high && bin.high <= greatest_of(step->type);
	return bin;
}

/* ---- Bins of all types ---- */

/*
 * A multiple of the step of numbers: the last one up to a number, or the one behind that.  Returns false if it has more
 * digits than a numeric can have.
 */
static bool
find_multiple(const RangeStep *step, Numeric number, bool behind, Datum *multiple)
{
	bool		failed = false;
	Datum		zero = NumericGetDatum(int64_to_numeric(0));
	Numeric		rest = numeric_mod_opt_error(number, step->number, &failed);

	if (!failed && DatumGetBool(DirectFunctionCall2(numeric_lt, NumericGetDatum(rest), zero)))
		rest = numeric_add_opt_error(rest, step->number, &failed);
	if (!failed && behind)
		rest = numeric_sub_opt_error(rest, step->number, &failed);
	if (!failed)
		number = numeric_sub_opt_error(number, rest, &failed);
	if (!failed)
		*multiple = DirectFunctionCall1(numeric_trim_scale, NumericGetDatum(number));
	return !failed;
}

Datum
bin_of(const RangeStep *step, Oid type, Datum value)
{
	WholeBin	bin;
	Datum		multiple;

	if (step->number != NULL)
	{
		value = exact_number(type, value);
		return is_finite(NUMERICOID, value) && find_multiple(step, DatumGetNumeric(value), false, &multiple) ?
			multiple : value;
	}
	if (!is_finite(type, value))
		return value;
	bin = find_bin(step, whole_of(type, value));
	return datum_of(step->type, bin.has_low ? bin.low : least_of(step->type));
}

RangeBound
bin_bound(const RangeStep *step, Datum bin, bool lower)
{
	RangeBound	bound = {.inclusive = lower, .lower = lower};

	if (step->number != NULL)
		bound.infinite = !find_multiple(step, DatumGetNumeric(bin), !lower, &bound.val);
	else
	{
		WholeBin	whole = find_bin(step, whole_of(step->type, bin));

		bound.infinite = lower ? !whole.has_low : !whole.has_high;
		bound.val = datum_of(step->type, lower ? whole.low : whole.high);
	}
	return bound.infinite ? (RangeBound) {.infinite = true, .lower = lower} : bound;
}

double
bin_width(const RangeStep *step, Datum bin)
{
	WholeBin	whole;

	if (step->number != NULL)
		return place_of(NUMERICOID, NumericGetDatum(step->number));
	if (step->months == 0)
		return step->unit;
	whole = find_bin(step, whole_of(step->type, bin));
	if (whole.has_low && whole.has_high)
		return (double) whole.high - whole.low;
	return step->months * DAYS_OF_A_MONTH * (step->type == DATEOID ? 1.0 : USECS_PER_DAY);
}

bool
is_bin_bound(const RangeStep *step, const RangeBound *bound)
{
	return bound->inclusive == bound->lower &&
		compare_values(step->type, bound->val, bin_of(step, step->type, bound->val)) == 0;
}

Bins
bins_of(const RangeStep *step, Oid type, const Dictionary *values)
{
	uint32		size = dictionary_size(values);
	Bins		result = {.bins = dictionary_create(step->type), .number = new_array(uint32, size)};
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "bins", ALLOCSET_SMALL_SIZES);

	result.number[DICTIONARY_NULL] = DICTIONARY_NULL;
	for (uint32 i = 1; i < size; i++)
	{
		MemoryContext old = MemoryContextSwitchTo(work);
		Datum		bin = bin_of(step, type, dictionary_value(values, i));

		CHECK_FOR_INTERRUPTS();
		MemoryContextSwitchTo(old);
		result.number[i] = dictionary_number(result.bins, bin, false);
		MemoryContextReset(work);
	}
	MemoryContextDelete(work);
	return result;
}

/* ---- Ranges, for everybody who reads cells ---- */

/* Sets the ends of an argument, and the type that its range is over; false where one is not told, or infinite. */
static bool
ends_argument(FunctionCallInfo fcinfo, Oid *type, RangeBound *lower, RangeBound *upper)
{
	RangeType  *cell = PG_GETARG_RANGE_P(0);
	TypeCacheEntry *range = range_get_typcache(fcinfo, RangeTypeGetOid(cell));
	bool		is_empty;

	*type = range->rngelemtype->type_id;
	if (range->type_id != INT4RANGEOID && range->type_id != INT8RANGEOID && range->type_id != NUMRANGEOID &&
		range->type_id != DATERANGEOID && range->type_id != TSRANGEOID && range->type_id != TSTZRANGEOID)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cells of type %s cannot be measured", format_type_be(range->type_id)),
				 errhint("Cells are of type int4range, int8range, numrange, daterange, tsrange or tstzrange.")));
	range_deserialize(range, cell, lower, upper, &is_empty);
	return !is_empty && !lower->infinite && !upper->infinite && is_finite(*type, lower->val) && is_finite(*type, upper->val);
}

Datum
pprepub_midpoint(PG_FUNCTION_ARGS)
{
	Oid			type;
	RangeBound	lower;
	RangeBound	upper;
	Datum		half;

	if (!ends_argument(fcinfo, &type, &lower, &upper))
		PG_RETURN_NULL();
	if (type != NUMERICOID)
		PG_RETURN_DATUM(datum_of(type, (int64) (whole_of(type, lower.val) + ((uint64) whole_of(type, upper.val) - whole_of(type, lower.val)) / 2)));
	/* Halves are added, since the sum of both ends may have too many digits. */
	half = number_of_text("0.5");
	PG_RETURN_DATUM(DirectFunctionCall1(numeric_trim_scale,
										DirectFunctionCall2(numeric_add,
															DirectFunctionCall2(numeric_mul, lower.val, half),
															DirectFunctionCall2(numeric_mul, upper.val, half))));
}

Datum
pprepub_width(PG_FUNCTION_ARGS)
{
	Oid			type;
	RangeBound	lower;
	RangeBound	upper;
	bool		has_ends = ends_argument(fcinfo, &type, &lower, &upper);

	if (RangeIsEmpty(PG_GETARG_RANGE_P(0)))
		PG_RETURN_FLOAT8(0);
	if (!has_ends)
		PG_RETURN_NULL();
	if (type == NUMERICOID)
	{
		double		width = place_of(type, DirectFunctionCall2(numeric_sub, upper.val, lower.val));

		if (isinf(width))
			PG_RETURN_NULL();
		PG_RETURN_FLOAT8(width);
	}
	PG_RETURN_FLOAT8((double) ((uint64) whole_of(type, upper.val) - whole_of(type, lower.val)) /
					 (type == TIMESTAMPOID || type == TIMESTAMPTZOID ? USECS_PER_SEC : 1));
}
