/*
 * invariance.h
 *		The promise of m-invariance and Cor-Split, of a draft and of all releases.
 */
#ifndef PPREPUB_AUDIT_INVARIANCE_H
#define PPREPUB_AUDIT_INVARIANCE_H

#include "history/past.h"
#include "history/seen.h"
#include "partition/classes.h"

/* ----------------------------------------------------------------
 * The promise of m-invariance, weak or not: each person among the same values for ever, m of them or more, each as
 * often as the others.
 *
 * Definitions 5 and 6 of paper 004; a class is m-unique if, besides, no value occurs twice in it.
 * ----------------------------------------------------------------
 */

/*
 * The last check of a draft: each row is in it, in a class that shows the same values as the person's last one did,
 * and m at least if anybody is new in the class, each once, or equally often if that is enough.  An internal error
 * that says nothing of what a class holds.
 */
extern void judge_evenness(const Frame *frame, const Paths *paths, const Classes *classes, uint32 m, bool once);

/* Counts of all releases. */
typedef struct Evenness
{
	uint64		classes;
	uint64		uneven;			/* values of a class differ in how often they occur, or are NULL */
	uint64		repeated;		/* values occur more than once */
	uint32		fewest;			/* values that a class shows, beside those that its newcomers were promised */
	uint32		wanted;			/* so many; 0 if nobody ever was new */
	uint64		people;
	uint64		changed;		/* people who were seen among different values */

	/* Where: release from 0 on and class, or -1 */
	int32		uneven_in;
	uint32		uneven_class;
	int32		fewest_in;
	uint32		fewest_class;
	int32		changed_in;
	uint32		changed_class;
} Evenness;

/* People are the individuals up to npeople; m: of each release, which counts for those who are new in it. */
extern Evenness measure_evenness(const Seen *seen, uint64 npeople, const uint32 *m);

/* ----------------------------------------------------------------
 * Are values that are shown for the first time vouched for?
 *
 * Observers of m-invariance and cor-split know that invented rows only have values that true rows show, or showed
 * before.  In its first release a value is vouched for if true rows show it under two different signatures, or under
 * one all of whose values true rows show, a signature being the set of values of a class.  Then no person loses a
 * candidate by that knowledge: partition/signature_sets.c says why.
 * ----------------------------------------------------------------
 */

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

#endif							/* PPREPUB_AUDIT_INVARIANCE_H */
