/*
 * matches.h
 *		Which edges between two releases are matches: in any perfect matching of them.
 */
#ifndef PPREPUB_AUDIT_JOIN_MATCHES_H
#define PPREPUB_AUDIT_JOIN_MATCHES_H

#include "audit/join/graph.h"

/* Drops edges that are no matches, given a complete flow; returns how many.  Linear in nodes and edges. */
extern uint32 drop_unmatched(const JoinGraph *graph, JoinPair *pair);

#endif							/* PPREPUB_AUDIT_JOIN_MATCHES_H */
