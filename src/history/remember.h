/*
 * remember.h
 *		Remembering a release.
 *
 * Its classes go into the log.  Groups that are others after it than they were (past_after()) are written anew, and people
 * who have come to a place get a row there.
 */
#ifndef PPREPUB_HISTORY_REMEMBER_H
#define PPREPUB_HISTORY_REMEMBER_H

#include "postgres.h"

#include "history/fold.h"
#include "history/past_tables.h"

typedef struct Remembered
{
	int32		number;
	PastTable	log;			/* a part of it */
	const ShownPlaces *showing; /* but for methods with places, its classes only */
	const uint64 *first_counted;	/* [nclasses + 1] people who have no row in a class; NULL where there are none */
	const RowId *counted;
	const int64 *class;			/* [nclasses] the numbers of classes */
	const uint32 *order;		/* [nclasses] in which they are logged */
} Remembered;

/* Returns how many people, places or invented rows are new.  Callers act as the owner, inside SPI, after fold_past(). */
extern uint64 remember(Fold *fold, const LoadedFrame *loaded, const Remembered *release);

/* Makes the tables of the history, for a release of which nothing is known, or in which no person is: as the owner, inside SPI. */
extern void past_skip(const DeclaredPublication *publication);

#endif							/* PPREPUB_HISTORY_REMEMBER_H */
