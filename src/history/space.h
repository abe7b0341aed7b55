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

/* For writers to come: looks at all pages, or at those which are known to have had rows. */
extern void find_space(Oid table);
extern void find_space_in(Oid table, const BlockNumber *pages, uint64 n);

#endif							/* PPREPUB_HISTORY_SPACE_H */
