/*
 * statistics.h
 *		The links that releases make between people and values: the classes that
 *		each individual was in, and how often each class shows each value.
 *
 * The statistics file of an individual and a value are the sizes of the classes
 * that the individual was in, and the value's counts in them.
 */
#ifndef PPREPUB_HISTORY_STATISTICS_H
#define PPREPUB_HISTORY_STATISTICS_H

#include "history/seen.h"

typedef struct Step
{
	int32		release;		/* from 0 on */
	uint32		class;			/* index in its release */
} Step;

/* The values that the classes of a release show; NULL does not count as a value. */
typedef struct ShownValues
{
	uint64	   *first;			/* [nclasses + 1] class c's are first[c] up to, not including, first[c + 1] */
	Code	   *value;			/* ascending within a class */
	uint32	   *count;			/* rows of the class that show it */
} ShownValues;

typedef struct Statistics
{
	const Seen *seen;			/* borrowed */
	uint64	   *first;			/* [nindividuals + 1] individual t's steps are first[t] up to, not including, first[t +
								 * 1] */
	Step	   *step;			/* in order of releases */
	ShownValues *shown;			/* [nreleases] */
} Statistics;

/* Takes up to 16 bytes for each row that was ever published, in the current context. */
extern Statistics *statistics_of(const Seen *seen);

/* Finds a value of a class among the release's shown values; NOT_SHOWN if the class does not show it. */
extern uint64 statistics_find(const Statistics *statistics, Step at, Code value);

#define NOT_SHOWN PG_UINT64_MAX

/* Returns the number of rows of a class that show a value. */
extern uint32 statistics_count(const Statistics *statistics, Step at, Code value);

/* Do two classes show the same values, each as often? */
extern bool statistics_same_values(const Statistics *statistics, Step a, Step b);

static inline uint64
statistics_size(const Statistics *statistics, Step at)
{
	return seen_size(&statistics->seen->release[at.release], at.class);
}

#endif							/* PPREPUB_HISTORY_STATISTICS_H */
