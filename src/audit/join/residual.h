/*
 * residual.h
 *		The residual graph of a flow between two releases, as it lies in their edges.
 *
 * Vertices are the nodes of a, then those of b.  From a node of a, every edge
 * leads on, since it may join more; from a node of b leads back every edge that
 * joins something, since it may join less.
 */
#ifndef PPREPUB_AUDIT_JOIN_RESIDUAL_H
#define PPREPUB_AUDIT_JOIN_RESIDUAL_H

#include "audit/join/graph.h"

typedef struct Residual
{
	JoinPair   *pair;			/* borrowed */
	uint32		na;
	uint32		nvertices;
} Residual;

static inline Residual
residual_of(const JoinGraph *graph, JoinPair *pair)
{
	uint32		na = graph->side[pair->a].nnodes;

	return (Residual) {.pair = pair, .na = na, .nvertices = na + graph->side[pair->b].nnodes};
}

/* A vertex's arcs are numbered from here up to, not including, there. */
static inline uint32
first_arc(const Residual *residual, uint32 vertex)
{
	return vertex < residual->na ?
		residual->pair->first[vertex] : residual->pair->first_back[vertex - residual->na];
}

static inline uint32
end_of_arcs(const Residual *residual, uint32 vertex)
{
	return vertex < residual->na ?
		residual->pair->first[vertex + 1] : residual->pair->first_back[vertex - residual->na + 1];
}

static inline uint32
edge_of_arc(const Residual *residual, uint32 vertex, uint32 arc)
{
	return vertex < residual->na ? arc : residual->pair->back[arc];
}

static inline uint32
head_of_arc(const Residual *residual, uint32 vertex, uint32 arc)
{
	return vertex < residual->na ?
		residual->na + residual->pair->to[arc] : residual->pair->from[residual->pair->back[arc]];
}

/* Does the arc lead anywhere? */
static inline bool
is_open(const Residual *residual, uint32 vertex, uint32 arc)
{
	uint32		edge = edge_of_arc(residual, vertex, arc);

	return residual->pair->alive[edge] && (vertex < residual->na || residual->pair->flow[edge] > 0);
}

#endif							/* PPREPUB_AUDIT_JOIN_RESIDUAL_H */
