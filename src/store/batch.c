/*
 * batch.c
 *		Vectors of columns, decoded when they are asked for.  See batch.h.
 */
#include "postgres.h"

#include "store/batch.h"

#include "access/htup_details.h"
#include "utils/memutils.h"

/* The most integers, from the least to the greatest, that are taken for codes. */
#define MOST_RANGED 4096

Batch *
make_batch(TupleTableSlot *slot, const int *columns, int ncolumns)
{
	Batch	   *batch = palloc0(sizeof(Batch));

	batch->desc = slot->tts_tupleDescriptor;
	batch->slot = slot;
	batch->ncolumns = ncolumns;
	batch->columns = palloc0(Max(ncolumns, 1) * sizeof(BatchColumn));
	batch->context = AllocSetContextCreate(CurrentMemoryContext, "a vector of rows", ALLOCSET_DEFAULT_SIZES);
	for (int i = 0; i < ncolumns; i++)
	{
		BatchColumn *column = &batch->columns[i];

		column->column = columns[i];
		column->order = order_of_type(TupleDescAttr(batch->desc, columns[i])->atttypid);
		column->coded = palloc(sizeof(CodedVector));
		column->values = palloc(ENCODING_VECTOR * sizeof(Datum));
		column->nulls = palloc(ENCODING_VECTOR * sizeof(bool));
	}
	return batch;
}

void
batch_enter(Batch *batch, uint32 nrows)
{
	batch->group = cursor_group(batch->cursor);
	batch->nrows = nrows;
	for (int i = 0; i < batch->ncolumns; i++)
		batch->columns[i].opened = false;
}

/* Rows in memory go through the slot, one by one: there are few of them. */
static void
take_rows_in_memory(Batch *batch)
{
	for (uint32 row = 0; row < batch->n; row++)
	{
		cursor_row_in_memory(batch->cursor, batch->vector * ENCODING_VECTOR + row, batch->slot);
		for (int i = 0; i < batch->ncolumns; i++)
		{
			BatchColumn *column = &batch->columns[i];

			column->values[row] = batch->slot->tts_values[column->column];
			column->nulls[row] = batch->slot->tts_isnull[column->column];
		}
	}
}

void
batch_go(Batch *batch, uint32 vector)
{
	batch->vector = vector;
	batch->n = Min(batch->nrows - vector * ENCODING_VECTOR, ENCODING_VECTOR);
	MemoryContextReset(batch->context);
	for (int i = 0; i < batch->ncolumns; i++)
		batch->columns[i].has_codes = batch->columns[i].has_values = false;
	if (batch->group == NULL)
		take_rows_in_memory(batch);
}

uint32
batch_rows(const Batch *batch, uint16 *rows)
{
	for (uint32 i = 0; i < batch->n; i++)
		rows[i] = i;
	return batch->n;
}

/* ----------------------------------------------------------------
 * Columns
 * ----------------------------------------------------------------
 */

/* Do the column's bounds leave room for few integers only? */
static void
look_at_range(const RowGroup *group, BatchColumn *column)
{
	Datum		least;
	Datum		greatest;

	column->ranged = column->order == ORDER_INTEGER &&
		group_bounds(group, column->column, ORDER_INTEGER, &least, &greatest) &&
		DatumGetInt64(least) <= DatumGetInt64(greatest) && greatest - least < MOST_RANGED;
	if (!column->ranged)
		return;
	column->least = DatumGetInt64(least);
	column->coded->lasting = true;
	column->coded->ncodes = greatest - least + 2;
}

/* Finds out where the column's values are in the current group, and brings all of their bytes at once. */
static void
open_in_group(Batch *batch, BatchColumn *column)
{
	RowGroup   *group = batch->group;
	const char *wrong;

	column->opened = true;
	column->fixed = column->ranged = false;
	column->encoded = NULL;
	if (column->column < group->header.natts)
	{
		const ColumnEntry *entry = &group->columns[column->column];

		if ((wrong = load_bytes(group, entry->offset, entry->offset + entry->length)) != NULL)
			group_damaged(group, column->column, wrong);
		column->encoded = group_column(group, column->column);
		column->isnull = true;
		column->value = 0;
	}
	else
		column->value = getmissingattr(batch->desc, column->column + 1, &column->isnull);
	column->fixed = column->encoded == NULL;
	if (column->encoded != NULL && !column_has_codes(column->encoded))
		look_at_range(group, column);
}

static void
need_opened(Batch *batch, BatchColumn *column)
{
	if (!column->opened)
		open_in_group(batch, column);
}

/* Integers by their distance from the least; bounds that do not hold are damage. */
static void
code_by_range(Batch *batch, int i)
{
	BatchColumn *column = &batch->columns[i];
	CodedVector *coded = column->coded;
	uint64		farthest = 0;

	batch_values(batch, i);
	for (uint32 row = 0; row < batch->n; row++)
	{
		uint64		distance = column->nulls[row] ? 0 : column->values[row] - (Datum) column->least + 1;

		farthest = Max(farthest, distance);
		coded->codes[row] = (uint32) distance;
	}
	if (farthest >= coded->ncodes)
		group_damaged(batch->group, column->column, "A value lies outside of its bounds.");
}

/* One code for all rows. */
static void
code_fixed(const Batch *batch, BatchColumn *column)
{
	CodedVector *coded = column->coded;

	coded->lasting = true;
	coded->ncodes = 2;
	for (uint32 row = 0; row < batch->n; row++)
		coded->codes[row] = column->isnull ? 0 : 1;
}

const CodedVector *
batch_codes(Batch *batch, int i)
{
	BatchColumn *column = &batch->columns[i];
	const char *wrong = NULL;

	if (batch->group == NULL)
		return NULL;
	need_opened(batch, column);
	if (column->encoded != NULL && !column->ranged && !column_has_codes(column->encoded))
		return NULL;
	if (column->has_codes)
		return column->coded;
	if (column->fixed)
		code_fixed(batch, column);
	else if (column->ranged)
		code_by_range(batch, i);
	else
		wrong = decode_codes(column->encoded, batch->vector, batch->context, column->coded);
	if (wrong != NULL)
		group_damaged(batch->group, column->column, wrong);
	column->has_codes = true;
	return column->coded;
}

Datum
batch_value_of_code(Batch *batch, int i, uint32 code, bool *isnull)
{
	BatchColumn *column = &batch->columns[i];
	const char *wrong;
	Datum		value;

	*isnull = code == 0;
	if (code == 0)
		return (Datum) 0;
	if (column->fixed)
		return column->value;
	if (column->ranged)
		return (Datum) (column->least + code - 1);
	if (!column->coded->lasting)
		return column->coded->values[code];
	wrong = value_of_code(column->encoded, code, &value);
	if (wrong != NULL)
		group_damaged(batch->group, column->column, wrong);
	return value;
}

void
batch_values(Batch *batch, int i)
{
	BatchColumn *column = &batch->columns[i];
	const char *wrong;

	if (batch->group == NULL || column->has_values)
		return;
	need_opened(batch, column);
	if (column->fixed)
		for (uint32 row = 0; row < batch->n; row++)
		{
			column->values[row] = column->value;
			column->nulls[row] = column->isnull;
		}
	else
	{
		wrong = decode_vector(column->encoded, batch->vector, batch->context, column->values, column->nulls);
		if (wrong != NULL)
			group_damaged(batch->group, column->column, wrong);
	}
	column->has_values = true;
}
