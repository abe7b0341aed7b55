/*
 * runs.c
 *		Rows in runs, and rows that are NULL.
 *
 * LAYOUT
 *		Runs: their number, a RunStart for each vector but the first, the lengths as
 *		packed integers.  Runs go on over the ends of vectors.
 *		NULLs: nothing, if no row is NULL or all are.  Else for each vector the number
 *		of values before it; then a bit a row, 1 for NULL.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "store/encoding/parts.h"

#define VECTOR ENCODING_VECTOR

/* The number of lengths read at a time on the way to a row. */
#define PIECE 128

/* A multiple of 8 bytes, as each section begins at one. */
typedef struct RunsHeader
{
	uint32		nruns;
	uint32		reserved;
} RunsHeader;

static inline uint32
starts_of(uint32 nrows)
{
	return nrows == 0 ? 0 : (nrows - 1) / VECTOR;
}

void
runs_measure(RunsPlan *plan, const uint64 *lengths, uint32 nruns, uint32 nrows)
{
	*plan = (RunsPlan) {.nruns = nruns, .nrows = nrows, .lengths = lengths};
	packed_measure(&plan->packed, lengths, nruns);
	plan->size = sizeof(RunsHeader) + sizeof(RunStart) * starts_of(nrows) + plan->packed.size;
}

void
runs_write(Output *out, const RunsPlan *plan)
{
	RunsHeader *header = (RunsHeader *) output_add(out, sizeof(RunsHeader) +
												   sizeof(RunStart) * starts_of(plan->nrows));
	RunStart   *start = (RunStart *) (header + 1);
	uint32		row = 0;
	uint32		vector = 1;

	*header = (RunsHeader) {.nruns = plan->nruns};
	for (uint32 run = 0; run < plan->nruns; run++)
	{
		uint32		end = row + (uint32) plan->lengths[run];

		for (; vector * VECTOR < end; vector++)
			*start++ = (RunStart) {.run = run, .row = row};
		row = end;
	}
	packed_write(out, &plan->packed, plan->lengths);
}

const char *
runs_open(RunsReader *reader, Input *in, uint32 nrows)
{
	const RunsHeader *header = (const RunsHeader *) input_take(in, sizeof(RunsHeader));

	*reader = (RunsReader) {.nrows = nrows};
	if (header == NULL)
		return "The header of runs is cut off.";
	if (header->reserved != 0 || header->nruns > nrows || (header->nruns == 0) != (nrows == 0))
		return "The header of runs is damaged.";
	reader->nruns = header->nruns;
	reader->starts = (const RunStart *) input_take(in, sizeof(RunStart) * starts_of(nrows));
	if (reader->starts == NULL)
		return "The directory of runs is cut off.";
	return packed_open(&reader->lengths, in, reader->nruns);
}

const char *
runs_read(const RunsReader *reader, uint32 from, uint32 n, RunsFound *found)
{
	RunStart	at = {0, 0};
	uint32		upto = from + n;

	Assert(n > 0 && n <= VECTOR && from < reader->nrows && n <= reader->nrows - from);
	found->n = 0;
	if (from >= VECTOR)
		at = reader->starts[from / VECTOR - 1];
	if (at.row > from)
		return "The directory of runs leads past a row.";
	while (at.run < reader->nruns)
	{
		uint64		lengths[PIECE];
		uint32		count = Min(PIECE, reader->nruns - at.run);

		packed_read(&reader->lengths, at.run, count, lengths);
		for (uint32 i = 0; i < count; i++, at.run++)
		{
			uint32		row = at.row;

			if (lengths[i] == 0 || lengths[i] > reader->nrows - row)
				return "A run is empty, or longer than the column.";
			at.row += (uint32) lengths[i];
			if (at.row <= from)
				continue;
			if (found->n == 0)
				found->first = at.run;
			found->lengths[found->n++] = Min(at.row, upto) - Max(row, from);
			found->beyond = at.row - Min(at.row, upto);
			if (at.row >= upto)
				return NULL;
		}
	}
	return "The runs end before the rows do.";
}

