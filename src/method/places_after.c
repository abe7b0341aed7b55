/*
 * places_after.c
 *		The past after a draft, as it would be read for the same frame.
 *
 * NOTES
 *		Groups of the past keep their places in their order, and new groups come behind them.  A group has a new epoch if
 *		one of its places shows a value that it did not show before.
 */
#include "postgres.h"

#include "frame/arrays.h"
#include "method/method.h"
#include "miscadmin.h"

typedef struct After
{
	const Past *past;
	const Places *before;
	const Frame *frame;
	const Draft *draft;
	const Code *shown;			/* [rows] */
	int32		release;
	Places		places;			/* those after */
	bool	   *is_away;
	uint64	   *arrived;		/* [rows] the place that a person has now and had not before, or NO_PLACE */
} After;

static bool
is_new_group(const After *after, uint32 c)
{
	return after->draft->group[c] == NO_GROUP;
}

/* ----------------------------------------------------------------
 * Groups
 * ----------------------------------------------------------------
 */

/* The number of new groups comes behind those of all others. */
static void
add_groups(After *after)
{
	const Places *before = after->before;
	const Classes *classes = after->draft->classes;
	Places	   *places = &after->places;
	uint32		most = before->ngroups + classes->nclasses;
	int64		number = 0;

	places->number = new_array(int64, most);
	places->created = new_array(int32, most);
	places->first = new_zeros(uint64, most);
	memcpy(places->number, before->number, sizeof(int64) * before->ngroups);
	memcpy(places->created, before->created, sizeof(int32) * before->ngroups);
	memcpy(places->first, before->first, sizeof(uint64) * (before->ngroups + 1));
	for (uint32 g = 0; g < before->ngroups; g++)
		number = Max(number, before->number[g]);
	for (uint32 c = 0; c < classes->nclasses; c++)
	{
		uint32		g = places->ngroups;

		if (!is_new_group(after, c))
			continue;
		places->number[g] = ++number;
		places->created[g] = after->release;
		places->first[g + 1] = places->first[g] + class_size(classes, c);
		places->ngroups++;
	}
	places->nplaces = places->first[places->ngroups];
}

/* Does a class show another value at one of its places than it did? */
static bool
is_refreshed(const After *after, uint32 c)
{
	const Classes *classes = after->draft->classes;
	uint32		g = after->draft->group[c];
	const Code *value = group_shown(after->before, g);

	for (uint64 i = classes->first[c]; i < classes->first[c + 1]; i++)
	{
		RowId		row = classes->rows[i];

		if (after->shown[row] != value[after->draft->place[row] - after->before->first[g]])
			return true;
	}
	return false;
}

/* Copies the epochs of all groups, with room for a new one where there is one: its values are the last ones yet. */
static void
copy_epochs(After *after, const bool *has_new)
{
	const Places *before = after->before;
	Places	   *places = &after->places;
	uint64		added = 0;
	uint64		nvalues = before->first_value[before->ngroups];

	for (uint32 g = 0; g < places->ngroups; g++)
	{
		added += has_new[g];
		nvalues += has_new[g] ? group_size(places, g) : 0;
	}
	places->first_epoch = new_zeros(uint64, places->ngroups);
	places->first_value = new_zeros(uint64, places->ngroups);
	places->since = new_array(int32, before->first_epoch[before->ngroups] + added);
	places->value = new_array(Code, nvalues);
	for (uint32 g = 0; g < places->ngroups; g++)
	{
		uint64		size = group_size(places, g);
		uint64		nepochs = g < before->ngroups ? group_epochs(before, g) : 0;
		int32	   *since = places->since + places->first_epoch[g];
		Code	   *value = places->value + places->first_value[g];

		if (nepochs > 0)
		{
			memcpy(since, before->since + before->first_epoch[g], sizeof(int32) * nepochs);
			memcpy(value, group_values(before, g, 0), sizeof(Code) * size * nepochs);
		}
		if (has_new[g])
		{
			since[nepochs] = after->release;
			if (nepochs > 0)
				memcpy(value + size * nepochs, group_shown(before, g), sizeof(Code) * size);
			nepochs++;
		}
		places->first_epoch[g + 1] = places->first_epoch[g] + nepochs;
		places->first_value[g + 1] = places->first_value[g] + size * nepochs;
	}
}

