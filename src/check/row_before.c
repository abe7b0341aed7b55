/*
 * row_before.c
 *		Values of a release's rows that are those of the row before: most are, since rows stand class by class.
 */
#include "postgres.h"

#include "check/row_before.h"
#include "utils/datum.h"
#include "utils/memutils.h"

typedef struct ValueBefore
{
	bool		is_known;
	bool		isnull;
	Datum		value;			/* in bytes, unless passed by value */
	char	   *bytes;
	Size		room;
	RowSum		sum;
} ValueBefore;

struct RowBefore
{
	TupleDesc	columns;
	Checksum   *checksum;
	MemoryContext context;
	ValueBefore *before;		/* [columns] */
	bool	   *is_same;		/* [columns] */
};

RowBefore *
row_before_create(TupleDesc columns, Checksum *checksum)
{
	RowBefore  *row = palloc0(sizeof(RowBefore));

	row->columns = columns;
	row->checksum = checksum;
	row->context = CurrentMemoryContext;
	row->before = palloc0(sizeof(ValueBefore) * columns->natts);
	row->is_same = palloc0(sizeof(bool) * columns->natts);
	return row;
}

/* Copies a value, for the next row. */
static void
keep_value(RowBefore *row, ValueBefore *before, const FormData_pg_attribute *column, Datum value)
{
	Size		size;

	before->value = value;
	if (column->attbyval)
		return;
	size = datumGetSize(value, column->attbyval, column->attlen);
	if (size > before->room)
	{
		if (before->bytes != NULL)
			pfree(before->bytes);
		before->room = size * 2;
		before->bytes = MemoryContextAlloc(row->context, before->room);
	}
	before->value = PointerGetDatum(memcpy(before->bytes, DatumGetPointer(value), size));
}

void
row_before_take(RowBefore *row, const Datum *values, const bool *nulls)
{
	RowSum		sum = {{0, 0}};

	for (int i = 0; i < row->columns->natts; i++)
	{
		const FormData_pg_attribute *column = TupleDescAttr(row->columns, i);
		ValueBefore *before = &row->before[i];

		row->is_same[i] = before->is_known && before->isnull == nulls[i] &&
			(nulls[i] || datumIsEqual(before->value, values[i], column->attbyval, column->attlen));
		if (!row->is_same[i])
		{
			before->is_known = true;
			before->isnull = nulls[i];
			if (!nulls[i])
				keep_value(row, before, column, values[i]);
			before->sum = checksum_value(row->checksum, i, values[i], nulls[i]);
		}
		sum = row_sum(sum, before->sum);
	}
	checksum_add_row(row->checksum, sum);
}

bool
row_before_is_same(const RowBefore *row, int attribute)
{
	return row->is_same[attribute];
}
