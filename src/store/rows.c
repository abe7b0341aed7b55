/*
 * rows.c
 *		Decoding whole groups.  See rows.h.
 */
#include "postgres.h"

#include "store/rows.h"

#include "access/htup_details.h"
#include "miscadmin.h"

static void
fill(Datum *values, bool *nulls, uint32 nrows, Datum value, bool isnull)
{
	for (uint32 i = 0; i < nrows; i++)
	{
		values[i] = value;
		nulls[i] = isnull;
	}
}

void
read_column(RowGroup *group, int column, Datum *values, bool *nulls)
{
	TupleDesc	desc = group->desc;
	uint32		nrows = group->header.nrows;
	EncodedColumn *encoded = NULL;
	Datum		value = 0;
	bool		isnull = true;

	if (column >= group->header.natts)
		value = getmissingattr(desc, column + 1, &isnull);
	else if (!TupleDescAttr(desc, column)->attisdropped)
		encoded = group_column(group, column);
	if (encoded == NULL)
	{
		fill(values, nulls, nrows, value, isnull);
		return;
	}
	for (uint32 row = 0; row < nrows; row += ENCODING_VECTOR)
	{
		const char *wrong = decode_vector(encoded, row / ENCODING_VECTOR, CurrentMemoryContext,
										  values + row, nulls + row);

		CHECK_FOR_INTERRUPTS();
		if (wrong != NULL)
			group_damaged(group, column, wrong);
	}
}

void
read_group(RowGroup *group, int natts, Rows *rows)
{
	uint32		nrows = group->header.nrows;

	rows->first = group->first;
	rows->nrows = nrows;
	rows->natts = natts;
	rows->numbers = NULL;
	if (group_has_gaps(group))
	{
		uint32	   *numbers = palloc(nrows * sizeof(uint32));

		for (uint32 i = 0; i < nrows; i++)
			numbers[i] = (uint32) (group_number(group, i) - group->first);
		rows->numbers = numbers;
	}
	rows->values = palloc(Max(natts, 1) * sizeof(Datum *));
	rows->nulls = palloc(Max(natts, 1) * sizeof(bool *));
	for (int i = 0; i < natts; i++)
	{
		rows->values[i] = palloc(nrows * sizeof(Datum));
		rows->nulls[i] = palloc(nrows);
		read_column(group, i, rows->values[i], rows->nulls[i]);
	}
}
