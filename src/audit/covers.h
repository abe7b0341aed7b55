/*
 * covers.h
 *		Structures that deduce() looks at where its rules say no more: see compromise.h.
 */
#ifndef PPREPUB_AUDIT_COVERS_H
#define PPREPUB_AUDIT_COVERS_H

#include "audit/compromise.h"

/* ----------------------------------------------------------------
 * Observers who know that invented rows only have values that are known: what
 * the first release of each value says.
 *
 * In its first release a true row has the value.  So of the rows that show it
 * there, one less than all are invented, at most.  That says something where its
 * classes have as many invented rows as rows with the value: then it is a cover.
 * ----------------------------------------------------------------
 */

typedef struct Cover
{
	Code		value;
	uint64		most;			/* invented rows with the value */
	uint32		n;
	uint32	   *group;			/* [n] all groups of invented rows in its classes */
} Cover;

typedef struct Covers
{
	uint32		n;
	Cover	   *cover;
} Covers;

/* Not those of values that no true row has in their first release: there, observers are wrong. */
extern Covers *covers_find(const Peers *peers);

/* Could more rows of open groups have the value than may, by what is deduced?  If not, the cover says nothing. */
extern bool cover_binds(const Deduction *deduction, const Cover *cover);

/* Is the value a candidate of the group, which is open? */
extern bool may_have(const Deduction *deduction, uint32 group, Code value);

/* How many people of a group have a value, as published. */
extern uint64 peers_having(const Peers *peers, uint32 group, Code value);

/* ----------------------------------------------------------------
 * Worlds that agree with the releases, in which a person has a candidate.
 * ----------------------------------------------------------------
 */

/*
 * Looks for a world for each candidate that is not known to be possible, and
 * excludes those that are in none.  A search takes so many steps at most, and all
 * of them what is left of the budget.  Nothing may follow any more from the rules.
 * Is there anything that is still not known?
 */
extern bool look_for_worlds(Deduction *deduction, uint64 effort, uint64 *budget,
							void (*lost) (void *what, uint32 group), void *what);

#endif							/* PPREPUB_AUDIT_COVERS_H */
