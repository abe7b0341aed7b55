/*
 * kernel.h
 *		Narrowing a match join to what observers cannot refute: to its kernel, and
 *		to the full match join.
 */
#ifndef PPREPUB_AUDIT_JOIN_KERNEL_H
#define PPREPUB_AUDIT_JOIN_KERNEL_H

#include "audit/join/graph.h"

typedef enum JoinOutcome
{
	JOIN_FOUND,
	JOIN_UNMATCHED,				/* there is no perfect matching */
	JOIN_CONTRADICTED,			/* a person's records are not consistent */
	JOIN_OVER_BUDGET			/* the join is the kernel, no less */
} JoinOutcome;

/* The releases between which there is no join */
typedef struct JoinTrouble
{
	int32		a;				/* releases, from 0 on */
	int32		b;
	uint32		person;			/* if contradicted */
} JoinTrouble;

/*
 * Where it is not known whose the records are: by how many people more would they have to be
 * of, for each two releases to have a perfect matching?  A person without a record that fits is
 * absent there, and another one here.
 */
extern uint64 join_missing(JoinGraph *graph);

/*
 * Drops edges that are not in the kernel: those that are not a match, or in no
 * R-clique, until all are both (paper 000, definition 3.7 and theorem 3.7; unlike
 * in algorithm 2, both must be stable).
 *
 * Where the records' people are known, there is always a kernel, unless a person's records
 * contradict each other.  Else JOIN_UNMATCHED says that there is no perfect matching, but of
 * more than two releases a kernel does not prove that there is one.
 *
 * Linear in nodes and edges for two releases.  For more, a round adds for each edge the
 * search for a clique around it, mostly a few steps, and drops an edge at least.
 */
extern JoinOutcome join_kernel(JoinGraph *graph, JoinTrouble *trouble);

#endif							/* PPREPUB_AUDIT_JOIN_KERNEL_H */
