/*
 * ties.c
 *		May a person who once had a place in another group get one in this group?
 *
 * NOTES
 *		The filter comes first, since it is cheap: all groups of the person have values in common, in places that did
 *		not change since the person got a value there, and they suffice.  If nobody else is tied, the person can have
 *		each of these values.  Other ties may leave fewer, which is for worlds.c to find out.
 *
 *		A draft's own ties count like those of the past for later questions.
 */
#include "postgres.h"

#include "method/bpg/ties.h"

#include "frame/arrays.h"
#include "method/bpg/worlds.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#define CLASS_ROUNDS	20		/* how often the rest of a class is tried */

/* A group of the past, or a new one, as a person was in it. */
typedef struct Seat
{
	uint32		group;			/* NO_GROUP for a new one */
	uint32		seat;
	uint32		first_epoch;	/* the person's last value there is from this epoch, or a later one */
	uint32		last_epoch;		/* up to this one */
} Seat;

struct Ties
{
	const Frame *frame;
	const Places *places;
	uint32		l;				/* values that are needed; 0 if it is no matter how many there are */
	uint64		k;
	TiesRule	rule;
	MemoryContext context;

	uint64	   *first_link;		/* [ngroups + 1] links from places of a group: link[first_link[g]] and so on */
	uint32	   *link;

	/* The filter */
	uint64	   *common;			/* [nsensitive + 1] a value was in so many groups of a question, counted from its
								 * number on */
	uint64		counted;		/* the number of the question */
	Seat	   *seat;			/* of the person at hand */
	uint32		seats_room;

	/* Worlds, from the first question on */
	Seating    *seating;
	Hall	  **hall;			/* [ngroups] of groups in which somebody is tied */
};

Ties *
ties_create(const Frame *frame, const Past *past, const Principle *principle, uint64 k, TiesRule rule)
{
	Ties	   *ties = palloc0(sizeof(Ties));

	ties->frame = frame;
	ties->places = past->places;
	ties->l = principle->l > 1 ? principle->l : 0;
	ties->k = k;
	ties->rule = principle->judging == NULL && principle->nterms == 0 ? rule : TIES_NONE;
	ties->context = CurrentMemoryContext;
	return ties;
}

/* ---- Groups, epochs and seats of a person ---- */

static uint32
group_of(const Places *places, uint64 place)
{
	uint64		after;

	find_first(after, places->ngroups, g, places->first[g] > place);
	return after - 1;
}

/* The epoch of a group that a release shows. */
static uint32
epoch_at(const Places *places, uint32 group, int32 release)
{
	const int32 *since = places->since + places->first_epoch[group];
	uint64		after;

	find_first(after, group_epochs(places, group), e, since[e] > release);
	return after == 0 ? 0 : after - 1;
}

static Code
shown_at(const Places *places, const Seat *seat, uint32 epoch, uint64 at)
{
	return group_values(places, seat->group, epoch)[at];
}

/* By the group that the person left. */
static void
list_links(Ties *ties)
{
	const Places *places = ties->places;
	uint32	   *group = new_array(uint32, places->nlinks);

	for (uint64 i = 0; i < places->nlinks; i++)
		group[i] = group_of(places, places->link[i].from);
	list_by_group(group, places->nlinks, places->ngroups, &ties->first_link, &ties->link);
	pfree(group);
}

/* The epochs that a person's last value in a group may be from, who has a later stay there or elsewhere, or none. */
static Seat
seat_of(const Ties *ties, RowId row, uint64 stay)
{
	const Places *places = ties->places;
	uint64		place = places->stay[stay].place;
	Seat		seat = {.group = group_of(places, place)};
	uint32		newest = group_epochs(places, seat.group) - 1;

	seat.seat = place - places->first[seat.group];
	seat.first_epoch = epoch_at(places, seat.group, places->stay[stay].came);
	seat.last_epoch = newest;
	if (places->place[row] == place)
		seat.first_epoch = newest;	/* nothing is refreshed while somebody is away */
	else if (stay + 1 < places->first_stay[row + 1])
	{
		uint32		first = newest;
		uint32		last = 0;

		/* Several people may have gone the same way */
		for (uint64 i = ties->first_link[seat.group]; i < ties->first_link[seat.group + 1]; i++)
		{
			const Link *link = &places->link[ties->link[i]];
			uint32		left;

			if (link->from != place || link->to != places->stay[stay + 1].place)
				continue;
			left = epoch_at(places, seat.group, link->left);
			first = Min(first, left);
			last = Max(last, left);
		}
		if (first <= last)
		{
			seat.first_epoch = first;
			seat.last_epoch = last;
		}
	}
	else if (places->row[place] != NO_ROW)
	{
		RowId		holder = places->row[place];

		/* The group was not refreshed before somebody had taken the place. */
		seat.last_epoch = epoch_at(places, seat.group, places->stay[places->first_stay[holder + 1] - 1].came);
	}
	seat.last_epoch = Max(seat.first_epoch, seat.last_epoch);
	return seat;
}

