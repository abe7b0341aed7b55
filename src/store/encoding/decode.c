/*
 * decode.c
 *		A column back from its bytes.
 *
 * NOTES
 *		What says where things are is checked when a column is opened, in a time that
 *		goes with the number of vectors; what is said of single rows, when they are
 *		decoded.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "store/encoding/parts.h"
#include "utils/memutils.h"

#define VECTOR ENCODING_VECTOR

struct EncodedColumn
{
	ColumnShape shape;
	EncodedBytes bytes;
	uint32		nrows;
	uint32		nvalues;
	NullsReader nulls;
	Repeats		repeats;
	RunsReader	runs;

	/* The values that are stored: all, or the dictionary's */
	PackedReader numbers;
	ItemsReader items;
	bool		has_dictionary;
	PackedReader codes;
	uint32		nentries;
	MemoryContext context;		/* of what is kept of these: */
	Datum	   *entries;		/* owned; [nentries], NULL until needed */
	bool		has_only;		/* is the one value of REPEATS_ALL read? */
	Datum		only;
};

/* ----------------------------------------------------------------
 * Opening
 * ----------------------------------------------------------------
 */

/* Opens the values, and the runs where there is one value for each run. */
static const char *
open_values(EncodedColumn *column, Input *in)
{
	uint32		n = column->nvalues;
	const uint64 *nentries;
	const char *error = NULL;

	if (column->repeats == REPEATS_ALL)
		n = 1;
	else if (column->repeats == REPEATS_RUNS)
	{
		if ((error = runs_open(&column->runs, in, column->nvalues)) != NULL)
			return error;
		n = column->runs.nruns;
	}
	if (column->has_dictionary)
	{
		nentries = (const uint64 *) input_take(in, sizeof(uint64));
		if (nentries == NULL || *nentries == 0 || *nentries > n)
			return "The dictionary has no entries, or more than there are values.";
		if ((error = packed_open(&column->codes, in, n)) != NULL)
			return error;
		n = column->nentries = *nentries;
	}
	return column->shape.typbyval ? packed_open(&column->numbers, in, n) :
		items_open(&column->items, in, &column->shape, n);
}

/* Opens a column's sections in the order in which they were written. Returns NULL, or the damage. */
static const char *
open_sections(EncodedColumn *column)
{
	Input		in = {.bytes = &column->bytes};
	const ColumnHeader *header = (const ColumnHeader *) input_take(&in, sizeof(ColumnHeader));
	const char *error;

	if (header == NULL)
		return "The column is cut off.";
	if (header->version != COLUMN_VERSION)
		return "The column is of a version that is not known.";
	if (header->repeats > REPEATS_RUNS || header->has_dictionary > 1 || header->nvalues > column->nrows)
		return "The column's header is damaged.";
	column->nvalues = header->nvalues;
	column->repeats = header->repeats;
	column->has_dictionary = header->has_dictionary != 0;
	error = nulls_open(&column->nulls, &in, header->nulls, column->nrows, column->nvalues);
	if (error == NULL && column->nvalues > 0)
		error = open_values(column, &in);
	if (error == NULL && in.at != column->bytes.length)
		error = "There is more than the column takes.";
	return error;
}

const char *
open_column(const ColumnShape *shape, const EncodedBytes *bytes, uint32 nrows, EncodedColumn **column)
{
	if (nrows > ENCODING_MAX_ROWS)
		return "There are more rows than a column may have.";
	if (!shape_is_known(shape))
		return "The column's type has a length or alignment that is not known.";
	if ((uintptr_t) bytes->data % MAXIMUM_ALIGNOF != 0)
		return "The column is not aligned.";
	*column = palloc0(sizeof(EncodedColumn));
	(*column)->shape = *shape;
	(*column)->bytes = *bytes;
	(*column)->nrows = nrows;
	(*column)->context = CurrentMemoryContext;
	return open_sections(*column);
}

/* ----------------------------------------------------------------
 * Stored values
 * ----------------------------------------------------------------
 */

/* Reads some of the values that are stored; of integers, at most a vector. */
static const char *
read_stored(const EncodedColumn *column, uint32 from, uint32 n, MemoryContext context, Datum *values)
{
	uint64		numbers[VECTOR];

	if (!column->shape.typbyval)
		return items_read(&column->items, from, n, context, values);
	Assert(n <= VECTOR);
	packed_read(&column->numbers, from, n, numbers);
	for (uint32 i = 0; i < n; i++)
		values[i] = (Datum) numbers[i];
	return NULL;
}

/* Reads some codes, at most a vector. */
static const char *
read_codes(const EncodedColumn *column, uint32 from, uint32 n, uint64 *codes)
{
	uint64		highest = 0;

	packed_read(&column->codes, from, n, codes);
	for (uint32 i = 0; i < n; i++)
		highest = Max(highest, codes[i]);
	return highest >= column->nentries ? "A code is not in the dictionary." : NULL;
}

