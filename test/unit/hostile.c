/*
 * hostile.c
 *		Does to bytes that may be anything all that can be done to a column.
 */
#include "shim.h"

#include "columns.h"
#include "hostile.h"

#include <stdlib.h>
#include <string.h>

/* Beside what is decompressed, which may be so many times what it was. */
#define MOST_MEMORY (UINT64CONST(16) * 1024 * 1024)
#define MOST_EXPANSION (UINT64CONST(64) * 1024)

#define ROWS_TRIED 20

static uint64 sum;

/* Whoever brings bytes trusts that only such are asked for as there are. */
static void
look_at_range(void *arg, Size from, Size upto)
{
	if (from > upto || upto > ((const EncodedBytes *) arg)->length)
		abort();
}

static void
decode_some_rows(const ColumnShape *shape, EncodedColumn *column, uint32 nrows, MemoryContext scratch)
{
	for (uint32 i = 0; i < ROWS_TRIED && nrows > 0; i++)
	{
		uint32		row = (uint64) nrows * i / ROWS_TRIED;
		Datum		value;
		bool		null;
		uint32		length;

		if (decode_run(column, row, scratch, &value, &null, &length) == NULL)
		{
			if (length == 0 || length > nrows - row)
				abort();
			if (!null)
				sum += touch_datum(shape, value);
		}
		MemoryContextReset(scratch);
	}
}

static void
decode_all_vectors(const ColumnShape *shape, EncodedColumn *column, uint32 nrows, MemoryContext scratch)
{
	for (uint32 from = 0; from < nrows; from += ENCODING_VECTOR)
	{
		uint32		n = Min(ENCODING_VECTOR, nrows - from);
		Datum	   *values = palloc(sizeof(Datum) * n);
		bool	   *nulls = palloc(n);
		const char *error = decode_vector(column, from / ENCODING_VECTOR, scratch, values, nulls);

		for (uint32 i = 0; error == NULL && i < n; i++)
			if (!nulls[i])
			{
				if (!stands_well(shape, values[i]))
					abort();
				sum += touch_datum(shape, values[i]);
			}
		pfree(values);
		pfree(nulls);
		MemoryContextReset(scratch);
	}
}

static void
decode_all_codes(const ColumnShape *shape, EncodedColumn *column, uint32 nrows, MemoryContext scratch)
{
	CodedVector *coded = palloc(sizeof(CodedVector));

	for (uint32 from = 0; from < nrows && column_has_codes(column); from += ENCODING_VECTOR)
	{
		const char *error = decode_codes(column, from / ENCODING_VECTOR, scratch, coded);

		for (uint32 i = 0; error == NULL && i < Min(ENCODING_VECTOR, nrows - from); i++)
		{
			uint32		code = coded->codes[i];
			Datum		value;

			if (code >= coded->ncodes)
				abort();
			if (code == 0)
				continue;
			if (!coded->lasting)
				value = coded->values[code];
			else if (value_of_code(column, code, &value) != NULL)
				continue;
			sum += touch_datum(shape, value);
		}
		MemoryContextReset(scratch);
	}
	pfree(coded);
}

bool
decode_anything(const ColumnShape *shape, const char *bytes, Size length, uint32 nrows)
{
	MemoryContext outer = CurrentMemoryContext;
	MemoryContext context = AllocSetContextCreate(outer, "column", ALLOCSET_DEFAULT_SIZES);
	MemoryContext scratch = AllocSetContextCreate(context, "scratch", ALLOCSET_DEFAULT_SIZES);
	uint64		before = shim_allocated_peak = shim_allocated;
	EncodedColumn *column;
	EncodedBytes placed;
	bool		opened;

	CurrentMemoryContext = context;
	placed = place_bytes(bytes, length);
	placed.need = look_at_range;
	placed.arg = &placed;
	opened = open_column(shape, &placed, nrows, &column) == NULL;
	if (opened)
	{
		(void) encoding_name(column);
		decode_some_rows(shape, column, nrows, scratch);
		decode_all_vectors(shape, column, nrows, scratch);
		decode_all_codes(shape, column, nrows, scratch);
		(void) verify_column(column, scratch);
		decode_some_rows(shape, column, nrows, scratch);
	}
	CurrentMemoryContext = outer;
	MemoryContextDelete(context);
	if (shim_allocated_peak - before > MOST_MEMORY + length * MOST_EXPANSION)
		abort();
	return opened;
}
