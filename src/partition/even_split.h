/*
 * even_split.h
 *		A bucket cut into sets of a row of each value that lie close together.
 */
#ifndef PPREPUB_PARTITION_EVEN_SPLIT_H
#define PPREPUB_PARTITION_EVEN_SPLIT_H

#include "frame/frame.h"

/*
 * A bucket has so many sets of n values; the true rows of value i are rows[lo[i]]
 * up to, not including, rows[hi[i]], at most as many as sets, and of one value as
 * many.  The rows are permuted; set g gets cell[g * n + i], a row or NO_ROW for a
 * counterfeit, and a true row at least.  Sets that stand side by side lie so, too.
 */
extern void even_split(const Frame *frame, RowId *rows, const uint64 *lo, const uint64 *hi,
					   uint32 n, uint64 sets, RowId *cell);

#endif							/* PPREPUB_PARTITION_EVEN_SPLIT_H */
