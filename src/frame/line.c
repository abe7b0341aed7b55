/*
 * line.c
 *		Values of the types that ranges are over: their order and their places.
 */
#include "frame/line.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"

/* A float as the shortest text that reads back as the same float; a cast to numeric would round it. */
static Datum
number_of_text(char *text)
{
	return DirectFunctionCall3(numeric_in, CStringGetDatum(text),
							   ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));
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
		case FLOAT4OID:
			return number_of_text(DatumGetCString(DirectFunctionCall1(float4out, value)));
		case FLOAT8OID:
			return number_of_text(DatumGetCString(DirectFunctionCall1(float8out, value)));
		default:
			return value;
	}
}

double
place_of(Oid type, Datum value)
{
	switch (type)
	{
		case INT2OID:
			return DatumGetInt16(value);
		case INT4OID:
			return DatumGetInt32(value);
		case INT8OID:
			return (double) DatumGetInt64(value);
		case FLOAT4OID:
			return DatumGetFloat4(value);
		case FLOAT8OID:
			return DatumGetFloat8(value);
		case NUMERICOID:
			return DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, value));
		case DATEOID:
			return DatumGetDateADT(value);
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return (double) DatumGetTimestamp(value);
		default:
			elog(ERROR, "type %u has no ranges", type);
	}
}

int
compare_values(Oid type, Datum a, Datum b)
{
	int64		x;
	int64		y;

	switch (type)
	{
		case NUMERICOID:
			return DatumGetInt32(DirectFunctionCall2(numeric_cmp, a, b));
		case FLOAT4OID:
		case FLOAT8OID:
			{
				double		p = place_of(type, a);
				double		q = place_of(type, b);

				return (p > q) - (p < q);
			}
		case INT2OID:
			x = DatumGetInt16(a), y = DatumGetInt16(b);
			break;
		case INT4OID:
			x = DatumGetInt32(a), y = DatumGetInt32(b);
			break;
		case DATEOID:
			x = DatumGetDateADT(a), y = DatumGetDateADT(b);
			break;
		default:
			x = DatumGetInt64(a), y = DatumGetInt64(b);
			break;
	}
	return (x > y) - (x < y);
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
