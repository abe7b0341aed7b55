/*
 * handler.h
 *		The access method: its callbacks, what it refuses, and the blocks that it tells of.
 */
#ifndef PPREPUB_STORE_HANDLER_H
#define PPREPUB_STORE_HANDLER_H

#include "postgres.h"

#include "access/relscan.h"
#include "access/tableam.h"
#include "compat.h"
#include "store/rows.h"

/* Is it a table of ours? */
extern bool is_stored(Relation rel);

/* Attribute numbers as pull_varattnos() has them, as columns from 0 on; a whole-row reference has all of them. */
extern Bitmapset *columns_of(const Bitmapset *numbers, int natts);

/* A table of ours cannot do this: one error, from one place. */
typedef enum Refusal
{
	REFUSE_UPDATE,
	REFUSE_DELETE,
	REFUSE_LOCK,
	REFUSE_CONFLICT,
	REFUSE_CLUSTER,
	REFUSE_BRIN,
	REFUSE_BITMAP,
	REFUSE_PARALLEL,
	REFUSE_SYSTEM_COLUMN,
	REFUSE_MOVE_PENDING
} Refusal;

pg_noreturn extern void refuse(Relation rel, Refusal what);

/* ----------------------------------------------------------------
 * Blocks that PostgreSQL believes a table to have
 *
 * ANALYZE and TABLESAMPLE choose blocks.  A table of ours tells them of some that
 * are ranges of row numbers: 291 numbers a block, as TIDs have them, or more if
 * the table would have too many blocks: ANALYZE prefetches what it chose from the
 * main fork, which fails where no second file of it is.
 * ----------------------------------------------------------------
 */

/*
 * Above RELSEG_SIZE prefetching fails.  Bitmap scans prefetch what their TIDs say,
 * so a table is planned without them some time before its TIDs come there:
 * between, there is room for rows that a running statement inserts.
 */
#define MAX_BLOCKS ((BlockNumber) RELSEG_SIZE - 1)
#define BITMAP_BLOCKS ((BlockNumber) (RELSEG_SIZE / 8 * 7))

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

/* ----------------------------------------------------------------
 * Callbacks
 * ----------------------------------------------------------------
 */

extern void add_scan_callbacks(TableAmRoutine *methods);
extern void add_file_callbacks(TableAmRoutine *methods);

/* The cursor under a scan. */
extern Cursor *scan_cursor(TableScanDesc scan);

#endif							/* PPREPUB_STORE_HANDLER_H */
