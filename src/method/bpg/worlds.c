/*
 * worlds.c
 *		The search for worlds (worlds.h), by exchange.
 *
 * NOTES
 *		A seat gets the track that is asked for by exchange with the seat that has it.  Seats that bonds join, directly or
 *		not, are a chain, and get tracks together: one pass from its ends finds those with which all its bonds agree,
 *		at the least price, as in Viterbi's algorithm.  Chains of people with whom these were exchanged may not agree any more, and
 *		are settled next, in no order; best without those that were settled before.  So the search walks on until all agree, or
 *		too many were settled.
 *
 *		A chain that has a cycle is settled as if one bond of the cycle were none; if that does not agree then, it is settled
 *		anew, until the walk ends.
 */
#include "postgres.h"

#include "method/bpg/worlds.h"

#include "common/pg_prng.h"
#include "frame/arrays.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#define MOST_SWAPS		200		/* of one world */
#define MOST_TAKEN		2000000 /* chains in all, before few are settled for each world */
#define MOST_JOINTS		64		/* seats of a chain; bonds behind the last one are found broken, or not, by themselves */
#define PARTNERS		4		/* people who are not tied and are tried for the track of one who is */
#define CHAIN_ALONE		2		/* bonds from a seat to the last one that counts where it is judged alone: so all
								 * groups of a person do at one of them */

/* Prices of a track: of a bond of somebody else that it breaks, of a seat that has got its track in this walk, and by lot. */
#define NEVER			PG_UINT32_MAX
#define BROKEN			8
#define AGAIN			16
#define NEAR			4
#define FAR				40
#define STRAY			16		/* one in so many chains is settled far from best */

/* Worlds near the seating are looked for first: the chains of each attempt. */
static const int effort[] = {4, 12, 40, 40, 40};

/* A seat that has another track in a world than in the seating. */
typedef struct Move
{
	dlist_node	node;			/* of the seat's moves */
	struct Witness *witness;
	Hall	   *hall;
	uint32		seat;
	uint32		track;
} Move;

typedef struct Witness
{
	uint32		n;
	Move		move[FLEXIBLE_ARRAY_MEMBER];
} Witness;

typedef struct Swap
{
	Hall	   *hall;
	uint32		seat[2];
} Swap;

/* A seat of a chain, which a bond joins to one before it. */
typedef struct Joint
{
	Hall	   *hall;
	uint32		seat;
	BondEnd    *end;			/* of that bond, or NULL */
	int			from;
	int			bonds;			/* from the first seat */
	uint64		first;			/* price of its tracks */
	uint32		track;			/* that it gets */
} Joint;

typedef enum ChangeKind
{
	BOUND,
	SWAPPED,					/* in the seating */
	FOUND,						/* a witness */
	EXCLUDED,					/* a witness */
	PARTED						/* a hall */
} ChangeKind;

typedef struct Change
{
	ChangeKind	kind;
	Swap		swap;
	Bond	   *bond;
	Witness    *witness;
	Hall	   *hall;
	const uint32 *part;			/* its parts before */
} Change;

struct Seating
{
	uint32		l;
	uint64		k;
	bool		is_alone;
	MemoryContext context;

	/* Which values were seen: those that have the current stamp */
	Code		nvalues;
	uint64	   *stamp;			/* [nvalues + 1], the last for NULL */
	uint64		stamped;

	/* The search at hand */
	Swap		swap[MOST_SWAPS];
	int			nswaps;
	uint64		taken;			/* chains settled, in all */
	BondEnd   **broken;			/* bonds that did not agree when they were noted */
	uint32		nbroken;
	uint32		broken_room;
	pg_prng_state random;

	/* The chain at hand */
	Joint		chain[MOST_JOINTS];
	int			nchain;
	uint32	   *price;			/* of tracks of its seats */
	uint64		price_room;
	uint32	   *least;			/* [nvalues + 1] where stamped */

	/* Tracks of a hall */
	bool	   *has;			/* those that the people asked for have in some world */
	bool	   *can_have;		/* those that they can have alone */
	bool	   *was_tried;
	uint32		room;

	Change	   *change;			/* since seating_keep() */
	uint64		nchanges;
	uint64		changes_room;
};

