/*
 * products.h
 *		How many cliques of records some nodes of each release have: a product, as
 *		far as all nodes of a release are joined to all of another.
 */
#ifndef PPREPUB_AUDIT_JOIN_PRODUCTS_H
#define PPREPUB_AUDIT_JOIN_PRODUCTS_H

#include "audit/join/graph.h"
#include "partition/wide.h"

typedef struct Products Products;

/* For nodes that each have some tuple in common; weight[r][v] is how many records of node v count. */
extern Products *products_create(const JoinGraph *graph, const uint32 *const *weight);

/* Weights have changed, or what stands in arrays of nodes. */
extern void products_forget(Products *products);

/*
 * Counts the cliques of only[r][nonly[r]], for each release r: different nodes, that do not contradict
 * each other in quasi-identifiers or in the sensitive value.  If teller is a release, adds to
 * told[v], for each of its nodes v, the cliques of records of the others; else adds all cliques to *told.
 *
 * Takes a step for each node, and one for each two nodes of releases of which not all are joined; where
 * some are not, or the join was narrowed to some cliques, a step for each fan of such releases.
 */
extern void count_products(Products *products, const uint32 *const *only, const uint32 *nonly,
						   int32 teller, Wide *told);

/*
 * Like count_products(), for a teller all of whose nodes are in as many cliques of the others: how many, or NULL if
 * that is not so.  What is returned lives until the next count.
 */
extern const Wide *count_others(Products *products, const uint32 *const *only, const uint32 *nonly, int32 teller);

#endif							/* PPREPUB_AUDIT_JOIN_PRODUCTS_H */
