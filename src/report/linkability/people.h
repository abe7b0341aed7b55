/*
 * people.h
 *		Records for the people of all releases, as match joins take them: each person
 *		has one in each release, also when absent from it.
 */
#ifndef PPREPUB_REPORT_LINKABILITY_PEOPLE_H
#define PPREPUB_REPORT_LINKABILITY_PEOPLE_H

#include "postgres.h"

#include "audit/join/join.h"
#include "report/linkability/source.h"

/*
 * A person whose sensitive value is another one than before, or whose quasi-
 * identifiers are known to have changed, counts as two: one has left, and another one
 * has come. Quasi-identifiers are known to have changed if the log has other
 * fingerprints of them in two releases that show the same columns, or if cells have
 * nothing in common.
 */
typedef struct People
{
	uint32		n;				/* who are in a release */
	bool		is_exact;		/* it is known of each release whose the rows are */
	JoinInput	input;
	Individual *individual;		/* [n] */
	uint32	   *last_of_individual; /* [individuals] the last person that each one counts as, or NOBODY_YET */
} People;

#define NOBODY_YET PG_UINT32_MAX

/*
 * The people of the first n releases, and "more" people of whom nothing is known. If
 * unifying, absentees may be any person.
 */
extern People *people_of(const Reading *reading, const Source *source, int32 n,
						 bool is_guess, bool unifying, uint64 more);

#endif							/* PPREPUB_REPORT_LINKABILITY_PEOPLE_H */
