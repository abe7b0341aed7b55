/*
 * balanced.h
 *		Splitting a balanced bucket into groups that have a row in each entry
 *		and no sensitive value twice, and lie close together.
 *
 * A bucket has entries, each of some rows of every group (its multiplicity).
 * It is balanced when no entry has more rows than its multiplicity times the
 * number of groups, and no sensitive value occurs more often than there are
 * groups.  Such a bucket always splits (Koenig: the bipartite multigraph of
 * entries and values, a row being an edge, has an edge colouring with as many
 * colours as its greatest degree), and so does either half of a split that
 * leaves both halves balanced.  So it is cut in two again and again, where that
 * loses least, until every part is one group.  Rows that an entry lacks are
 * left for the caller to invent.
 */
#ifndef PPREPUB_PARTITION_BALANCED_H
#define PPREPUB_PARTITION_BALANCED_H

#include "frame/frame.h"

typedef struct BalancedRow
{
	RowId		row;
	uint32		entry;
} BalancedRow;

typedef struct BalancedBucket
{
	uint32		nentries;
	const uint32 *multiplicity; /* [nentries] */
	uint32		ngroups;
	uint32		nrows;
	BalancedRow *rows;			/* permuted: group by group in the end */
} BalancedBucket;

typedef struct Splitter Splitter;

/* For buckets of so many rows and entries at most, in the current context. */
extern Splitter *splitter_create(const Frame *frame, uint32 most_rows, uint32 most_entries);

/*
 * Splits a balanced bucket.  *size[g] is set to the rows of group g, [ngroups];
 * some may be none.
 */
extern void split_bucket(Splitter *splitter, const BalancedBucket *bucket, uint32 *size);

#endif							/* PPREPUB_PARTITION_BALANCED_H */
