/*
 * epochs.h
 *		The values that are remembered of people of one neighborhood, when a
 *		release parts them from the others.
 *
 * These rules are followed by the fold, which is written, and by forecasts,
 * which are not.
 */
#ifndef PPREPUB_HISTORY_EPOCHS_H
#define PPREPUB_HISTORY_EPOCHS_H

#include "history/past.h"

/* People of one neighborhood, or newcomers, whom a release shows together, or leaves out together. */
typedef struct Parted
{
	uint32		parent;			/* or NO_NEIGHBORHOOD */
	uint64		size;
	const uint64 *member;		/* [size] index in the past, if there is a parent */
	const Code *shown;			/* [size] values in the release; NULL if it shows none */
	const uint8 *absence;		/* [size] an Absence each, after the last release of them; NULL where nobody is away */
} Parted;

/* Are they a whole neighborhood, shown with the values of its last epoch, rows standing in for the same people?  Then all stays as it was. */
extern bool parted_is_unchanged(const Past *past, const Parted *people);

/* Have they always been shown with the values of this release? */
extern bool parted_is_one_epoch(const Past *past, const Parted *people);

/*
 * Lists their epochs: those of the parent, and the release's own if it shows them;
 * no two are alike, and the newest comes last.  values has room for one more
 * epoch than the parent has.  Returns their number.
 */
extern uint64 parted_epochs(const Past *past, const Parted *people, Code *values);

/* The number of values that there must be room for. */
extern uint64 parted_room(const Past *past, const Parted *people);

#endif							/* PPREPUB_HISTORY_EPOCHS_H */
