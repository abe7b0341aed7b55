/*
 * past_rebuild.h
 *		The tables that are kept beside the log, as they follow from it.
 */
#ifndef PPREPUB_HISTORY_PAST_REBUILD_H
#define PPREPUB_HISTORY_PAST_REBUILD_H

#include "postgres.h"

#include "history/past_tables.h"

/* Items are neighborhoods, or classes of releases. */
typedef struct PastComparison
{
	int64		items;			/* neighborhoods of the table, or classes of the log */
	int64		wrong;			/* of either that the other lacks: neighborhoods by their members, classes by all */
	int64		first_wrong;	/* the number of a neighborhood or of a release, or 0 */
	bool		is_equal;		/* nothing is wrong, nor any value that neighborhoods showed */
} PastComparison;

/*
 * Compares neighborhoods or paths with the log, as the owner, under the active
 * snapshot.  Raises an error if the table is not there, or has other columns; and
 * if paths are malformed.
 */
extern PastComparison past_compare(const DeclaredPublication *publication, PastTable which);

#endif							/* PPREPUB_HISTORY_PAST_REBUILD_H */