/* Lists where a person sat; returns how many places, the oldest first. */
static uint32
list_seats(Ties *ties, RowId row)
{
	const Places *places = ties->places;
	uint64		first = places->first_stay[row];
	uint32		n = places->first_stay[row + 1] - first;

	if (n >= ties->seats_room)
	{
		MemoryContext old = MemoryContextSwitchTo(ties->context);

		ties->seats_room = array_room(ties->seats_room, n + 1);
		array_resize(ties->seat, ties->seats_room);
		MemoryContextSwitchTo(old);
	}
	for (uint32 i = 0; i < n; i++)
		ties->seat[i] = seat_of(ties, row, first + i);
	return n;
}

/* ---- The filter ---- */

/* Does a place of the person's part show one value since the person got the last one there? */
static bool
is_unchanged(const Places *places, const Seat *seat, uint64 at)
{
	const uint32 *part = places->part + places->first[seat->group];

	if (part[at] != part[seat->seat])
		return false;
	for (uint32 e = seat->first_epoch; e + 1 < group_epochs(places, seat->group); e++)
		if (shown_at(places, seat, e, at) != shown_at(places, seat, e + 1, at))
			return false;
	return true;
}

static inline uint64 *
common_of(Ties *ties, Code value)
{
	return &ties->common[value == NO_CODE ? ties->frame->nsensitive : value];
}

/* A value is in a group that comes after i others; is it the first time, and was it in all of these? */
static inline bool
count_common(Ties *ties, Code value, uint32 i)
{
	uint64	   *common = common_of(ties, value);

	if (*common != ties->counted + i && i > 0)
		return false;
	if (*common == ties->counted + i + 1)
		return false;
	*common = ties->counted + i + 1;
	return true;
}

/* Finds the values that the groups of n seats have in common; returns how many. */
static uint32
find_common(Ties *ties, uint32 n)
{
	const Places *places = ties->places;
	uint32		values = 0;

	ties->counted += UINT64CONST(1) << 32;	/* no count of an earlier question is one of this */
	for (uint32 i = 0; i < n; i++)
	{
		values = 0;
		for (uint64 at = 0; at < group_size(places, ties->seat[i].group); at++)
			if (is_unchanged(places, &ties->seat[i], at))
			{
				Code		value = shown_at(places, &ties->seat[i], ties->seat[i].first_epoch, at);

				values += count_common(ties, value, i) && value != NO_CODE;
			}
	}
	return values;
}

/*
 * Have the groups of n seats, and a class if rows are given, values in common that suffice, and does each show them in
 * k places?
 */
static bool
have_enough_in_common(Ties *ties, uint32 n, const RowId *rows, uint64 nrows)
{
	const Places *places = ties->places;
	uint32		all = n + (rows != NULL);
	uint32		values = find_common(ties, n);
	uint64		nshown = 0;

	if (rows != NULL)
	{
		values = 0;
		for (uint64 i = 0; i < nrows; i++)
		{
			Code		value = ties->frame->sensitive[rows[i]];

			values += count_common(ties, value, n) && value != NO_CODE;
			nshown += *common_of(ties, value) == ties->counted + all;
		}
		if (nshown < ties->k)
			return false;
	}
	if (values < ties->l)
		return false;
	for (uint32 i = 0; i < n; i++)
	{
		nshown = 0;
		for (uint64 at = 0; at < group_size(places, ties->seat[i].group); at++)
			nshown += is_unchanged(places, &ties->seat[i], at) &&
				*common_of(ties, shown_at(places, &ties->seat[i], ties->seat[i].first_epoch, at)) == ties->counted + all;
		if (nshown < ties->k)
			return false;
	}
	return true;
}

/*
 * A person who came from elsewhere has the value of a place that showed a common value then.  Would those of n places
 * suffice?
 */
