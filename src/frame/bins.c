/*
 * bins.c
 *		Rounding values down to steps: towards minus infinity, also below 0 and
 *		before Christ.
 */
#include "frame/bins.h"

#include "catalog/pg_type.h"
#include "common/int.h"
#include "frame/arrays.h"
#include "frame/line.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/datetime.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

/* 2000-01-03, a Monday */
#define ORIGIN_DAY 2

#define DAYS_OF_A_MONTH	(DAYS_PER_YEAR / MONTHS_PER_YEAR)

/* ----------------------------------------------------------------
 * Whole numbers, days, microseconds
 * ----------------------------------------------------------------
 */

/* A bin: from low up to, not including, high, as far as the type has these values. */
typedef struct WholeBin
{
	bool		has_low;
	bool		has_high;
	int64		low;
	int64		high;
} WholeBin;

/* A value of a type that is not numeric. */
static int64
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

/* The value of a step's type that a whole number stands for. */
static Datum
datum_of(Oid type, int64 whole)
{
	switch (type)
	{
		case INT4OID:
			return Int32GetDatum((int32) whole);
		case DATEOID:
			return DateADTGetDatum((DateADT) whole);
		default:
			return Int64GetDatum(whole);
	}
}

/* The least value that a bin of the type can begin with. */
static int64
least_of(Oid type)
{
	switch (type)
	{
		case INT4OID:
			return PG_INT32_MIN;
		case INT8OID:
			return PG_INT64_MIN;
		case DATEOID:
			return DATETIME_MIN_JULIAN - POSTGRES_EPOCH_JDATE;
		default:
			return MIN_TIMESTAMP;
	}
}

/* The greatest value that a range of the type can end before. */
static int64
greatest_of(Oid type)
{
	switch (type)
	{
		case INT4OID:
			return PG_INT32_MAX;
		case INT8OID:
			return PG_INT64_MAX;
		case DATEOID:
			return DATE_END_JULIAN - POSTGRES_EPOCH_JDATE - 1;
		default:
			return END_TIMESTAMP - 1;
	}
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

/* The bin of months that holds a whole number. */
static void
find_months(const RangeStep *step, int64 whole, WholeBin *bin)
{
	int64		day = step->type == DATEOID ? whole : (whole - rest_of(whole, USECS_PER_DAY)) / USECS_PER_DAY;
	int			year;
	int			in_year;
	int			in_month;
	int64		month;

	j2date(day + POSTGRES_EPOCH_JDATE, &year, &in_year, &in_month);
	month = (int64) year * MONTHS_PER_YEAR + in_year - 1;
	month -= rest_of(month, step->months);
	bin->has_low = month_begins(step->type, month, &bin->low);
	bin->has_high = month_begins(step->type, month + step->months, &bin->high);
}

/* The bin that holds a whole number. */
static WholeBin
find_bin(const RangeStep *step, int64 whole)
{
	WholeBin	bin = {0};

	if (step->months > 0)
		find_months(step, whole, &bin);
	else
	{
		int64		origin = step->type == DATEOID ? ORIGIN_DAY :
			step->type == INT4OID || step->type == INT8OID ? 0 : ORIGIN_DAY * USECS_PER_DAY;
		int64		rest = rest_of(whole - origin, step->unit);

		bin.has_low = !pg_sub_s64_overflow(whole, rest, &bin.low);
		bin.has_high = !pg_add_s64_overflow(whole, step->unit - rest, &bin.high);
	}
	bin.has_low = bin.has_low && bin.low > least_of(step->type);
	bin.has_high = bin.has_high && bin.high <= greatest_of(step->type);
	return bin;
}

/* ----------------------------------------------------------------
 * Numeric
 * ----------------------------------------------------------------
 */

static Datum
trimmed(Numeric number)
{
	return DirectFunctionCall1(numeric_trim_scale, NumericGetDatum(number));
}

/*
 * A multiple of the step: the last one up to a number, or the one behind that.
 * Returns false if it has more digits than a numeric can have.
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
		*multiple = trimmed(number);
	return !failed;
}

/* ----------------------------------------------------------------
 * Bins
 * ----------------------------------------------------------------
 */

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
	if (bound.infinite)
	{
		bound.val = (Datum) 0;
		bound.inclusive = false;
	}
	return bound;
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
