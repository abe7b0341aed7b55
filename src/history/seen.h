/*
 * seen.h
 *		All that was ever published of a publication, as dense integers: the auditors' view of the history.
 *
 * An individual is what observers can follow from release to release.  Of methods with places (places.h) it is a place,
 * and each row tells the person who sits there, if it is not a stand-in.  Of others it is a person, or an invented row,
 * which comes once.  A person may also be counted in: observers take the person for a member of the class, though it has
 * no such row.  Values are codes of the sensitive values published; equal values have the same code.
 */
#ifndef PPREPUB_HISTORY_SEEN_H
#define PPREPUB_HISTORY_SEEN_H

#include "postgres.h"

#include "frame/frame.h"

typedef uint32 Individual;

#define NO_INDIVIDUAL PG_UINT32_MAX

typedef struct SeenRelease
{
	uint32		nclasses;
	int64	   *number;			/* [nclasses] as the release table has it */
	uint64	   *first;			/* [nclasses + 1] class c's rows are first[c] up to, not including, first[c + 1] */
	Individual *individual;		/* [rows] the individual that each row belongs to */
	Individual *person;			/* [rows] the person who sits in that place, NO_INDIVIDUAL for a stand-in; NULL where
								 * individuals are people and invented rows */
	uint32	   *group;			/* [nclasses] the group that is shown, NO_GROUP for classes published elsewhere; NULL
								 * as above */
	Code	   *value;			/* [rows] as published, NO_CODE for NULL */
	bool	   *counterfeit;	/* [rows] has no person? */
	bool	   *is_counted;		/* [rows] a person counted in, not a row? NULL if there are none */
	uint32	   *fingerprint;	/* [rows] of the quasi-identifiers of a true row; 0 where these are not known */
} SeenRelease;

typedef struct Seen
{
	int32		nreleases;
	SeenRelease *release;		/* [nreleases] release n is release[n - 1] */
	const bool *has_no_values;	/* [nreleases] did it leave the sensitive columns out?  NULL if none did */
	uint64		nindividuals;
	uint64		npeople;		/* numbered from 0 on; individuals where there are no places, and then the first ones */
	uint32		ngroups;		/* of places */
	const uint32 *group_of;		/* [nindividuals] the group of each place; NULL where individuals are no places */
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

/* The person of a row, or NO_INDIVIDUAL. */
static inline Individual
seen_person(const SeenRelease *release, uint64 row)
{
	if (release->counterfeit[row])
		return NO_INDIVIDUAL;
	return release->person == NULL ? release->individual[row] : release->person[row];
}

static inline uint64
seen_size(const SeenRelease *release, uint32 c)
{
	return release->first[c + 1] - release->first[c];
}

/*
 * The holders of places by the last release, NO_INDIVIDUAL where nobody holds one: the person who sat there last, and has
 * sat nowhere else since.  NULL where individuals are no places.
 */
extern Individual *seen_holders(const Seen *seen);

/*
 * Sees the releases with people as individuals: stand-ins are rows that come once.  All rows must be in memory; values are
 * borrowed.
 */
extern Seen seen_of_people(const Seen *seen);

/* The most rows of a class of any release. */
static inline uint64
seen_largest(const Seen *seen)
{
	uint64		largest = 0;

	for (int32 r = 0; r < seen->nreleases; r++)
		for (uint32 c = 0; c < seen->release[r].nclasses; c++)
			largest = Max(largest, seen_size(&seen->release[r], c));
	return largest;
}

/* ----------------------------------------------------------------
 * Atoms: the smallest sets that observers of all releases can tell apart
 *
 * An atom is the individuals that were in the same class of each release, or in none of it.  Whatever intersections
 * and differences reveal is a union of atoms, so there are as many things to look at as there are atoms, however many
 * releases and people.
 * ----------------------------------------------------------------
 */

#define NO_CLASS PG_UINT32_MAX

typedef struct Atoms
{
	uint32		natoms;
	uint32	   *atom;			/* [individuals] */
	uint64	   *size;			/* [natoms] individuals in it */

	/* Where an atom was: stops, walked from its last one back to NO_STOP */
	uint32	   *last;			/* [natoms] */
	uint32		nstops;
	uint32	   *previous;		/* [nstops] */
	int32	   *release;		/* [nstops] from 0 on */
	uint32	   *class;			/* [nstops] index in its release */
} Atoms;

#define NO_STOP 0

/* An error if an individual is in a release twice.  Everything returned is allocated in the current context. */
extern Atoms *atoms_of(const Seen *seen);

/* ----------------------------------------------------------------
 * Statistics: the classes that each individual was in, and how often each class shows each value
 * ----------------------------------------------------------------
 */

typedef struct Step
{
	int32		release;		/* from 0 on */
	uint32		class;			/* index in its release */
} Step;

/* The values that the classes of a release show; NULL does not count as a value. */
typedef struct ShownValues
{
	uint64	   *first;			/* [nclasses + 1] class c's are first[c] up to, not including, first[c + 1] */
	Code	   *value;			/* ascending within a class */
	uint32	   *count;			/* rows of the class that show it */
} ShownValues;

typedef struct Statistics
{
	const Seen *seen;			/* borrowed */
	Code		nvalues;
	uint64	   *first;			/* [nindividuals + 1] individual t's steps are first[t] up to, not including, first[t +
								 * 1] */
	Step	   *step;			/* in order of releases */
	ShownValues *shown;			/* [nreleases] */
} Statistics;

/*
 * Takes up to 16 bytes for each row that was ever published, in the current context.  Of people with several rows, by the
 * aspects of sensitive values, classes show the values of all, no oftener than they have people; else aspects are NULL.
 */
extern Statistics *statistics_of(const Seen *seen, const Aspects *aspects);

/* Do two classes show the same values, each as often? */
extern bool statistics_same_values(const Statistics *statistics, Step a, Step b);

static inline uint64
statistics_size(const Statistics *statistics, Step at)
{
	return seen_size(&statistics->seen->release[at.release], at.class);
}

#endif							/* PPREPUB_HISTORY_SEEN_H */
