/*
 * places_judge.c
 *		The last check of a draft of groups.
 *
 * NOTES
 *		Nothing of the draft is trusted but what judge_classes() has seen to, and nothing is shared with the method:
 *		each rule is looked at once more, in the past and the draft.
 */
#include "postgres.h"

#include "audit/judge_draft.h"
#include "audit/places_judge.h"
#include "frame/arrays.h"
#include "miscadmin.h"
#include "partition/changed_rows.h"
#include "utils/memutils.h"

typedef struct PlacesJudge
{
	/* All borrowed */
	const Frame *frame;
	const Past *past;
	const Places *places;
	const ShownPlaces *draft;
	uint64		k;
	bool		is_true;

	/* Owned */
	Principle	principle;
	Tally	   *tally;
	uint32	   *class;			/* [places] the class that shows it, or NO_CLASS */
	uint32	   *class_of_part;	/* [places] the class that shows the part of which this place is the first, or NO_CLASS */
	Code	   *value;			/* [places] of an epoch of a part */
	uint64	   *some;			/* [places] its places, in the same order */
} PlacesJudge;

static inline bool
is_asked(const PlacesJudge *judge, RowId row)
{
	return judge->frame->asked == NULL || judge->frame->asked[row];
}

static inline Code
shown_of(const PlacesJudge *judge, RowId row)
{
	return judge->draft->shown == NULL ? judge->frame->sensitive[row] : judge->draft->shown[row];
}

/* Is the place not to be shown again? */
static inline bool
is_gone(const PlacesJudge *judge, uint64 place)
{
	return judge->places->is_apart[place] && !judge->is_true;
}

/* Nobody was there when a place was parted off for good. */
static inline bool
was_away(const PlacesJudge *judge, uint64 place)
{
	return is_gone(judge, place) || (judge->past->is_away != NULL && judge->past->is_away[place]);
}

static inline bool
has_moved(const PlacesJudge *judge, RowId row)
{
	return judge->past->has_moved != NULL && judge->past->has_moved[row];
}

static inline bool
is_parted_off(const PlacesJudge *judge, uint64 place)
{
	return judge->draft->is_apart != NULL && judge->draft->is_apart[place];
}

/* The value that a place showed last. */
static Code
last_shown(const Places *places, uint32 group, uint64 place)
{
	return group_shown(places, group)[place - places->first[group]];
}

/* The first place of a place's part. */
static uint64
part_of(const Places *places, uint32 group, uint64 place)
{
	return places->first[group] + places->part[place];
}

/* ----------------------------------------------------------------
 * Groups of the past
 * ----------------------------------------------------------------
 */

/* Takes note that the class shows a place of its group; all are of one part that was not parted off. */
static void
verify_place(PlacesJudge *judge, uint32 c, uint64 place, uint64 *part)
{
	const Places *places = judge->places;
	uint32		group = judge->draft->group[c];

	if (place < places->first[group] || place >= places->first[group + 1])
		refuse_draft(c, "a row has a place in another group");
	if (is_gone(judge, place) || is_parted_off(judge, place))
		refuse_draft(c, "it shows a place that was parted off");
	if (judge->class[place] != NO_CLASS)
		refuse_draft(c, "a place is shown twice");
	judge->class[place] = c;
	if (*part == NO_PLACE)
		*part = part_of(places, group, place);
	if (part_of(places, group, place) != *part)
		refuse_draft(c, "it has places of two parts of its group");
}

