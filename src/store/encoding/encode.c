/*
 * encode.c
 *		A column as bytes: in what form it takes least.
 *
 * NOTES
 *		Three questions are answered one after the other, each by counting what the
 *		answers would take, not by writing them all: where NULLs are, whether values
 *		stand in runs, and whether a dictionary is worth it.  Only what is left then
 *		as items is looked at for compressing.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "store/encoding/column.h"
#include "utils/memutils.h"

/* Runs that are as long as this on average are taken as they are. */
#define LONG_RUN 16

typedef struct ColumnPlan
{
	NullsPlan	nulls;
	Repeats		repeats;
	RunsPlan	runs;
	SequencePlan *sequence;		/* owned */
} ColumnPlan;

/* The values of the rows that are not NULL. */
static Values
take_values(const ColumnShape *shape, const Datum *datums, const NullsPlan *nulls)
{
	Values		values = values_create(shape, nulls->nvalues);
	uint32		n = 0;

	for (uint32 row = 0; n < nulls->nvalues; row++)
		if (nulls->form == NULLS_NONE || !nulls->nulls[row])
			values_set(&values, n++, datums[row]);
	return values;
}

static inline bool
same_as_before(const Values *values, uint32 i)
{
	return values->numbers != NULL ? values->numbers[i] == values->numbers[i - 1] :
		items_equal(&values->items[i], &values->items[i - 1]);
}

/* Finds the runs of at least one value; lengths has room for as many as there are values. */
static uint32
find_runs(const Values *values, uint64 *lengths)
{
	uint32		nruns = 0;
	uint32		start = 0;

	for (uint32 i = 1; i <= values->n; i++)
		if (i == values->n || !same_as_before(values, i))
		{
			lengths[nruns++] = i - start;
			start = i;
		}
	return nruns;
}

/* The first value of each run. */
static Values
one_of_each_run(const Values *values, const uint64 *lengths, uint32 nruns)
{
	Values		of_runs = values_create(values->shape, nruns);
	uint32		i = 0;

	for (uint32 run = 0; run < nruns; run++)
	{
		values_copy(&of_runs, run, values, i);
		i += (uint32) lengths[run];
	}
	return of_runs;
}

/* Do the runs pay, in bytes?  If not, the sequence is that of all values. */
static void
choose_runs(ColumnPlan *plan, const Values *values, const uint64 *lengths, uint32 nruns)
{
	SequencePlan *by_row;

	runs_measure(&plan->runs, lengths, nruns, values->n);
	plan->repeats = REPEATS_RUNS;
	if (nruns <= values->n / LONG_RUN)
		return;
	by_row = palloc(sizeof(SequencePlan));
	sequence_measure_rows(by_row, values, plan->sequence, lengths, nruns);
	if (by_row->size <= plan->runs.size + plan->sequence->size)
	{
		plan->repeats = REPEATS_NONE;
		plan->sequence = by_row;
	}
}

/* Decides whether a column is stored row by row, as runs, or as a single value. */
static void
choose(ColumnPlan *plan, const Values *values)
{
	uint64	   *lengths = palloc(sizeof(uint64) * values->n);
	uint32		nruns = find_runs(values, lengths);
	Values	   *of_runs = palloc(sizeof(Values));

	*of_runs = one_of_each_run(values, lengths, nruns);
	plan->sequence = palloc(sizeof(SequencePlan));
	sequence_measure(plan->sequence, of_runs);
	if (nruns == values->n && nruns > 1)
		plan->repeats = REPEATS_NONE;
	else if (nruns == 1)
		plan->repeats = REPEATS_ALL;
	else
		choose_runs(plan, values, lengths, nruns);
}

/* Writes the column's header and its sections. */
static void
write_column(Output *out, const ColumnPlan *plan)
{
	ColumnHeader *header = (ColumnHeader *) output_add(out, sizeof(ColumnHeader));

	*header = (ColumnHeader) {.version = COLUMN_VERSION, .nulls = plan->nulls.form,
		.repeats = plan->repeats, .nvalues = plan->nulls.nvalues};
	if (plan->sequence != NULL)
		header->has_dictionary = plan->sequence->has_dictionary;
	nulls_write(out, &plan->nulls);
	if (plan->repeats == REPEATS_RUNS)
		runs_write(out, &plan->runs);
	if (plan->sequence != NULL)
		sequence_write(out, plan->sequence);
}

char *
encode_column(const ColumnShape *shape, const Datum *values, const bool *nulls, uint32 nrows, Size *length)
{
	Output		out;
	ColumnPlan	plan = {.repeats = REPEATS_NONE};
	MemoryContext outer = CurrentMemoryContext;
	MemoryContext scratch = AllocSetContextCreate(outer, "column being encoded", ALLOCSET_DEFAULT_SIZES);

	if (nrows > ENCODING_MAX_ROWS || !shape_is_known(shape))
		elog(ERROR, "cannot encode %u rows of length %d", nrows, shape->typlen);
	output_create(&out);
	MemoryContextSwitchTo(scratch);
	nulls_measure(&plan.nulls, nulls, nrows);
	if (plan.nulls.nvalues > 0)
	{
		Values		present = take_values(shape, values, &plan.nulls);

		choose(&plan, &present);
		write_column(&out, &plan);
	}
	else
		write_column(&out, &plan);
	MemoryContextSwitchTo(outer);
	MemoryContextDelete(scratch);
	return output_finish(&out, length);
}