static bool
has_enough_in(Ties *ties, RowId row, const uint64 *place, uint64 n, const RowId *sitter, bool is_refreshed)
{
	const Places *places = ties->places;
	uint32		last = list_seats(ties, row) - 1;
	uint32		group = ties->seat[last].group;
	const Code *then = group_values(places, group, epoch_at(places, group, places->stay[places->first_stay[row + 1] - 1].came));
	const Code *now = group_shown(places, group);
	Code	   *value = new_array(Code, ties->l);
	uint32		values = 0;
	uint64		nshown = 0;

	(void) find_common(ties, last);
	for (uint64 i = 0; i < n; i++)
	{
		uint64		at = place[i] - places->first[group];
		RowId		other = sitter[place[i]];
		Code		shown = is_refreshed ? ties->frame->sensitive[other] : now[at];
		uint32		v = 0;

		if (other == NO_ROW || *common_of(ties, then[at]) != ties->counted + last)
			continue;
		nshown++;
		while (v < values && value[v] != shown)
			v++;
		if (v == values && values < ties->l && shown != NO_CODE)
			value[values++] = shown;
	}
	pfree(value);
	return values == ties->l && nshown >= ties->k;
}

/* ---- Worlds ---- */

/*
 * The parts of a group's places, for exchange.  Places that are gone were parted off together, if they are too few to
 * be two parts; else it is not known which of them were, and so none is exchanged.
 */
static const uint32 *
parts_of(const Ties *ties, uint32 group)
{
	uint32	   *part = ties->places->part + ties->places->first[group];
	uint32		n = group_size(ties->places, group);
	uint64		ngone = 0;
	uint32	   *result;

	for (uint32 i = 0; i < n; i++)
		ngone += part[i] == PART_IS_GONE;
	if (ngone < 2 * ties->k)
		return part;
	result = new_array(uint32, n);
	for (uint32 i = 0; i < n; i++)
		result[i] = part[i] == PART_IS_GONE ? n + i : part[i];
	return result;
}

/* The search's view of a group, made when somebody is tied to it first. */
static Hall *
hall_of(Ties *ties, uint32 group)
{
	const Places *places = ties->places;

	if (ties->hall[group] == NULL)
		ties->hall[group] = hall_create(group_size(places, group), group_epochs(places, group),
										group_values(places, group, 0), parts_of(ties, group));
	return ties->hall[group];
}

static BondEnd
end_at(Ties *ties, uint32 group, uint64 place, uint32 first_epoch, uint32 last_epoch)
{
	return (BondEnd) {
		.hall = hall_of(ties, group), .seat = place - ties->places->first[group],
		.first_epoch = first_epoch, .last_epoch = last_epoch
	};
}

/* Values are those that the two groups showed when the person left the one, and came to the other. */
static Bond *
bond_of_link(Ties *ties, const Link *link)
{
	const Places *places = ties->places;
	uint32		from = group_of(places, link->from);
	uint32		to = group_of(places, link->to);
	uint32		left = epoch_at(places, from, link->left);
	uint32		came = epoch_at(places, to, link->came);
	Bond	   *bond = palloc(sizeof(Bond));

	bond->row = NO_ROW;
	bond->end[0] = end_at(ties, from, link->from, left, left);
	bond->end[1] = end_at(ties, to, link->to, came, came);
	bond_join(bond);
	return bond;
}

/*
 * Finds a world that agrees with all links of the past, and others that show who is safe.  Values of people who
 * changed them between two places disagree at first; a link that cannot be mended when it comes may be when all are
 * there.
 */
static void
seat_the_past(Ties *ties)
{
	const Places *places = ties->places;
	Bond	  **waiting = new_array(Bond *, places->nlinks);
	uint64		nwaiting = 0;

	ties->seating = seating_create(ties->frame->nsensitive, ties->l, ties->k);
	ties->hall = new_zeros(Hall *, places->ngroups);
	for (uint64 i = 0; i < places->nlinks; i++)
	{
		Bond	   *bond = bond_of_link(ties, &places->link[i]);

		CHECK_FOR_INTERRUPTS();
		if (!seating_bind(ties->seating, bond))
			waiting[nwaiting++] = bond;
	}
	for (uint64 i = 0; i < nwaiting; i++)
		if (!seating_bind(ties->seating, waiting[i]))
			seating_break(waiting[i]);
	pfree(waiting);
	seating_keep(ties->seating);
	for (uint32 g = 0; g < places->ngroups; g++)
		if (ties->hall[g] != NULL)
			hall_prove(ties->seating, ties->hall[g]);
}

