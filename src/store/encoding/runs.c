/*
 * runs.c
 *		Rows in runs: how long each is, and which run a row is in.
 *
 * LAYOUT
 *		The number of runs, a RunStart for each vector but the first, the lengths as
 *		packed integers.  Runs go on over the ends of vectors.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "store/encoding/runs.h"

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
	packed_measure(&plan->packed, lengths, nruns, PACKED_COUNTS);
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
	const char *error;

	*reader = (RunsReader) {.nrows = nrows};
	if (header == NULL)
		return "The header of runs is cut off.";
	if (header->reserved != 0 || header->nruns > nrows || (header->nruns == 0) != (nrows == 0))
		return "The header of runs is damaged.";
	reader->nruns = header->nruns;
	reader->starts = (const RunStart *) input_take(in, sizeof(RunStart) * starts_of(nrows));
	if (reader->starts == NULL)
		return "The directory of runs is cut off.";
	error = packed_open(&reader->lengths, in, reader->nruns);
	if (error == NULL && packed_has_steps(&reader->lengths))
		error = "Lengths of runs are packed as steps.";
	return error;
}

/* Keeps the part of a run that lies in the rows asked for; true if the last of them was in it. */
static bool
keep_part(RunsFound *found, uint32 run, uint32 row, uint32 end, uint32 from, uint32 upto)
{
	if (end <= from)
		return false;
	if (found->n == 0)
		found->first = run;
	found->lengths[found->n++] = Min(end, upto) - Max(row, from);
	found->beyond = end > upto ? end - upto : 0;
	return end >= upto;
}

const char *
runs_read(const RunsReader *reader, uint32 from, uint32 n, RunsFound *found)
{
	RunStart	at = {0, 0};

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
		for (uint32 i = 0; i < count; i++)
		{
			uint32		end = at.row + (uint32) lengths[i];

			if (lengths[i] == 0 || lengths[i] > reader->nrows - at.row)
				return "A run is empty, or longer than the column.";
			if (keep_part(found, at.run, at.row, end, from, from + n))
				return NULL;
			at.run++;
			at.row = end;
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
