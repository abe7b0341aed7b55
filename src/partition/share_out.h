/*
 * share_out.h
 *		Cutting many records into portions, and putting together what becomes of them.
 */
#ifndef PPREPUB_PARTITION_SHARE_OUT_H
#define PPREPUB_PARTITION_SHARE_OUT_H

#include "partition/groups.h"

/*
 * Partitions the rows of the work: at once, where they are few, or in portions. The records' tuples are gone after
 * that, and their rows are the classes'.
 */
extern Classes *share_out(Work *work, uint64 nrows, MemoryContext context);

#endif							/* PPREPUB_PARTITION_SHARE_OUT_H */
