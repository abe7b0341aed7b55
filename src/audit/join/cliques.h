/*
 * cliques.h
 *		Walking over the R-cliques of a join: a node of each release, any two joined.
 */
#ifndef PPREPUB_AUDIT_JOIN_CLIQUES_H
#define PPREPUB_AUDIT_JOIN_CLIQUES_H

#include "audit/join/graph.h"

/* Called with a clique's nodes; a result of false ends the walk. */
typedef bool (*CliqueVisitor) (void *arg, const uint32 *node);

typedef struct CliqueWalk
{
	const JoinGraph *graph;
	CliqueVisitor visit;
	void	   *arg;

	/* If fixed[r], the clique has node[r]; otherwise that is where the walk is */
	bool	   *fixed;			/* [releases] or NULL */
	uint32	   *node;			/* [releases] */

	uint64	   *steps;			/* comparisons of two nodes that are left; NULL for any number */
} CliqueWalk;

/*
 * Walks over cliques in the order of their nodes; returns false if the visitor ended it, or there were too few steps.
 *
 * A node is looked at in release r if it is a neighbour of whichever of the nodes already
 * chosen has fewest there.
 */
extern bool walk_cliques(CliqueWalk *walk);

/* Are these nodes, one of each release, a clique of the join? */
extern bool is_clique(const JoinGraph *graph, const uint32 *node);

/* The first of n ascending cliques that is not before this one */
extern uint64 find_clique(const uint32 *clique, uint64 n, int32 nreleases, const uint32 *node);

/* Is a clique among those that the join was narrowed to? */
extern bool is_listed(const JoinGraph *graph, const uint32 *node);

#endif							/* PPREPUB_AUDIT_JOIN_CLIQUES_H */
