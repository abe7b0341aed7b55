/*
 * people.h
 *		Records for the people of all releases, as match joins take them: in each
 *		release everybody has one, who is absent too.
 */
#ifndef PPREPUB_REPORT_LINKABILITY_PEOPLE_H
#define PPREPUB_REPORT_LINKABILITY_PEOPLE_H

#include "postgres.h"

#include "audit/join/graph.h"
#include "report/linkability/source.h"

/*
 * How often somebody is one: who has another sensitive value than before, or whose
 * quasi-identifiers are known to have changed, has left, and somebody else has come.
 * They are known to have changed if the log has other fingerprints of them in two
 * releases that show the same quasi-identifiers, or if cells have nothing in common.
 */
typedef struct People
{
	uint32		n;				/* who are in a release */
	bool		is_whole;		/* it is known of each release who is in it */
	bool		is_exact;		/* and whose the rows are */
	JoinInput	input;
	Thread	   *thread;			/* [n] */
	uint32	   *last_of_thread; /* [threads] the last one that somebody is; NOBODY_YET */
} People;

#define NOBODY_YET PG_UINT32_MAX

/*
 * The people of the first n releases, and so many more of whom nothing is known.  If
 * unifying, absentees may be anybody.
 */
extern People *people_of(const Reading *reading, const Source *source, int32 n,
						 bool is_guess, bool unifying, uint64 more);

/*
 * The same with one release more, before all others: what whoever knows the source knows of them.  It
 * shows the quasi-identifiers of those who are in the source, if all their cells cover these; of all
 * others nothing is known.  It is known of each release who is in it.
 */
typedef struct KnownPeople
{
	JoinInput	input;
	bool	   *is_known;		/* [people] */
	uint32	   *person_of_row;	/* [rows of the source] or NOBODY_YET */
} KnownPeople;

extern KnownPeople *known_people(const People *people, const Source *source);

#endif							/* PPREPUB_REPORT_LINKABILITY_PEOPLE_H */
