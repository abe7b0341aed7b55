/*
 * runs.h
 *		Rows in runs: how long each is, and which run a row is in.
 */
#ifndef PPREPUB_STORE_ENCODING_RUNS_H
#define PPREPUB_STORE_ENCODING_RUNS_H

#include "store/encoding/packed.h"

typedef struct RunsPlan
{
	uint32		nruns;
	uint32		nrows;
	const uint64 *lengths;		/* borrowed */
	PackedPlan	packed;
	Size		size;
} RunsPlan;

extern void runs_measure(RunsPlan *plan, const uint64 *lengths, uint32 nruns, uint32 nrows);
extern void runs_write(Output *out, const RunsPlan *plan);

/*
 * A vector's entry in the directory, as it is stored: the run that holds its
 * first row, and that run's own first row.
 */
typedef struct RunStart
{
	uint32		run;
	uint32		row;
} RunStart;

typedef struct RunsReader
{
	uint32		nruns;
	uint32		nrows;
	const RunStart *starts;		/* borrowed; of the second vector and all later ones */
	PackedReader lengths;
} RunsReader;

extern const char *runs_open(RunsReader *reader, Input *in, uint32 nrows);

/* The runs that some rows of one or two vectors lie in, and how many of these rows are in each. */
typedef struct RunsFound
{
	uint32		first;
	uint32		n;
	uint32		lengths[ENCODING_VECTOR];
	uint32		beyond;			/* rows of the last run after those asked for */
} RunsFound;

/* Finds the runs of n rows, which are at least one and at most ENCODING_VECTOR. */
extern const char *runs_read(const RunsReader *reader, uint32 from, uint32 n, RunsFound *found);

/* Do lengths and directory say the same? */
extern const char *runs_verify(const RunsReader *reader);

#endif							/* PPREPUB_STORE_ENCODING_RUNS_H */
