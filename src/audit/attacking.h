/*
 * attacking.h
 *		What the files of the attack share: releases as their atoms, and a class of one of them
 *		parted by another.
 */
#ifndef PPREPUB_AUDIT_ATTACKING_H
#define PPREPUB_AUDIT_ATTACKING_H

#include "audit/attack.h"

/* An atom in a release */
typedef struct Presence
{
	uint32		atom;
	uint32		first_value;	/* its values end where the next one's begin */
	uint64		sketch;			/* of the values */
} Presence;

/* The least that some sets have, or the greatest numbers while there is no set. */
typedef struct Least
{
	uint64		records;
	uint32		values;
} Least;

typedef struct Found
{
	Least		intersections;
	Least		differences;
} Found;

/* Are the values of all sets of a pair of releases allowed? */
typedef struct Allowed
{
	bool		intersections;
	bool		differences;
} Allowed;

/* Atoms whose values some principle refuses */
typedef struct RefusedAtoms
{
	Principle	by;
	bool	   *is_refused;		/* [presences] NULL if nothing was judged yet */
	uint32	   *n;				/* [nclasses] of each class */
	uint64		total;
} RefusedAtoms;

/* A release as its atoms: there is one at a time, the one that is parted */
typedef struct View
{
	int32		r;
	uint32		nclasses;
	uint32	   *first;			/* [nclasses + 1] class c's are first[c] up to, not including, first[c + 1] */
	Presence   *presence;		/* [first[nclasses] + 1] */
	Code	   *value;			/* different ones of each atom */
	uint32	   *times;			/* how many rows of the atom have each; NULL if that is not asked */
	Least	   *least;			/* [nclasses] of any atom of a class, so of any set of them */
	uint32	   *order;			/* [nclasses] classes, those of small atoms first */
	RefusedAtoms refused;
} View;

/* A part of the class at hand: those in the same class of another release, or absent from it */
typedef struct ClassPart
{
	uint32		class;			/* of the other release */
	uint32		last;			/* presence, from which next[] leads to the others */
	uint64		records;
	uint64		sketch;
	uint32		refused;		/* atoms of it */

	/* Different values of the part, and of the class without it; or no more than these */
	uint32		within;
	uint32		without;
} ClassPart;

#define NO_PRESENCE PG_UINT32_MAX

typedef struct Attacker
{
	/* Borrowed */
	const Seen *seen;
	const Atoms *atoms;
	const Principle *promised;

	uint32	  **class_of;		/* [releases][atoms] the number of classes where an atom is absent */
	uint64	  **is_in;			/* [releases][atoms / 64 + 1] a bit for each atom */
	MemoryContext view_context;
	View		own;
	uint32	   *listed_in;		/* [atoms] the class of the view that had each last */
	uint32	   *fill;			/* [atoms] */

	/* The class at hand, and the release that parts it */
	int32		other;
	uint32		nparts;
	uint64		parts_room;
	ClassPart  *part;			/* [presences of a class] */
	uint32	   *part_of;		/* [most classes + 1] stale unless that part is of this class */
	uint32	   *next;			/* [presences] of the view */

	/* Counting values; marks are never given twice, so nothing need be cleared */
	uint64		mark;
	uint64	   *seen_in;		/* [values] the mark of the part that had it last */
	uint64	   *shared_in;		/* [values] the mark of the last class in which two parts had it */
	uint32	   *place;			/* [values] where the atom at hand has it */

	/* The findings */
	Found	   *found;			/* [releases][releases] */
	Allowed    *allowed;		/* [releases][releases] */
	Least		least_atoms;
	bool		atoms_allowed;
	Tally	   *tally;			/* NULL unless sets are judged by more than k and l */
	Attack	   *result;
} Attacker;

static const Least no_set = {PG_UINT64_MAX, PG_UINT32_MAX};

/* The number of classes of the other release, which stands for those who are absent. */
static inline uint32
absent_from_other(const Attacker *attacker)
{
	return attacker->seen->release[attacker->other].nclasses;
}

static inline void
lower(Least *least, uint64 records, uint32 values)
{
	least->records = Min(least->records, records);
	least->values = Min(least->values, values);
}

/* ---- attack_views.c ---- */

/* Finds in which class of each release each atom was, and makes room to view releases by any of the aspects. */
extern void place_atoms(Attacker *attacker, const Aspects *aspects);

/* Views a release by the codes of an aspect, or by those of the values themselves; counted: with how often each occurs. */
extern void view_release(Attacker *attacker, int32 r, const Aspect *aspect, bool counted);

/* Parts the atoms of a class of the view by the class of attacker->other that they are in. */
extern void part_class(Attacker *attacker, uint32 c);

/* ---- attack_least.c ---- */

/* The least of what the release in view shows of its classes' intersections with those of another, and of their differences. */
extern Found least_of_pair(Attacker *attacker, int32 other);

/* ---- attack_judge.c: the view is by values, and counted ---- */

/* Does a principle allow the values that the release in view shows of these sets? */
extern bool sets_hold(Attacker *attacker, RevealedBy kind, int32 other, const Principle *principle);

/* And those that it shows of its atoms? */
extern bool atoms_hold(Attacker *attacker, const Principle *principle);

#endif							/* PPREPUB_AUDIT_ATTACKING_H */