/* A whole part, in a class of its own. */
static void
verify_whole(PlacesJudge *judge, uint32 c)
{
	const Places *places = judge->places;
	const Classes *classes = judge->draft->classes;
	uint32		group = judge->draft->group[c];
	uint64		part = NO_PLACE;
	uint64		nplaces = 0;

	for (uint64 i = classes->first[c]; i < classes->first[c + 1]; i++)
		verify_place(judge, c, judge->draft->place[classes->rows[i]], &part);
	for (uint64 i = 0; i < class_counterfeits(classes, c); i++)
		verify_place(judge, c, judge->draft->stands_in[classes->first_counterfeit[c] + i], &part);
	if (class_size(classes, c) == 0)
		refuse_draft(c, "nobody sits in it");
	for (uint64 p = places->first[group]; p < places->first[group + 1]; p++)
		nplaces += part_of(places, group, p) == part && !is_parted_off(judge, p);
	if (nplaces != class_size(classes, c) + class_counterfeits(classes, c))
		refuse_draft(c, "it is not a whole part of its group");
	if (judge->past->is_whole && class_counterfeits(classes, c) > class_size(classes, c))
		refuse_draft(c, "most of its places are free");
	judge->class_of_part[part] = c;
}

/* People come back to their own places whatever these show, as nobody of several rows goes elsewhere. */
static inline bool
keeps_place(const PlacesJudge *judge, uint64 place)
{
	return !is_gone(judge, place) && (has_row_values(judge->frame->aspects) || !was_away(judge, place));
}

/* People who are new in a group, or come back, have the value that the place shows. */
static void
verify_arrival(const PlacesJudge *judge, uint32 c, RowId row)
{
	const Places *places = judge->places;
	uint32		group = judge->draft->group[c];
	uint64		place = judge->draft->place[row];
	bool		is_own = places->place[row] == place;

	if (is_own && keeps_place(judge, place))
		return;
	if (judge->frame->sensitive[row] != last_shown(places, group, place))
		refuse_draft(c, "a person comes to a place that shows another value");
	if (is_own)
		return;
	if (!judge->past->is_whole || !is_asked(judge, row))
		refuse_draft(c, "a person comes to it in a release that is not about everybody");
	for (uint64 i = places->first_stay[row]; i < places->first_stay[row + 1]; i++)
		if (places->stay[i].place >= places->first[group] && places->stay[i].place < places->first[group + 1])
			refuse_draft(c, "a person has a second place in its group");
}

/* It shows what it showed last; or all its people are those who sat there before, and it shows their values of today. */
static void
verify_values(const PlacesJudge *judge, uint32 c)
{
	const Places *places = judge->places;
	const ShownPlaces *draft = judge->draft;
	const Classes *classes = draft->classes;
	uint32		group = draft->group[c];
	bool		is_refreshed = false;
	bool		may_be = class_counterfeits(classes, c) == 0 && !judge->frame->shows_no_value;

	for (uint64 i = 0; i < class_counterfeits(classes, c); i++)
	{
		uint64		at = classes->first_counterfeit[c] + i;

		if (classes->counterfeit[at] != last_shown(places, group, draft->stands_in[at]))
			refuse_draft(c, "a row that stands in shows another value than its place did");
	}
	for (uint64 i = classes->first[c]; i < classes->first[c + 1]; i++)
	{
		RowId		row = classes->rows[i];

		is_refreshed |= shown_of(judge, row) != last_shown(places, group, draft->place[row]);
		may_be &= is_asked(judge, row) && places->place[row] == draft->place[row];
	}
	if (!is_refreshed)
		return;
	if (!may_be)
		refuse_draft(c, "it shows new values, though not everybody of it was there before and is now");
	for (uint64 i = classes->first[c]; i < classes->first[c + 1]; i++)
	{
		if (shown_of(judge, classes->rows[i]) != judge->frame->sensitive[classes->rows[i]])
			refuse_draft(c, "it shows new values of some of its people only");
		judge->value[i - classes->first[c]] = judge->frame->sensitive[classes->rows[i]];
		judge->some[i - classes->first[c]] = draft->place[classes->rows[i]];
	}
	if (!changes_of_places_are_allowed(&judge->principle, judge->frame->aspects, places, group, judge->some, class_size(classes, c), judge->value))
		refuse_draft(c, "it shows rows that came to few people, or went");
}

