/*
 * space.h
 *		Deleting rows of a table of ours, past its seal, and finding the space
 *		that they leave.
 *
 * VACUUM would find it some day, but releases may follow each other faster than
 * that, and each deletes as much as it writes.
 */
#ifndef PPREPUB_HISTORY_SPACE_H
#define PPREPUB_HISTORY_SPACE_H

#include "postgres.h"

#include "storage/block.h"
#include "storage/itemptr.h"

extern void delete_rows(Oid table, const ItemPointerData *tids, uint64 n);

/* For writers to come: looks at all pages. */
extern void find_space(Oid table);

/*
 * The same where pages that have had rows are known.  Returns how many, the
 * first of pages[] from now on, have rows still that somebody may see.
 */
extern uint64 find_space_in(Oid table, BlockNumber *pages, uint64 n);

/* Which pages have rows that were deleted, and not cleared away yet?  Sets how many. */
extern BlockNumber *loose_pages(Oid table, uint64 *n);

#endif							/* PPREPUB_HISTORY_SPACE_H */
