/*
 * worlds.h
 *		Worlds in which people who had places in several groups could have other values than they have.
 *
 * A place of a group has a track, the values that it showed epoch by epoch, and a seat: all the people who held it, one
 * after the other.  Observers know the people and the values, and not which seat has which track; so to exchange the
 * tracks of two seats of one part is another world, if nobody is tied.  A bond says that one person was on two seats,
 * and so that their tracks show one value in two epochs.  A world has a track for each seat such that all bonds agree.
 *
 * The seating is one world.  Others, the witnesses, are kept as the few seats that have other tracks there; each is a
 * world of all groups, since all other seats have their tracks in the seating.  A new bond, or a new part, excludes
 * worlds, and all who lose by that are asked for anew: so whoever was safe stays safe, however far from it.  New values
 * exclude none, but people must have enough of these, too.
 *
 * A seat alone can have a track if each of its bonds could agree with some track of the other end, and so on, if nobody
 * else were tied.  No world gives it another one.
 */
#ifndef PPREPUB_BPG_WORLDS_H
#define PPREPUB_BPG_WORLDS_H

#include "postgres.h"

#include "frame/frame.h"
#include "lib/ilist.h"

/* A group.  Seats and tracks have the numbers of its places, from 0 on. */
typedef struct Hall
{
	uint32		n;
	uint32		nepochs;
	const Code *value;			/* epoch by epoch, track by track */
	const uint32 *part;			/* [n] tracks are exchanged within one part; NULL if it is one */
	uint32	   *track;			/* [n] that each seat has in the seating */
	uint32	   *seat;			/* [n] that has each track */
	dlist_head *bonds;			/* [n] ends of bonds at each seat */
	dlist_head *moves;			/* [n] of each seat in witnesses */
	bool	   *is_safe;		/* [n] has the seat values and rows enough, as is known? */
	bool	   *is_pinned;		/* [n] must the seat keep its track? */
	bool	   *is_broken;		/* [n] is it tied in a way of which no world was found? */
} Hall;

/* A person was on the seat, and what it showed from one epoch to another is one value. */
typedef struct BondEnd
{
	dlist_node	node;			/* of the seat's bonds */
	Hall	   *hall;
	uint32		seat;
	uint32		first_epoch;
	uint32		last_epoch;
	struct BondEnd *other;
} BondEnd;

typedef struct Bond
{
	BondEnd		end[2];
	RowId		row;			/* the person, and the new place, if the bond is of a draft */
	uint64		place;
} Bond;

typedef struct Seating Seating;

/*
 * In the current context: for people who need l values and k rows, of values below nvalues.  is_alone: each seat is
 * judged alone, and no world is looked for.
 */
extern Seating *seating_create(Code nvalues, uint32 l, uint64 k, bool is_alone);

/* In the current context; the arrays must live as long. */
extern Hall *hall_create(uint32 n, uint32 nepochs, const Code *value, const uint32 *part);
extern void hall_free(Hall *hall);

/* Joins the two ends, whose seats and epochs are filled in. */
extern void bond_join(Bond *bond);

/* A bond that holds from now on.  False if no world was found in which it does: then nothing has changed. */
extern bool seating_bind(Seating *seating, Bond *bond);

/* A bond that was kept is given up. */
extern void seating_release(Bond *bond);

/* A bond that cannot be: its people are never safe, and nobody changes with them. */
extern void seating_break(Bond *bond);

/* Have the people of a seat l values and k rows in each epoch, as far as worlds are found? */
extern bool seat_is_safe(Seating *seating, Hall *hall, uint32 seat);

/* Have those who are not tied, in the part of the seat? */
extern bool untied_are_safe(Seating *seating, Hall *hall, uint32 seat);

/* Looks for the worlds of all people of a hall in which somebody is tied. */
extern void hall_prove(Seating *seating, Hall *hall);

/* Are the people of the seat's part safe in the newest epoch? */
extern bool part_is_safe(Seating *seating, Hall *hall, uint32 seat);

/* New values of a part, a seat of which is given: an epoch more.  False, and nothing has changed, if somebody is not safe with them. */
extern bool hall_refresh(Seating *seating, Hall *hall, uint32 seat, const Code *value);

/*
 * The seats of some parts are parts of other ones from now on.  False, and nothing has changed, if no world was found, or
 * somebody of these parts is not safe.
 */
extern bool hall_part(Seating *seating, Hall *hall, const uint32 *part);

/* Bonds made after a mark can be undone, until they are kept. */
extern uint64 seating_mark(const Seating *seating);
extern void seating_undo(Seating *seating, uint64 mark);
extern void seating_keep(Seating *seating);

/* Is everybody safe whom bonds made after the mark concern? */
extern bool seating_is_safe_since(Seating *seating, uint64 mark);

#endif							/* PPREPUB_BPG_WORLDS_H */
