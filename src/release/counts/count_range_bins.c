/*
 * count_range_bins.c
 *		Bins of ranges: as they are given, or of one width.
 *
 *		Bins of one width lie at its multiples, which are computed as numeric: whole numbers and numbers as they are,
 *		days and seconds from Monday, 3 January 2000, where steps of publications begin, too.
 */
#include "postgres.h"

#include "release/counts/counts.h"

#include "catalog/pg_type.h"
#include "compat.h"
#include "datatype/timestamp.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"

#define MONDAY		2			/* 3 January 2000, in days since PostgreSQL's epoch */

/* ----------------------------------------------------------------
 * Numeric
 * ----------------------------------------------------------------
 */

static Numeric
whole_number(int64 number)
{
	return int64_to_numeric(number);
}

static Numeric
calculate(PGFunction function, Numeric a, Numeric b)
{
	return DatumGetNumeric(DirectFunctionCall2(function, NumericGetDatum(a), NumericGetDatum(b)));
}

static int
compare_numbers(Numeric a, Numeric b)
{
	return DatumGetInt32(DirectFunctionCall2(numeric_cmp, NumericGetDatum(a), NumericGetDatum(b)));
}

static bool
is_whole(Numeric number)
{
	return compare_numbers(calculate(numeric_mod, number, whole_number(1)), whole_number(0)) == 0;
}

/* The largest multiple of a width that is not above a number. */
static Numeric
multiple_below(Numeric number, Numeric width)
{
	Numeric		rest = calculate(numeric_mod, number, width);

	if (compare_numbers(rest, whole_number(0)) < 0)
		rest = calculate(numeric_add, rest, width);
	return calculate(numeric_sub, number, rest);
}

/* ----------------------------------------------------------------
 * Values as numbers
 * ----------------------------------------------------------------
 */

/* The line of a type that counts: its points are origin + number * 10^digits. */
typedef struct CountLine
{
	int64		first;			/* the lowest point that the type has, */
	int64		last;			/* and the highest */
	int64		origin;
	int			digits;
} CountLine;

/* Types but these are numeric, which needs no line. */
static CountLine
line_of(Oid type)
{
	switch (type)
	{
		case INT4OID:
			return (CountLine) {PG_INT32_MIN, PG_INT32_MAX, 0, 0};
		case DATEOID:
			return (CountLine) {DATETIME_MIN_JULIAN - POSTGRES_EPOCH_JDATE, DATE_END_JULIAN - POSTGRES_EPOCH_JDATE - 1, MONDAY, 0};
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return (CountLine) {MIN_TIMESTAMP, END_TIMESTAMP - 1, MONDAY * USECS_PER_DAY, 6};
		default:
			return (CountLine) {PG_INT64_MIN, PG_INT64_MAX, 0, 0};
	}
}

static Oid
element_of(const CountColumn *column)
{
	return column->range->rngelemtype->type_id;
}

/* A value as a number on its line. */
static Numeric
number_of(Oid type, Datum value)
{
	CountLine	line = line_of(type);
	int64		point;

	if (type == NUMERICOID)
		return DatumGetNumeric(value);
	point = type == INT4OID ? DatumGetInt32(value) : type == DATEOID ? DatumGetDateADT(value) : DatumGetInt64(value);
	return int64_div_fast_to_numeric(point - line.origin, line.digits);
}

/* A bound at a number; where the type has no such value, it is unbounded. */
static RangeBound
bound_at(Oid type, Numeric number, bool lower)
{
	CountLine	line = line_of(type);
	RangeBound	bound = {.inclusive = lower, .lower = lower, .val = NumericGetDatum(number)};
	Numeric		point;
	int64		value;

	if (type == NUMERICOID)
		return bound;
	point = calculate(numeric_mul, number, whole_number(line.digits == 6 ? USECS_PER_SEC : 1));
	point = calculate(numeric_add, point, whole_number(line.origin));
	bound.infinite = compare_numbers(point, whole_number(line.first)) < 0 || compare_numbers(point, whole_number(line.last)) > 0;
	if (bound.infinite)
		return bound;
	value = DatumGetInt64(DirectFunctionCall1(numeric_int8, NumericGetDatum(point)));
	bound.val = type == INT4OID ? Int32GetDatum((int32) value) : type == DATEOID ? DateADTGetDatum((DateADT) value) : Int64GetDatum(value);
	return bound;
}

