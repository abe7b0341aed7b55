/*
 * worlds.h
 *		All perfect matchings of a join at once: if each is as likely as any other
 *		(the random worlds model), how likely is what?
 */
#ifndef PPREPUB_AUDIT_JOIN_WORLDS_H
#define PPREPUB_AUDIT_JOIN_WORLDS_H

#include "audit/join/kernel.h"

/* The values that nodes of the first release are linked to */
typedef struct Posterior
{
	uint64	   *first;			/* [nodes + 1] v's values are first[v] up to, not including, first[v + 1] */
	Code	   *value;			/* ascending; NO_CODE, "not shown", comes last; a NULL is not listed */
	double	   *probability;
} Posterior;

/*
 * A world is a perfect matching of the records of all releases: it says which records are one
 * person's.  Of a record of the first release, the probability of a value is the share of all worlds
 * in which the other records of its person show it (the first release's own value does not count).
 *
 * Exact but for rounding, or not at all: counting worlds is #P-hard.  Each component is counted by
 * itself, node by node of the first release; the budget bounds the steps taken and the memory used.
 * JOIN_OVER_BUDGET: it does not suffice.  JOIN_UNMATCHED: there is no world.
 *
 * The join must be a match join, narrowed to its kernel or not.
 */
extern JoinOutcome join_worlds(const JoinGraph *graph, uint64 budget, Posterior *posterior);

#endif							/* PPREPUB_AUDIT_JOIN_WORLDS_H */
