/*
 * flow.h
 *		Perfect matchings of two releases' nodes: flows that use up all records.
 */
#ifndef PPREPUB_AUDIT_JOIN_FLOW_H
#define PPREPUB_AUDIT_JOIN_FLOW_H

#include "audit/join/graph.h"

#define NOBODY PG_UINT32_MAX

/*
 * Joins each person's two records, if it is known of both releases whose they are: a perfect
 * matching for nothing.  Returns NOBODY, or a person whose records are not consistent; where
 * that is a guess, those are not joined.
 */
extern uint32 flow_of_people(const JoinGraph *graph, JoinPair *pair);

/*
 * Completes the flow along the edges that are left, as far as possible, and returns how many records
 * of each of the two releases are left over.  Dinic's algorithm.
 */
extern uint64 flow_complete(const JoinGraph *graph, JoinPair *pair);

#endif							/* PPREPUB_AUDIT_JOIN_FLOW_H */