Seating *
seating_create(Code nvalues, uint32 l, uint64 k, bool is_alone)
{
	Seating    *seating = palloc0(sizeof(Seating));

	seating->l = l;
	seating->k = k;
	seating->is_alone = is_alone;
	seating->context = CurrentMemoryContext;
	seating->nvalues = nvalues;
	seating->stamp = new_zeros(uint64, nvalues + (uint64) 1);
	seating->least = new_array(uint32, nvalues + (uint64) 1);
	seating->price = new_array(uint32, 0);
	pg_prng_seed(&seating->random, 1);
	seating->broken_room = 64;
	seating->broken = new_array(BondEnd *, seating->broken_room);
	seating->changes_room = 64;
	seating->change = new_array(Change, seating->changes_room);
	return seating;
}

Hall *
hall_create(uint32 n, uint32 nepochs, const Code *value, const uint32 *part)
{
	Hall	   *hall = palloc(sizeof(Hall));

	*hall = (Hall) {
		.n = n, .nepochs = nepochs, .value = value, .part = part,
		.track = new_array(uint32, n), .seat = new_array(uint32, n),
		.bonds = new_zeros(dlist_head, n), .moves = new_zeros(dlist_head, n),
		.is_safe = new_zeros(bool, n), .is_pinned = new_zeros(bool, n), .is_broken = new_zeros(bool, n)
	};
	for (uint32 i = 0; i < n; i++)
		hall->track[i] = hall->seat[i] = i;
	return hall;
}

void
hall_free(Hall *hall)
{
	pfree(hall->track);
	pfree(hall->seat);
	pfree(hall->bonds);
	pfree(hall->moves);
	pfree(hall->is_safe);
	pfree(hall->is_pinned);
	pfree(hall->is_broken);
	pfree(hall);
}

static inline Code
shown(const Hall *hall, uint32 epoch, uint32 track)
{
	return hall->value[(uint64) epoch * hall->n + track];
}

static inline bool
is_tied(const Hall *hall, uint32 seat)
{
	return !dlist_is_empty(&hall->bonds[seat]) || hall->is_broken[seat];
}

static inline bool
is_one_part(const Hall *hall, uint32 a, uint32 b)
{
	return hall->part == NULL || hall->part[a] == hall->part[b];
}

static inline uint64 *
stamp_of(Seating *seating, Code value)
{
	return &seating->stamp[value == NO_CODE ? seating->nvalues : value];
}

/* ---- Do bonds agree? ---- */

/* Would the end show one value, this one, if it had the track? */
static bool
end_shows(const BondEnd *end, uint32 track, Code value)
{
	for (uint32 e = end->first_epoch; e <= end->last_epoch; e++)
		if (shown(end->hall, e, track) != value)
			return false;
	return true;
}

/* Would the bond agree if its ends had these tracks? */
static inline bool
would_agree(const BondEnd *end, uint32 track, uint32 other)
{
	Code		value = shown(end->hall, end->last_epoch, track);

	return end_shows(end, track, value) && end_shows(end->other, other, value);
}

static inline bool
agrees_now(const BondEnd *end)
{
	return would_agree(end, end->hall->track[end->seat], end->other->hall->track[end->other->seat]);
}

/* ---- Exchange ---- */

/* The two seats get each other's track, or have their own again. */
static void
exchange(const Swap *swap)
{
	Hall	   *hall = swap->hall;
	uint32		track = hall->track[swap->seat[0]];

	hall->track[swap->seat[0]] = hall->track[swap->seat[1]];
	hall->track[swap->seat[1]] = track;
	hall->seat[hall->track[swap->seat[0]]] = swap->seat[0];
	hall->seat[track] = swap->seat[1];
}

static inline void
swap_seats(Seating *seating, Hall *hall, uint32 a, uint32 b)
{
	seating->swap[seating->nswaps] = (Swap) {hall, {a, b}};
	exchange(&seating->swap[seating->nswaps++]);
}

static void
swap_all_back(Seating *seating)
{
	while (seating->nswaps > 0)
		exchange(&seating->swap[--seating->nswaps]);
}

/* Remembers bonds of a seat that do not agree. */
static void
note_broken(Seating *seating, const Hall *hall, uint32 seat)
{
	dlist_iter	iter;

	dlist_foreach(iter, &hall->bonds[seat])
	{
		BondEnd    *end = dlist_container(BondEnd, node, iter.cur);

		if (agrees_now(end))
			continue;
		array_reserve(seating->broken, seating->broken_room, seating->nbroken + 1);
		seating->broken[seating->nbroken++] = end;
	}
}

