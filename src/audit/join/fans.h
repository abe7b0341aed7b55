/*
 * fans.h
 *		Walking over the cliques of a few nodes of each release, and over those at
 *		once that differ in the last release only: a fan.
 */
#ifndef PPREPUB_AUDIT_JOIN_FANS_H
#define PPREPUB_AUDIT_JOIN_FANS_H

#include "audit/join/graph.h"

/*
 * Called with a node of each release but the last, and with the nodes of the
 * last, one at least, that each complete a clique.
 */
typedef void (*FanVisitor) (void *arg, const uint32 *node, const uint32 *last, uint32 nlast);

typedef struct FanWalk FanWalk;

extern FanWalk *fans_create(const JoinGraph *graph, FanVisitor visit, void *arg);

/*
 * Walks over the cliques of the nodes only[r][nonly[r]], which are different ones, of these releases
 * r, ascending; nodes are told in their order.  That a join is narrowed to some cliques, and that
 * no person is absent everywhere, is heeded if they are all releases.
 *
 * Compares each two nodes of different releases once, in bitmaps; then a step a fan.
 */
extern void walk_fans(FanWalk *walk, const int32 *release, int32 n,
					  const uint32 *const *only, const uint32 *nonly);

#endif							/* PPREPUB_AUDIT_JOIN_FANS_H */
