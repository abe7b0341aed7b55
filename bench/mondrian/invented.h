/*
 * invented.h
 *		What tables are made of that no file holds: draws that follow a seed, and
 *		trees over numbered leaves.
 */
#ifndef PPREPUB_BENCH_INVENTED_H
#define PPREPUB_BENCH_INVENTED_H

#include "frame/domain.h"

/* One seed brings the same draws. */
extern void draw_from(uint64 seed);

/* Between 0 and 1. */
extern double draw(void);

/* A number below n, low numbers being the frequent ones. */
extern Code draw_skewed(Code n, double skew);

/* A tree over numbered leaves, whose inner levels hold so many leaves a node: [levels - 1], of 1 first. */
extern void make_regular_tree(Domain *domain, Code nleaves, int levels, const Code *width);

#endif							/* PPREPUB_BENCH_INVENTED_H */
