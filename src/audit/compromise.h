/*
 * compromise.h
 *		Deductions of observers who know some people's values about others, and the correlations that these follow from
 *		(paper 004).
 *
 * Observers know who is in which class, and what a class shows.  So each value is possible for a person with which there is a
 * world: one life for everybody, such that each class shows what it did.  Searches for these end where the budget does.
 * Candidates that were excluded by then are in no world; of people with candidates that were not found in any it is said that
 * more may follow.
 *
 * Of methods with places (history/places.h), observers know their rules, too.  They suppose that no more values change than what
 * is shown tells: a place only where its group shows other values, and a person between two groups not at all.  Where more has
 * changed, they allow for that.  So what is excluded is never the truth.  Of others no value may change.
 */
#ifndef PPREPUB_AUDIT_COMPROMISE_H
#define PPREPUB_AUDIT_COMPROMISE_H

#include "frame/domain.h"
#include "history/past.h"
#include "history/seen.h"
#include "partition/classes.h"

/* Values that a person can have had while the value cannot have changed. */
typedef struct Spell
{
	int32		release;		/* the first one of it, from 0 on */
	uint32		class;			/* of that one */
	uint32		nshown;			/* values of the class that shows most */
	uint64		nrows;			/* that show a candidate, where fewest do */
	uint32		n;
	Code	   *candidate;		/* [n] ascending; Seen.nvalues for NULL */
	bool		is_exact;		/* is each in some world? */
} Spell;

typedef struct Deduction
{
	uint64	   *first;			/* [individuals, or people of places, + 1] spells of person p: spell[first[p]] and so
								 * on */
	Spell	   *spell;
} Deduction;

/* The first individual whose value changes, or NO_INDIVIDUAL. */
extern Individual find_changed(const Seen *seen);

/* Of observers: */
#define KNOWS_INVENTIONS	1	/* that invented rows only have values that are known */
#define LOOKS_AT_EACH_ALONE	2	/* as if all others could have any value */

/*
 * The values of these individuals, or people of places, are known.  Searches take so many steps, all together.  NULL if
 * individuals are places, and a class does not keep the rules, as those do not that were published elsewhere.
 */
extern Deduction *deduce(const Seen *seen, const Individual *known, uint64 nknown, int observer, uint64 budget);

/* ----------------------------------------------------------------
 * Private to the deductions: what observers saw (compromise_sights.c)
 *
 * A sight is what a class showed at a moment when somebody had come, or something had changed: other moments tell nothing more.
 * ----------------------------------------------------------------
 */

#define NO_SIGHT PG_UINT32_MAX

typedef struct Sight
{
	Step		at;
	uint32		group;			/* of places */
	uint32		previous;		/* of the group, where it shows other values than that; or NO_SIGHT */
	uint64		rows;
	uint64		nseated;		/* rows of people */
	bool		is_left;		/* of those who are left when others are parted off, and show new values at the next
								 * sight */
	bool		is_free;		/* did more rows change than must? */
	uint32		child;			/* the newest one of a part of it, or of those who are left of it; or 0 */
	uint32		sibling;		/* the child before; or 0 */
	uint64		first;			/* its values are value[first] up to, not including, value[first + n] */
	uint32		n;
} Sight;

/* A person at a sight, and what the row showed in truth. */
typedef struct Seated
{
	uint32		sight;
	Code		value;
} Seated;

typedef struct Sights
{
	const Seen *seen;			/* borrowed */
	Code		null;			/* NULL is a value here */
	uint64		npeople;

	uint32		n;
	uint32		room;
	Sight	   *sight;
	uint64		nvalues;
	uint64		values_room;
	Code	   *value;			/* of sights, ascending */
	uint32	   *count;			/* rows that have each */

	uint64		nseated;
	uint64		seated_room;
	Seated	   *seated;
	uint64	   *first_seated;	/* [people + 1] */
	uint32	   *seated_of;		/* person by person, in the order of sights */
	bool	   *is_searched;	/* [people] may the rules of places tell something of the person?  NULL without places */
} Sights;

/* False if a class does not keep the rules of places, where individuals are places. */
extern bool sights_of(const Seen *seen, const Individual *known, uint64 nknown, Sights *sights);

/* How many rows show a value. */
static inline uint32
rows_showing(const Sights *sights, const Sight *sight, Code value)
{
	uint64		at = find_code(sights->value + sight->first, sight->n, value);

	return at == sight->n ? 0 : sights->count[sight->first + at];
}

/* ----------------------------------------------------------------
 * Correlations: people who can be told apart because the others of two classes are the same (Definition 3 of paper
 * 004)
 *
 * Two classes of different releases that show the same values, each equally often, and have some but not all of their
 * people in common: those of the one who are not in the other have the same values as the other way round.  The fewer
 * these are, the more is told by knowing some of them.
 * ----------------------------------------------------------------
 */

typedef struct Correlation
{
	Step		a;				/* the earlier one */
	Step		b;
	uint32		unmatched;		/* people of each who are not in the other */
} Correlation;

/* Visits all of them with at most so many unmatched, in order of b and then of a: there may be very many. */
extern void find_correlations(const Statistics *statistics, uint32 most,
							  void (*visit) (void *what, const Correlation *correlation), void *what);

/*
 * The last check of a draft: an internal error if a class shares all but fewer than n of its rows with an earlier one,
 * and not all.
 */
extern void judge_correlations(const Companies *companies, const Classes *classes, uint32 n);

#endif							/* PPREPUB_AUDIT_COMPROMISE_H */
