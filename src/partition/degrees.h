/*
 * degrees.h
 *		Choosing a part of a bipartite multigraph whose degrees lie between
 *		bounds.
 *
 * Entries and values are the nodes; a cell says how many edges there are
 * between two of them, and how many are chosen.  Somebody has chosen already,
 * as he liked best; the least is changed that makes all degrees right.
 */
#ifndef PPREPUB_PARTITION_DEGREES_H
#define PPREPUB_PARTITION_DEGREES_H

typedef struct DegreeNode
{
	uint32		chosen;			/* the sum over its cells */
	uint32		least;
	uint32		most;
} DegreeNode;

typedef struct Degrees
{
	uint32		nentries;
	uint32		nvalues;
	uint32	   *edges;			/* [nvalues * nentries] */
	uint32	   *chosen;			/* [nvalues * nentries] */
	DegreeNode *node;			/* [nentries + nvalues] entries first */

	/* Scratch for searches: [nentries + nvalues] */
	uint32	   *queue;
	uint32	   *came_from;
} Degrees;

/* False if there is no choice that is right. */
extern bool mend_degrees(Degrees *degrees);

#endif							/* PPREPUB_PARTITION_DEGREES_H */
