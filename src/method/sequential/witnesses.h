/*
 * witnesses.h
 *		Cliques that were found to link tuples to k different values, and that may
 *		be there still.
 *
 * Which records a tuple is consistent with, and which values they show, stays as it is.
 * So as long as these cliques are there, nobody need look for others.
 */
#ifndef PPREPUB_METHOD_SEQUENTIAL_WITNESSES_H
#define PPREPUB_METHOD_SEQUENTIAL_WITNESSES_H

#include "method/sequential/people.h"

typedef struct Witnesses
{
	const People *people;		/* borrowed */
	uint32		k;				/* cliques of a tuple; 0 for no witnesses */
	Size		width;			/* numbers of a clique: its nodes in earlier releases, and the piece of the new one */
	uint32	  **of;				/* [tuples] their cliques, or NULL */
	uint64		room;			/* numbers that may still be kept */
	uint32	   *heard;			/* [k * width] those of the tuple at hand */
} Witnesses;

/* Allocated in the current context, in which witnesses are kept, too. */
extern Witnesses witnesses_create(const People *people, uint32 ntuples, uint32 k);

/* Notes that clique, of a value that was not heard of before, whose nodes are of these releases. */
extern void witnesses_hear(Witnesses *witnesses, uint32 nheard, const int32 *release, const uint32 *node, uint32 piece);

/* Keeps those that were noted, if they are k, and if there is room. */
extern void witnesses_keep(Witnesses *witnesses, uint32 tuple, uint32 nheard);

/* Are a tuple's still there? */
extern bool witnesses_hold(const Witnesses *witnesses, uint32 tuple);

#endif							/* PPREPUB_METHOD_SEQUENTIAL_WITNESSES_H */
