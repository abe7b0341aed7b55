/*
 * seen.h
 *		All that was ever published of a publication, as dense integers: what
 *		auditors see of the history.
 *
 * A thread is somebody whom observers can follow from release to release: a
 * person, whether by true rows or by counterfeits that stand for him, or an
 * invented row.  Somebody may also be counted in: observers take him for one of
 * the class, though he has no row.  Values are codes of the sensitive values that were published,
 * equal ones being one.
 */
#ifndef PPREPUB_HISTORY_SEEN_H
#define PPREPUB_HISTORY_SEEN_H

#include "frame/frame.h"

typedef uint32 Thread;

#define NO_THREAD PG_UINT32_MAX

typedef struct SeenRelease
{
	uint32		nclasses;
	int64	   *number;			/* [nclasses] as the release table has it */
	uint64	   *first;			/* [nclasses + 1] class c's rows are first[c] up to,
								 * not including, first[c + 1] */
	Thread	   *thread;			/* [rows] whose row it is */
	Code	   *value;			/* [rows] as published, NO_CODE for NULL */
	bool	   *counterfeit;	/* [rows] */
	bool	   *is_counted;		/* [rows] is it none? NULL where nobody was counted in */
	uint32	   *fingerprint;	/* [rows] of the quasi-identifiers, if it is a true row; 0 where they are not known */
} SeenRelease;

typedef struct Seen
{
	int32		nreleases;
	SeenRelease *release;		/* [nreleases] release n is release[n - 1] */
	uint64		nthreads;
	Code		nvalues;
} Seen;

static inline bool
seen_is_counted(const SeenRelease *release, uint64 row)
{
	return release->is_counted != NULL && release->is_counted[row];
}

static inline uint64
seen_size(const SeenRelease *release, uint32 c)
{
	return release->first[c + 1] - release->first[c];
}

#endif							/* PPREPUB_HISTORY_SEEN_H */
