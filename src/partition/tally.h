/*
 * tally.h
 *		How often each sensitive value occurs in a set of rows.
 */
#ifndef PPREPUB_PARTITION_TALLY_H
#define PPREPUB_PARTITION_TALLY_H

#include "frame/frame.h"

typedef struct Tally
{
	uint64		rows;
	uint32		values;			/* different ones; a NULL counts for none */
	uint32	   *count;			/* [nsensitive] rows that have each value */
	Code	   *value;			/* [values] those that occur, in no order */
	uint32	   *place;			/* [nsensitive] where in value[]; of those that occur */
} Tally;

extern Tally *tally_create(Code nvalues);
extern void tally_clear(Tally *tally);
extern void tally_free(Tally *tally);
extern void tally_copy(Tally *tally, const Tally *from);

static inline void
tally_add(Tally *tally, Code sensitive)
{
	tally->rows++;
	if (sensitive == NO_CODE || tally->count[sensitive]++ > 0)
		return;
	tally->place[sensitive] = tally->values;
	tally->value[tally->values++] = sensitive;
}

static inline void
tally_remove(Tally *tally, Code sensitive)
{
	Code		last;

	tally->rows--;
	if (sensitive == NO_CODE || --tally->count[sensitive] > 0)
		return;
	last = tally->value[--tally->values];
	tally->value[tally->place[sensitive]] = last;
	tally->place[last] = tally->place[sensitive];
}

/* Like the two above, for n rows at once, at least 1, of one value. */
static inline void
tally_add_rows(Tally *tally, Code sensitive, uint32 n)
{
	tally->rows += n;
	if (sensitive == NO_CODE)
		return;
	if (tally->count[sensitive] == 0)
	{
		tally->place[sensitive] = tally->values;
		tally->value[tally->values++] = sensitive;
	}
	tally->count[sensitive] += n;
}

static inline void
tally_remove_rows(Tally *tally, Code sensitive, uint32 n)
{
	tally->rows -= n - 1;
	if (sensitive != NO_CODE)
		tally->count[sensitive] -= n - 1;
	tally_remove(tally, sensitive);
}

#endif							/* PPREPUB_PARTITION_TALLY_H */
