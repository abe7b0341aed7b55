/*
 * heap_rows.h
 *		Rows of a heap by where they stand, for who asks for many of them again and
 *		again.
 *
 * Where a page is in the server's memory is remembered, and is no more than a
 * guess: the server looks it up where it is there no longer.
 */
#ifndef PPREPUB_FRAME_HEAP_ROWS_H
#define PPREPUB_FRAME_HEAP_ROWS_H

#include "postgres.h"

#include "executor/tuptable.h"
#include "storage/block.h"
#include "storage/buf.h"
#include "storage/itemptr.h"
#include "utils/relcache.h"

/* Starts as zeros, but for the context. */
typedef struct HeapPages
{
	MemoryContext context;		/* what is remembered lives there */
	BlockNumber npages;
	Buffer	   *buffer;			/* [npages] or InvalidBuffer */
	uint32		found;			/* pages, so far, where they were thought to be */
} HeapPages;

#define ROWS_AHEAD	64			/* a power of two */

/* Rows that are wanted, best in the order of the table. */
typedef struct HeapRows
{
	Relation	table;
	BlockNumber npages;
	HeapPages  *pages;			/* or NULL */
	const ItemPointerData *tids;	/* [n] */
	uint64		n;
	uint64		found;			/* of so many it is known where their pages may be */
	Buffer		ahead[ROWS_AHEAD];	/* of the last of these */
} HeapRows;

/* Whatever else has rows may not have them in pages. */
extern void verify_heap(Relation table);

extern HeapRows heap_rows(HeapPages *pages, Relation table, const ItemPointerData *tids, uint64 n);

/*
 * The row, as the active snapshot sees it; false where it sees none, or the table
 * has become shorter.  To be called with one i after the other.  An index tells
 * where the first version of a row stood, of which later ones on the same page
 * have no entry of their own: heap_row_follow() finds the one that is seen.
 */
extern bool heap_row_fetch(HeapRows *rows, uint64 i, TupleTableSlot *slot);
extern bool heap_row_follow(HeapRows *rows, uint64 i, TupleTableSlot *slot);

#endif							/* PPREPUB_FRAME_HEAP_ROWS_H */