/* Its places first, since all else is read at these. */
static void
verify_group(PlacesJudge *judge, uint32 c)
{
	const Classes *classes = judge->draft->classes;

	if (judge->draft->group[c] >= judge->places->ngroups)
		refuse_draft(c, "its group is not known");
	verify_whole(judge, c);
	for (uint64 i = classes->first[c]; i < classes->first[c + 1]; i++)
		verify_arrival(judge, c, classes->rows[i]);
	verify_values(judge, c);
}

/* ----------------------------------------------------------------
 * New groups
 * ----------------------------------------------------------------
 */

/* True rows of people who were asked for, with values of their own. */
static void
verify_new_group(const PlacesJudge *judge, uint32 c)
{
	const Places *places = judge->places;
	const Classes *classes = judge->draft->classes;

	if (class_counterfeits(classes, c) > 0)
		refuse_draft(c, "a group begins with invented rows");
	for (uint64 i = classes->first[c]; i < classes->first[c + 1]; i++)
	{
		RowId		row = classes->rows[i];

		if (!is_asked(judge, row))
			refuse_draft(c, "a group begins with a person who was not asked for");
		if (judge->draft->place[row] != NO_PLACE)
			refuse_draft(c, "a group begins with a place of another one");
		if (shown_of(judge, row) != judge->frame->sensitive[row])
			refuse_draft(c, "a group begins with a value that is not a person's own");
		if (!judge->past->is_whole && places->first_stay[row] < places->first_stay[row + 1])
			refuse_draft(c, "a person moves to it in a release that is not about everybody");
	}
}

/* ----------------------------------------------------------------
 * People who go from one group to another
 * ----------------------------------------------------------------
 */

/* People whose part is shown stay, unless they have moved, or come back with another value. */
static void
verify_departure(const PlacesJudge *judge, uint32 c, RowId row)
{
	const Places *places = judge->places;
	uint64		place = places->place[row];
	bool		away;
	bool		is_shown;
	bool		has_own;
	uint32		group;

	if (place == NO_PLACE || place == judge->draft->place[row] || has_moved(judge, row))
		return;
	group = places_group(places, place);
	away = was_away(judge, place);
	is_shown = judge->class_of_part[part_of(places, group, place)] != NO_CLASS;
	has_own = judge->frame->sensitive[row] == last_shown(places, group, place);
	if (is_shown && (has_own || !away) && (judge->is_true || !is_parted_off(judge, place)))
		refuse_draft(c, "a person comes to it from a group that is shown without a reason to leave");
	if (!has_own && !away)
		refuse_draft(c, "a person comes to it with another value than was shown last");
}

/*
 * Have an epoch of an old group and a new one enough values in common, in k rows of each?  A NULL is a row as well.  The
 * tally has the rows of the new one.
 */
static bool
have_enough_in_common(const PlacesJudge *judge, const Code *old, uint64 n)
{
	const Tally *tally = judge->tally;
	uint64		nulls = tally->rows;
	uint64		old_nulls = 0;
	uint64		in_old = 0;
	uint64		in_new = 0;
	uint32		values = 0;
	uint32		least = principle_least_values(&judge->principle);

	for (uint32 v = 0; v < tally->values; v++)
	{
		uint64		times = 0;

		for (uint64 i = 0; i < n; i++)
			times += old[i] == tally->value[v];
		nulls -= tally->count[tally->value[v]];
		in_old += times;
		in_new += times > 0 ? tally->count[tally->value[v]] : 0;
		values += times > 0;
	}
	for (uint64 i = 0; i < n; i++)
		old_nulls += old[i] == NO_CODE;
	if (nulls > 0 && old_nulls > 0)
	{
		in_old += old_nulls;
		in_new += nulls;
	}
	return in_old >= judge->k && in_new >= judge->k && (least <= 1 || values >= least);
}

/*
 * Observers know that a person had one value in both groups, unless it has changed.  The last release that showed the person in
 * the old one is not known, so the values of any epoch since the person came there will do.
 */
