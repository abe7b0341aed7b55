/*
 * bpg.h
 *		A release of method bpg in the making.
 *
 * One neighborhood after the other is at hand: who of it is shown is asked for,
 * then mended until both sides are allowed (sides.c), and what is shown becomes classes
 * (classes.c), with values of their own for invented rows (invent.c).  Newcomers, of no
 * neighborhood yet, come last.
 */
#ifndef PPREPUB_METHOD_BPG_BPG_H
#define PPREPUB_METHOD_BPG_BPG_H

#include "common/pg_prng.h"
#include "method/bpg/class_life.h"
#include "method/method.h"

/* The repairs, in the order of the list. */
typedef enum Repair
{
	REPAIR_DIRTY,				/* all true rows of the neighborhood that were not asked for */
	REPAIR_MINIMAL,				/* as few of them as will do */
	REPAIR_NONE,
	REPAIR_COUNTERFEIT			/* invented rows */
} Repair;

/* How a member of the neighborhood at hand appears in the release. */
typedef enum Fate
{
	LEFT,						/* not in this release */
	SHOWN,						/* by its true row */
	HELD,						/* likewise, but with what was shown last: its new value is held back */
	REPLACED					/* by an invented one */
} Fate;

/* Is a side of the neighborhood allowed?  Asked again only when a member changed sides. */
typedef enum Verdict
{
	UNKNOWN,
	ALLOWED,
	REFUSED
} Verdict;

typedef struct Bpg
{
	const Frame *frame;
	const Past *past;
	Principle	principle;		/* bound to the frame's values */
	uint64		k;				/* its */
	uint32		l;				/* its */
	int64		reserve;		/* as declared: a number, or to be chosen */
	uint64		reserved;		/* rows of a class, if there are enough */
	Outlook		outlook;
	uint64		smallest_parted;	/* smaller ones cannot be, once a member is gone */
	Repair		declared;		/* repair */
	uint64		max_added;		/* rows that nobody asked for, in millionths of those shown of a neighborhood */
	uint64		seed;
	pg_prng_state random;
	Tally	   *tally;			/* empty between two questions */

	/* The neighborhood at hand */
	uint32		n;
	uint64		size;
	Repair		repair;			/* as declared, or one that adds less */
	const RowId *row;			/* [size] as the past has it */
	uint8	   *fate;			/* [size] a Fate each */
	uint64		left;			/* how many have this fate */
	uint64	   *leaver;			/* [left] who, in no order; room for size */
	bool		knows_leavers;	/* or are they to be looked for? */
	uint64		dead;			/* how many have no row */
	bool		is_untold;		/* has no release shown its values, up to this one, which does? */
	Verdict		verdict[2];		/* on those who are left, and on those who are not */
	double	   *gain;			/* [size] what find_helper() counts */
	double	   *relief;			/* [values] what one more row with it would bring, or NAN */
	uint64	   *member;			/* [rows of the frame] places in the neighborhood, of those in it */
	RowId	   *rows;			/* [rows of the frame] to be cut */
	MemoryContext cuts;			/* what one cut makes */
	MemoryContext context;		/* of the draft */

	/* Values that invented rows may have */
	Code	   *known;			/* [nknown] or NULL until they are asked for */
	Code		nknown;
	bool	   *is_known;		/* [values] */
	uint64		nread;			/* true rows of the draft that have been looked at for them */

	/* The draft */
	Drafting   *drafting;
	Draft	   *draft;			/* its */
} Bpg;

static inline bool
is_published(const Bpg *bpg, uint64 i)
{
	return bpg->fate[i] != LEFT;
}

static inline uint64
count_side(const Bpg *bpg, bool published)
{
	return published ? bpg->size - bpg->left : bpg->left;
}

/* Is anything asked of values? */
static inline bool
judges_values(const Bpg *bpg)
{
	return bpg->l > 1 || bpg->principle.nterms > 0;
}

/* Are so many rows that nobody asked for too many, of those that are shown of a neighborhood? */
static inline bool
adds_too_much(const Bpg *bpg, uint64 added, uint64 shown)
{
	return added * PARAM_SCALE > shown * bpg->max_added;
}

