/*
 * fans.h
 *		Walking over the cliques of a few nodes of each release, and over those at
 *		once that differ in the last release only: a fan.
 */
#ifndef PPREPUB_AUDIT_JOIN_FANS_H
#define PPREPUB_AUDIT_JOIN_FANS_H

#include "audit/join/graph.h"

/* Told of a node of each release but the last, and of those of the last, one at least, that each complete a clique. */
typedef void (*FanVisitor) (void *arg, const uint32 *node, const uint32 *last, uint32 nlast);

typedef struct FanWalk FanWalk;

extern FanWalk *fans_create(const JoinGraph *graph, FanVisitor visit, void *arg);

/*
 * Walks over the cliques of only[r][nonly[r]] for each release r, which are different nodes.
 *
 * Compares each two nodes of different releases once, in bitmaps; then a step a fan.
 */
extern void walk_fans(FanWalk *walk, const uint32 *const *only, const uint32 *nonly);

#endif							/* PPREPUB_AUDIT_JOIN_FANS_H */
