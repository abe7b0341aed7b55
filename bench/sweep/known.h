/*
 * known.h
 *		What observers of all releases so far can tell apart, kept from release
 *		to release without a database.
 *
 * People are numbers that never change.  The store is the paper's db for the
 * sweep, and makes a Past of itself for the methods of src/method.
 */
#ifndef PPREPUB_BENCH_KNOWN_H
#define PPREPUB_BENCH_KNOWN_H

#include "postgres.h"

#include "history/past.h"

typedef struct Neighborhood
{
	uint64		size;			/* 0: nobody is left in it */
	uint32	   *member;			/* [size] people */
	uint32		nepochs;
	Code	   *values;			/* [nepochs * size] as in Past */
	Span	   *region;			/* [nqis] in which observers know them to be */
} Neighborhood;

typedef struct Known
{
	int			nqis;
	int32		releases;
	uint32		npeople;
	uint32	   *neighborhood;	/* [people] or NO_NEIGHBORHOOD */
	uint32		nneighborhoods;
	Neighborhood *neighborhoods;

	/* Scratch */
	uint32		people_allocated;
	uint32		neighborhoods_allocated;
	uint32	   *place;			/* [people] in what is being published, + 1; else 0 */
} Known;

/* Nothing is known of so many people. */
extern Known *known_create(uint32 npeople, int nqis);

/* One more person; returns the number. */
extern uint32 known_add_person(Known *known);

/*
 * These people, all of one neighborhood or all never published, were published
 * with these values in this region: from now on they are a neighborhood of
 * their own, and the rest of theirs is another.
 */
extern void known_publish(Known *known, const uint32 *people, const Code *values,
						  uint64 n, const Span *region);

/* Takes people out of their neighborhoods, as if they had never been published. */
extern void known_forget(Known *known, const uint32 *people, uint64 n);

/* A past as a method sees it; row[] says where people are in its frame, or NO_ROW. */
extern Past *known_past(const Known *known, const RowId *row, uint64 nrows);

#endif							/* PPREPUB_BENCH_KNOWN_H */
