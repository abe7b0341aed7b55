/*
 * compromise.h
 *		Deductions of observers who know some people's values about others, and the correlations that these follow from
 *		(paper 004).
 *
 * Observers know who is in which class, and what a class shows.  A value of a class, all of whose rows are known to be
 * of some people, is of no other in it (ct-pvr).  Of two sets that are correlated, each has the same values: one that
 * none of the one can have, none of the other has (hc-pvr).  Both are applied until nothing more follows.  These two
 * do not see everything: so a world that agrees with the releases is looked for in which a person has a candidate, and
 * if there is none, the candidate is excluded.  These searches end where the budget does.  Candidates that were
 * excluded by then are in no world; of people with candidates that were not found in any it is said that more may
 * follow.
 *
 * No person's value may change from release to release, but for observers who know the rules of places.
 */
#ifndef PPREPUB_AUDIT_COMPROMISE_H
#define PPREPUB_AUDIT_COMPROMISE_H

#include "history/past.h"
#include "history/seen.h"
#include "partition/classes.h"

/* ----------------------------------------------------------------
 * Peers: people who were in the same classes of all releases.  What is deduced about one of them is deduced about
 * each.
 *
 * People whose values are known are the peers of those only who are known to have the same.  Invented rows have no
 * peers but each other, where observers make a difference.
 * ----------------------------------------------------------------
 */

typedef struct Peers
{
	const Statistics *statistics;	/* borrowed */
	Code	   *value;			/* [individuals] as published */

	uint32		n;				/* groups of peers */
	uint32	   *group;			/* [individuals] */
	uint64	   *first;			/* [n + 1] group g's individuals are first[g] up to, not including, first[g + 1] */
	Individual *individual;		/* [individuals] group by group */
	bool	   *is_known;		/* [n] */
	bool	   *is_invented;	/* [n] where observers make a difference, else false */

	/* Classes of all releases in one row, and the groups in each */
	uint64	   *base;			/* [releases + 1] */
	uint64	   *first_in;		/* [classes + 1] */
	uint32	   *in;
} Peers;

static inline uint64
peers_size(const Peers *peers, uint32 group)
{
	return peers->first[group + 1] - peers->first[group];
}

/* Where a group was: the steps of any of its people. */
static inline const Step *
peers_steps(const Peers *peers, uint32 group, uint64 *n)
{
	const Statistics *statistics = peers->statistics;
	Individual	any = peers->individual[peers->first[group]];

	*n = statistics->first[any + 1] - statistics->first[any];
	return &statistics->step[statistics->first[any]];
}

static inline uint64
peers_class(const Peers *peers, Step at)
{
	return peers->base[at.release] + at.class;
}

static inline uint64
peers_nclasses(const Peers *peers)
{
	return peers->base[peers->statistics->seen->nreleases];
}

/* ---- Deductions ---- */

/*
 * Observers who know that invented rows only have values that are known: what the first release of each value says.
 *
 * In its first release a true row has the value.  So of the rows that show it there, one less than all are invented,
 * at most.  That says something where its classes have as many invented rows as rows with the value: then it is a
 * cover.
 */
typedef struct Cover
{
	Code		value;
	uint64		most;			/* invented rows with the value */
	uint32		n;
	uint32	   *group;			/* [n] all groups of invented rows in its classes */
} Cover;

typedef struct Deduction
{
	const Peers *peers;
	uint32		ncovers;
	Cover	   *cover;			/* [ncovers] of observers who know what can be invented, else none */

	/* Values that each of a group can have, ascending */
	uint64	   *first;			/* [groups + 1] */
	Code	   *candidate;		/* those of group g are from first[g] on */
	bool	   *is_possible;	/* [candidates] was it found in a world? */
	uint32	   *ncandidates;	/* [groups] */
	uint32	   *nshown;			/* [groups] values of the class that shows most */
} Deduction;

static inline bool
deduction_is_open(const Deduction *deduction, uint32 group)
{
	return deduction->ncandidates[group] > 1;
}

/* Is there a value that some class shows and they cannot have, or only one that they can have? */
static inline bool
deduction_says(const Deduction *deduction, uint32 group)
{
	return !deduction_is_open(deduction, group) || deduction->ncandidates[group] < deduction->nshown[group];
}

/* Is each candidate in some world?  A single one is the value. */
static inline bool
deduction_is_exact(const Deduction *deduction, uint32 group)
{
	const bool *is_possible = deduction->is_possible + deduction->first[group];

	for (uint32 k = 0; k < deduction->ncandidates[group] && deduction_is_open(deduction, group); k++)
		if (!is_possible[k])
			return false;
	return true;
}

/* The first individual whose value changes, or NO_INDIVIDUAL. */
extern Individual find_changed(const Statistics *statistics);

/*
 * Makes NULL a value like others, and returns its code: what a class does not show of a row cannot be counted as
 * missing from others.
 */
extern Code name_null(Seen *seen);

/*
 * The values of these individuals are known, and NULL is named.  Do observers know that invented rows only have values
 * that are known?  Searches may take so many steps, all together.
 */
extern Deduction *deduce(const Statistics *statistics, const Individual *known, uint64 nknown, bool knows_inventions, uint64 budget);

/*
 * Private to the deductions.  Looks for a world for each candidate that is not known to be possible, and excludes
 * those that are in none.  A search takes so many steps at most, and all of them what is left of the budget.  Nothing
 * may follow any more from the rules.  Is there anything that is still not known?
 */
extern bool look_for_worlds(Deduction *deduction, uint64 effort, uint64 *budget,
							void (*lost) (void *what, uint32 group), void *what);

/* Private, too.  Could more rows of open groups have the value than may, by what is deduced?  If not, the cover says nothing. */
extern bool cover_binds(const Deduction *deduction, const Cover *cover);

/* Is the value a candidate of the group, which is open? */
extern bool deduction_may_have(const Deduction *deduction, uint32 group, Code value);

/* How many people of a group have a value, as published. */
extern uint64 peers_having(const Peers *peers, uint32 group, Code value);

/* ----------------------------------------------------------------
 * Deductions of observers who know the rules of places (history/places.h; compromise_places.c)
 *
 * They suppose that no more values change than what is shown tells: a place only where its group shows other values, and
 * a person between two groups not at all.
 * ----------------------------------------------------------------
 */

/* What a person can have had while the value cannot have changed. */
typedef struct Spell
{
	int32		release;		/* the first one of it, from 0 on */
	uint32		group;			/* where it began */
	uint32		nshown;			/* values of the class that shows most */
	uint64		nrows;			/* that show a candidate, where fewest do */
	uint32		n;
	Code	   *candidate;		/* [n] ascending; Seen.nvalues for NULL */
	bool		is_exact;		/* is each in some world? */
} Spell;

typedef struct PlacesDeduction
{
	uint64	   *first;			/* [people + 1] spells of person p: spell[first[p]] and so on */
	Spell	   *spell;
	const bool *is_known;		/* [people] */
} PlacesDeduction;

/*
 * From the values of these people in all releases; takes its steps from a budget.  NULL if a class does not keep the rules, as
 * those that were published elsewhere do not.
 */
extern PlacesDeduction *deduce_by_places(const Seen *seen, const Individual *known, uint64 nknown, uint64 *budget);

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
