/*
 * remember.h
 *		Remembering a release: a call for each class, then the end.
 *
 * The classes go into the log.  Of groups, those that have changed are written anew, and people who have come to a place
 * get a row there.  A method's class is of one group, or becomes one; a class of a release that was made without regard
 * to the past may mix people of several.
 */
#ifndef PPREPUB_HISTORY_REMEMBER_H
#define PPREPUB_HISTORY_REMEMBER_H

#include "postgres.h"

#include "history/fold.h"
#include "history/past_tables.h"

typedef struct RememberedClass
{
	int64		number;
	const RowId *rows;			/* [nrows + ncounted] */
	uint64		nrows;
	uint64		ncounted;		/* people who have no row in the release */
	const Code *invented;		/* [ninvented] values of counterfeits */
	uint64		ninvented;

	/* Under a method with places */
	uint32		group;			/* of the past; NO_GROUP: a new one, whose places the rows take in their order */
	const uint64 *place;		/* [rows of the frame] of the past */
	const uint64 *stands_in;	/* [ninvented] places of the past */
} RememberedClass;

typedef struct Remembering Remembering;

/* Writes into a part of the log.  Callers act as the owner, inside SPI, after fold_past(). */
extern Remembering *remember_begin(Fold *fold, const LoadedFrame *loaded, int32 release, PastTable part);
extern void remember_class(Remembering *remembering, const RememberedClass *class);

/* Remembers a class of people from any groups, which it parts; sorts the rows. */
extern void remember_mixed_class(Remembering *remembering, int64 number, RowId *rows, uint64 nrows);

/* These places of parts that are shown are parts of their own from now on: [places] or NULL; after the last class. */
extern void remember_apart(Remembering *remembering, const bool *is_apart);

extern uint64 remember_end(Remembering *remembering);	/* people, places or invented rows that are new */

#endif							/* PPREPUB_HISTORY_REMEMBER_H */