static void
verify_tie(const PlacesJudge *judge, uint32 c, RowId row)
{
	const Places *places = judge->places;
	const Stay *last = places->stay + places->first_stay[row + 1] - 1;
	uint32		group;

	if (places->first_stay[row] == places->first_stay[row + 1] || judge->draft->place[row] == last->place)
		return;
	group = places_group(places, last->place);
	for (uint64 e = group_epochs(places, group); e-- > 0;)
	{
		if (have_enough_in_common(judge, group_values(places, group, e), group_size(places, group)))
			return;
		if (places->since[places->first_epoch[group] + e] <= last->came)
			break;
	}
	refuse_draft(c, "a person comes to it from a group that has too little in common with it");
}

/* People who were not in the class's group before, once it is known which parts are shown. */
static void
verify_newcomers(const PlacesJudge *judge, uint32 c)
{
	const ShownPlaces *draft = judge->draft;
	const Classes *classes = draft->classes;

	for (uint64 i = classes->first[c]; i < classes->first[c + 1]; i++)
		tally_add(judge->tally, shown_of(judge, classes->rows[i]));
	for (uint64 i = 0; i < class_counterfeits(classes, c); i++)
		tally_add(judge->tally, classes->counterfeit[classes->first_counterfeit[c] + i]);
	for (uint64 i = classes->first[c]; i < classes->first[c + 1]; i++)
	{
		verify_departure(judge, c, classes->rows[i]);
		if (judge->places->place[classes->rows[i]] != draft->place[classes->rows[i]] || draft->group[c] == NO_GROUP)
			verify_tie(judge, c, classes->rows[i]);
	}
	tally_clear(judge->tally);
}

/* Nobody loses a place while the group is shown without the person. */
static void
verify_nobody_is_left_out(const PlacesJudge *judge, uint64 place)
{
	RowId		row = judge->places->row[place];

	if (row == NO_ROW || !keeps_place(judge, place) || has_moved(judge, row) || !is_asked(judge, row))
		return;
	if (is_parted_off(judge, place) && !judge->is_true)
		refuse_draft(0, "somebody's place is parted off");
	if (judge->class[place] != NO_CLASS && judge->draft->place[row] != place)
		refuse_draft(judge->class[place], "somebody who sits in it is left out");
}

/* ----------------------------------------------------------------
 * Places that are parted off
 * ----------------------------------------------------------------
 */

/* Are the values of the first places, and those of the others, allowed? */
static bool
are_two_sets(const PlacesJudge *judge, uint64 n, uint64 nplaces)
{
	bool		are_allowed = true;

	for (int side = 0; side < 2; side++)
	{
		for (uint64 i = side == 0 ? 0 : n; i < (side == 0 ? n : nplaces); i++)
			tally_add(judge->tally, judge->value[i]);
		are_allowed &= principle_allows_values(&judge->principle, judge->tally);
		tally_clear(judge->tally);
	}
	return are_allowed;
}

/*
 * In each epoch, are the values of places that are parted off allowed, and of those that are left: whichever they are, or of
 * true rows, as they are?
 */
