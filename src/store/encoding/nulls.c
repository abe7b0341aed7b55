/*
 * nulls.c
 *		The rows that are NULL, and the number of values before a row.
 *
 * LAYOUT
 *		Nothing, if no row is NULL or all are.  Else for each vector the number of
 *		values before it; then a bit a row, 1 for NULL, or a word that says whether
 *		the first run is one of NULLs, and the runs, which take turns.
 */
#include "postgres.h"

#include "store/encoding/nulls.h"

#define VECTOR ENCODING_VECTOR

static inline Size
bitmap_size(uint32 nrows)
{
	return ((Size) nrows + 7) / 8;
}

/* ----------------------------------------------------------------
 * Writing
 * ----------------------------------------------------------------
 */

static uint32
count_values(const bool *nulls, uint32 nrows)
{
	uint32		nvalues = 0;

	for (uint32 row = 0; row < nrows; row++)
		nvalues += !nulls[row];
	return nvalues;
}

/* Runs of rows that are NULL and of rows that are not, in turn. */
static uint64 *
find_turns(const bool *nulls, uint32 nrows, uint32 *nruns)
{
	uint64	   *lengths;
	uint32		n = 1;
	uint32		start = 0;

	for (uint32 row = 1; row < nrows; row++)
		n += nulls[row] != nulls[row - 1];
	lengths = palloc(sizeof(uint64) * n);
	*nruns = n;
	n = 0;
	for (uint32 row = 1; row <= nrows; row++)
		if (row == nrows || nulls[row] != nulls[row - 1])
		{
			lengths[n++] = row - start;
			start = row;
		}
	return lengths;
}

void
nulls_measure(NullsPlan *plan, const bool *nulls, uint32 nrows)
{
	*plan = (NullsPlan) {.nrows = nrows, .nvalues = nrows, .nulls = nulls};
	if (nulls != NULL)
		plan->nvalues = count_values(nulls, nrows);
	if (plan->nvalues == nrows)
		plan->form = NULLS_NONE;
	else if (plan->nvalues == 0)
		plan->form = NULLS_ALL;
	else
	{
		uint32		nruns;
		uint64	   *lengths = find_turns(nulls, nrows, &nruns);

		runs_measure(&plan->runs, lengths, nruns, nrows);
		plan->form = plan->runs.size < bitmap_size(nrows) ? NULLS_RUNS : NULLS_BITMAP;
	}
}

/* Writes for each vector the number of values before it. */
static void
write_ranks(Output *out, const NullsPlan *plan)
{
	uint32	   *ranks = (uint32 *) output_add(out, sizeof(uint32) * vectors_of(plan->nrows));
	uint32		rank = 0;

	for (uint32 row = 0; row < plan->nrows; row++)
	{
		if (row % VECTOR == 0)
			ranks[row / VECTOR] = rank;
		rank += !plan->nulls[row];
	}
}

static void
write_bitmap(Output *out, const NullsPlan *plan)
{
	uint8	   *bitmap = (uint8 *) output_add(out, bitmap_size(plan->nrows));

	memset(bitmap, 0, bitmap_size(plan->nrows));
	for (uint32 row = 0; row < plan->nrows; row++)
		bitmap[row / 8] |= plan->nulls[row] << (row % 8);
}

void
nulls_write(Output *out, const NullsPlan *plan)
{
	if (plan->form == NULLS_NONE || plan->form == NULLS_ALL)
		return;
	write_ranks(out, plan);
	if (plan->form == NULLS_BITMAP)
		write_bitmap(out, plan);
	else
	{
		*(uint64 *) output_add(out, sizeof(uint64)) = plan->nulls[0];
		runs_write(out, &plan->runs);
	}
}

/* ----------------------------------------------------------------
 * Reading
 * ----------------------------------------------------------------
 */