/* Reads the dictionary, which is kept. */
static const char *
open_dictionary(EncodedColumn *column)
{
	Datum	   *entries;

	if (column->entries != NULL)
		return NULL;
	entries = MemoryContextAlloc(column->context, sizeof(Datum) * column->nentries);
	for (uint32 from = 0; from < column->nentries; from += VECTOR)
	{
		const char *error = read_stored(column, from, Min(VECTOR, column->nentries - from), column->context, entries + from);

		if (error != NULL)
			return error;
	}
	column->entries = entries;
	return NULL;
}

/* Reads some values, at most a vector, of those that NULLs and runs leave; the context takes what is made for them alone. */
static const char *
read_values(EncodedColumn *column, uint32 from, uint32 n, MemoryContext context, Datum *values)
{
	uint64		codes[VECTOR];
	const char *error;

	if (!column->has_dictionary)
		return read_stored(column, from, n, context, values);
	error = open_dictionary(column);
	if (error == NULL)
		error = read_codes(column, from, n, codes);
	for (uint32 i = 0; i < n && error == NULL; i++)
		values[i] = column->entries[codes[i]];
	return error;
}

/* ----------------------------------------------------------------
 * Decoding
 * ----------------------------------------------------------------
 */

static inline void
fill(Datum *values, uint32 n, Datum value)
{
	for (uint32 i = 0; i < n; i++)
		values[i] = value;
}

/* Decodes values that are stored once for each run. */
static const char *
decode_runs(EncodedColumn *column, uint32 from, uint32 n, MemoryContext context, Datum *values)
{
	Datum		of_runs[VECTOR];
	RunsFound	found;
	const char *error = runs_read(&column->runs, from, n, &found);

	if (error == NULL)
		error = read_values(column, found.first, found.n, context, of_runs);
	if (error != NULL)
		return error;
	for (uint32 i = 0; i < found.n; i++)
	{
		fill(values, found.lengths[i], of_runs[i]);
		values += found.lengths[i];
	}
	return NULL;
}

/* Decodes some of those that are not NULL. */
static const char *
decode_values(EncodedColumn *column, uint32 from, uint32 n, MemoryContext context, Datum *values)
{
	const char *error;

	if (n == 0)
		return NULL;
	if (column->repeats == REPEATS_NONE)
		return read_values(column, from, n, context, values);
	if (column->repeats == REPEATS_RUNS)
		return decode_runs(column, from, n, context, values);
	error = read_values(column, 0, 1, context, values);
	if (error == NULL)
		fill(values + 1, n - 1, values[0]);
	return error;
}

/* Moves the first count values to the rows that have one, from the end on. */
static void
spread(Datum *values, const bool *nulls, uint32 n, uint32 count)
{
	if (count == n || count == 0)
	{
		memset(values, 0, sizeof(Datum) * (n - count));
		return;
	}
	/* Without a branch, since NULLs cannot be predicted; the first value is met last. */
	while (n-- > 0)
	{
		Datum		value = values[count - 1];

		values[n] = nulls[n] ? (Datum) 0 : value;
		count -= !nulls[n] & (count > 1);
	}
}

const char *
decode_vector(EncodedColumn *column, uint32 vector, MemoryContext context, Datum *values, bool *nulls)
{
	uint32		n = vector_length(column->nrows, vector);
	uint32		before;
	uint32		count;
	const char *error;

	Assert(vector < vectors_of(column->nrows));
	error = nulls_read(&column->nulls, vector, n, nulls, &before, &count);
	if (error == NULL)
		error = decode_values(column, before, count, context, values);
	if (error == NULL)
		spread(values, nulls, n, count);
	return error;
}

const char *
decode_run(EncodedColumn *column, uint32 row, MemoryContext context, Datum *value, bool *isnull, uint32 *length)
{
	uint32		i = row;		/* among the values */
	uint64		code;
	const char *error;

	Assert(row < column->nrows);
	*value = 0;
	*length = column->nrows - row;
	*isnull = column->nulls.form == NULLS_ALL;
	if (column->nulls.form == NULLS_BITMAP)
	{
		bool		nulls[VECTOR];
		uint32		before;
		uint32		count;

		error = nulls_read(&column->nulls, row / VECTOR, row % VECTOR + 1, nulls, &before, &count);
		if (error != NULL)
			return error;
		*isnull = nulls[row % VECTOR];
		*length = 1;
		i = before + count - 1;
	}
	if (*isnull)
		return NULL;
	if (column->repeats == REPEATS_ALL)
		i = 0;
	else if (column->repeats == REPEATS_RUNS)
	{
		RunsFound	found;

		error = runs_read(&column->runs, i, 1, &found);
		if (error != NULL)
			return error;
		i = found.first;
		*length = Min(*length, found.beyond + 1);
	}
	else
		*length = 1;
	/* One value, without keeping anything of the dictionary */
	code = i;
	error = column->has_dictionary ? read_codes(column, i, 1, &code) : NULL;
	return error != NULL ? error : read_stored(column, code, 1, context, value);
}

