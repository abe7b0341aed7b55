/*
 * full.h
 *		The full match join: the R-cliques that are in a perfect matching of all releases.
 */
#ifndef PPREPUB_AUDIT_JOIN_FULL_H
#define PPREPUB_AUDIT_JOIN_FULL_H

#include "audit/join/kernel.h"

/*
 * Narrows a kernel to the full match join, exactly or not at all (paper 000, definition 3.3).
 *
 * Of one release or two they are the same.  Of more, this is NP-hard.  Most admissible cliques are
 * found by joining a few people of a known matching otherwise; for the rest a component of the kernel
 * is searched for numbers of people that each clique of nodes stands for, which may take for ever.
 * The budget bounds how many cliques are looked at; over it, JOIN_OVER_BUDGET leaves the kernel as
 * it was.  JOIN_UNMATCHED: the records' people are not known, and cannot be the same in all releases.
 *
 * Takes 8 bytes for each clique of nodes and release, and 22 more for each clique.
 */
extern JoinOutcome join_full(JoinGraph *graph, uint64 budget);

#endif							/* PPREPUB_AUDIT_JOIN_FULL_H */
