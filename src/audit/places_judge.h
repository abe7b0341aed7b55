/*
 * places_judge.h
 *		The promise of groups of places (history/places.h), of a draft and of all releases.
 *
 * A part of a group is shown whole, or not at all.  It shows the values that it showed last, or, where everybody sits where
 * he sat before and nobody is missing, those of today.  People who come take places that show their own values already, and
 * never a second place in a group; so do those who come back, but for their own places where they may have several rows.
 * Then every order of the people in the places of a part is as likely as the true one, to all who know the releases and the
 * rules.
 */
#ifndef PPREPUB_AUDIT_PLACES_JUDGE_H
#define PPREPUB_AUDIT_PLACES_JUDGE_H

#include "history/past.h"
#include "history/seen.h"
#include "partition/principle.h"

/*
 * The last check of a draft of groups, after judge_classes(), which sees to its shape: returns, or raises an internal error
 * like that one, which names the check and the class, and nothing of what the class holds.  The frame has the values of
 * today: frame_take_shown() comes later.  is_true: true rows only, so that places may be parted off among others, and be
 * shown again.
 *
 * Linear in the rows and places, but for the values of parts that lose places.
 */
extern void judge_places(const Frame *frame, const Past *past, const ShownPlaces *draft, const Principle *principle, uint64 k,
						 bool is_true);

/* All releases. */
typedef struct PlacesVerdict
{
	bool		holds;
	uint64		violations;		/* classes that broke a rule */

	/* The first of them */
	const char *fault;			/* a piece of a sentence about the class, or NULL */
	int32		release;		/* from 0 on, or -1 */
	uint32		class;			/* index in its release */
} PlacesVerdict;

/*
 * Did all classes of groups keep to the rules, as far as the log tells?  principle: of each release, its k included, bound to
 * the log's values and these aspects; is_true: likewise, does it show true rows only?  A class that was published elsewhere
 * parts the groups that it meets.
 *
 * Are those who are tied, and all whom their ties touch, left with l values and k rows, by the weakest promise from the release on?
 * Each is judged alone, or jointly as far as a search goes that takes so many steps (compromise.h).  Not where something was
 * published elsewhere.
 */
extern PlacesVerdict places_judge(const Seen *seen, const Aspects *aspects, const Principle *principle, const bool *is_true, bool are_alone,
								  uint64 budget);

/* ----------------------------------------------------------------
 * In places_parts.c: may places be parted off, whoever sits in them?
 * ----------------------------------------------------------------
 */

/*
 * Are so many of these values allowed, whichever these are?  Only the worst are tried; all that are refused would be wrong.
 * The tally is empty, and is so again; the principle is bound.
 */
extern bool all_parts_are_allowed(const Principle *principle, const Aspects *aspects, const Code *value, uint64 n, uint64 size, Tally *tally);

#endif							/* PPREPUB_AUDIT_PLACES_JUDGE_H */
