/*
 * places_after.c
 *		The past after a release, as it is written, and read for the same frame.
 *
 * NOTES
 *		Groups of the past keep their places in their order, and new groups come behind them.  A group has a new epoch if
 *		one of its places shows a value that it did not show before.
 *
 *		Where a class mixes people of several groups, each place shows the value of its own person from then on: observers
 *		know that it is one of those that the class showed, but not which, and this is stricter.  They know who was in the
 *		class, so the places of its members are a part of each group.
 */
#include "postgres.h"

#include "frame/arrays.h"
#include "history/past.h"
#include "miscadmin.h"

typedef struct After
{
	const Past *past;
	const Places *before;
	const Frame *frame;
	const ShownPlaces *showing;
	const Code *shown;			/* [rows] */
	const uint32 *group;		/* [classes] */
	int32		release;
	Places		places;			/* those after */
	bool	   *is_away;
	uint64	   *arrived;		/* [rows] the place that a person has now and had not before, or NO_PLACE */
} After;

/* ----------------------------------------------------------------
 * Groups
 * ----------------------------------------------------------------
 */

/* How many people of a class do not keep a place of the past? */
static uint64
count_placeless(const ShownPlaces *showing, uint32 c)
{
	const Classes *classes = showing->classes;
	uint64		n = 0;

	for (uint64 i = classes->first[c]; i < classes->first[c + 1]; i++)
		n += showing->place[classes->rows[i]] == NO_PLACE;
	return n;
}

uint32 *
groups_of_classes(const Places *before, const ShownPlaces *showing)
{
	uint32		nclasses = showing->classes->nclasses;
	uint32		next = before->ngroups;
	uint32	   *group = new_array(uint32, nclasses);

	for (uint32 c = 0; c < nclasses; c++)
		group[c] = showing->group[c] != NO_GROUP || count_placeless(showing, c) == 0 ? showing->group[c] : next++;
	return group;
}

/* The numbers of new groups come behind those of all others. */
static void
add_groups(After *after)
{
	const Places *before = after->before;
	uint32		nclasses = after->showing->classes->nclasses;
	Places	   *places = &after->places;
	uint32		most = before->ngroups + nclasses;

	places->number = new_array(int64, most);
	places->created = new_array(int32, most);
	places->first = new_zeros(uint64, most);
	memcpy(places->number, before->number, sizeof(int64) * before->ngroups);
	memcpy(places->created, before->created, sizeof(int32) * before->ngroups);
	memcpy(places->first, before->first, sizeof(uint64) * (before->ngroups + 1));
	for (uint32 c = 0; c < nclasses; c++)
	{
		uint32		g = places->ngroups;

		if (after->group[c] != g)
			continue;
		places->number[g] = ++places->last_number;
		places->created[g] = after->release;
		places->first[g + 1] = places->first[g] + count_placeless(after->showing, c);
		places->ngroups++;
	}
	places->nplaces = places->first[places->ngroups];
	if (before->has_open_ties == NULL)
		return;
	places->has_open_ties = new_array(bool, places->ngroups);
	memset(places->has_open_ties, true, places->ngroups);
	memcpy(places->has_open_ties, before->has_open_ties, before->ngroups);
}

