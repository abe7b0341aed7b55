/*
 * bench.h
 *		The parts of the bench of sequential releases, as they call each other.
 */
#ifndef PPREPUB_BENCH_SEQUENTIAL_H
#define PPREPUB_BENCH_SEQUENTIAL_H

#include "postgres.h"

#include "frame/frame.h"

/* The quasi-identifiers of all tables, in this order */
enum
{
	AGE,
	SEX,
	EDUCATION,
	MARITAL,
	RACE,
	COUNTRY,
	ZIP,					/* invented, whatever the table */
	NCOLUMNS
};

/* People that nobody is, with a census's skew; fewer are the beginning of more. */
extern Frame *invented_census(uint64 nrows);

/* Rows whose ages have nothing between single years and 20 of them. */
extern Frame *with_coarse_ages(const Frame *frame);

/* Reads a table with taxonomies from a directory. */
extern Frame *census_of(const char *path, const char *taxonomies);
extern Frame *adult_of(const char *path, const char *taxonomies);

#endif							/* PPREPUB_BENCH_SEQUENTIAL_H */
