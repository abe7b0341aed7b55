/*
 * rebuild.h
 *		Neighborhoods and paths: are they as the log tells? And made anew from it.
 */
#ifndef PPREPUB_HISTORY_REBUILD_H
#define PPREPUB_HISTORY_REBUILD_H

#include "postgres.h"

#include "history/past_tables.h"
#include "history/recall.h"
#include "history/seen.h"

/* Items are neighborhoods of the table, or classes of the log. */
typedef struct PastComparison
{
	int64		items;
	int64		wrong;			/* of either that the other lacks, or has with other values */
	int64		first_wrong;	/* the number of a neighborhood or of a release, or 0 */
} PastComparison;

/*
 * Both compare a table with the log as it was recalled, as the owner, inside SPI, under the active snapshot.  They
 * raise an error if the table is not there, or has other columns; and if paths are malformed.
 */
extern PastComparison neighborhoods_compare(const DeclaredPublication *publication, const Recalled *recalled,
											const Atoms *atoms);
extern PastComparison paths_compare(const DeclaredPublication *publication, const Recalled *recalled);

/*
 * Both fill a table, which has no rows any more, as the owner, inside SPI.  Neighborhoods get numbers
 * after the last one given, which no row has had: so nothing is taken for a row that somebody knew.
 */
extern void neighborhoods_rebuild(const DeclaredPublication *publication, const Recalled *recalled, Oid table, int64 last);
extern void paths_rebuild(const DeclaredPublication *publication, const Recalled *recalled, Oid table, const bool *is_protected);

/*
 * Replaces all paths by those of the log, with disclosures of the values in a list, which is the table of those
 * protected from now on: as the owner, inside SPI, under the active snapshot.
 */
extern void paths_recount(const DeclaredPublication *publication, Oid list);

#endif							/* PPREPUB_HISTORY_REBUILD_H */
