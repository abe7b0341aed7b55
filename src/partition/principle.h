/*
 * principle.h
 *		The conditions on a set of rows before it may be seen apart.
 *
 * A principle judges a tally, never rows, so that code that grows or shrinks a
 * set row by row keeps its tally and asks as often as it likes.  Every
 * principle here is monotonous: a superset of an allowed set is allowed.
 */
#ifndef PPREPUB_PARTITION_PRINCIPLE_H
#define PPREPUB_PARTITION_PRINCIPLE_H

#include "frame/frame.h"

/* How often each sensitive value occurs in a set of rows. */
typedef struct Tally
{
	uint64		rows;
	uint32		values;			/* distinct values; a NULL counts for none */
	uint32	   *count;			/* [nsensitive] rows that have each value */
} Tally;

typedef struct Principle Principle;

struct Principle
{
	bool		(*allows) (const Principle *self, const Tally *set);
	uint64		k;
	uint32		l;
};

/* k-anonymity and distinct l-diversity together. */
extern Principle principle_k_l(uint64 k, uint32 l);

/* The principle that allows all that either of two allows: what both promise. */
extern Principle principle_weaker(const Principle *a, const Principle *b);

extern Tally *tally_create(const Frame *frame);
extern void tally_clear(Tally *tally, const Frame *frame);

static inline void
tally_add(Tally *tally, Code sensitive)
{
	tally->rows++;
	if (sensitive != NO_CODE && tally->count[sensitive]++ == 0)
		tally->values++;
}

static inline void
tally_remove(Tally *tally, Code sensitive)
{
	tally->rows--;
	if (sensitive != NO_CODE && --tally->count[sensitive] == 0)
		tally->values--;
}

#endif							/* PPREPUB_PARTITION_PRINCIPLE_H */
