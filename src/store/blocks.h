/*
 * blocks.h
 *		Blocks that PostgreSQL believes a table to have.
 *
 * ANALYZE and TABLESAMPLE choose blocks.  A table of ours tells them of some that
 * are ranges of row numbers: 291 numbers a block, as TIDs have them, or more if
 * the table would have too many blocks: ANALYZE prefetches what it chose from the
 * main fork, which fails where no second file of it is.
 */
#ifndef PPREPUB_STORE_BLOCKS_H
#define PPREPUB_STORE_BLOCKS_H

#include "postgres.h"

#include "storage/block.h"
#include "store/metapage.h"
#include "store/rownumber.h"

/*
 * Above RELSEG_SIZE prefetching fails.  Bitmap scans prefetch what their TIDs say,
 * so a table is planned without them some time before its TIDs come there:
 * between, there is room for rows that a running statement inserts.
 */
#define MAX_BLOCKS ((BlockNumber) RELSEG_SIZE - 1)
#define BITMAP_BLOCKS ((BlockNumber) (RELSEG_SIZE / 8 * 7))

/* Do rows from .. upto - 1 begin where bitmaps end? */
static inline bool
bitmaps_end_between(uint64 from, uint64 upto)
{
	return from / ROWS_PER_BLOCK < BITMAP_BLOCKS && upto / ROWS_PER_BLOCK >= BITMAP_BLOCKS;
}

static inline uint64
numbers_of(const Counters *counters)
{
	return counters->next - counters->valid;
}

static inline BlockNumber
blocks_of(const Counters *counters)
{
	uint64		blocks = (numbers_of(counters) + ROWS_PER_BLOCK - 1) / ROWS_PER_BLOCK;

	return (BlockNumber) Min(blocks, MAX_BLOCKS);
}

/* The rows from .. upto - 1 of a block. */
static inline void
rows_of_block(const Counters *counters, BlockNumber block, uint64 *from, uint64 *upto)
{
	uint64		numbers = numbers_of(counters);
	uint64		blocks = blocks_of(counters);
	uint64		rows;

	blocks = Max(blocks, 1);
	rows = Max((numbers + blocks - 1) / blocks, 1);
	if (numbers <= blocks * ROWS_PER_BLOCK)
		rows = ROWS_PER_BLOCK;
	*from = counters->valid + Min(block * rows, numbers);
	*upto = counters->valid + Min((block + UINT64CONST(1)) * rows, numbers);
}

#endif							/* PPREPUB_STORE_BLOCKS_H */
