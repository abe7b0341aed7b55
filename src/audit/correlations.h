/*
 * correlations.h
 *		People who can be told apart because the others of two classes are the same:
 *		Definition 3 of paper 004.
 *
 * Two classes of different releases that show the same values, each equally
 * often, and have some but not all of their people in common: those of the one
 * who are not in the other have the same values as the other way round.  The
 * fewer these are, the more is told by knowing some of them.
 */
#ifndef PPREPUB_AUDIT_CORRELATIONS_H
#define PPREPUB_AUDIT_CORRELATIONS_H

#include "history/past.h"
#include "history/seen.h"
#include "partition/classes.h"

typedef struct Correlation
{
	Step		a;				/* the earlier one */
	Step		b;
	uint32		unmatched;		/* people of each who are not in the other */
} Correlation;

/* Visits all of them with at most so many unmatched, in order of b and then of a: there may be very many. */
extern void find_correlations(const Statistics *statistics, uint32 most,
							  void (*visit) (void *what, const Correlation *correlation), void *what);

/*
 * The last check of a draft: an internal error if a class shares all but fewer
 * than n of its rows with an earlier one, and not all.
 */
extern void judge_correlations(const Companies *companies, const Classes *classes, uint32 n);

#endif							/* PPREPUB_AUDIT_CORRELATIONS_H */