static void
verify_parting(const PlacesJudge *judge, uint32 group, uint32 part, uint64 ngone, uint64 nplaces)
{
	const Places *places = judge->places;
	uint64		first = places->first[group];
	uint32		c = judge->class_of_part[first + part];

	if (c == NO_CLASS)			/* the log would not tell */
		refuse_draft(0, "places are parted off from others that are not shown");
	if (!judge->past->is_whole)
		refuse_draft(c, "places are parted off in a release that is not about everybody");
	if (ngone < judge->k || nplaces - ngone < judge->k)
		refuse_draft(c, "too few places are parted off, or left");
	for (uint64 e = 0; e < group_epochs(places, group); e++)
	{
		const Code *shown = group_values(places, group, e);
		uint64		n = 0;
		uint64		left = ngone;

		CHECK_FOR_INTERRUPTS();
		for (uint64 p = 0; p < group_size(places, group); p++)
			if (places->part[first + p] == part)
			{
				uint64		at = is_parted_off(judge, first + p) ? n++ : left++;

				judge->value[at] = shown[p];
				judge->some[at] = first + p;
			}
		if (judge->is_true ? !are_two_sets(judge, ngone, nplaces) :
			!all_parts_are_allowed(&judge->principle, judge->frame->aspects, judge->value, nplaces, ngone, judge->tally) ||
			!all_parts_are_allowed(&judge->principle, judge->frame->aspects, judge->value, nplaces, nplaces - ngone, judge->tally))
			refuse_draft(c, "places are parted off that may show too few values");
	}
	if (judge->is_true ?
		!changes_of_places_are_allowed(&judge->principle, judge->frame->aspects, places, group, judge->some, ngone, NULL) ||
		!changes_of_places_are_allowed(&judge->principle, judge->frame->aspects, places, group, judge->some + ngone, nplaces - ngone, NULL) :
		!changes_of_places_are_allowed(NULL, judge->frame->aspects, places, group, judge->some, nplaces, NULL))
		refuse_draft(c, "places are parted off that show rows which came to few people, or went");
}

/* The parts of a group that lose places, none of which was lost before. */
static void
verify_gone(const PlacesJudge *judge, uint32 group)
{
	const Places *places = judge->places;
	uint64		first = places->first[group];
	uint64		n = group_size(places, group);

	for (uint64 part = 0; part < n; part++)
	{
		uint64		nplaces = 0;
		uint64		ngone = 0;

		if (is_gone(judge, first + part) && is_parted_off(judge, first + part))
			refuse_draft(0, "places are parted off twice");
		if (places->part[first + part] != part)
			continue;
		for (uint64 p = part; p < n; p++)
		{
			nplaces += places->part[first + p] == part;
			ngone += places->part[first + p] == part && is_parted_off(judge, first + p);
		}
		if (ngone > 0)
			verify_parting(judge, group, part, ngone, nplaces);
	}
}

void
judge_places(const Frame *frame, const Past *past, const ShownPlaces *draft, const Principle *principle, uint64 k, bool is_true)
{
	PlacesJudge judge = {.frame = frame, .past = past, .places = past->places, .draft = draft, .k = k, .is_true = is_true};
	MemoryContext context = CurrentMemoryContext;
	MemoryContext work = AllocSetContextCreate(context, "judge of places", ALLOCSET_DEFAULT_SIZES);

	MemoryContextSwitchTo(work);
	judge.principle = principle_bound(principle, frame->nsensitive, frame->aspects);
	judge.tally = tally_create(frame->nsensitive);
	judge.class = new_array(uint32, judge.places->nplaces);
	judge.class_of_part = new_array(uint32, judge.places->nplaces);
	judge.value = new_array(Code, judge.places->nplaces);
	judge.some = new_array(uint64, judge.places->nplaces);
	memset(judge.class, 0xff, sizeof(uint32) * judge.places->nplaces);	/* NO_CLASS */
	memset(judge.class_of_part, 0xff, sizeof(uint32) * judge.places->nplaces);
	for (uint32 c = 0; c < draft->classes->nclasses; c++)
	{
		CHECK_FOR_INTERRUPTS();
		if (class_size(draft->classes, c) + class_counterfeits(draft->classes, c) < k)
			refuse_draft(c, "it has fewer places than k");
		if (draft->group[c] == NO_GROUP)
			verify_new_group(&judge, c);
		else
			verify_group(&judge, c);
	}
	for (uint32 c = 0; c < draft->classes->nclasses; c++)
	{
		CHECK_FOR_INTERRUPTS();
		verify_newcomers(&judge, c);
	}
	for (uint32 group = 0; group < judge.places->ngroups && draft->is_apart != NULL; group++)
		verify_gone(&judge, group);
	for (uint64 place = 0; place < judge.places->nplaces; place++)
		verify_nobody_is_left_out(&judge, place);
	MemoryContextSwitchTo(context);
	MemoryContextDelete(work);
}
