/*
 * bounds.c
 *		Comparing values, and finding the least and the greatest.  See bounds.h.
 */
#include "postgres.h"

#include "store/bounds.h"

#include "catalog/pg_type_d.h"
#include "compat.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/uuid.h"

Order
order_of_type(Oid type)
{
	switch (getBaseType(type))
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case DATEOID:
		case TIMEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return ORDER_INTEGER;
		case BOOLOID:
		case OIDOID:
			return ORDER_UNSIGNED;
		case FLOAT4OID:
			return ORDER_FLOAT4;
		case FLOAT8OID:
			return ORDER_FLOAT8;
		case NUMERICOID:
			return ORDER_NUMERIC;
		case UUIDOID:
			return ORDER_UUID;
		case TEXTOID:
		case VARCHAROID:
			return ORDER_TEXT;
		default:
			return ORDER_NONE;
	}
}

/* Compares two varlenas byte by byte, the shorter first where one begins with the other. */
static int
compare_bytes(Datum a, Datum b)
{
	struct varlena *x = (struct varlena *) DatumGetPointer(a);
	struct varlena *y = (struct varlena *) DatumGetPointer(b);
	Size		x_length = VARSIZE_ANY_EXHDR(x);
	Size		y_length = VARSIZE_ANY_EXHDR(y);
	int			result = memcmp(VARDATA_ANY(x), VARDATA_ANY(y), Min(x_length, y_length));

	if (result != 0 || x_length == y_length)
		return result;
	return x_length < y_length ? -1 : 1;
}

int
compare_in_order(Order order, Datum a, Datum b)
{
	switch (order)
	{
		case ORDER_INTEGER:
			return DatumGetInt64(a) < DatumGetInt64(b) ? -1 : DatumGetInt64(a) > DatumGetInt64(b);
		case ORDER_UNSIGNED:
			/* Above these 32 bits a Datum may have anything. */
			return DatumGetUInt32(a) < DatumGetUInt32(b) ? -1 : DatumGetUInt32(a) > DatumGetUInt32(b);
		case ORDER_FLOAT4:
			return float4_cmp_internal(DatumGetFloat4(a), DatumGetFloat4(b));
		case ORDER_FLOAT8:
			return float8_cmp_internal(DatumGetFloat8(a), DatumGetFloat8(b));
		case ORDER_NUMERIC:
			return DatumGetInt32(DirectFunctionCall2(numeric_cmp, a, b));
		case ORDER_UUID:
			return memcmp(DatumGetUUIDP(a)->data, DatumGetUUIDP(b)->data, UUID_LEN);
		case ORDER_TEXT:
			return compare_bytes(a, b);
		case ORDER_NONE:
			break;
	}
	elog(ERROR, "values without an order were compared");
	return 0;
}

bool
find_bounds(Order order, const Datum *values, const bool *nulls, uint32 nrows, Datum *least, Datum *greatest)
{
	bool		found = false;

	for (uint32 i = 0; i < nrows; i++)
	{
		if (nulls[i])
			continue;
		if (!found)
			*least = *greatest = values[i];
		else if (values[i] == values[i - 1] && !nulls[i - 1])
			continue;
		else if (compare_in_order(order, values[i], *least) < 0)
			*least = values[i];
		else if (compare_in_order(order, values[i], *greatest) > 0)
			*greatest = values[i];
		found = true;
	}
	return found;
}

bool
bounds_may_hold(Order order, Datum least, Datum greatest, StrategyNumber strategy, Datum value)
{
	switch (strategy)
	{
		case BTLessStrategyNumber:
			return compare_in_order(order, least, value) < 0;
		case BTLessEqualStrategyNumber:
			return compare_in_order(order, least, value) <= 0;
		case BTEqualStrategyNumber:
			return compare_in_order(order, least, value) <= 0 && compare_in_order(order, greatest, value) >= 0;
		case BTGreaterEqualStrategyNumber:
			return compare_in_order(order, greatest, value) >= 0;
		case BTGreaterStrategyNumber:
			return compare_in_order(order, greatest, value) > 0;
	}
	return true;
}

bool
bounds_must_hold(Order order, Datum least, Datum greatest, StrategyNumber strategy, Datum value)
{
	switch (strategy)
	{
		case BTLessStrategyNumber:
		case BTLessEqualStrategyNumber:
			return bounds_may_hold(order, greatest, greatest, strategy, value);
		case BTEqualStrategyNumber:
			return bounds_may_hold(order, least, least, strategy, value) &&
				bounds_may_hold(order, greatest, greatest, strategy, value);
		case BTGreaterEqualStrategyNumber:
		case BTGreaterStrategyNumber:
			return bounds_may_hold(order, least, least, strategy, value);
	}
	return false;
}
