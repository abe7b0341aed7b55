/*
 * attack.h
 *		The sets that all releases reveal together: the smallest and the least diverse sets of individuals that
 *		observers can single out.
 *
 * Observers know of every individual in which class of which release it was.  From each two releases a and b they get
 *
 *		intersections:	C and D, for each class C of a and D of b;
 *		differences:	C without D, and C without all people who are in b;
 *
 * and from all releases together the atoms.  Sets that are empty reveal nothing.  An intersection is judged by the
 * values that a showed of it and by those that b showed, a difference by those of a, an atom by those of each release
 * that it was in.  NULLs count for no value, counterfeits as any person else.
 *
 * Individuals of methods with places are places: then all this is about places, whoever sits there.
 */
#ifndef PPREPUB_AUDIT_ATTACK_H
#define PPREPUB_AUDIT_ATTACK_H

#include "history/seen.h"
#include "partition/principle.h"

typedef enum RevealedBy
{
	REVEALED_BY_INTERSECTION,
	REVEALED_BY_DIFFERENCE,
	REVEALED_BY_ALL				/* an atom */
} RevealedBy;

/* Sets of one kind, of which there is at least one. */
typedef struct Revealed
{
	RevealedBy	kind;
	int32		release;		/* from 1 on; of atoms, the last one */
	int32		other;			/* 0 for atoms */

	/* The least of any of the sets, each on its own */
	uint64		records;
	uint32		values;			/* different ones, in the aspect that has fewest */
	bool		holds;			/* do all of them satisfy what was promised? */
} Revealed;

typedef struct Attack
{
	uint64		n;
	Revealed   *revealed;		/* [n] those that do not hold first; then by kind, release and other */
} Attack;

/*
 * promised: [releases] by its own parameters, bound to the values.  Two releases are judged by what both promised, all
 * of them by what each did: the weakest.  A class without those of a later release may be a set that a release between
 * the two singled out, which promised less; so those between count for it, too.
 *
 * aspects: of the values, or NULL for one.
 *
 * For each two releases, linear in their atoms and those atoms' different values: never more than their rows.
 *
 * Takes 4 bytes for each atom and release, and 34 for each ordered pair of releases; of one release at a time 20 more
 * for each atom in it, and some for each row.  What is returned is allocated in the current context.
 */
extern Attack *attack(const Seen *seen, const Atoms *atoms, const Aspects *aspects, const Principle *promised);

#endif							/* PPREPUB_AUDIT_ATTACK_H */