/* ----------------------------------------------------------------
 * From the smallest to the largest end that is shown
 * ----------------------------------------------------------------
 */

/* Is a bound the first one that is told, or further out than another one? */
static bool
is_further(TypeCacheEntry *range, const RangeBound *bound, const RangeBound *other, bool lower)
{
	int			order = other->infinite ? 0 : range_cmp_bounds(range, bound, other);

	return other->infinite || (lower ? order < 0 : order > 0);
}

void
set_whole(CountColumn *column)
{
	RangeBound	lowest = {.infinite = true, .lower = true};
	RangeBound	highest = {.infinite = true, .lower = false};

	for (uint32 cell = 1; cell < dictionary_size(column->shown); cell++)
	{
		RangeBound	lower;
		RangeBound	upper;
		bool		is_empty;

		range_deserialize(column->range, column->ranges[cell], &lower, &upper, &is_empty);
		if (is_empty)
			continue;
		if (!lower.infinite && is_further(column->range, &lower, &lowest, true))
			lowest = lower;
		if (!upper.infinite && is_further(column->range, &upper, &highest, false))
			highest = upper;
	}
	column->whole = NULL;
	if (!lowest.infinite && !highest.infinite && range_cmp_bounds(column->range, &lowest, &highest) < 0)
		column->whole = make_range(column->range, &lowest, &highest, false, NULL);
}

/* ----------------------------------------------------------------
 * Bins
 * ----------------------------------------------------------------
 */

static void
add_bin_of(CountColumn *column, RangeType *bin)
{
	Oid			output;
	bool		is_varlena;

	getTypeOutputInfo(column->range->type_id, &output, &is_varlena);
	add_bin(column, OidOutputFunctionCall(output, RangeTypePGetDatum(bin)))->range = bin;
}

/* Tells which bin it is that the type's input function refuses. */
static void
add_bin_context(void *column)
{
	errcontext("bins of column \"%s\"", ((CountColumn *) column)->name);
	errhint("%s", bins_hint(column));
}

void
add_range_bin(CountColumn *column, const char *text)
{
	ErrorContextCallback context = {error_context_stack, add_bin_context, column};
	Oid			input;
	Oid			param;

	getTypeInputInfo(column->range->type_id, &input, &param);
	error_context_stack = &context;
	add_bin_of(column, DatumGetRangeTypeP(OidInputFunctionCall(input, unconstify(char *, text), param, -1)));
	error_context_stack = context.previous;
}

/* Does a cell reach an end of the type, and tell its other end? */
static bool
is_open(const CountColumn *column, bool lower)
{
	char		wanted = lower ? RANGE_LB_INF : RANGE_UB_INF;

	for (uint32 cell = 1; cell < dictionary_size(column->shown); cell++)
		if ((range_get_flags(column->ranges[cell]) & (RANGE_EMPTY | RANGE_LB_INF | RANGE_UB_INF)) == wanted)
			return true;
	return false;
}

/* One bin for everything, where no end is told. */
static void
add_whole_bin(CountColumn *column)
{
	RangeBound	lower = {.infinite = true, .lower = true};
	RangeBound	upper = {.infinite = true, .lower = false};

	add_bin_of(column, make_range(column->range, &lower, &upper, false, NULL));
}

/* Widths that are finer than values would give bins in which none can lie. */
static void
verify_width(const CountColumn *column, Numeric width)
{
	bool		counts = element_of(column) == INT4OID || element_of(column) == INT8OID || element_of(column) == DATEOID;

	if (compare_numbers(width, whole_number(0)) <= 0)
		refuse_bins(column, "A width is more than 0.");
	if (counts && !is_whole(width))
		refuse_bins(column, "The width of bins of whole numbers or days is a whole number.");
	if (line_of(element_of(column)).digits == 6 && !is_whole(calculate(numeric_mul, width, whole_number(USECS_PER_SEC))))
		refuse_bins(column, "The width of bins of times is a whole number of microseconds.");
}

