/*
 * places.h
 *		Groups of places: what observers know of the people whom releases showed together, in the codes of one frame.
 *
 * A group is a list of places, for life.  A place has a holder, or nobody, and a value that releases show.  A group is
 * shown as one class: the values of all its places, whoever sits there; a place without somebody in the source shows
 * what it showed last.  Values change only where the whole group shows new ones, so a permutation of the places of a
 * group leaves all that observers know as it is.
 *
 * A group may be parted: places of one part are shown together from then on, those of the departed never again; or, of
 * true rows only, when people sit at all of them once more.
 * A person's places in earlier groups are known, too, since a person who comes back elsewhere, or moves, ties two groups.
 */
#ifndef PPREPUB_HISTORY_PLACES_H
#define PPREPUB_HISTORY_PLACES_H

#include "postgres.h"

#include "frame/arrays.h"
#include "frame/frame.h"

#define NO_GROUP	PG_UINT32_MAX
#define NO_PLACE	PG_UINT64_MAX

/* A place of a person of the frame: where the person sits, or once sat. */
typedef struct Stay
{
	uint64		place;
	int32		came;			/* the release that showed the person there first */
} Stay;

typedef struct Places
{
	uint32		ngroups;
	int64	   *number;			/* [ngroups] that tables know them by */
	int64		last_number;	/* of a group, ever */
	int32	   *created;		/* [ngroups] the release that showed it first */
	uint64	   *first;			/* [ngroups + 1] group g has the places from first[g] to first[g + 1] - 1 */

	/* By place */
	uint64		nplaces;
	RowId	   *row;			/* the holder's row, or NO_ROW: nobody holds it, or the holder is not among the rows */
	bool	   *is_held;		/* has it a holder, among the rows or not? */
	uint32	   *part;			/* the first place of its part, counted in the group from 0 on */
	bool	   *is_apart;		/* was its part parted off, and is it not shown since? */

	/*
	 * Epochs of a group: a new one begins where a release shows new values.  The values of the newest epoch come last.
	 */
	uint64	   *first_epoch;	/* [ngroups + 1] */
	int32	   *since;			/* [epochs] the release that showed these values first */
	uint64	   *first_value;	/* [ngroups + 1] */
	Code	   *value;			/* epoch by epoch, place by place; NO_CODE for NULL */

	/* By row of the frame */
	uint64	   *place;			/* [rows] the place that the person holds, or NO_PLACE */
	uint64	   *first_stay;		/* [rows + 1] the stays of row r are from first_stay[r] up to, not including,
								 * first_stay[r + 1], the oldest first; the place that is held is one of them */
	Stay	   *stay;

	/*
	 * Links between groups that a person of any time made, in the source or not: somebody who held a place in one
	 * group and then in another one.  Each is a person's next stay after an earlier one, in the order of releases.
	 */
	uint64		nlinks;
	struct Link *link;
	bool	   *has_open_ties;	/* [ngroups] groups whose links are not all known, and left out; NULL where there are
								 * none */
} Places;

/* Somebody left a place, and has a place elsewhere since. */
typedef struct Link
{
	uint64		from;			/* place */
	uint64		to;				/* place */
	int32		left;			/* the last release that showed the person at the first, as far as the log tells */
	int32		came;			/* the release that showed the person at the second first */
} Link;

/* The group of a place. */
static inline uint32
places_group(const Places *places, uint64 place)
{
	uint32		behind;

	find_first(behind, places->ngroups, g, places->first[g] > place);
	return behind - 1;
}

static inline uint64
group_size(const Places *places, uint32 group)
{
	return places->first[group + 1] - places->first[group];
}

static inline uint64
group_epochs(const Places *places, uint32 group)
{
	return places->first_epoch[group + 1] - places->first_epoch[group];
}

/* The values of all places of a group in an epoch, which is counted from 0 on. */
static inline const Code *
group_values(const Places *places, uint32 group, uint64 epoch)
{
	return places->value + places->first_value[group] + epoch * group_size(places, group);
}

/* The values that are shown now. */
static inline const Code *
group_shown(const Places *places, uint32 group)
{
	return group_values(places, group, group_epochs(places, group) - 1);
}

/*
 * The places that a release shows.  A class of a group shows rows and counterfeits at some of its places; one without a group
 * becomes a new one, whose places its rows take in their order.  In a release that was made without regard to the past, rows
 * of a class without a group may keep the places that they hold, in any groups: those groups are parted by it.
 */
typedef struct ShownPlaces
{
	const Classes *classes;
	const Code *shown;			/* [rows of the frame] or NULL: their own values */
	const uint32 *group;		/* [nclasses] or NO_GROUP */
	const uint64 *place;		/* [rows of the frame] of the past, or NO_PLACE */
	const uint64 *stands_in;	/* [counterfeits] places of the past */
	const bool *is_apart;		/* [places of the past] parted off from others that are shown; NULL where none is */
} ShownPlaces;

/* The group that each class is of afterwards, NO_GROUP if its rows keep their places; new ones are behind those of the past. */
extern uint32 *groups_of_classes(const Places *before, const ShownPlaces *showing);

/*
 * People of links from a first one on had left their places before others came there, by these stays of anybody.  since: when
 * the person of each link had come to the place that it is from.
 */
extern void end_links(Places *places, uint64 first, const int32 *since, uint64 nstays, const Stay *stay);

#endif							/* PPREPUB_HISTORY_PLACES_H */
