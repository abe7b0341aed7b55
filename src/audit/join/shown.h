/*
 * shown.h
 *		Values that people are linked to in matchings near a known one: what can be said of a full match join that
 *		takes too long to be found.
 */
#ifndef PPREPUB_AUDIT_JOIN_SHOWN_H
#define PPREPUB_AUDIT_JOIN_SHOWN_H

#include "audit/join/meeting.h"

/*
 * To how many different sensitive values is each tuple linked in the perfect matching that is known, and in others that
 * differ from it only in who has which value: [ntuples], and no more than enough.  The full match join links it to
 * these, and perhaps to more.  Of a box, what every tuple in it is linked to.
 *
 * A NULL and "not shown" are no values.  The releases must know whose their records are; where that is a guess that
 * is no matching, nothing is found.  The budget bounds the search.  The graph may be narrowed to its kernel.
 */
extern uint32 *join_shown(const JoinGraph *graph, const JoinTuples *tuples, uint32 enough, uint64 budget);

#endif							/* PPREPUB_AUDIT_JOIN_SHOWN_H */
