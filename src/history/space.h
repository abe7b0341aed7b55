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

#include "access/transam.h"
#include "storage/block.h"
#include "storage/itemptr.h"

/* Pages with rows that were deleted, and not cleared away yet; starts as zeros, with a context. */
typedef struct LoosePages
{
	MemoryContext context;
	BlockNumber npages;
	TransactionId *since;		/* [npages] who deleted the first of these rows, or invalid where there are none */
} LoosePages;

/* A page is noted with the first who deletes rows of it; others then add nothing. */
extern void note_loose(LoosePages *loose, BlockNumber page, TransactionId by);

extern void delete_rows(Oid table, const ItemPointerData *tids, uint64 n);

/* For writers to come; under a snapshot. Pages whose deleted rows somebody may see stay loose. */
extern void find_space(Oid table, LoosePages *loose);

#endif							/* PPREPUB_HISTORY_SPACE_H */
