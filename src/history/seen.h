/*
 * seen.h
 *		All that was ever published of a publication, as dense integers: the
 *		auditors' view of the history.
 *
 * An individual is somebody whom observers can follow from release to release:
 * a person, by true rows or by counterfeits that stand for the person, or an
 * invented row.  A person may also be counted in: observers take the person for
 * a member of the class, though it has no such row.  Values are codes of the
 * sensitive values published; equal values have the same code.
 */
#ifndef PPREPUB_HISTORY_SEEN_H
#define PPREPUB_HISTORY_SEEN_H

#include "frame/frame.h"

typedef uint32 Individual;

#define NO_INDIVIDUAL PG_UINT32_MAX

typedef struct SeenRelease
{
	uint32		nclasses;
	int64	   *number;			/* [nclasses] as the release table has it */
	uint64	   *first;			/* [nclasses + 1] class c's rows are first[c] up to, not including, first[c + 1] */
	Individual *individual;		/* [rows] the individual that each row belongs to */
	Code	   *value;			/* [rows] as published, NO_CODE for NULL */
	bool	   *counterfeit;	/* [rows] */
	bool	   *is_counted;		/* [rows] a person counted in, not a row? NULL if there are none */
	uint32	   *fingerprint;	/* [rows] of the quasi-identifiers of a true row; 0 where these are not known */
} SeenRelease;

typedef struct Seen
{
	int32		nreleases;
	SeenRelease *release;		/* [nreleases] release n is release[n - 1] */
	const bool *has_no_values;	/* [nreleases] did it leave the sensitive columns out?  NULL if none did */
	uint64		nindividuals;
	Code		nvalues;

	/* Rows that are not in memory come from a file: see seen_release(); NULL where all are */
	void		(*fetch) (void *file, int32 r);
	void	   *file;
} Seen;

/*
 * A release with its rows.  Where these are in a file, they stay in memory until another release is
 * asked for; classes, their numbers and sizes always are.
 */
static inline const SeenRelease *
seen_release(const Seen *seen, int32 r)
{
	if (seen->fetch != NULL)
		seen->fetch(seen->file, r);
	return &seen->release[r];
}

/* Did observers see the values of the release?  Else those of the log are what was shown before of its people. */
static inline bool
seen_shows_values(const Seen *seen, int32 r)
{
	return seen->has_no_values == NULL || !seen->has_no_values[r];
}

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
