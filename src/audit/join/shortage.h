/*
 * shortage.h
 *		Why there is no perfect matching of two releases.
 */
#ifndef PPREPUB_AUDIT_JOIN_SHORTAGE_H
#define PPREPUB_AUDIT_JOIN_SHORTAGE_H

#include "audit/join/graph.h"

/* Records of a that meet fewer records of b than they are (Hall's condition). */
typedef struct Shortage
{
	uint64		unmatched;		/* records of a that a largest matching leaves out */
	uint64		records;		/* some of a, these among them */
	uint64		places;			/* that they meet in b, all taken by them */
	uint32		record;			/* one of them */
} Shortage;

/* After flow_complete() left records of a over; no record is unmatched where only b has too many. */
extern Shortage shortage_of(const JoinGraph *graph, JoinPair *pair);

#endif							/* PPREPUB_AUDIT_JOIN_SHORTAGE_H */