/*
 * Are values more than counted?  Then people whom invented rows stand beside must be allowed by themselves: see
 * invent.c.
 */
static inline bool
judges_shares(const Bpg *bpg)
{
	return bpg->principle.judging != NULL;
}

/* Is it known that the values in the tally are allowed, whatever else comes?  Asked of each row, so only where that is cheap. */
static inline bool
has_enough_values(const Bpg *bpg)
{
	return !judges_shares(bpg) && principle_allows_values(&bpg->principle, bpg->tally);
}

/* The value that was shown last of a member of a neighborhood. */
static inline Code
last_shown(const Past *past, uint32 n, uint64 member)
{
	return past_values(past, n, past_epochs(past, n) - 1)[member - past->first[n]];
}

/*
 * May some of the neighborhood at hand be told from the others?  Where shares are judged, observers may know which
 * rows of it were invented, and a part of it need not be allowed without these, unless they
 * showed just what was shown of people.
 */
static inline bool
may_be_parted(const Bpg *bpg)
{
	return !judges_shares(bpg) || (!past_is_filled(bpg->past, bpg->n) &&
								   (!bpg->past->is_loose || past_epochs(bpg->past, bpg->n) == 1));
}

static inline RowId
row_of(const Bpg *bpg, uint64 i)
{
	return bpg->row[i];
}

static inline bool
is_asked(const Frame *frame, RowId row)
{
	return frame->asked == NULL || frame->asked[row];
}

/* ----------------------------------------------------------------
 * Sides of a neighborhood
 * ----------------------------------------------------------------
 */

extern void set_fate(Bpg *bpg, uint64 i, Fate fate);

/* Is the side of those who are published, or of those who are not, allowed?  The side may be empty, too. */
extern bool side_is_allowed(Bpg *bpg, bool published);
extern bool rest_is_safe(Bpg *bpg);

/* Is somebody missing of those who are shown, or away when they were shown last?  Then they show nothing new. */
extern bool shows_nothing_new(const Bpg *bpg);

/* Adds members that were not asked for, or withholds some, so that both sides are allowed, if that can be done. */
extern void mend_sides(Bpg *bpg);

/* ----------------------------------------------------------------
 * Classes
 * ----------------------------------------------------------------
 */

/* Publishes the members of the neighborhood at hand who are shown: the first n of bpg->rows, and those whose places invented rows take. */
extern void publish_neighborhood(Bpg *bpg, uint64 n);

/* Invented rows for the class that is added next: returns where it goes whom they stand for; values are drawn in the end. */
extern uint64 *invent_for_class(Bpg *bpg, uint64 n);

/* Appends a class of n rows; region: its cells, or NULL for those that cover it. */
extern void add_class(Bpg *bpg, const RowId *rows, uint64 n, const Span *region);

#define AUTO_RESERVE	PARAM_WORD

/* Chooses the reserve for n rows, if it is to be chosen. */
extern void choose_reserve(Bpg *bpg, const RowId *rows, uint64 n);

/* Would it take more invented rows than it is worth to show these people, beside members who have left? */
extern bool is_too_costly(const Bpg *bpg, uint64 alive, uint64 dead);

/* Drafts people who were never published: in classes of the reserve if that can be, of k if not. */
extern void draft_newcomers(Bpg *bpg);

/* ----------------------------------------------------------------
 * Invented rows
 * ----------------------------------------------------------------
 */

/*
 * Would the first n of bpg->rows, in a class with invented rows, be told from these by their values?  They would if
 * none of them could have been invented, and they have fewer than l values.
 */
extern bool are_found(Bpg *bpg, uint64 n);

/* Makes a class of newcomers, the first n of bpg->rows, with as many invented rows as k lacks; false if it may not. */
extern bool invent_company(Bpg *bpg, uint64 n);

/*
 * Has stand-ins, in the order of stands_for[], show what was shown last of the members whom they stand for, and people
 * whose new values are held back what was shown last of them.
 */
extern void show_last_values(Bpg *bpg, const uint64 *stands_for, uint64 n);

/* Draws the values of invented rows that stand for nobody, when it is known what else leaves. */
extern void invent_values(Bpg *bpg);

#endif							/* PPREPUB_METHOD_BPG_BPG_H */
