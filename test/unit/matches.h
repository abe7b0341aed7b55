/*
 * matches.h
 *		Joins of a few records from their definitions: all perfect matchings of two releases are enumerated.
 */
#ifndef PPREPUB_TEST_MATCHES_H
#define PPREPUB_TEST_MATCHES_H

#include "shim.h"

#define MAX_RELEASES	4
#define MOST_JOINED		6		/* records of a release */

/* Edges between records of two releases, and cliques by their number: a record of each release */
typedef struct Joined
{
	int			releases;
	int			records;
	bool		edge[MAX_RELEASES][MAX_RELEASES][MOST_JOINED][MOST_JOINED];
	bool		clique[MOST_JOINED * MOST_JOINED * MOST_JOINED * MOST_JOINED];
} Joined;

extern int	ncliques_of(const Joined *joined);
extern void members_of(const Joined *joined, int clique, int *record);

/* Cliques are what the edges make, or edges what the cliques have. */
extern void find_cliques(Joined *joined);
extern void find_edges(Joined *joined);

/* Drops edges that are in no perfect matching of their two releases. */
extern void drop_no_matches(Joined *joined);

#endif							/* PPREPUB_TEST_MATCHES_H */