const char *
runs_verify(const RunsReader *reader)
{
	uint32		row = 0;
	uint32		vector = 1;

	for (uint32 run = 0; run < reader->nruns; run++)
	{
		uint64		length;

		packed_read(&reader->lengths, run, 1, &length);
		if (length == 0 || length > reader->nrows - row)
			return "A run is empty, or longer than the column.";
		for (; vector * VECTOR < row + (uint32) length; vector++)
			if (reader->starts[vector - 1].run != run || reader->starts[vector - 1].row != row)
				return "The directory of runs does not agree with their lengths.";
		row += length;
		if (run % VECTOR == 0)
			CHECK_FOR_INTERRUPTS();
	}
	return row == reader->nrows ? NULL : "The runs end before the rows do.";
}

/* ----------------------------------------------------------------
 * NULLs
 * ----------------------------------------------------------------
 */

static inline Size
bitmap_size(uint32 nrows)
{
	return ((Size) nrows + 7) / 8;
}

uint32
count_values(const bool *nulls, uint32 nrows)
{
	uint32		nvalues = 0;

	for (uint32 row = 0; row < nrows; row++)
		nvalues += !nulls[row];
	return nvalues;
}

void
nulls_write(Output *out, const bool *nulls, uint32 nrows)
{
	uint32	   *ranks = (uint32 *) output_add(out, sizeof(uint32) * vectors_of(nrows));
	uint32		rank = 0;
	uint8	   *bitmap;

	for (uint32 row = 0; row < nrows; row++)
	{
		if (row % VECTOR == 0)
			ranks[row / VECTOR] = rank;
		rank += !nulls[row];
	}
	bitmap = (uint8 *) output_add(out, bitmap_size(nrows));
	memset(bitmap, 0, bitmap_size(nrows));
	for (uint32 row = 0; row < nrows; row++)
		bitmap[row / 8] |= nulls[row] << (row % 8);
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
			break;
		default:
			return "It is not known how NULLs are encoded.";
	}
	if (nvalues >= nrows)
		return "There are as many values as rows, though some are NULL.";
	reader->ranks = (const uint32 *) input_take(in, sizeof(uint32) * vectors_of(nrows));
	if (reader->ranks == NULL)
		return "The directory of NULLs is cut off.";
	reader->bitmap = (const uint8 *) input_pass(in, bitmap_size(nrows));
	return reader->bitmap != NULL ? NULL : "The bitmap of NULLs is cut off.";
}

const char *
nulls_read(const NullsReader *reader, uint32 vector, uint32 n, bool *nulls, uint32 *before, uint32 *count)
{
	uint32		limit = reader->nvalues;
	const uint8 *bitmap;

	if (reader->form != NULLS_BITMAP)
	{
		bool		all = reader->form == NULLS_ALL;

		memset(nulls, all, n);
		*before = all ? 0 : vector * VECTOR;
		*count = all ? 0 : n;
		return NULL;
	}
	/* Reads the bits of a vector, byte by byte as far as whole bytes go. */
	bitmap = reader->bitmap + (Size) vector * VECTOR / 8;
	need_bytes(reader->bytes, (const char *) bitmap, bitmap_size(n));
	for (uint32 row = 0; row < n / 8 * 8; row += 8)
		for (int bit = 0; bit < 8; bit++)
			nulls[row + bit] = (bitmap[row / 8] >> bit) & 1;
	for (uint32 row = n / 8 * 8; row < n; row++)
		nulls[row] = (bitmap[row / 8] >> (row % 8)) & 1;
	*before = reader->ranks[vector];
	*count = count_values(nulls, n);
	if (vector + 1 < vectors_of(reader->nrows))
		limit = reader->ranks[vector + 1];
	if (*before > limit || limit > reader->nvalues || *count > limit - *before ||
		(n == vector_length(reader->nrows, vector) && *count != limit - *before))
		return "The directory of NULLs does not agree with them.";
	return NULL;
}
