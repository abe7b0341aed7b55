/*
 * ties.c
 *		May a person who once had a place in another group get one in this group?
 *
 * NOTES
 *		Each group in which somebody is tied is a hall, and each tie a bond, of worlds.h.  A world that agrees with all ties
 *		of the past is looked for when the first question comes.
 *
 *		A draft's own ties, values and parts count like those of the past for later questions.
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
	uint64		k;
	TiesRule	rule;
	bool		takes_more;		/* may there be ties in this release? */
	MemoryContext context;

	uint64	   *first_link;		/* [ngroups + 1] links from places of a group: link[first_link[g]] and so on */
	uint32	   *link;
	Seat	   *seat;			/* of the person at hand */
	uint32		seats_room;

	Seating    *seating;
	Hall	  **hall;			/* [ngroups] of groups in which somebody is tied */
	Bond	   *bond;			/* [nlinks] of the past */
	bool	   *is_tied;		/* [nplaces] has a holder of any time a place elsewhere? */
	bool		was_weaker;
	bool	   *is_frozen;		/* [ngroups] see freeze_groups(); NULL where nobody's promise was weaker */
	bool		is_seated;		/* does the seating agree with the past? */
};

/* ---- Groups, epochs and seats of a person ---- */

/* The epoch of a group that a release shows. */
static uint32
epoch_at(const Places *places, uint32 group, int32 release)
{
	const int32 *since = places->since + places->first_epoch[group];
	uint64		after;

	find_first(after, group_epochs(places, group), e, since[e] > release);
	return after == 0 ? 0 : after - 1;
}

/* By the group that the person left. */
static void
list_links(Ties *ties)
{
	const Places *places = ties->places;
	uint32	   *group = new_array(uint32, places->nlinks);

	for (uint64 i = 0; i < places->nlinks; i++)
		group[i] = places_group(places, places->link[i].from);
	list_by_group(group, places->nlinks, places->ngroups, &ties->first_link, &ties->link);
	pfree(group);
}

/* The epochs that a person's last value in a group may be from, who has a later stay there or elsewhere, or none. */
static Seat
seat_of(const Ties *ties, RowId row, uint64 stay)
{
	const Places *places = ties->places;
	uint64		place = places->stay[stay].place;
	Seat		seat = {.group = places_group(places, place)};
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

	if (n > ties->seats_room)
	{
		MemoryContext old = MemoryContextSwitchTo(ties->context);

		ties->seats_room = array_room(ties->seats_room, n);
		array_resize(ties->seat, ties->seats_room);
		MemoryContextSwitchTo(old);
	}
	for (uint32 i = 0; i < n; i++)
		ties->seat[i] = seat_of(ties, row, first + i);
	return n;
}

/* ---- Worlds ---- */

