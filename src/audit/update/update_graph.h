/*
 * update_graph.h
 *		The sensitive attribute update graph (paper 002, Definitions 10 and 11)
 *		of people who were in the same classes: what observers who know the
 *		declared updates can conclude about their values, then and now.
 *
 * A layer is a release that they were in; its nodes are the sensitive values
 * of their class, weighed by how often each occurs there.  An edge is an update
 * that is possible from one layer to the next, weighed by its declared
 * probability or, where there is none, by one over the number of edges that
 * leave its node.  Paths from the first layer to the last are the lives that are
 * possible.  The probability of a node is the weight of the paths through it,
 * among all: it is added up forwards and backwards over the layers, so that
 * paths are never listed.  A node that no path goes through is infeasible, and
 * observers know that no person had that value then.
 */
#ifndef PPREPUB_AUDIT_UPDATE_UPDATE_GRAPH_H
#define PPREPUB_AUDIT_UPDATE_UPDATE_GRAPH_H

#include "frame/update_sets.h"

typedef struct Layer
{
	Code		n;
	Code	   *value;			/* [n] different ones; NO_CODE for NULL, of which nothing is known */
	double	   *weight;			/* [n] > 0 */

	/* The conclusion about each */
	double	   *probability;	/* [n] 0: infeasible */
} Layer;

typedef struct UpdateGraph UpdateGraph;

/* Allocated in the current context; updates are borrowed. */
extern UpdateGraph *graph_create(const Updates *updates);

/* A layer after those that there are; the arrays are copied. */
extern void graph_add_layer(UpdateGraph *graph, const Code *value, const double *weight, Code n);
extern void graph_clear(UpdateGraph *graph);
extern uint32 graph_layers(const UpdateGraph *graph);

/*
 * Concludes from the first so many layers: probabilities of their nodes.  False
 * when no life is possible at all, which observers take for a sign that what
 * they know is wrong: then each node has its weight in its layer.
 */
extern bool graph_conclude(UpdateGraph *graph, uint32 layers);

extern const Layer *graph_layer(const UpdateGraph *graph, uint32 layer);

/* How many nodes are feasible; and the probability of a value, 0 if it is none of the layer. */
extern uint32 layer_candidates(const Layer *layer);
extern double layer_risk(const Layer *layer, Code value);

#endif							/* PPREPUB_AUDIT_UPDATE_UPDATE_GRAPH_H */