/* Opens the runs, which are NULL and not NULL by turns; returns an error message, or NULL. */
static const char *
open_turns(NullsReader *reader, Input *in)
{
	const uint64 *begins = (const uint64 *) input_take(in, sizeof(uint64));

	if (begins == NULL || *begins > 1)
		return "It is not known whether the first rows are NULL.";
	reader->begins = *begins != 0;
	return runs_open(&reader->runs, in, reader->nrows);
}

const char *
nulls_open(NullsReader *reader, Input *in, NullsForm form, uint32 nrows, uint32 nvalues)
{
	*reader = (NullsReader) {.bytes = in->bytes, .form = form, .nrows = nrows, .nvalues = nvalues};
	switch (form)
	{
		case NULLS_NONE:
			return nvalues == nrows ? NULL : "There are not as many values as rows.";
		case NULLS_ALL:
			return nvalues == 0 ? NULL : "There are values, though all rows are NULL.";
		case NULLS_BITMAP:
		case NULLS_RUNS:
			break;
		default:
			return "It is not known how NULLs are encoded.";
	}
	if (nvalues >= nrows)
		return "There are as many values as rows, though some are NULL.";
	reader->ranks = (const uint32 *) input_take(in, sizeof(uint32) * vectors_of(nrows));
	if (reader->ranks == NULL)
		return "The directory of NULLs is cut off.";
	if (form == NULLS_RUNS)
		return open_turns(reader, in);
	reader->bitmap = (const uint8 *) input_pass(in, bitmap_size(nrows));
	return reader->bitmap != NULL ? NULL : "The bitmap of NULLs is cut off.";
}

/* Reads the bits of a vector, byte by byte as far as whole bytes go. */
static void
read_bitmap(const NullsReader *reader, uint32 vector, uint32 n, bool *nulls)
{
	const uint8 *bitmap = reader->bitmap + (Size) vector * VECTOR / 8;

	need_bytes(reader->bytes, (const char *) bitmap, bitmap_size(n));
	for (uint32 row = 0; row < n / 8 * 8; row += 8)
		for (int bit = 0; bit < 8; bit++)
			nulls[row + bit] = (bitmap[row / 8] >> bit) & 1;
	for (uint32 row = n / 8 * 8; row < n; row++)
		nulls[row] = (bitmap[row / 8] >> (row % 8)) & 1;
}

/* Reads NULLs that are stored as runs, which are of NULLs and of values in turn. */
static const char *
read_turns(const NullsReader *reader, uint32 vector, uint32 n, bool *nulls)
{
	RunsFound	found;
	const char *error = runs_read(&reader->runs, vector * VECTOR, n, &found);
	bool	   *at = nulls;

	if (error != NULL)
		return error;
	for (uint32 i = 0; i < found.n; i++)
	{
		memset(at, reader->begins ^ ((found.first + i) & 1), found.lengths[i]);
		at += found.lengths[i];
	}
	return NULL;
}

const char *
nulls_read(const NullsReader *reader, uint32 vector, uint32 n, bool *nulls, uint32 *before,
		   uint32 *count)
{
	uint32		limit = reader->nvalues;
	const char *error = NULL;

	if (reader->form == NULLS_NONE || reader->form == NULLS_ALL)
	{
		bool		all = reader->form == NULLS_ALL;

		memset(nulls, all, n);
		*before = all ? 0 : vector * VECTOR;
		*count = all ? 0 : n;
		return NULL;
	}
	if (reader->form == NULLS_RUNS)
		error = read_turns(reader, vector, n, nulls);
	else
		read_bitmap(reader, vector, n, nulls);
	if (error != NULL)
		return error;
	*before = reader->ranks[vector];
	*count = count_values(nulls, n);
	if (vector + 1 < vectors_of(reader->nrows))
		limit = reader->ranks[vector + 1];
	if (*before > limit || limit > reader->nvalues || *count > limit - *before)
		return "The directory of NULLs does not agree with them.";
	if (n == vector_length(reader->nrows, vector) && *count != limit - *before)
		return "The directory of NULLs does not agree with them.";
	return NULL;
}