/* New groups have one, and those that show new values. */
static void
find_new_epochs(After *after)
{
	const Classes *classes = after->draft->classes;
	bool	   *has_new = new_zeros(bool, after->places.ngroups);

	for (uint32 c = 0; c < classes->nclasses; c++)
		if (!is_new_group(after, c) && !has_new[after->draft->group[c]])
			has_new[after->draft->group[c]] = is_refreshed(after, c);
	for (uint32 g = after->before->ngroups; g < after->places.ngroups; g++)
		has_new[g] = true;
	copy_epochs(after, has_new);
	pfree(has_new);
}

/* Places that are parted off leave their part, whose first place may be another one then; first: room for two a place. */
static void
part_group(After *after, uint32 g, uint32 *first)
{
	const bool *is_apart = after->draft->is_apart + after->before->first[g];
	uint32	   *part = after->places.part + after->before->first[g];
	uint64		size = group_size(after->before, g);

	memset(first, 0xff, sizeof(uint32) * 2 * size);
	for (uint64 i = 0; i < size; i++)
	{
		uint32	   *alike = &first[2 * part[i] + is_apart[i]];

		*alike = Min(*alike, i);
		part[i] = *alike;
		after->places.is_apart[after->before->first[g] + i] |= is_apart[i];
	}
}

/* ----------------------------------------------------------------
 * Places and people
 * ----------------------------------------------------------------
 */

/* Places as they were, and new ones that nobody holds yet; those that were parted off are. */
static void
copy_places(After *after)
{
	const Places *before = after->before;
	Places	   *places = &after->places;
	uint64		nrows = after->frame->nrows;
	uint64		largest = 0;
	uint32	   *first;

	places->row = new_array(RowId, places->nplaces);
	places->is_held = new_zeros(bool, places->nplaces);
	places->part = new_zeros(uint32, places->nplaces);
	places->is_apart = new_zeros(bool, places->nplaces);
	places->place = new_array(uint64, nrows);
	after->is_away = new_zeros(bool, places->nplaces);
	after->arrived = new_array(uint64, nrows);
	memset(places->row, 0xff, sizeof(RowId) * places->nplaces); /* NO_ROW */
	memset(after->arrived, 0xff, sizeof(uint64) * nrows);	/* NO_PLACE */
	memcpy(places->row, before->row, sizeof(RowId) * before->nplaces);
	memcpy(places->is_held, before->is_held, sizeof(bool) * before->nplaces);
	memcpy(places->part, before->part, sizeof(uint32) * before->nplaces);
	memcpy(places->is_apart, before->is_apart, sizeof(bool) * before->nplaces);
	memcpy(places->place, before->place, sizeof(uint64) * nrows);
	if (after->past->is_away != NULL)
		memcpy(after->is_away, after->past->is_away, sizeof(bool) * before->nplaces);
	if (after->draft->is_apart == NULL)
		return;
	for (uint32 g = 0; g < before->ngroups; g++)
		largest = Max(largest, group_size(before, g));
	first = new_array(uint32, 2 * largest);
	for (uint32 g = 0; g < before->ngroups; g++)
		part_group(after, g, first);
	pfree(first);
}

/* A person sits at a place: another one who held it has none, or one elsewhere. */
static void
take_seat(After *after, RowId row, uint64 place)
{
	Places	   *places = &after->places;
	uint64		earlier = places->place[row];

	after->is_away[place] = places->is_apart[place] = false;
	if (earlier == place)
		return;
	if (earlier != NO_PLACE)
	{
		places->row[earlier] = NO_ROW;
		places->is_held[earlier] = after->is_away[earlier] = false;
	}
	if (places->row[place] != NO_ROW)
		places->place[places->row[place]] = NO_PLACE;
	places->row[place] = row;
	places->is_held[place] = true;
	places->place[row] = after->arrived[row] = place;
}