/* The search's view of a group, made when somebody is tied to it first. */
static Hall *
hall_of(Ties *ties, uint32 group)
{
	const Places *places = ties->places;

	if (ties->hall[group] == NULL)
		ties->hall[group] = hall_create(group_size(places, group), group_epochs(places, group), group_values(places, group, 0),
										places->part + places->first[group]);
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
static void
bond_link(Ties *ties, const Link *link, Bond *bond)
{
	const Places *places = ties->places;
	uint32		from = places_group(places, link->from);
	uint32		to = places_group(places, link->to);
	uint32		left = epoch_at(places, from, link->left);
	uint32		came = epoch_at(places, to, link->came);

	bond->row = NO_ROW;
	bond->end[0] = end_at(ties, from, link->from, left, left);
	bond->end[1] = end_at(ties, to, link->to, came, came);
	bond_join(bond);
}

Ties *
ties_create(const Frame *frame, const Past *past, const Principle *principle, uint64 k, TiesRule rule)
{
	Ties	   *ties = palloc(sizeof(Ties));
	const Places *places = past->places;

	*ties = (Ties) {
		.frame = frame, .places = places, .k = k, .rule = rule,
		.takes_more = past->is_whole && !past->is_answer && rule != TIES_NONE && principle->judging == NULL && principle->nterms == 0,
		.was_weaker = past->was_weaker,
		.context = CurrentMemoryContext,
		.seating = seating_create(frame->nsensitive, principle->l > 1 ? principle->l : 0, k, rule == TIES_ALONE),
		.hall = new_zeros(Hall *, places->ngroups),
		.bond = new_zeros(Bond, places->nlinks),
		.is_tied = new_zeros(bool, places->nplaces)
	};
	list_links(ties);
	for (uint64 i = 0; i < places->nlinks; i++)
	{
		bond_link(ties, &places->link[i], &ties->bond[i]);
		ties->is_tied[places->link[i].from] = ties->is_tied[places->link[i].to] = true;
	}
	return ties;
}

bool
place_is_tied(const Ties *ties, uint64 place)
{
	return ties->is_tied[place];
}

bool
ties_are_taken(const Ties *ties)
{
	return ties->takes_more;
}

/*
 * Finds groups that ties join, directly or not, to one that leaves somebody too little under the parameters of today, which
 * are stronger than those of then.  Safe people stay safe whoever is tied, but these people are not safe, and would lose
 * of what they were promised: so nobody is tied to these groups any more.
 */
static void
freeze_groups(Ties *ties)
{
	const Places *places = ties->places;
	uint64	   *joined = union_find_create(places->ngroups);
	bool	   *is_unsafe = new_zeros(bool, places->ngroups);

	ties->is_frozen = new_zeros(bool, places->ngroups);
	for (uint64 i = 0; i < places->nlinks; i++)
		union_unite(joined, places_group(places, places->link[i].from), places_group(places, places->link[i].to));
	for (uint32 g = 0; g < places->ngroups; g++)
	{
		CHECK_FOR_INTERRUPTS();
		for (uint64 i = 0; ties->hall[g] != NULL && i < group_size(places, g); i++)
			if (places->part[places->first[g] + i] == i && !part_is_safe(ties->seating, ties->hall[g], i))
				is_unsafe[union_root(joined, g)] = true;
	}
	for (uint32 g = 0; g < places->ngroups; g++)
		ties->is_frozen[g] = is_unsafe[union_root(joined, g)];
	pfree(is_unsafe);
	pfree(joined);
}

static inline bool
is_frozen(const Ties *ties, uint32 group)
{
	return ties->is_frozen != NULL && ties->is_frozen[group];
}

/* Did the person ever sit in a group that is frozen? */
static bool
was_in_frozen(const Ties *ties, RowId row)
{
	const Places *places = ties->places;
	bool		was = false;

	for (uint64 stay = places->first_stay[row]; stay < places->first_stay[row + 1]; stay++)
		was |= is_frozen(ties, places_group(places, places->stay[stay].place));
	return was;
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
	Bond	  **waiting;
	uint64		nwaiting = 0;

	if (ties->is_seated)
		return;
	ties->is_seated = true;
	waiting = new_array(Bond *, places->nlinks);
	for (uint64 i = 0; i < places->nlinks; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (!seating_bind(ties->seating, &ties->bond[i]))
			waiting[nwaiting++] = &ties->bond[i];
	}
	for (uint64 i = 0; i < nwaiting; i++)
		if (!seating_bind(ties->seating, waiting[i]))
			seating_break(waiting[i]);
	pfree(waiting);
	seating_keep(ties->seating);
	for (uint32 g = 0; g < places->ngroups && ties->takes_more; g++)
		if (ties->hall[g] != NULL && ties->rule == TIES_WORLDS)
			hall_prove(ties->seating, ties->hall[g]);
	if (ties->was_weaker)
		freeze_groups(ties);
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

/* ---- A free place ---- */

/* Is the person new in the group, and the bond safe? */
static bool
may_take_place(Ties *ties, RowId row, uint64 place)
{
	const Places *places = ties->places;
	uint32		group = places_group(places, place);
	uint32		newest = group_epochs(places, group) - 1;
	uint32		n = list_seats(ties, row);
	Bond	   *bond;

	if (is_frozen(ties, group) || was_in_frozen(ties, row))
		return false;
	for (uint32 i = 0; i < n; i++)
		if (ties->seat[i].group == group)
			return false;		/* never twice in one group */
	bond = bond_from_last(ties, row, n, place, end_at(ties, group, place, newest, newest));
	if (!try_bond(ties, bond, n))
	{
		pfree(bond);
		return false;
	}
	seating_keep(ties->seating);
	ties->is_tied[place] = true;
	return true;
}

bool
tie_to_place(Ties *ties, RowId row, uint64 place)
{
	MemoryContext old;
	bool		result;

	if (!has_stays(ties, row))
		return true;
	if (!ties->takes_more)
		return false;
	old = MemoryContextSwitchTo(ties->context);
	seat_the_past(ties);
	result = may_take_place(ties, row, place);
	MemoryContextSwitchTo(old);
	return result;
}

void
ties_forget(Ties *ties, RowId row, uint64 place)
{
	uint32		n;
	dlist_iter	iter;

	if (!has_stays(ties, row))
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

/* Removes people whom a class would tie, or those of them who were in frozen groups. */
static uint64
remove_tied(const Ties *ties, RowId *rows, uint64 n, bool of_frozen)
{
	uint64		kept = 0;

	for (uint64 i = 0; i < n; i++)
		if (of_frozen ? !was_in_frozen(ties, rows[i]) : !has_stays(ties, rows[i]))
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
	seat_the_past(ties);
	n = remove_tied(ties, rows, n, true);
	for (int round = 0; round < CLASS_ROUNDS && !is_seated && ties->takes_more; round++)
		n = seat_class(ties, rows, n, &is_seated);
	if (!is_seated)				/* some class without anybody tied is left */
		n = remove_tied(ties, rows, n, false);
	MemoryContextSwitchTo(old);
	return n;
}

/* ---- Parts ---- */

/* Do the group's ties lead further than the past was read, so that nothing is known to be safe? */
static inline bool
has_open_ties(const Ties *ties, uint32 group)
{
	return ties->places->has_open_ties != NULL && ties->places->has_open_ties[group];
}

bool
ties_allow_part(Ties *ties, uint64 place)
{
	uint32		group = places_group(ties->places, place);

	if (!ties->was_weaker)
		return true;			/* it was asked when they were tied, and when the values came */
	if (has_open_ties(ties, group))
		return false;
	if (ties->hall[group] == NULL)
		return true;
	seat_the_past(ties);
	return part_is_safe(ties->seating, ties->hall[group], place - ties->places->first[group]);
}

/* Is somebody tied in the group, or may somebody be later? */
static bool
asks(const Ties *ties, uint32 group)
{
	return ties->hall[group] != NULL || ties->takes_more;
}

bool
ties_allow_values(Ties *ties, const uint64 *place, uint64 n, const RowId *sitter)
{
	uint32		group = places_group(ties->places, place[0]);
	uint64		first = ties->places->first[group];
	Hall	   *hall;
	bool		is_new = false;
	bool		result;
	Code	   *value;
	MemoryContext old;

	if (has_open_ties(ties, group))
		return false;
	if (!asks(ties, group))
		return true;
	old = MemoryContextSwitchTo(ties->context);
	hall = hall_of(ties, group);
	value = new_array(Code, hall->n);
	memcpy(value, hall->value + (uint64) (hall->nepochs - 1) * hall->n, sizeof(Code) * hall->n);
	for (uint64 i = 0; i < n; i++)
	{
		Code	   *last = &value[place[i] - first];
		Code		now = ties->frame->sensitive[sitter[place[i]]];

		is_new |= *last != now;
		*last = now;
	}
	if (is_new)
		seat_the_past(ties);
	result = !is_new || hall_refresh(ties->seating, hall, place[0] - first, value);
	pfree(value);
	MemoryContextSwitchTo(old);
	return result;
}

bool
ties_allow_parting(Ties *ties, const uint64 *place, uint64 n)
{
	uint32		group = places_group(ties->places, place[0]);
	uint64		first = ties->places->first[group];
	Hall	   *hall;
	MemoryContext old;
	uint32	   *part;
	bool		result;

	if (!asks(ties, group))
		return true;
	old = MemoryContextSwitchTo(ties->context);
	hall = hall_of(ties, group);
	seat_the_past(ties);
	if (is_frozen(ties, group))
	{
		MemoryContextSwitchTo(old);
		return false;
	}
	part = new_array(uint32, hall->n);
	memcpy(part, hall->part, sizeof(uint32) * hall->n);
	for (uint64 i = 0; i < n; i++)
		part[place[i] - first] = hall->n + place[0] - first;	/* of no other */
	result = hall_part(ties->seating, hall, part);
	MemoryContextSwitchTo(old);
	return result;
}