/* Draws a bond that does not agree, if there is one. */
static BondEnd *
draw_broken(Seating *seating)
{
	while (seating->nbroken > 0)
	{
		BondEnd   **drawn = &seating->broken[pg_prng_uint32(&seating->random) % seating->nbroken];

		if (!agrees_now(*drawn))
			return *drawn;
		*drawn = seating->broken[--seating->nbroken];
	}
	return NULL;
}

static bool
is_in_chain(const Seating *seating, const Hall *hall, uint32 seat)
{
	for (int i = 0; i < seating->nchain; i++)
		if (seating->chain[i].hall == hall && seating->chain[i].seat == seat)
			return true;
	return false;
}

/* How many more bonds of a seat than now would not agree if it had the track? */
static int
count_broken(const Hall *hall, uint32 seat, uint32 track)
{
	int			n = 0;
	dlist_iter	iter;

	dlist_foreach(iter, &hall->bonds[seat])
	{
		BondEnd    *end = dlist_container(BondEnd, node, iter.cur);

		n += agrees_now(end) - would_agree(end, track, end->other->hall->track[end->other->seat]);
	}
	return n;
}

/* ---- Chains ---- */

/* The seats that bonds join to one, directly or not, up to so many bonds away; nearer ones come first. */
static void
find_chain(Seating *seating, Hall *hall, uint32 seat, int most_bonds)
{
	uint64		room = hall->n;

	seating->chain[0] = (Joint) {.hall = hall, .seat = seat};
	seating->nchain = 1;
	for (int i = 0; i < seating->nchain; i++)
	{
		const Joint *joint = &seating->chain[i];
		dlist_iter	iter;

		dlist_foreach(iter, &joint->hall->bonds[joint->seat])
		{
			BondEnd    *other = dlist_container(BondEnd, node, iter.cur)->other;

			if (joint->bonds == most_bonds || seating->nchain == MOST_JOINTS || is_in_chain(seating, other->hall, other->seat))
				continue;
			seating->chain[seating->nchain++] = (Joint) {
				.hall = other->hall, .seat = other->seat, .end = other, .from = i, .bonds = joint->bonds + 1, .first = room
			};
			room += other->hall->n;
		}
	}
	if (room > seating->price_room)
	{
		MemoryContext old = MemoryContextSwitchTo(seating->context);

		seating->price_room = array_room(seating->price_room, room);
		array_resize(seating->price, seating->price_room);
		MemoryContextSwitchTo(old);
	}
}

/* Adds to the price of each track of a seat the least of those of the next that agree with it. */
static void
add_prices(Seating *seating, const Joint *next)
{
	const Joint *joint = &seating->chain[next->from];
	uint32	   *price = seating->price + joint->first;

	seating->stamped++;
	for (uint32 t = 0; t < next->hall->n; t++)
	{
		Code		value = shown(next->hall, next->end->last_epoch, t);
		uint32	   *least = &seating->least[Min(value, seating->nvalues)];
		uint32		here = seating->price[next->first + t];

		if (here == NEVER || !end_shows(next->end, t, value))
			continue;
		if (*stamp_of(seating, value) != seating->stamped || here < *least)
			*least = here;
		*stamp_of(seating, value) = seating->stamped;
	}
	for (uint32 t = 0; t < joint->hall->n; t++)
	{
		Code		value = shown(joint->hall, next->end->other->last_epoch, t);

		if (price[t] == NEVER)
			continue;
		if (*stamp_of(seating, value) != seating->stamped || !end_shows(next->end->other, t, value))
			price[t] = NEVER;
		else
			price[t] += seating->least[Min(value, seating->nvalues)];
	}
}

static bool
was_swapped(const Seating *seating, const Hall *hall, uint32 seat)
{
	for (int i = 0; i < seating->nswaps; i++)
		if (seating->swap[i].hall == hall && (seating->swap[i].seat[0] == seat || seating->swap[i].seat[1] == seat))
			return true;
	return false;
}

/* The price of a track for a seat of the chain: bonds of others that do not agree any more, most of all. */
static uint32
price_of_track(Seating *seating, const Joint *joint, uint32 track, uint32 stray)
{
	const Hall *hall = joint->hall;
	uint32		partner = hall->seat[track];
	uint32		now = hall->track[joint->seat];

	if (track == now)
		return 0;
	if (hall->is_pinned[joint->seat] || hall->is_pinned[partner] || !is_one_part(hall, joint->seat, partner))
		return NEVER;
	if (is_in_chain(seating, hall, partner))
		return 2 * AGAIN;
	return 1 + BROKEN * count_broken(hall, partner, now) + (is_tied(hall, partner) && was_swapped(seating, hall, partner) ? AGAIN : 0) +
		pg_prng_uint32(&seating->random) % stray;
}

