/*
 * peers.h
 *		People who were in the same classes of all releases: what is deduced about
 *		one of them is deduced about each.
 *
 * People whose values are known are the peers of those only who are known to have
 * the same.  Invented rows are nobody's peers but each other's, where observers make
 * a difference.
 */
#ifndef PPREPUB_AUDIT_PEERS_H
#define PPREPUB_AUDIT_PEERS_H

#include "history/statistics.h"

#define NO_GROUP PG_UINT32_MAX

typedef struct Peers
{
	const Statistics *statistics;	/* borrowed */
	Code	   *value;			/* [threads] as published */

	uint32		n;				/* groups of peers */
	uint32	   *group;			/* [threads] */
	uint64	   *first;			/* [n + 1] group g's threads are first[g] up to,
								 * not including, first[g + 1] */
	Thread	   *thread;			/* [threads] group by group */
	bool	   *is_known;		/* [n] */
	bool	   *is_invented;	/* [n] where observers make a difference, else false */

	/* Classes of all releases in one row, and the groups in each */
	uint64	   *base;			/* [releases + 1] */
	uint64	   *first_in;		/* [classes + 1] */
	uint32	   *in;
} Peers;

/* Takes up to 4 bytes for each row that was ever published, in the current context. */
extern Peers *peers_create(const Statistics *statistics, const Thread *known, uint64 nknown, bool tells_invented);

static inline uint64
peers_size(const Peers *peers, uint32 group)
{
	return peers->first[group + 1] - peers->first[group];
}

/* Where a group was: the steps of any of its people. */
static inline const Step *
peers_steps(const Peers *peers, uint32 group, uint64 *n)
{
	const Statistics *statistics = peers->statistics;
	Thread		any = peers->thread[peers->first[group]];

	*n = statistics->first[any + 1] - statistics->first[any];
	return &statistics->step[statistics->first[any]];
}

static inline uint64
peers_class(const Peers *peers, Step at)
{
	return peers->base[at.release] + at.class;
}

static inline uint64
peers_nclasses(const Peers *peers)
{
	return peers->base[peers->statistics->seen->nreleases];
}

#endif							/* PPREPUB_AUDIT_PEERS_H */
