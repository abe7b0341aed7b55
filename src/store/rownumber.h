/*
 * rownumber.h
 *		Rows have numbers; a TID is another way to write one.
 *
 * A table counts the rows that were ever reserved, in a counter that never goes
 * back over a number that an index may have seen (metapage.h).  A row keeps its
 * number for ever, also when its group is merged with others.
 *
 * The executor's bitmaps take 291 rows a page at most, so TID (b, o) is row
 * b * 291 + o - 1.  A chunk of a group is found by the group's first row: the
 * TOAST relation's chunk_id is that row's block, and chunk_seq holds the place
 * in the block and, below it, which part of the group the chunk is.  In the
 * order of the TOAST relation's index groups thus stand in the order of their
 * rows, and the group of a row is the last that begins at or before it.
 */
#ifndef PPREPUB_STORE_ROWNUMBER_H
#define PPREPUB_STORE_ROWNUMBER_H

#include "postgres.h"

#include "access/htup_details.h"
#include "storage/block.h"
#include "storage/itemptr.h"

#define ROWS_PER_BLOCK 291

StaticAssertDecl(ROWS_PER_BLOCK <= MaxHeapTuplesPerPage, "bitmaps of the executor take so many rows a page");

/* One more than the last number there can be. */
#define MAX_ROWS ((uint64) MaxBlockNumber * ROWS_PER_BLOCK)

/* The parts of a group: its bytes from 0 on, then these two. */
#define PART_BITS 22
#define PART_MAX ((1 << PART_BITS) - 1)
#define PART_HEADER PART_MAX
#define PART_RESERVATION (PART_MAX - 1)
#define PART_DATA_MAX (PART_MAX - 2)

static inline void
tid_of_row(uint64 row, ItemPointer tid)
{
	ItemPointerSet(tid, (BlockNumber) (row / ROWS_PER_BLOCK), (OffsetNumber) (row % ROWS_PER_BLOCK + 1));
}

/* Sets *row; false if there can be no such row, since people can type any TID. */
static inline bool
row_of_tid(const ItemPointerData *tid, uint64 *row)
{
	BlockNumber block = ItemPointerGetBlockNumberNoCheck(tid);
	OffsetNumber offset = ItemPointerGetOffsetNumberNoCheck(tid);

	if (block >= MaxBlockNumber || offset < 1 || offset > ROWS_PER_BLOCK)
		return false;
	*row = (uint64) block * ROWS_PER_BLOCK + offset - 1;
	return true;
}

static inline Oid
chunk_id_of(uint64 first)
{
	return (Oid) (first / ROWS_PER_BLOCK);
}

static inline int32
chunk_seq_of(uint64 first, uint32 part)
{
	return (int32) ((uint32) (first % ROWS_PER_BLOCK) << PART_BITS | part);
}

static inline bool
chunk_of(Oid id, int32 seq, uint64 *first, uint32 *part)
{
	uint32		place = (uint32) seq >> PART_BITS;

	*first = (uint64) id * ROWS_PER_BLOCK + place;
	*part = (uint32) seq & PART_MAX;
	return seq >= 0 && place < ROWS_PER_BLOCK && id < MaxBlockNumber;
}

#endif							/* PPREPUB_STORE_ROWNUMBER_H */
