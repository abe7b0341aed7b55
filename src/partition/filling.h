/*
 * filling.h
 *		Buckets while they are filled: shared by buckets.c and vouch.c only.
 */
#ifndef PPREPUB_PARTITION_FILLING_H
#define PPREPUB_PARTITION_FILLING_H

#include "common/pg_prng.h"
#include "frame/tuple_numbers.h"
#include "partition/buckets.h"

typedef struct Filling
{
	const Frame *frame;
	const Paths *paths;
	uint32		m;
	pg_prng_state random;
	Refusal    *refusal;

	TupleNumbers *signatures;	/* [buckets] their values, ascending; a slot is a word of these */
	uint32	   *bucket;			/* [rows] NO_BUCKET for newcomers */
	uint32		allocated;		/* buckets */
	uint64	   *sets;			/* [allocated] */

	/* Newcomers by value: those from next[v] on, up to first_new[v + 1], are not yet in a bucket */
	uint64	   *first_new;		/* [values + 1] */
	uint64	   *next;			/* [values] */
	RowId	   *newcomer;
	uint64	   *invented;		/* [values] counterfeits that stand beside them */
	bool	   *was_shown;		/* [values] in an earlier release, as far as the past tells */

	/* Rows by slot */
	uint64		nslots;
	uint64	   *count;			/* [slots allocated] */
	uint64		slots_allocated;
} Filling;

/* Newcomers with a value, all of them. */
static inline uint64
newcomers_with(const Filling *filling, Code value)
{
	return filling->first_new[value + 1] - filling->first_new[value];
}

/* A value of newcomers that no release has shown. */
static inline bool
is_new_value(const Filling *filling, Code value)
{
	return !filling->was_shown[value] && newcomers_with(filling, value) > 0;
}

/* Sets of a signature, made of newcomers who are left, and of counterfeits where there are none. */
extern void take_sets(Filling *filling, uint32 bucket, uint64 sets);

/*
 * Takes sets in which true rows show each value that no release has shown, so that
 * these are vouched for (see vouch.c), as far as newcomers suffice.
 */
extern void vouch_for_new(Filling *filling);

/* Newcomers whose value is new, and not vouched for by the buckets as they are. */
extern uint64 count_unvouched(const Filling *filling);

#endif							/* PPREPUB_PARTITION_FILLING_H */
