/*
 * compromise.h
 *		What observers who know some people's values deduce about others.
 *
 * Paper 004.  Observers know who is in which class, and what a class shows.  A
 * value of a class, all of whose rows are known to be other people's, is nobody
 * else's in it (ct-pvr).  Of two sets that are correlated, each has the same
 * values: what nobody of the one can have, nobody of the other has (hc-pvr).
 * Both are applied until nothing more follows.  These two do not see everything:
 * where few people hang together, all worlds that agree with the releases are
 * looked at besides.  Of all others it is said that this was not done: more may
 * follow about them.
 *
 * Nobody's value may change from release to release.
 */
#ifndef PPREPUB_AUDIT_COMPROMISE_H
#define PPREPUB_AUDIT_COMPROMISE_H

#include "history/statistics.h"

typedef struct Deduction
{
	/* What everybody can have, with the knowledge and without it: ascending */
	uint64	   *first;			/* [threads + 1] */
	Code	   *candidate;		/* those of thread t are from first[t] on */
	uint32	   *ncandidates;	/* [threads] with it */
	uint32	   *nbefore;		/* [threads] without it */

	/* People whose value is open hang together if they are in a class */
	Thread	   *together;		/* [threads] one of those, the same for all of them; NO_THREAD for
								 * who has one candidate */
	bool	   *is_exact;		/* [threads] is each candidate in some world? */
} Deduction;

/* The first thread whose value changes, or NO_THREAD. */
extern Thread find_changed(const Statistics *statistics);

/* The values of these threads are known. */
extern Deduction *deduce(const Statistics *statistics, const Thread *known, uint64 nknown);

#endif							/* PPREPUB_AUDIT_COMPROMISE_H */