/*
 * Finds what each track of the first seat of a chain costs, with tracks of all others with which the bonds agree.  Without
 * stray: which tracks it can have if nobody else were tied, which cost nothing.
 */
static void
price_chain(Seating *seating, uint32 stray)
{
	for (int i = 0; i < seating->nchain; i++)
	{
		const Joint *joint = &seating->chain[i];

		for (uint32 t = 0; t < joint->hall->n; t++)
			seating->price[joint->first + t] = stray > 0 ? price_of_track(seating, joint, t, stray) :
				is_one_part(joint->hall, t, joint->seat) ? 0 : NEVER;
	}
	for (int i = seating->nchain - 1; i > 0; i--)
		add_prices(seating, &seating->chain[i]);
}

/* Gives the seats of a chain tracks with which its bonds agree, at the least price; false if there are none. */
static bool
settle_chain(Seating *seating, Hall *hall, uint32 seat)
{
	find_chain(seating, hall, seat, MOST_JOINTS);
	if (seating->nswaps + seating->nchain > MOST_SWAPS)
		return false;
	price_chain(seating, pg_prng_uint32(&seating->random) % STRAY == 0 ? FAR : NEAR);
	for (int i = 0; i < seating->nchain; i++)
	{
		Joint	   *joint = &seating->chain[i];
		const Joint *from = &seating->chain[joint->from];
		uint32		least = NEVER;
		uint32		partner;

		for (uint32 t = 0; t < joint->hall->n; t++)
			if (seating->price[joint->first + t] < least && (i == 0 || would_agree(joint->end, t, from->track)))
			{
				least = seating->price[joint->first + t];
				joint->track = t;
			}
		if (least == NEVER)
			return false;
		partner = joint->hall->seat[joint->track];
		if (partner == joint->seat)
			continue;
		swap_seats(seating, joint->hall, joint->seat, partner);
		for (int s = 0; s < 2; s++)
			note_broken(seating, joint->hall, seating->swap[seating->nswaps - 1].seat[s]);
	}
	return true;
}

/*
 * Walks from the exchanges so far to a world: mends one bond after the other, with all that are joined to it.  A bond that
 * does not agree is given, if it is not of these exchanges.  If the walk leads nowhere no exchange is left.
 */
static bool
walk(Seating *seating, BondEnd *from, int most_chains)
{
	BondEnd    *broken;

	if (seating->taken > MOST_TAKEN)
		most_chains = effort[0];
	seating->nbroken = 0;
	if (from != NULL)
		note_broken(seating, from->hall, from->seat);
	for (int i = 0; i < 2 * seating->nswaps; i++)
		note_broken(seating, seating->swap[i / 2].hall, seating->swap[i / 2].seat[i % 2]);
	while ((broken = draw_broken(seating)) != NULL)
	{
		seating->taken++;
		if (most_chains-- == 0 || !settle_chain(seating, broken->hall, broken->seat))
		{
			swap_all_back(seating);
			return false;
		}
	}
	return true;
}

/* ---- Changes, and how to undo them ---- */

static void
note(Seating *seating, Change change)
{
	array_reserve(seating->change, seating->changes_room, seating->nchanges + 1);
	seating->change[seating->nchanges++] = change;
}

static void
witness_enter(Witness *witness)
{
	for (uint32 i = 0; i < witness->n; i++)
		dlist_push_head(&witness->move[i].hall->moves[witness->move[i].seat], &witness->move[i].node);
}

/* People may not be safe any more without it. */
static void
witness_leave(Witness *witness)
{
	for (uint32 i = 0; i < witness->n; i++)
	{
		Move	   *move = &witness->move[i];

		dlist_delete(&move->node);
		move->hall->is_safe[move->seat] = false;
	}
}

static void
exclude(Seating *seating, Witness *witness)
{
	witness_leave(witness);
	note(seating, (Change) {.kind = EXCLUDED, .witness = witness});
}

static void
unbind(Bond *bond)
{
	dlist_delete(&bond->end[0].node);
	dlist_delete(&bond->end[1].node);
}

uint64
seating_mark(const Seating *seating)
{
	return seating->nchanges;
}

