/*
 * risk.h
 *		The conclusions of observers of all releases about each version of each
 *		person's sensitive value (paper 002, Definitions 8 and 9).
 */
#ifndef PPREPUB_AUDIT_UPDATE_RISK_H
#define PPREPUB_AUDIT_UPDATE_RISK_H

#include "frame/update_sets.h"
#include "history/seen.h"

/* ----------------------------------------------------------------
 * The conclusions of observers who follow all people at once, and not each
 * person alone.
 *
 * A joint world gives each person, in each release that the person was in, a value
 * of the class, so that no value has more people of a class than rows that show it
 * (what is left of these was invented), and so that each person's value can have
 * become that of the next release.  A candidate is a value that a person has in
 * some such world: there are as many as the update graph finds of him alone, or
 * fewer.  Whether there is a world is NP-hard to say in general, so people who
 * hang together by too many classes get no answer.  See joint.c.
 * ----------------------------------------------------------------
 */

#define NOT_KNOWN PG_UINT32_MAX

/*
 * The candidates of each step of the first so many individuals, the people, or
 * NOT_KNOWN: where they were not found in so many steps of a search, which go to
 * those first who hang together with few others, or where what was published
 * is no such world itself.
 */
extern uint32 *joint_candidates(const Statistics *statistics, const Updates *updates, uint64 npeople, uint64 budget);

/* ----------------------------------------------------------------
 * Versions
 * ----------------------------------------------------------------
 */

/* A version of a person's row, as it looks from some moment. */
typedef struct Version
{
	Individual	individual;
	int32		release;		/* that it was in, from 0 on */
	int32		seen_from;		/* the last release that observers knew, from 0 on */
	const Step *step;			/* [nsteps] of the individual, the last one in that release */
	uint32		nsteps;
	Code		value;			/* as published */
	uint32		candidates;		/* values that are still feasible */
	double		risk;			/* the probability of the true one */
	uint32		joint_candidates;	/* those that are left to an observer who follows all people at once, or NOT_KNOWN */
} Version;

typedef void (*VersionVisit) (void *what, const Version *version);

/*
 * Visits every version of the first so many individuals, the people, that was shown
 * by a true row with a value; under all releases or, with every_moment, under
 * each number of them that adds to what is known of the person.  Joint
 * candidates are those under all releases, if they are found in so many steps.
 * Returns how many people had a life that cannot have been, by the updates.
 */
extern uint64 each_version(const Seen *seen, const Updates *updates, uint64 npeople,
						   bool every_moment, uint64 budget, VersionVisit visit, void *what);

#endif							/* PPREPUB_AUDIT_UPDATE_RISK_H */
