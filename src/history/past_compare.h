/*
 * past_compare.h
 *		Are neighborhoods and paths as the log tells?
 */
#ifndef PPREPUB_HISTORY_PAST_COMPARE_H
#define PPREPUB_HISTORY_PAST_COMPARE_H

#include "postgres.h"

#include "history/atoms.h"
#include "history/recall.h"

/* Items are neighborhoods of the table, or classes of the log. */
typedef struct PastComparison
{
	int64		items;
	int64		wrong;			/* of either that the other lacks, or has with other values */
	int64		first_wrong;	/* the number of a neighborhood or of a release, or 0 */
} PastComparison;

/*
 * Both compare a table with the log as it was recalled, as the owner, inside SPI,
 * under the active snapshot.  They raise an error if the table is not there, or has
 * other columns; and if paths are malformed.
 */
extern PastComparison neighborhoods_compare(const DeclaredPublication *publication, const Recalled *recalled,
											const Atoms *atoms);
extern PastComparison paths_compare(const DeclaredPublication *publication, const Recalled *recalled);

#endif							/* PPREPUB_HISTORY_PAST_COMPARE_H */
