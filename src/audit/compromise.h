/*
 * compromise.h
 *		What observers who know some people's values deduce about others.
 *
 * Paper 004.  Observers know who is in which class, and what a class shows.  A
 * value of a class, all of whose rows are known to be other people's, is nobody
 * else's in it (ct-pvr).  Of two sets that are correlated, each has the same
 * values: what nobody of the one can have, nobody of the other has (hc-pvr).
 * Both are applied until nothing more follows.  These two do not see everything:
 * so a world that agrees with the releases is looked for in which somebody has a
 * candidate, and if there is none, the candidate is excluded.  These searches end
 * where the budget does.  Candidates that were excluded by then are in no world; of
 * people with candidates that were not found in any it is said that more may follow.
 *
 * Nobody's value may change from release to release.
 */
#ifndef PPREPUB_AUDIT_COMPROMISE_H
#define PPREPUB_AUDIT_COMPROMISE_H

#include "audit/peers.h"

struct Covers;

typedef struct Deduction
{
	const Peers *peers;
	const struct Covers *covers;	/* of observers who know what can be invented; or NULL */

	/* Values that each of a group can have, ascending */
	uint64	   *first;			/* [groups + 1] */
	Code	   *candidate;		/* those of group g are from first[g] on */
	bool	   *is_possible;	/* [candidates] was it found in a world? */
	uint32	   *ncandidates;	/* [groups] with the knowledge */
	uint32	   *nbefore;		/* [groups] without it */

	uint32	   *together;		/* [groups] the first group of the component; NO_GROUP
								 * of people who have one candidate */
} Deduction;

static inline bool
deduction_is_open(const Deduction *deduction, uint32 group)
{
	return deduction->ncandidates[group] > 1;
}

/* Is each candidate in some world?  A single one is the value. */
static inline bool
deduction_is_exact(const Deduction *deduction, uint32 group)
{
	const bool *is_possible = deduction->is_possible + deduction->first[group];

	for (uint32 k = 0; k < deduction->ncandidates[group] && deduction_is_open(deduction, group); k++)
		if (!is_possible[k])
			return false;
	return true;
}

/* The first thread whose value changes, or NO_THREAD. */
extern Thread find_changed(const Statistics *statistics);

/*
 * Makes NULL a value like others, and returns its code: what a class does not
 * show of a row cannot be counted as missing from others.
 */
extern Code name_null(Seen *seen);

/*
 * The values of these threads are known, and NULL is named.  Do observers know that
 * invented rows only have values that are known?  Searches may take so many steps, all
 * together.
 */
extern Deduction *deduce(const Statistics *statistics, const Thread *known, uint64 nknown, bool knows_inventions, uint64 budget);

#endif							/* PPREPUB_AUDIT_COMPROMISE_H */