void
seating_undo(Seating *seating, uint64 mark)
{
	while (seating->nchanges > mark)
	{
		Change	   *change = &seating->change[--seating->nchanges];

		switch (change->kind)
		{
			case BOUND:
				unbind(change->bond);
				break;
			case SWAPPED:
				exchange(&change->swap);
				for (int s = 0; s < 2; s++)
					change->swap.hall->is_safe[change->swap.seat[s]] = false;
				break;
			case FOUND:
				witness_leave(change->witness);
				pfree(change->witness);
				break;
			case EXCLUDED:
				witness_enter(change->witness);
				break;
			case PARTED:
				change->hall->part = change->part;
				break;
		}
	}
}

void
seating_keep(Seating *seating)
{
	for (uint64 i = 0; i < seating->nchanges; i++)
		if (seating->change[i].kind == EXCLUDED)
			pfree(seating->change[i].witness);
	seating->nchanges = 0;
}

/* ---- Witnesses ---- */

/* Keeps the world that the exchanges so far have led to, and takes them back. */
static void
keep_witness(Seating *seating)
{
	Move		move[2 * MOST_SWAPS];
	uint32		n = 0;
	Witness    *witness;

	for (int i = 0; i < 2 * seating->nswaps; i++)
	{
		const Swap *swap = &seating->swap[i / 2];
		uint32		seat = swap->seat[i % 2];
		uint32		m = 0;

		while (m < n && (move[m].hall != swap->hall || move[m].seat != seat))
			m++;
		if (m == n)
			move[n++] = (Move) {.hall = swap->hall, .seat = seat, .track = swap->hall->track[seat]};
	}
	swap_all_back(seating);
	witness = MemoryContextAlloc(seating->context, offsetof(Witness, move) + sizeof(Move) * n);
	witness->n = 0;
	for (uint32 m = 0; m < n; m++)
	{
		if (move[m].hall->track[move[m].seat] == move[m].track)
			continue;			/* it came back */
		move[m].witness = witness;
		witness->move[witness->n++] = move[m];
	}
	witness_enter(witness);
	note(seating, (Change) {.kind = FOUND, .witness = witness});
}

/* Looks for a world in which a seat has a track, as far as an effort goes. */
static bool
find_witness(Seating *seating, Hall *hall, uint32 seat, uint32 track, int most_swaps)
{
	bool		found;

	if (hall->is_pinned[seat] || hall->is_pinned[hall->seat[track]])
		return false;
	hall->is_pinned[seat] = true;
	swap_seats(seating, hall, seat, hall->seat[track]);
	found = walk(seating, NULL, most_swaps);
	hall->is_pinned[seat] = false;
	if (found)
		keep_witness(seating);
	return found;
}

static uint32
track_in(const Witness *witness, const BondEnd *end)
{
	for (uint32 i = 0; i < witness->n; i++)
		if (witness->move[i].hall == end->hall && witness->move[i].seat == end->seat)
			return witness->move[i].track;
	return end->hall->track[end->seat];
}

/* Excludes witnesses in which the two ends of a bond do not agree. */
static void
review_bond(Seating *seating, BondEnd *first)
{
	for (BondEnd *end = first;; end = end->other)
	{
		dlist_mutable_iter iter;

		dlist_foreach_modify(iter, &end->hall->moves[end->seat])
		{
			Move	   *move = dlist_container(Move, node, iter.cur);

			if (!would_agree(end, move->track, track_in(move->witness, end->other)))
				exclude(seating, move->witness);
		}
		if (end == first->other)
			break;
	}
}

/* The exchanges so far become part of the seating, so that witnesses with these seats are none any more. */
static void
accept_exchanges(Seating *seating)
{
	for (int i = 0; i < seating->nswaps; i++)
	{
		const Swap *swap = &seating->swap[i];

		note(seating, (Change) {.kind = SWAPPED, .swap = *swap});
		for (int s = 0; s < 2; s++)
		{
			dlist_head *moves = &swap->hall->moves[swap->seat[s]];

			while (!dlist_is_empty(moves))
				exclude(seating, dlist_head_element(Move, node, moves)->witness);
			swap->hall->is_safe[swap->seat[s]] = false;
		}
	}
	for (int i = 0; i < seating->nswaps; i++)
		for (int s = 0; s < 2; s++)
		{
			dlist_iter	iter;

			dlist_foreach(iter, &seating->swap[i].hall->bonds[seating->swap[i].seat[s]])
			{
				review_bond(seating, dlist_container(BondEnd, node, iter.cur));
			}
		}
	seating->nswaps = 0;
}

/* ---- Bonds ---- */

void
bond_join(Bond *bond)
{
	bond->end[0].other = &bond->end[1];
	bond->end[1].other = &bond->end[0];
}