/* Is the person's new bond possible, and everybody safe whom it concerns?  It is not kept yet. */
static bool
try_bond(Ties *ties, Bond *bond, uint32 n)
{
	uint64		mark = seating_mark(ties->seating);
	bool		is_safe = seating_bind(ties->seating, bond) && seating_is_safe_since(ties->seating, mark);

	for (uint32 i = 0; i < n && is_safe; i++)
		is_safe = seat_is_safe(ties->seating, hall_of(ties, ties->seat[i].group), ties->seat[i].seat);
	if (!is_safe)
		seating_undo(ties->seating, mark);
	return is_safe;
}

/* Readies what the filter needs, from the first question on. */
static void
prepare_filter(Ties *ties)
{
	if (ties->common != NULL)
		return;
	ties->common = new_zeros(uint64, ties->frame->nsensitive + (uint64) 1);
	list_links(ties);
}

static void
prepare(Ties *ties)
{
	prepare_filter(ties);
	if (ties->rule == TIES_WORLDS && ties->seating == NULL)
		seat_the_past(ties);
}

/* The bond between the last of n seats and another end. */
static Bond *
bond_from_last(Ties *ties, RowId row, uint32 n, uint64 place, BondEnd end)
{
	const Seat *last = &ties->seat[n - 1];
	Bond	   *bond = palloc(sizeof(Bond));

	bond->row = row;
	bond->place = place;
	bond->end[0] = (BondEnd) {
		.hall = hall_of(ties, last->group), .seat = last->seat,
		.first_epoch = last->first_epoch, .last_epoch = last->last_epoch
	};
	bond->end[1] = end;
	bond_join(bond);
	return bond;
}

static inline bool
has_stays(const Ties *ties, RowId row)
{
	return ties->places->first_stay[row + 1] > ties->places->first_stay[row];
}

bool
may_be_tied(Ties *ties, RowId row)
{
	MemoryContext old;
	bool		result;

	if (!has_stays(ties, row))
		return true;
	if (ties->rule == TIES_NONE)
		return false;
	old = MemoryContextSwitchTo(ties->context);
	prepare_filter(ties);
	result = have_enough_in_common(ties, list_seats(ties, row), NULL, 0);
	MemoryContextSwitchTo(old);
	return result;
}

bool
ties_allow_places(Ties *ties, const uint64 *place, uint64 n, const RowId *sitter, bool is_refreshed)
{
	const Places *places = ties->places;
	MemoryContext old = MemoryContextSwitchTo(ties->context);
	bool		allowed = true;

	for (uint64 i = 0; i < n && allowed; i++)
	{
		RowId		row = sitter[place[i]];
		bool		has_arrived = row != NO_ROW && places->place[row] != place[i];

		if (row == NO_ROW || places->first_stay[row + 1] - places->first_stay[row] + has_arrived < 2)
			continue;
		prepare_filter(ties);
		allowed = !has_arrived && has_enough_in(ties, row, place, n, sitter, is_refreshed);
	}
	MemoryContextSwitchTo(old);
	return allowed;
}

/* ---- A free place ---- */

/* Asks the filter first, and then the search. */
static bool
may_take_place(Ties *ties, RowId row, uint64 place)
{
	const Places *places = ties->places;
	uint32		group = group_of(places, place);
	uint32		newest = group_epochs(places, group) - 1;
	uint32		n = list_seats(ties, row);
	Bond	   *bond;

	for (uint32 i = 0; i < n; i++)
		if (ties->seat[i].group == group)
			return false;		/* never twice in one group */
	ties->seat[n] = (Seat) {group, place - places->first[group], newest, newest};
	if (!have_enough_in_common(ties, n + 1, NULL, 0))
		return false;
	if (ties->rule == TIES_ALONE)
		return true;
	bond = bond_from_last(ties, row, n, place, end_at(ties, group, place, newest, newest));
	if (!try_bond(ties, bond, n))
	{
		pfree(bond);
		return false;
	}
	seating_keep(ties->seating);
	return true;
}

bool
tie_to_place(Ties *ties, RowId row, uint64 place)
{
	MemoryContext old;
	bool		result;

	if (!has_stays(ties, row))
		return true;
	if (ties->rule == TIES_NONE)
		return false;
	old = MemoryContextSwitchTo(ties->context);
	prepare(ties);
	result = may_take_place(ties, row, place);
	MemoryContextSwitchTo(old);
	return result;
}

