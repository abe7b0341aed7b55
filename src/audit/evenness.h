/*
 * evenness.h
 *		The promise of m-invariance, weak or not: everybody among the same values
 *		for ever, m of them or more, each as often as the others.
 *
 * Definitions 5 and 6 of paper 004; a class is m-unique if, besides, no value
 * occurs twice in it.
 */
#ifndef PPREPUB_AUDIT_EVENNESS_H
#define PPREPUB_AUDIT_EVENNESS_H

#include "history/paths.h"
#include "history/seen.h"
#include "partition/classes.h"

/*
 * The last check of a draft: each row is in it, in a class that shows the same
 * values as his last one did, or m at least if nobody of the class was there
 * before, each once, or equally often if that is enough.  An internal error
 * that says nothing of what a class holds.
 */
extern void judge_evenness(const Frame *frame, const Paths *paths, const Classes *classes, uint32 m, bool once);

/* What there is of it in all releases. */
typedef struct Evenness
{
	uint64		classes;
	uint64		uneven;			/* values of a class differ in how often they occur, or are NULL */
	uint64		repeated;		/* values occur more than once */
	uint32		fewest;			/* values that a class shows */
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

/* People are the threads up to npeople. */
extern Evenness measure_evenness(const Seen *seen, uint64 npeople);

#endif							/* PPREPUB_AUDIT_EVENNESS_H */