/* ----------------------------------------------------------------
 * Codes
 * ----------------------------------------------------------------
 */

bool
column_has_codes(const EncodedColumn *column)
{
	return column->nvalues == 0 || column->repeats != REPEATS_NONE || column->has_dictionary;
}

/* The codes of values that are stored once for each run: the dictionary's, or, without one, the run's place among them. */
static const char *
code_runs(EncodedColumn *column, uint32 from, uint32 n, MemoryContext context, CodedVector *coded)
{
	uint64		of_runs[VECTOR];
	uint32	   *at = coded->codes;
	RunsFound	found;
	const char *error = runs_read(&column->runs, from, n, &found);

	if (error != NULL)
		return error;
	if (coded->lasting)
		error = read_codes(column, found.first, found.n, of_runs);
	else
	{
		error = read_values(column, found.first, found.n, context, coded->values + 1);
		coded->ncodes = found.n + 1;
	}
	for (uint32 run = 0; run < found.n && error == NULL; run++)
	{
		uint32		code = (coded->lasting ? (uint32) of_runs[run] : run) + 1;

		for (uint32 i = 0; i < found.lengths[run]; i++)
			*at++ = code;
	}
	return error;
}

/* The codes of some of the values that are not NULL. */
static const char *
code_values(EncodedColumn *column, uint32 from, uint32 n, MemoryContext context, CodedVector *coded)
{
	uint64		codes[VECTOR];
	const char *error;

	coded->lasting = column->repeats != REPEATS_RUNS || column->has_dictionary;
	coded->ncodes = column->has_dictionary ? column->nentries + 1 : 2;
	if (n == 0)
		return NULL;
	if (column->repeats == REPEATS_RUNS)
		return code_runs(column, from, n, context, coded);
	if (column->repeats == REPEATS_ALL)
	{
		for (uint32 i = 0; i < n; i++)
			coded->codes[i] = 1;
		return NULL;
	}
	error = read_codes(column, from, n, codes);
	for (uint32 i = 0; i < n && error == NULL; i++)
		coded->codes[i] = (uint32) codes[i] + 1;
	return error;
}

const char *
decode_codes(EncodedColumn *column, uint32 vector, MemoryContext context, CodedVector *coded)
{
	uint32		n = vector_length(column->nrows, vector);
	bool		nulls[VECTOR];
	uint32		before;
	uint32		count;
	const char *error = nulls_read(&column->nulls, vector, n, nulls, &before, &count);

	Assert(column_has_codes(column));
	if (error == NULL)
		error = code_values(column, before, count, context, coded);
	if (error != NULL || count == n)
		return error;
	/* Codes move to their rows from the end on, like values in spread(). */
	while (n-- > 0)
		coded->codes[n] = nulls[n] ? 0 : coded->codes[--count];
	return NULL;
}

const char *
value_of_code(EncodedColumn *column, uint32 code, Datum *value)
{
	const char *error = NULL;

	if (column->repeats != REPEATS_ALL)
	{
		if ((error = open_dictionary(column)) == NULL)
			*value = column->entries[code - 1];
		return error;
	}
	if (!column->has_only)
		error = read_values(column, 0, 1, column->context, &column->only);
	column->has_only = error == NULL;
	*value = column->only;
	return error;
}

/* ----------------------------------------------------------------
 * Looking
 * ----------------------------------------------------------------
 */

const char *
verify_column(EncodedColumn *column, MemoryContext scratch)
{
	const char *error = NULL;

	if (column->nvalues > 0 && column->repeats == REPEATS_RUNS)
		error = runs_verify(&column->runs);
	if (error == NULL && column->nvalues > 0 && !column->shape.typbyval)
		error = items_verify(&column->items, scratch);
	for (uint32 vector = 0; error == NULL && vector < vectors_of(column->nrows); vector++)
	{
		Datum		values[VECTOR];
		bool		nulls[VECTOR];

		error = decode_vector(column, vector, scratch, values, nulls);
		MemoryContextReset(scratch);
		CHECK_FOR_INTERRUPTS();
	}
	return error;
}

const char *
encoding_name(const EncodedColumn *column)
{
	/* One for each way in which values repeat. */
	static const char *const dictionary[] = {"dictionary", "constant", "runs of dictionary"};
	static const char *const packed[] = {"packed", "constant", "runs of packed"};
	static const char *const plain[] = {"plain", "constant", "runs of plain"};
	static const char *const compressed[] = {"compressed", "constant", "runs of compressed"};

	if (column->nrows == 0)
		return "empty";
	if (column->nvalues == 0)
		return "all null";
	if (column->has_dictionary)
		return dictionary[column->repeats];
	if (column->shape.typbyval)
		return packed[column->repeats];
	return column->items.is_compressed ? compressed[column->repeats] : plain[column->repeats];
}
