/*
 * first_shown.h
 *		Are values that are shown for the first time vouched for?
 *
 * Observers of m-invariance and cor-split know that invented rows only have
 * values that true rows show, or showed before.  In its first release a value is
 * vouched for if true rows show it under two different signatures, or under one
 * all of whose values true rows show, a signature being the set of values of a
 * class.  Then nobody loses a candidate by that knowledge: partition/vouch.c says
 * why.
 */
#ifndef PPREPUB_AUDIT_FIRST_SHOWN_H
#define PPREPUB_AUDIT_FIRST_SHOWN_H

#include "history/paths.h"
#include "history/seen.h"
#include "partition/classes.h"

/* The last check of a draft: an internal error if a value that the past does not show is not vouched for. */
extern void judge_first_shown(const Frame *frame, const Paths *paths, const Classes *classes);

/* All releases. */
typedef struct FirstShown
{
	uint64		values;
	uint64		unvouched;
	int32		in;				/* the first release, from 0 on, that shows one of these, or -1 */
	uint32		class;			/* a class of it that does */
} FirstShown;

extern FirstShown measure_first_shown(const Seen *seen);

#endif							/* PPREPUB_AUDIT_FIRST_SHOWN_H */