bool
seating_bind(Seating *seating, Bond *bond)
{
	BondEnd    *end = &bond->end[0];

	for (int i = 0; i < 2; i++)
		dlist_push_head(&bond->end[i].hall->bonds[bond->end[i].seat], &bond->end[i].node);
	if (!seating->is_alone && !agrees_now(end))
	{
		bool		found = false;

		for (size_t i = 0; i < lengthof(effort) && !found; i++)
			found = walk(seating, end, effort[i]);
		if (!found)
		{
			unbind(bond);
			return false;
		}
		accept_exchanges(seating);
	}
	else
		review_bond(seating, end);
	for (int i = 0; i < 2; i++)
		bond->end[i].hall->is_safe[bond->end[i].seat] = false;
	note(seating, (Change) {.kind = BOUND, .bond = bond});
	return true;
}

void
seating_release(Bond *bond)
{
	unbind(bond);
}

void
seating_break(Bond *bond)
{
	for (int i = 0; i < 2; i++)
	{
		bond->end[i].hall->is_broken[bond->end[i].seat] = true;
		bond->end[i].hall->is_pinned[bond->end[i].seat] = true;
	}
}

/* ---- Who is safe? ---- */

/* The tracks that a seat has in some world are counted in. */
static void
add_tracks(Seating *seating, Hall *hall, uint32 seat)
{
	dlist_iter	iter;

	seating->has[hall->track[seat]] = true;
	dlist_foreach(iter, &hall->moves[seat])
	{
		seating->has[dlist_container(Move, node, iter.cur)->track] = true;
	}
}

/* No track of the hall is counted in. */
static void
clear_tracks(Seating *seating, const Hall *hall)
{
	if (hall->n > seating->room)
	{
		MemoryContext old = MemoryContextSwitchTo(seating->context);

		seating->room = array_room(seating->room, hall->n);
		array_resize(seating->has, seating->room);
		array_resize(seating->can_have, seating->room);
		array_resize(seating->was_tried, seating->room);
		MemoryContextSwitchTo(old);
	}
	memset(seating->has, false, hall->n);
}

/*
 * Finds an epoch, this one or a later one, in which some tracks have too few values, or too few rows of the part show one
 * of these; returns the number of epochs if there is none.  The values are stamped.
 */
static uint32
find_weak_epoch(Seating *seating, const Hall *hall, uint32 seat, const bool *has, uint32 first_epoch)
{
	for (uint32 e = hall->nepochs; e-- > first_epoch;)
	{
		uint32		values = 0;
		uint64		rows = 0;

		seating->stamped++;
		for (uint32 t = 0; t < hall->n; t++)
		{
			Code		value = shown(hall, e, t);

			if (has[t] && *stamp_of(seating, value) != seating->stamped)
			{
				*stamp_of(seating, value) = seating->stamped;
				values += value != NO_CODE;
			}
		}
		if (values >= seating->l)
			for (uint32 t = 0; t < hall->n; t++)
				rows += is_one_part(hall, t, seat) && *stamp_of(seating, shown(hall, e, t)) == seating->stamped;
		if (values < seating->l || rows < seating->k)
			return e;
	}
	return hall->nepochs;
}

/* Has a seat values and rows enough, of the tracks that it can have alone? */
static bool
may_have_enough(Seating *seating, Hall *hall, uint32 seat, uint32 first_epoch)
{
	clear_tracks(seating, hall);
	find_chain(seating, hall, seat, seating->is_alone ? CHAIN_ALONE : MOST_JOINTS);
	price_chain(seating, 0);
	for (uint32 t = 0; t < hall->n; t++)
		seating->can_have[t] = seating->price[t] != NEVER;
	return find_weak_epoch(seating, hall, seat, seating->can_have, first_epoch) == hall->nepochs;
}

/*
 * Chooses a track that the seat can have alone, of a value that is missing in the epoch, best one of somebody who is not
 * tied; returns the number of tracks if there is none.
 */
static uint32
choose_track(Seating *seating, const Hall *hall, uint32 epoch)
{
	uint32		choice = hall->n;

	for (uint32 t = 0; t < hall->n; t++)
		if (!seating->was_tried[t] && seating->can_have[t] && *stamp_of(seating, shown(hall, epoch, t)) != seating->stamped)
		{
			choice = t;
			if (!is_tied(hall, hall->seat[t]))
				break;
		}
	if (choice < hall->n)
		seating->was_tried[choice] = true;
	return choice;
}