void
ties_forget(Ties *ties, RowId row, uint64 place)
{
	uint32		n;
	dlist_iter	iter;

	if (ties->seating == NULL || !has_stays(ties, row))
		return;
	n = list_seats(ties, row);
	if (ties->hall[ties->seat[n - 1].group] == NULL)
		return;
	dlist_foreach(iter, &ties->hall[ties->seat[n - 1].group]->bonds[ties->seat[n - 1].seat])
	{
		BondEnd    *end = dlist_container(BondEnd, node, iter.cur);
		Bond	   *bond = (Bond *) Min(end, end->other);

		if (bond->row != row || bond->place != place)
			continue;
		seating_release(bond);
		pfree(bond);
		return;
	}
}

/* ---- A new group ---- */

/* Removes people whose groups have too little in common with the class; the others may have, then, too. */
static uint64
filter_class(Ties *ties, RowId *rows, uint64 n)
{
	uint64		before;

	do
	{
		bool	   *is_refused = new_zeros(bool, n);
		uint64		kept = 0;

		before = n;
		for (uint64 i = 0; i < n; i++)
			is_refused[i] = has_stays(ties, rows[i]) &&
				(ties->rule == TIES_NONE || !have_enough_in_common(ties, list_seats(ties, rows[i]), rows, n));
		for (uint64 i = 0; i < n; i++)
			if (!is_refused[i])
				rows[kept++] = rows[i];
		n = kept;
		pfree(is_refused);
	}
	while (n < before);
	return n;
}

/* Binds the people of a class one by one, who are not tied before their turn; tells who was refused. */
static uint64
bind_class(Ties *ties, Hall *hall, const RowId *rows, uint64 n, bool *is_refused, Bond **bond)
{
	uint64		nrefused = 0;

	for (uint64 i = 0; i < n; i++)
	{
		uint32		nseats;

		bond[i] = NULL;
		is_refused[i] = false;
		if (!has_stays(ties, rows[i]))
			continue;
		CHECK_FOR_INTERRUPTS();
		nseats = list_seats(ties, rows[i]);
		bond[i] = bond_from_last(ties, rows[i], nseats, NO_PLACE, (BondEnd) {.hall = hall, .seat = i});
		is_refused[i] = !try_bond(ties, bond[i], nseats);
		nrefused += is_refused[i];
	}
	return nrefused;
}

/*
 * Seats a class as a new group, if all who are tied may be in it; else removes those who were refused.  Since these
 * had tracks that others were shown with, the rest is asked for anew.
 */
static uint64
seat_class(Ties *ties, RowId *rows, uint64 n, bool *is_seated)
{
	uint64		mark = seating_mark(ties->seating);
	Code	   *value = new_array(Code, n);
	bool	   *is_refused = new_array(bool, n);
	Bond	  **bond = new_array(Bond *, n);
	Hall	   *hall;
	uint64		kept = 0;

	for (uint64 i = 0; i < n; i++)
		value[i] = ties->frame->sensitive[rows[i]];
	hall = hall_create(n, 1, value, NULL);
	*is_seated = bind_class(ties, hall, rows, n, is_refused, bond) == 0;
	if (*is_seated)
		seating_keep(ties->seating);
	else
	{
		seating_undo(ties->seating, mark);
		for (uint64 i = 0; i < n; i++)
		{
			if (bond[i] != NULL)
				pfree(bond[i]);
			if (!is_refused[i])
				rows[kept++] = rows[i];
		}
		n = kept;
		hall_free(hall);
		pfree(value);
	}
	pfree(bond);
	pfree(is_refused);
	return n;
}

/* The last resort: some class without anybody tied is left. */
static uint64
remove_tied(const Ties *ties, RowId *rows, uint64 n)
{
	uint64		kept = 0;

	for (uint64 i = 0; i < n; i++)
		if (!has_stays(ties, rows[i]))
			rows[kept++] = rows[i];
	return kept;
}

uint64
tie_to_class(Ties *ties, RowId *rows, uint64 n)
{
	uint64		ntied = 0;
	bool		is_seated = false;
	MemoryContext old;

	for (uint64 i = 0; i < n; i++)
		ntied += has_stays(ties, rows[i]);
	if (ntied == 0)
		return n;
	old = MemoryContextSwitchTo(ties->context);
	if (ties->rule != TIES_NONE)
		prepare(ties);
	n = filter_class(ties, rows, n);
	for (int round = 0; round < CLASS_ROUNDS && !is_seated && ties->rule == TIES_WORLDS; round++)
	{
		n = seat_class(ties, rows, n, &is_seated);
		if (!is_seated)
			n = filter_class(ties, rows, n);
	}
	if (!is_seated && ties->rule == TIES_WORLDS)
		n = remove_tied(ties, rows, n);
	MemoryContextSwitchTo(old);
	return n;
}