/* An error before anything long is done. */
static void
verify_number_of_bins(const CountColumn *column, Numeric low, Numeric high, Numeric width)
{
	if (compare_numbers(calculate(numeric_sub, high, low), calculate(numeric_mul, width, whole_number(MAX_BINS))) > 0)
		refuse_bins(column, psprintf("They would be more than %d.", MAX_BINS));
}

/* The ends of all that is shown, as numbers; false if there are none. */
static bool
whole_ends(const CountColumn *column, Numeric *low, Numeric *high, bool *has_high)
{
	RangeBound	lower;
	RangeBound	upper;

	if (column->whole == NULL || !range_ends(column->range, column->whole, &lower, &upper))
		return false;
	*low = number_of(element_of(column), lower.val);
	*high = number_of(element_of(column), upper.val);
	*has_high = upper.inclusive;
	return true;
}

void
add_bins_of_width(CountColumn *column, Numeric width)
{
	Oid			type = element_of(column);
	Numeric		low;
	Numeric		high;
	bool		has_high;
	bool		is_last = false;
	bool		is_first = true;

	verify_width(column, width);
	if (!whole_ends(column, &low, &high, &has_high))
	{
		add_whole_bin(column);
		return;
	}
	verify_number_of_bins(column, low, high, width);
	for (Numeric from = multiple_below(low, width); !is_last; is_first = false)
	{
		Numeric		to = calculate(numeric_add, from, width);
		int			order = compare_numbers(to, high);
		RangeBound	lower = bound_at(type, from, true);
		RangeBound	upper = bound_at(type, to, false);

		CHECK_FOR_INTERRUPTS();
		is_last = order > 0 || (order == 0 && !has_high);
		lower.infinite |= is_first && is_open(column, true);
		upper.infinite |= is_last && is_open(column, false);
		add_bin_of(column, make_range(column->range, &lower, &upper, false, NULL));
		from = to;
	}
}

/* ----------------------------------------------------------------
 * A choice of bins
 * ----------------------------------------------------------------
 */

/* The smallest of 1, 2 and 5 times a power of ten that is not below a number; its digits tell, however large it is. */
static Numeric
round_width(Numeric number)
{
	char	   *digits = numeric_out_sci(number, 3);	/* "1.234e+05" */
	char	   *exponent = strchr(digits, 'e');
	double		mantissa;
	char	   *width;

	*exponent++ = '\0';
	mantissa = strtod(digits, NULL);
	width = psprintf("%de%s", mantissa <= 1 ? 1 : mantissa <= 2 ? 2 : mantissa <= 5 ? 5 : 10, exponent);
	return DatumGetNumeric(DirectFunctionCall3(numeric_in, CStringGetDatum(width), ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1)));
}

/* The unit of widths: of times, days or hours if there are several. */
static int64
unit_of(Oid type, Numeric span)
{
	if (line_of(type).digits != 6)
		return 1;
	return compare_numbers(span, whole_number(5 * SECS_PER_DAY)) >= 0 ? SECS_PER_DAY :
		compare_numbers(span, whole_number(5 * SECS_PER_HOUR)) >= 0 ? SECS_PER_HOUR : 1;
}

/* A width with which about ten bins cover a span. */
static Numeric
choose_width(Oid type, Numeric span)
{
	Numeric		unit = whole_number(unit_of(type, span));
	Numeric		tenth = calculate(numeric_div, span, calculate(numeric_mul, unit, whole_number(10)));
	Numeric		width;
	Numeric		least = int64_div_fast_to_numeric(1, line_of(type).digits);

	if (compare_numbers(span, whole_number(0)) == 0)
		return unit;
	width = calculate(numeric_mul, round_width(tenth), unit);
	return type != NUMERICOID && compare_numbers(width, least) < 0 ? least : width;
}

void
choose_range_bins(CountColumn *column)
{
	Numeric		low;
	Numeric		high;
	bool		has_high;

	if (whole_ends(column, &low, &high, &has_high))
		add_bins_of_width(column, choose_width(element_of(column), calculate(numeric_sub, high, low)));
	else
		add_whole_bin(column);
}
