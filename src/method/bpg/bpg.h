/*
 * bpg.h
 *		A release of method bpg in the making.
 *
 * People sit at places of groups (history/places.h), and a part of a group is shown whole or not at all.  First those who
 * have places sit down (places.c), then others take free places that show their value (arrivals.c); parts are shown, and
 * who has no place yet is cut into new groups (newcomers.c).
 */
#ifndef PPREPUB_METHOD_BPG_BPG_H
#define PPREPUB_METHOD_BPG_BPG_H

#include "common/pg_prng.h"
#include "method/bpg/ties.h"
#include "method/method.h"

/* The repairs, in the order of the list. */
typedef enum Repair
{
	REPAIR_COUNTERFEIT,			/* free places are shown by invented rows */
	REPAIR_DIRTY				/* a part that has free places is not shown */
} Repair;

/* A part of a group that may be shown, unless it has been parted off for good. */
typedef struct Part
{
	uint32		group;
	uint64		first;			/* its places are bpg->member[first] and those behind it */
	uint64		n;
	uint64		occupied;
	bool		is_closed;		/* hidden or retired: nobody arrives, and it is not shown */
	bool		is_weak;		/* hidden since the principle does not allow it, so nobody can be tied to it either */
	double		loss;			/* of its cells over who sits there */
} Part;

#define NO_PART PG_UINT32_MAX

/* How a person of the frame appears in the release. */
typedef enum Fate
{
	LEFT_OUT,					/* not asked for, or of a part that is hidden, or not shown now */
	SEEKS,						/* has no place to sit at */
	RETIRED,					/* holds a place in a retired part, and may not leave it */
	SITS
} Fate;

typedef struct Bpg
{
	const Frame *frame;
	const Past *past;
	const Places *places;		/* its */
	Principle	principle;		/* bound to the frame's values */
	uint64		k;				/* its */
	Repair		repair;
	double		reserve;
	uint64		max_added;		/* places that nobody was asked for at, in millionths of a part, where the frame is not
								 * all of the source */
	uint64		seed;
	pg_prng_state random;
	Tally	   *tally;			/* empty between two questions */
	Ties	   *ties;
	double	   *weight;			/* [quasi-identifiers] of a cell's loss; they sum to 1 */

	/* Parts */
	uint32		nparts;
	Part	   *part;
	uint64	   *member;			/* places by part */
	Span	   *cell;			/* [parts * quasi-identifiers] over who sits there */
	double	   *cell_loss;		/* likewise */

	/* By place of the past */
	uint32	   *part_of;		/* or NO_PART */
	RowId	   *sitter;			/* or NO_ROW */
	bool	   *has_arrived;	/* the sitter, in this release */

	/* By row of the frame */
	uint8	   *fate;			/* a Fate each */
	RowId	   *rows;			/* room for all */

	/* The draft */
	Drafting   *drafting;
	Draft	   *draft;			/* its */
	MemoryContext context;		/* of both */
} Bpg;

static inline bool
is_asked(const Frame *frame, RowId row)
{
	return frame->asked == NULL || frame->asked[row];
}

/* The value that a place shows. */
static inline Code
shown_at(const Bpg *bpg, uint64 place)
{
	uint32		group = bpg->part[bpg->part_of[place]].group;

	return group_shown(bpg->places, group)[place - bpg->places->first[group]];
}

static inline bool
has_stays(const Bpg *bpg, RowId row)
{
	return bpg->places->first_stay[row + 1] > bpg->places->first_stay[row];
}

/* Are so many of the places of a part that nobody was asked for at too many? */
static inline bool
adds_too_much(const Bpg *bpg, uint64 added, uint64 places)
{
	return added * PARAM_SCALE > places * bpg->max_added;
}

/* ---- Places (places.c) ---- */

/* Finds the parts that may be shown, and closes those that must not be. */
extern void find_parts(Bpg *bpg);

/* Holders sit at their places again, if they may. */
extern void seat_holders(Bpg *bpg);

/* The loss of a part's cells, in rows, would grow so much with a person; if that is less than a limit, else more than it. */
extern double cost_of_person(const Bpg *bpg, uint32 part, RowId row, double limit);

/* A person without a place takes one. */
extern void take_place(Bpg *bpg, RowId row, uint64 place);

/* All who have arrived in parts that still have free places get up. */
extern void dismiss_arrivals(Bpg *bpg);

/*
 * Closes parts that have fewer people than free places, but for those that may be parted still, if any may; some of these
 * people seek others.
 */
extern void retire_parts(Bpg *bpg, bool may_part);

/* Parts free places from the others, where that tells nothing: for good, or, of true rows, among others that are hidden with them. */
extern void part_the_departed(Bpg *bpg);

/* Drafts parts, refreshed or as they were shown last; who arrived where nothing is shown has no place. */
extern void show_parts(Bpg *bpg);

/* Of which groups are rows needed that were not asked for? */
extern uint32 find_wanted(Bpg *bpg, bool *wanted);

/* ---- Arrivals (arrivals.c) ---- */

/* People without a place take the nearest free ones that show their value. */
extern void seat_arrivals(Bpg *bpg);

/* ---- Newcomers (newcomers.c) ---- */

/* Cuts people without a place into new groups. */
extern void draft_newcomers(Bpg *bpg);

#endif							/* PPREPUB_METHOD_BPG_BPG_H */
