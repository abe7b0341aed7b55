/*
 * greedy.h
 *		The algorithm of Li and Zhou, section V, as it stands there: the peer of
 *		method m-distinct.
 */
#ifndef PPREPUB_BENCH_GREEDY_H
#define PPREPUB_BENCH_GREEDY_H

#include "postgres.h"

#include "history/past.h"
#include "partition/classes.h"

/*
 * Classes of all rows, without regions, in the current context; NULL where
 * Algorithm 2 makes more buckets than that.  *buckets is set to how many there
 * were.  Each sensitive value must have declared updates, and somebody's last
 * class at least m.
 */
extern Classes *greedy_classes(const Frame *frame, const Past *past, uint32 m, uint64 seed,
							   uint32 most_buckets, uint32 *buckets);

#endif							/* PPREPUB_BENCH_GREEDY_H */