/* The group of a place of the past, where a row of a class is shown. */
static inline uint32
group_shown_at(const After *after, uint32 c, uint64 place)
{
	return after->showing->group[c] != NO_GROUP ? after->showing->group[c] : places_group(after->before, place);
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

/* New groups have one, and those that show another value at a place than they did. */
static void
find_new_epochs(After *after)
{
	const Places *before = after->before;
	const Classes *classes = after->showing->classes;
	bool	   *has_new = new_zeros(bool, after->places.ngroups);

	for (uint32 c = 0; c < classes->nclasses; c++)
		for (uint64 i = classes->first[c]; i < classes->first[c + 1]; i++)
		{
			uint64		place = after->showing->place[classes->rows[i]];
			uint32		g;

			if (place == NO_PLACE)
				continue;
			g = group_shown_at(after, c, place);
			has_new[g] |= after->shown[classes->rows[i]] != group_shown(before, g)[place - before->first[g]];
		}
	for (uint32 g = before->ngroups; g < after->places.ngroups; g++)
		has_new[g] = true;
	copy_epochs(after, has_new);
	pfree(has_new);
}

/* The places that members of mixed classes keep, with the class, from 1 on, or 0; NULL where there are none. */
static uint32 *
find_mixed(const After *after)
{
	const Classes *classes = after->showing->classes;
	uint32	   *mixed = NULL;

	for (uint32 c = 0; c < classes->nclasses; c++)
		for (uint64 i = classes->first[c]; i < classes->first[c + 1] && after->showing->group[c] == NO_GROUP; i++)
		{
			uint64		place = after->showing->place[classes->rows[i]];

			if (place == NO_PLACE)
				continue;
			if (mixed == NULL)
				mixed = new_zeros(uint32, after->before->nplaces);
			mixed[place] = c + 1;
		}
	return mixed;
}

/* A place of a group, and how it is parted. */
typedef struct Parting
{
	uint32		before;
	uint32		mixed;
	bool		is_apart;
	uint32		place;
} Parting;

/* Places that are parted alike are neighbors, the first one first. */
DEFINE_ORDER(compare_partings, Parting, ASCENDING(before) ASCENDING(mixed) ASCENDING(is_apart) ASCENDING(place));

/* Parts places that are parted off, members of a mixed class, and the rest; imports make groups of many places. */
static void
part_group(After *after, uint32 g, const uint32 *mixed)
{
	uint64		first = after->before->first[g];
	uint64		n = group_size(after->before, g);
	Parting    *parting = new_array(Parting, n);
	uint32		head = 0;

	for (uint64 i = 0; i < n; i++)
		parting[i] = (Parting) {
			after->before->part[first + i], mixed == NULL ? 0 : mixed[first + i],
			after->showing->is_apart != NULL && after->showing->is_apart[first + i], i
		};
	qsort(parting, n, sizeof(Parting), compare_partings);
	for (uint64 i = 0; i < n; i++)
	{
		const Parting *of = &parting[i];

		/* The first place of the old part that is treated alike. */
		if (i == 0 || of[-1].before != of->before || of[-1].mixed != of->mixed || of[-1].is_apart != of->is_apart)
			head = of->place;
		after->places.part[first + of->place] = head;
		after->places.is_apart[first + of->place] |= of->is_apart;
	}
	pfree(parting);
}

/* ----------------------------------------------------------------
 * Places and people
 * ----------------------------------------------------------------
 */

/* Places as they were, and new ones that nobody holds yet; those that are parted off are parts. */
static void
copy_places(After *after)
{
	const Places *before = after->before;
	Places	   *places = &after->places;
	uint64		nrows = after->frame->nrows;
	uint32	   *mixed;

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
	mixed = find_mixed(after);
	for (uint32 g = 0; g < before->ngroups && (after->showing->is_apart != NULL || mixed != NULL); g++)
	{
		CHECK_FOR_INTERRUPTS();
		part_group(after, g, mixed);
	}
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
	const Classes *classes = after->showing->classes;
	Places	   *places = &after->places;

	for (uint32 c = 0; c < classes->nclasses; c++)
	{
		uint64		next = after->group[c] == NO_GROUP ? 0 : places->first[after->group[c]];

		CHECK_FOR_INTERRUPTS();
		for (uint64 i = classes->first[c]; i < classes->first[c + 1]; i++)
		{
			RowId		row = classes->rows[i];
			uint64		place = after->showing->place[row];
			uint32		g = place == NO_PLACE ? after->group[c] : group_shown_at(after, c, place);

			if (place == NO_PLACE)
				place = next++;
			take_seat(after, row, place);
			places->value[places->first_value[g + 1] - group_size(places, g) + place - places->first[g]] = after->shown[row];
		}
	}
	if (after->past->is_whole && classes->first_counterfeit != NULL)
		for (uint64 i = 0; i < classes->first_counterfeit[classes->nclasses]; i++)
			after->is_away[after->showing->stands_in[i]] = places->is_held[after->showing->stands_in[i]];
}

/* ----------------------------------------------------------------
 * Stays
 * ----------------------------------------------------------------
 */

void
end_links(Places *places, uint64 first, const int32 *since, uint64 nstays, const Stay *stay)
{
	uint64	   *last = new_zeros(uint64, places->nplaces);	/* links from each place, counted from 1 on */
	uint64	   *before = new_array(uint64, places->nlinks);

	for (uint64 i = first; i < places->nlinks; i++)
	{
		before[i] = last[places->link[i].from];
		last[places->link[i].from] = i + 1;
	}
	for (uint64 i = 0; i < nstays; i++)
	{
		CHECK_FOR_INTERRUPTS();
		for (uint64 link = last[stay[i].place]; link > 0; link = before[link - 1])
			if (stay[i].came > since[link - 1])
				places->link[link - 1].left = Min(places->link[link - 1].left, stay[i].came - 1);
	}
	pfree(last);
	pfree(before);
}

/* People who sit elsewhere than before stay there from now on, and link the two groups. */
static void
add_stays(After *after)
{
	const Places *before = after->before;
	Places	   *places = &after->places;
	uint64		nrows = after->frame->nrows;
	uint64		added = 0;
	int32	   *since;			/* [links] when the person had come to the first place */

	for (uint64 row = 0; row < nrows; row++)
		added += after->arrived[row] != NO_PLACE;
	places->first_stay = new_zeros(uint64, nrows);
	places->stay = new_array(Stay, before->first_stay[nrows] + added);
	places->link = new_array(Link, before->nlinks + added);
	since = new_array(int32, before->nlinks + added);
	memcpy(places->link, before->link, sizeof(Link) * before->nlinks);
	for (uint64 row = 0; row < nrows; row++)
	{
		uint64		n = before->first_stay[row + 1] - before->first_stay[row];
		Stay	   *stay = places->stay + places->first_stay[row];

		memcpy(stay, before->stay + before->first_stay[row], sizeof(Stay) * n);
		if (after->arrived[row] != NO_PLACE)
		{
			if (n > 0)
			{
				since[places->nlinks] = stay[n - 1].came;
				places->link[places->nlinks++] = (Link) {stay[n - 1].place, after->arrived[row], after->release - 1, after->release};
			}
			stay[n++] = (Stay) {after->arrived[row], after->release};
		}
		places->first_stay[row + 1] = places->first_stay[row] + n;
	}
	if (places->nlinks > before->nlinks)
		end_links(places, before->nlinks, since, before->first_stay[nrows], before->stay);
	pfree(since);
}

/* Nobody who is shown has moved since. */
static const bool *
moved_after(const After *after)
{
	const Classes *classes = after->showing->classes;
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
past_after(const Past *past, const Frame *frame, const ShownPlaces *showing, int32 release)
{
	After	   *after = palloc0(sizeof(After));
	Past	   *result = palloc(sizeof(Past));

	*after = (After) {
		.past = past, .before = past->places, .frame = frame, .showing = showing, .release = release,
		.shown = showing->shown != NULL ? showing->shown : frame->sensitive, .places = *past->places,
		.group = groups_of_classes(past->places, showing)
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
