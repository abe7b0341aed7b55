/*
 * counts.h
 *		How many edges and cliques a join has, of records.
 */
#ifndef PPREPUB_AUDIT_JOIN_COUNTS_H
#define PPREPUB_AUDIT_JOIN_COUNTS_H

#include "audit/join/graph.h"
#include "partition/wide.h"

typedef struct JoinCounts
{
	uint64		nodes;			/* of the collapsed graph */
	uint64		edges;			/* of records, that are in the join */
	Wide	   *cliques;		/* of records, that are in the join; NULL if the steps did not suffice */
} JoinCounts;

/*
 * An error if there are more edges than an int64 holds.  Cliques are counted one clique of
 * nodes at a time, some steps for each node that is looked at; *steps is what is left of them, or
 * NULL for any number.
 */
extern JoinCounts join_count(const JoinGraph *graph, uint64 *steps);

/* Counts the edges alone */
extern uint64 join_edges(const JoinGraph *graph);

/* Limbs that any number of a graph's cliques needs */
extern int32 join_limbs(const JoinGraph *graph);

#endif							/* PPREPUB_AUDIT_JOIN_COUNTS_H */
