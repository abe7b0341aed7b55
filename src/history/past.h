/*
 * past.h
 *		The groups of people that observers of all releases so far can tell
 *		apart, in the codes of one frame: all that a method sees of the history.
 *
 * A neighborhood is a set of people whom no observer can separate: they were in the
 * same class of each release, or in none of it.  Everything that intersections
 * and differences of releases reveal is a union of neighborhoods, so under a
 * monotonous principle it is enough to look at these.
 *
 * Its members are those who were ever published in it, in the source now or
 * not; a counterfeit row, whether it stands for a person or not, is a member like
 * any other.  Neighborhoods none of whose members is in the source may be
 * left out, and of a release of all of the source those of which the method says
 * that they are lost (smallest_parted): who of them is in the source is known.
 *
 * For a method that does not ask for PAST_NEIGHBORHOODS there are no
 * neighborhoods; PAST_LAST or PAST_PATHS are found in paths.
 */
#ifndef PPREPUB_HISTORY_PAST_H
#define PPREPUB_HISTORY_PAST_H

#include "frame/update_sets.h"
#include "history/companies.h"
#include "history/paths.h"

#define NO_NEIGHBORHOOD PG_UINT32_MAX
#define NO_MEMBER PG_UINT64_MAX
#define LOST_MEMBER (PG_UINT64_MAX - 1)

/* Had a person a row of its own when its value was shown last?  A neighborhood keeps 1 minus it as a number, 0 or -1. */
typedef enum Absence
{
	WAS_THERE,
	WAS_AWAY,					/* or a row has stood in for it since then, where no values were shown */
	NEVER_TOLD					/* no release has shown values of its neighborhood */
} Absence;

typedef struct Past
{
	int32		releases;		/* 0 for an empty past; all else but paths and companies is NULL then */
	const Paths *paths;			/* NULL if the method does not want them */
	const Companies *companies; /* the same */
	const Updates *updates;		/* what values can become, as observers know; NULL where nothing was declared */
	const bool *is_mixed;		/* [rows of the frame] people whose classes strict does not know: see find_mixed();
								 * NULL if there are none */

	/* Neighborhoods */
	uint32		nneighborhoods;
	uint64	   *first;			/* [nneighborhoods + 1] n's members are first[n] up to, not including, first[n + 1] */
	RowId	   *row;			/* [members] the member's row now, or NO_ROW */

	/*
	 * Sensitive values as they were published, NO_CODE for NULL.  An epoch is a release, or several releases that
	 * showed the same values of all members; the epoch of the newest release comes last.
	 */
	uint64	   *first_value;	/* [nneighborhoods + 1] */
	Code	   *value;			/* epoch by epoch, member by member */

	uint64	   *member;			/* [rows of the frame] or NO_MEMBER of a person who was never published in any, or
								 * LOST_MEMBER */
	uint32		nlost;			/* neighborhoods */

	/* Rows that were invented, as far as methods ask; who is one is not kept */
	const bool *is_filled;		/* [nneighborhoods] with rows that stand for nobody, when it came; or NULL where none
								 * was */
	bool		is_loose;		/* did rows stand in for people beside new values, in some release? */
	const uint8 *absence;		/* [members] an Absence each; NULL where nobody was away */

	/* How fast people leave, as far as it is known */
	bool		is_whole;		/* is the frame all of the source, so that members without a row have left? */
	uint64		departed;		/* people who have left, if it is */
	uint64		exposed;		/* people of the source at each stored release of all of it, added up */
} Past;

static inline uint64
past_size(const Past *past, uint32 neighborhood)
{
	return past->first[neighborhood + 1] - past->first[neighborhood];
}

static inline uint64
past_epochs(const Past *past, uint32 neighborhood)
{
	return (past->first_value[neighborhood + 1] - past->first_value[neighborhood]) /
		past_size(past, neighborhood);
}

static inline bool
past_is_filled(const Past *past, uint32 neighborhood)
{
	return past->is_filled != NULL && past->is_filled[neighborhood];
}

static inline Absence
past_absence(const Past *past, uint64 member)
{
	return past->absence == NULL ? WAS_THERE : past->absence[member];
}

static inline bool
past_is_untold(const Past *past, uint32 neighborhood)
{
	return past->absence != NULL &&
		memchr(past->absence + past->first[neighborhood], NEVER_TOLD, past_size(past, neighborhood)) != NULL;
}

/* After a release: where it shows no values, nobody comes back. */
static inline Absence
absence_after(Absence before, bool shows_no_value, bool stands_in)
{
	if (shows_no_value && before == NEVER_TOLD)
		return NEVER_TOLD;
	return stands_in ? WAS_AWAY : shows_no_value ? before : WAS_THERE;
}

/* Likewise, of a member or, if that is NO_MEMBER, of somebody new. */
static inline Absence
past_absence_after(const Past *past, const Frame *frame, uint64 member, bool stands_in)
{
	return absence_after(member == NO_MEMBER ? NEVER_TOLD : past_absence(past, member), frame->shows_no_value, stands_in);
}

/* The values published of all members in an epoch: [members of the neighborhood]. */
static inline const Code *
past_values(const Past *past, uint32 neighborhood, uint64 epoch)
{
	return past->value + past->first_value[neighborhood] + epoch * past_size(past, neighborhood);
}

#endif							/* PPREPUB_HISTORY_PAST_H */
