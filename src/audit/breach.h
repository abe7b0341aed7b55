/*
 * breach.h
 *		How likely it is that a person was ever linked to a sensitive value, over all releases together: Wong, Fu, Liu,
 *		Wang, Xu: Preserving Individual Privacy in Serial Data Publishing, sections 4 and 6.1.
 */
#ifndef PPREPUB_AUDIT_BREACH_H
#define PPREPUB_AUDIT_BREACH_H

#include "history/past.h"
#include "history/seen.h"
#include "partition/classes.h"

/* A class that linked a person to a value: its rows, and how many of them have it, which is not 0. */
typedef struct ClassLink
{
	uint32		size;
	uint32		count;
} ClassLink;

/* The share of possible worlds in which a person is linked at least once (Lemma 4). */
extern double breach_probability_of(const ClassLink *links, uint64 n);

/* Is it 1/l at most?  Where rounding might decide, whole numbers do. */
extern bool breach_is_allowed(const ClassLink *links, uint64 n, uint32 l);

/*
 * The ratio size / count that the largest class has at least, if so many linked a person with a chance of 1/l at most
 * (Theorem 4); and that of some classes.
 */
extern double least_largest_ratio(uint32 l, uint64 n);
extern double largest_ratio(const ClassLink *links, uint64 n);

/* A person, a value that the person was linked to, and by what, in order of releases. */
typedef struct Breach
{
	Individual	person;
	Code		value;
	uint64		n;
	const ClassLink *links;		/* [n] */
	const int32 *releases;		/* [n] from 0 on */
} Breach;

/*
 * Visits each of the first so many individuals, with each value that a class showed and that is protected (all, if
 * is_protected is NULL).
 */
extern void visit_breaches(const Statistics *statistics, Individual npeople, const bool *is_protected,
						   void (*visit) (void *what, const Breach *breach), void *what);

/* The class that links its people best to a value by itself, beside 1/l of its release; false if none does to any. */
typedef struct LocalBreach
{
	int32		release;		/* from 0 on */
	uint32		class;
	Code		value;
	ClassLink	link;
} LocalBreach;

extern bool worst_local_breach(const Statistics *statistics, const bool *is_protected, const uint32 *l, LocalBreach *worst);

/*
 * The last check of a draft: with what paths say of the past, is no person in its classes, or counted in, linked to a
 * protected value with a chance of more than 1/l?  All who were counted in must lie in the class's region.  Otherwise
 * raises an internal error.  first_counted may be NULL.
 */
extern void judge_breaches(const Frame *frame, const Paths *paths, const Classes *classes,
						   const uint64 *first_counted, const RowId *counted, uint32 l);

#endif							/* PPREPUB_AUDIT_BREACH_H */
