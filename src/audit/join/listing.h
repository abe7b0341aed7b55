/*
 * listing.h
 *		The cliques of a join in a list, and what they connect.
 */
#ifndef PPREPUB_AUDIT_JOIN_LISTING_H
#define PPREPUB_AUDIT_JOIN_LISTING_H

#include "audit/join/graph.h"

typedef struct Listing
{
	const JoinGraph *graph;		/* borrowed */
	int32		nreleases;

	/* Nodes of all releases in one row: those of release r begin at first_node[r] */
	uint32	   *first_node;		/* [releases + 1] */
	uint32		nnodes;
	uint32	   *parent;			/* [nodes] up to the root of a component */

	/* Cliques, ascending */
	uint64		ncliques;
	uint64		room;
	uint32	   *clique;			/* [cliques * releases] a node of each release */
	uint64	   *steps;			/* borrowed: that may still be made */
} Listing;

/* Lists the cliques of a join, a step each; false if the steps do not suffice. */
extern bool list_cliques(Listing *listing, const JoinGraph *graph, uint64 *steps);

/* The number in the row of a clique's node of release r */
static inline uint32
node_at(const Listing *listing, uint64 clique, int32 r)
{
	return listing->first_node[r] + listing->clique[clique * listing->nreleases + r];
}

/* The root of the component that a node is in */
extern uint32 root_of(Listing *listing, uint32 node);

#endif							/* PPREPUB_AUDIT_JOIN_LISTING_H */
