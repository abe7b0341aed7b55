/*
 * principle_kinds.h
 *		What a condition on values is, and what it is asked of.
 */
#ifndef PPREPUB_PARTITION_PRINCIPLE_KINDS_H
#define PPREPUB_PARTITION_PRINCIPLE_KINDS_H

#include "partition/principle.h"

/* The values of one aspect in a set of rows, and what they are compared with. */
typedef struct ValueCounts
{
	uint64		known;			/* people who have a value, more than 0 */
	uint64		all;			/* the sum of all counts: more than that where people have several values */
	uint32		n;				/* different values */
	const Code *value;			/* [n] */
	const uint32 *count;		/* [ncodes] people who have each */
	uint32	   *room;			/* [ncodes] to be used */

	/* The distribution that sets are compared with, or NULL */
	Code		ncodes;
	const double *share;		/* [ncodes] of values found later, too: as it was when they were found */
	const double *whole;		/* [ncodes] of the first distribution alone, which sums to 1 */
	const double *place;		/* [ncodes] or NULL where values have no order */
	const Code *in_order;		/* [ncodes] by their places */

	/* Where people have several rows each: see Aspects */
	const uint64 *first;		/* or NULL */
	const Code *code;			/* of the aspect, by row */
	const Code *person;			/* [npeople] the different sensitive values of the set */
	uint32		npeople;
	const uint32 *times;		/* [sensitive values] people who have each */
} ValueCounts;

/* How many values are distinct for all: see people_apart.c.  It may be more than it says if that is at least most. */
extern uint32 distinct_values(const ValueCounts *set, uint32 most);

struct PrincipleKind
{
	const char *name;			/* of the parameter */
	bool		more_is_stronger;
	bool		is_strict;		/* is a set that just reaches the strength refused? */
	bool		compares;		/* with a distribution? */
	bool		needs_shares;	/* is a set refused that shows a value without a share? */

	/* The strongest value of the parameter that the set satisfies. */
	double		(*measure) (const PrincipleTerm *term, const ValueCounts *set);

	/* About how many rows with other values would have to come, or of the commonest to go, if it is refused. */
	double		(*lack) (const PrincipleTerm *term, const ValueCounts *set);

	/* The promise in words, of the number that a measure is held against, and of the strength less 1 */
	const char *promise;
};

#define PRINCIPLE_KIND(name, kind, type, least, most, strength) extern const PrincipleKind kind;
PRINCIPLES(PRINCIPLE_KIND)

/*
 * Does a condition allow all parts of a set that have these many rows with a value, at most as many as the set has?  In
 * every_part.c.
 */
extern bool term_allows_every_part(const PrincipleTerm *term, const ValueCounts *set, uint64 size);

/* The different values that all of these parts have. */
extern uint32 fewest_values_in_parts(const ValueCounts *set, uint64 size);

/* Logarithms and sums of shares are not exact: so much less than the strength is as good as it. */
#define PRINCIPLE_ROUNDING	1e-9

#endif							/* PPREPUB_PARTITION_PRINCIPLE_KINDS_H */
