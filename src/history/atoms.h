/*
 * atoms.h
 *		The smallest sets that observers of all releases can tell apart.
 *
 * An atom is the individuals that were in the same class of each release, or in
 * none of it.  Whatever intersections and differences reveal is a union of
 * atoms, so there are as many things to look at as there are atoms, however
 * many releases and people.
 */
#ifndef PPREPUB_HISTORY_ATOMS_H
#define PPREPUB_HISTORY_ATOMS_H

#include "history/seen.h"

#define NO_CLASS PG_UINT32_MAX

typedef struct Atoms
{
	uint32		natoms;
	uint32	   *atom;			/* [individuals] */
	uint64	   *size;			/* [natoms] individuals in it */

	/* Where an atom was: places, walked from its last one back to NO_PLACE */
	uint32	   *last;			/* [natoms] */
	uint32		nplaces;
	uint32	   *previous;		/* [nplaces] */
	int32	   *release;		/* [nplaces] from 0 on */
	uint32	   *class;			/* [nplaces] index in its release */
} Atoms;

#define NO_PLACE 0

/* An error if an individual is in a release twice.  Everything returned is allocated in the current context. */
extern Atoms *atoms_of(const Seen *seen);

#endif							/* PPREPUB_HISTORY_ATOMS_H */
