/*
 * bench.h
 *		The parts of the Mondrian bench: where rows come from, and the peer.
 */
#ifndef PPREPUB_BENCH_MONDRIAN_H
#define PPREPUB_BENCH_MONDRIAN_H

#include "postgres.h"

#include "partition/classes.h"
#include "partition/principle.h"

/* How one quasi-identifier of a CSV file is to be generalised. */
typedef struct BenchColumn
{
	char	   *name;
	char	   *kind;			/* range, suppress, prefix or taxonomy */
	char	   *taxonomy;		/* path of the levels file, or NULL */
} BenchColumn;

#define MAX_BENCH_COLUMNS 24

/* Columns to read from a CSV file. */
typedef struct BenchInput
{
	const char *path;
	int			ncolumns;
	BenchColumn columns[MAX_BENCH_COLUMNS];
	const char *sensitive;		/* NULL: one value for all */
	int			nrequired;
	const char *required[MAX_BENCH_COLUMNS];	/* rows where one is empty are
												 * left out */
} BenchInput;

/* Takes a column as NAME:range, NAME:suppress, NAME:prefix or NAME:taxonomy:FILE, which it takes apart; false if it is none. */
extern bool take_column(BenchInput *input, char *text);

extern Frame *read_csv(const BenchInput *input);
extern Frame *synthetic_census(uint64 nrows);

/* A domain of the numbers lo .. hi, each one apart. */
extern void make_line(Domain *domain, Code size, const double *position);

/*
 * A tree from its leaves' paths, leaves first: path[level][leaf], all paths of
 * the same length, leaves of one node side by side.
 */
extern void make_tree(Domain *domain, Code nleaves, int levels, char ***path);

/* Strict Mondrian as published: no loss is looked at. */
extern Classes *classic_mondrian(const Frame *frame, RowId *rows, uint64 nrows,
								 const Principle *principle);

#endif							/* PPREPUB_BENCH_MONDRIAN_H */