/*
 * Looks for worlds until some people of a part have values and rows enough from an epoch on: n seats, whose tracks are
 * counted in.  Any of them may get a track for all.
 */
static bool
have_enough(Seating *seating, Hall *hall, const uint32 *seat, int n, uint32 first_epoch)
{
	uint32		epoch = find_weak_epoch(seating, hall, seat[0], seating->has, first_epoch);

	for (size_t i = 0; i < lengthof(effort) && epoch < hall->nepochs; i++)
	{
		uint32		track;

		memset(seating->was_tried, false, hall->n);
		while (epoch < hall->nepochs && (track = choose_track(seating, hall, epoch)) < hall->n)
		{
			for (int s = 0; s < n && !seating->has[track]; s++)
				seating->has[track] = find_witness(seating, hall, seat[s], track, effort[i]);
			if (seating->has[track])
				epoch = find_weak_epoch(seating, hall, seat[0], seating->has, first_epoch);
		}
	}
	return epoch == hall->nepochs;
}

/* Is a seat in which somebody is tied safe from an epoch on? */
static bool
judge_seat(Seating *seating, Hall *hall, uint32 seat, uint32 first_epoch)
{
	if (hall->is_broken[seat] || !may_have_enough(seating, hall, seat, first_epoch))
		return false;
	if (seating->is_alone)
		return true;
	add_tracks(seating, hall, seat);
	return have_enough(seating, hall, &seat, 1, first_epoch);
}

bool
seat_is_safe(Seating *seating, Hall *hall, uint32 seat)
{
	if (!hall->is_safe[seat] || seating->is_alone)
		hall->is_safe[seat] = judge_seat(seating, hall, seat, 0);
	return hall->is_safe[seat] && !hall->is_broken[seat];
}

/*
 * People of a part who are not tied can exchange their tracks as they like, so one has what any of them has in some
 * world.
 */
static bool
judge_untied(Seating *seating, Hall *hall, uint32 seat, uint32 first_epoch)
{
	uint32		partner[PARTNERS];
	int			npartners = 0;

	if (seating->is_alone)
		return true;
	clear_tracks(seating, hall);
	for (uint32 s = 0; s < hall->n; s++)
	{
		seating->can_have[s] = is_one_part(hall, s, seat);
		if (!seating->can_have[s] || is_tied(hall, s))
			continue;
		if (npartners < PARTNERS)
			partner[npartners++] = s;
		add_tracks(seating, hall, s);
	}
	return npartners == 0 || have_enough(seating, hall, partner, npartners, first_epoch);
}

bool
untied_are_safe(Seating *seating, Hall *hall, uint32 seat)
{
	return judge_untied(seating, hall, seat, 0);
}

static bool
seat_and_company_are_safe(Seating *seating, Hall *hall, uint32 seat)
{
	return (!is_tied(hall, seat) || seat_is_safe(seating, hall, seat)) && untied_are_safe(seating, hall, seat);
}

bool
seating_is_safe_since(Seating *seating, uint64 mark)
{
	bool		is_safe = true;

	for (uint64 end = seating->nchanges, i = end; i > mark && is_safe; i--)
	{
		Change		change = seating->change[i - 1];

		CHECK_FOR_INTERRUPTS();
		if (change.kind == BOUND)
			for (int s = 0; s < 2 && is_safe; s++)
				is_safe = seat_and_company_are_safe(seating, change.bond->end[s].hall, change.bond->end[s].seat);
		else if (change.kind == SWAPPED)
			for (int s = 0; s < 2 && is_safe; s++)
				is_safe = seat_and_company_are_safe(seating, change.swap.hall, change.swap.seat[s]);
		else if (change.kind == EXCLUDED)
			for (uint32 m = 0; m < change.witness->n && is_safe; m++)
			{
				Move	   *move = &change.witness->move[m];

				is_safe = is_tied(move->hall, move->seat) ? seat_is_safe(seating, move->hall, move->seat) :
					untied_are_safe(seating, move->hall, move->seat);
			}
	}
	return is_safe;
}

void
hall_prove(Seating *seating, Hall *hall)
{
	for (uint32 s = 0; s < hall->n; s++)
	{
		uint32		first = 0;

		CHECK_FOR_INTERRUPTS();
		if (is_tied(hall, s))
			seat_is_safe(seating, hall, s);
		while (!is_one_part(hall, first, s))
			first++;
		if (first == s)
			untied_are_safe(seating, hall, s);
	}
	seating_keep(seating);
}

