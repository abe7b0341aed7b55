/*
 * rebuild.h
 *		Groups, places and paths: are they as the log tells? And made anew from it.
 */
#ifndef PPREPUB_HISTORY_REBUILD_H
#define PPREPUB_HISTORY_REBUILD_H

#include "postgres.h"

#include "history/past_tables.h"
#include "history/recall.h"
#include "history/seen.h"

/* Items are groups, or classes of the log. */
typedef struct PastComparison
{
	int64		items;
	int64		wrong;			/* that only one of the two has, or that differ */
	int64		first_wrong;	/* the number of a group or of a release, or 0 */
} PastComparison;

/*
 * Both compare what is kept with the log, as the owner, inside SPI, under the active snapshot.  They raise an error if a
 * table is not there, or has other columns; and if paths are malformed.  The former is in SQL, and takes its time.
 */
extern PastComparison groups_compare(const DeclaredPublication *publication);
extern PastComparison paths_compare(const DeclaredPublication *publication, const Recalled *recalled);

/* Fills the table, which has no rows any more, as the owner, inside SPI. */
extern void paths_rebuild(const DeclaredPublication *publication, const Recalled *recalled, Oid table, const bool *is_protected);

/*
 * Replaces all paths by those of the log, with disclosures of the values in a list, which is the table of those
 * protected from now on: as the owner, inside SPI, under the active snapshot.
 */
extern void paths_recount(const DeclaredPublication *publication, Oid list);

#endif							/* PPREPUB_HISTORY_REBUILD_H */
