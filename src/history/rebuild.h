/*
 * rebuild.h
 *		Groups and places, or people: are they as the log tells?
 */
#ifndef PPREPUB_HISTORY_REBUILD_H
#define PPREPUB_HISTORY_REBUILD_H

#include "postgres.h"

#include "history/past_tables.h"
#include "history/recall.h"
#include "history/seen.h"

/* Items are groups, or people. */
typedef struct PastComparison
{
	int64		items;
	int64		wrong;			/* that only one of the two has, or that differ */
	int64		first_wrong;	/* the number of a group or of a release, or 0 */
} PastComparison;

/*
 * Compares what is kept, if anything is, with the log: in SQL, which takes its time, as the owner, inside SPI, under the active
 * snapshot.  An error if a table is not there, or has other columns.
 */
extern PastComparison fold_compare(const DeclaredPublication *publication);

/* Forgets the fingerprints of holders, as the log does when quasi-identifiers are added: of a publication that is locked; otherwise likewise. */
extern void forget_fingerprints(const DeclaredPublication *publication);

#endif							/* PPREPUB_HISTORY_REBUILD_H */
