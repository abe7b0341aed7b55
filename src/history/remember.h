/*
 * remember.h
 *		Remembering a release: a call for each class, then the end.
 *
 * The classes go into the log, and the neighborhoods that they part are written anew.  A method's class is part of
 * one neighborhood, or of none; a class of a release that was made without regard to the past may mix several.
 */
#ifndef PPREPUB_HISTORY_REMEMBER_H
#define PPREPUB_HISTORY_REMEMBER_H

#include "postgres.h"

#include "history/fold.h"
#include "history/past_tables.h"

typedef struct RememberedClass
{
	int64		number;
	uint32		parent;			/* the neighborhood that it is part of, or NO_NEIGHBORHOOD */
	const RowId *rows;			/* [nrows + ncounted] */
	uint64		nrows;
	uint64		ncounted;		/* people who have no row in the release */

	/* Counterfeits: the members of the past that they stand for, or NO_MEMBER; values */
	const uint64 *stands_for;
	const Code *invented;
	uint64		ninvented;
} RememberedClass;

typedef struct Remembering Remembering;

/* Writes into a part of the log.  Callers act as the owner, inside SPI, after fold_past(). */
extern Remembering *remember_begin(Fold *fold, const LoadedFrame *loaded, int32 release, PastTable part);
extern void remember_class(Remembering *remembering, const RememberedClass *class);

/* Remembers a class of people from any neighborhoods; sorts the rows. */
extern void remember_mixed_class(Remembering *remembering, int64 number, RowId *rows, uint64 nrows);

extern uint64 remember_end(Remembering *remembering);	/* people and invented rows that are new */

#endif							/* PPREPUB_HISTORY_REMEMBER_H */
