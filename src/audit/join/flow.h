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
 * matching for nothing.  Returns NOBODY, or somebody whose records are not consistent.
 */
extern uint32 flow_of_people(const JoinGraph *graph, JoinPair *pair);

/*
 * Completes the flow, if need be, along edges that are left; false if no flow uses up all records.
 * Dinic's algorithm.
 */
extern bool flow_complete(const JoinGraph *graph, JoinPair *pair);

#endif							/* PPREPUB_AUDIT_JOIN_FLOW_H */