/* ---- What a hall shows ---- */

bool
part_is_safe(Seating *seating, Hall *hall, uint32 seat)
{
	bool		is_safe = judge_untied(seating, hall, seat, hall->nepochs - 1);

	for (uint32 s = 0; s < hall->n && is_safe; s++)
		if (is_one_part(hall, s, seat) && is_tied(hall, s))
			is_safe = judge_seat(seating, hall, s, hall->nepochs - 1);
	return is_safe;
}

bool
hall_refresh(Seating *seating, Hall *hall, uint32 seat, const Code *value)
{
	uint64		known = (uint64) hall->nepochs * hall->n;
	const Code *before = hall->value;
	MemoryContext old = MemoryContextSwitchTo(seating->context);
	Code	   *after = new_array(Code, known + hall->n);
	bool		is_safe;

	MemoryContextSwitchTo(old);
	memcpy(after, before, sizeof(Code) * known);
	memcpy(after + known, value, sizeof(Code) * hall->n);
	hall->value = after;
	hall->nepochs++;
	is_safe = part_is_safe(seating, hall, seat);
	if (!is_safe)
	{
		hall->value = before;
		hall->nepochs--;
		pfree(after);
	}
	seating_keep(seating);
	return is_safe;
}

/* Has a seat a track of another part? */
static inline bool
is_astray(const Hall *hall, uint32 seat)
{
	return !is_one_part(hall, hall->track[seat], seat);
}

/* Exchanges the track of a seat with one of its part that a seat of the track's part has. */
static bool
bring_back(Seating *seating, Hall *hall, uint32 seat, int most_swaps)
{
	for (uint32 s = 0; s < hall->n; s++)
	{
		bool		found;

		if (!is_one_part(hall, s, hall->track[seat]) || !is_one_part(hall, hall->track[s], seat) || hall->is_pinned[s])
			continue;
		hall->is_pinned[seat] = hall->is_pinned[s] = true;
		swap_seats(seating, hall, seat, s);
		found = walk(seating, NULL, most_swaps);
		hall->is_pinned[seat] = hall->is_pinned[s] = false;
		if (found)
		{
			accept_exchanges(seating);
			return true;
		}
	}
	return false;
}

/* Excludes worlds in which tracks and seats of other parts are together, and makes the seating one in which none are. */
static bool
keep_to_parts(Seating *seating, Hall *hall)
{
	for (uint32 s = 0; s < hall->n; s++)
	{
		dlist_mutable_iter iter;

		dlist_foreach_modify(iter, &hall->moves[s])
		{
			Move	   *move = dlist_container(Move, node, iter.cur);

			if (!is_one_part(hall, move->track, s))
				exclude(seating, move->witness);
		}
	}
	for (uint32 s = 0; s < hall->n; s++)
	{
		bool		found = !is_astray(hall, s);

		for (size_t i = 0; i < lengthof(effort) && !found; i++)
			found = !hall->is_pinned[s] && bring_back(seating, hall, s, effort[i]);
		if (!found)
			return false;
	}
	return true;
}

/* Is everybody safe whose part is another one now, and those who are tied to them? */
static bool
parted_are_safe(Seating *seating, Hall *hall, const uint32 *before)
{
	bool		is_safe = true;

	for (uint32 s = 0; s < hall->n && is_safe; s++)
	{
		dlist_iter	iter;
		bool		is_touched = false;

		for (uint32 t = 0; t < hall->n; t++)
			is_touched |= (before == NULL || before[s] == before[t]) && !is_one_part(hall, s, t);
		if (!is_touched)
			continue;
		hall->is_safe[s] = false;
		is_safe = seat_and_company_are_safe(seating, hall, s);
		dlist_foreach(iter, &hall->bonds[s])
		{
			const BondEnd *other = dlist_container(BondEnd, node, iter.cur)->other;

			is_safe = is_safe && seat_is_safe(seating, other->hall, other->seat);
		}
	}
	return is_safe;
}

bool
hall_part(Seating *seating, Hall *hall, const uint32 *part)
{
	uint64		mark = seating_mark(seating);
	const uint32 *before = hall->part;
	bool		is_safe;

	note(seating, (Change) {.kind = PARTED, .hall = hall, .part = before});
	hall->part = part;
	is_safe = keep_to_parts(seating, hall) && parted_are_safe(seating, hall, before) && seating_is_safe_since(seating, mark);
	if (is_safe)
		seating_keep(seating);
	else
		seating_undo(seating, mark);
	return is_safe;
}