/* All who are shown sit; of others of whole releases it is known that they were away. */
static void
seat_people(After *after)
{
	const Draft *draft = after->draft;
	const Classes *classes = draft->classes;
	Places	   *places = &after->places;
	uint32		g = after->before->ngroups;

	for (uint32 c = 0; c < classes->nclasses; c++)
	{
		bool		is_new = is_new_group(after, c);
		uint32		group = is_new ? g++ : draft->group[c];
		Code	   *value = places->value + places->first_value[group + 1] - group_size(places, group);

		CHECK_FOR_INTERRUPTS();
		for (uint64 i = classes->first[c]; i < classes->first[c + 1]; i++)
		{
			RowId		row = classes->rows[i];
			uint64		place = is_new ? places->first[group] + i - classes->first[c] : draft->place[row];

			take_seat(after, row, place);
			value[place - places->first[group]] = after->shown[row];
		}
	}
	for (uint64 i = 0; after->past->is_whole && i < classes->first_counterfeit[classes->nclasses]; i++)
		after->is_away[draft->stands_in[i]] = places->is_held[draft->stands_in[i]];
}

/* ----------------------------------------------------------------
 * Stays
 * ----------------------------------------------------------------
 */

/* People who sit elsewhere than before stay there from now on, and link the two groups. */
static void
add_stays(After *after)
{
	const Places *before = after->before;
	Places	   *places = &after->places;
	uint64		nrows = after->frame->nrows;
	uint64		added = 0;

	for (uint64 row = 0; row < nrows; row++)
		added += after->arrived[row] != NO_PLACE;
	places->first_stay = new_zeros(uint64, nrows);
	places->stay = new_array(Stay, before->first_stay[nrows] + added);
	places->link = new_array(Link, before->nlinks + added);
	memcpy(places->link, before->link, sizeof(Link) * before->nlinks);
	for (uint64 row = 0; row < nrows; row++)
	{
		uint64		n = before->first_stay[row + 1] - before->first_stay[row];
		Stay	   *stay = places->stay + places->first_stay[row];

		memcpy(stay, before->stay + before->first_stay[row], sizeof(Stay) * n);
		if (after->arrived[row] != NO_PLACE)
		{
			if (n > 0)
				places->link[places->nlinks++] = (Link) {stay[n - 1].place, after->arrived[row], after->release - 1, after->release};
			stay[n++] = (Stay) {after->arrived[row], after->release};
		}
		places->first_stay[row + 1] = places->first_stay[row] + n;
	}
}

/* Nobody who is shown has moved since. */
static const bool *
moved_after(const After *after)
{
	const Classes *classes = after->draft->classes;
	bool	   *has_moved;

	if (after->past->has_moved == NULL)
		return NULL;
	has_moved = new_array(bool, after->frame->nrows);
	memcpy(has_moved, after->past->has_moved, sizeof(bool) * after->frame->nrows);
	for (uint64 i = 0; i < classes->first[classes->nclasses]; i++)
		has_moved[classes->rows[i]] = false;
	return has_moved;
}

Past *
past_after(const Past *past, const Frame *frame, const Draft *draft, int32 release)
{
	After	   *after = palloc0(sizeof(After));
	Past	   *result = palloc(sizeof(Past));

	*after = (After) {
		.past = past, .before = past->places, .frame = frame, .draft = draft, .release = release,
		.shown = draft->shown != NULL ? draft->shown : frame->sensitive, .places = *past->places
	};
	add_groups(after);
	find_new_epochs(after);
	copy_places(after);
	seat_people(after);
	add_stays(after);
	*result = *past;
	result->releases = release;
	result->places = &after->places;
	result->is_away = after->is_away;
	result->has_moved = moved_after(after);
	return result;
}
