/*
 * chunks.h
 *		What is stored of a table: the counters of its metapage, and the chunks in its TOAST relation.
 */
#ifndef PPREPUB_STORE_CHUNKS_H
#define PPREPUB_STORE_CHUNKS_H

#include "postgres.h"

#include "executor/tuptable.h"
#include "storage/lmgr.h"
#include "store/layout.h"
#include "utils/rel.h"
#include "utils/snapshot.h"

/* ----------------------------------------------------------------
 * The metapage: how many rows a table has ever reserved, and which of them count (metapage.c)
 *
 * Block 0 of the main fork is all that the main fork has.  A fork without it is a
 * table without rows, whatever the TOAST relation still holds: TRUNCATE rebuilds
 * the table's indexes before it comes to that.
 *
 * The page's own lock guards the counters.  The reserving lock is held from
 * before a reservation until its row stands in the TOAST relation, so whoever
 * takes it, once, knows that every number below the counter has a row there,
 * unless its transaction is dead.  It is a heavyweight lock on the page, and
 * nobody holds it for long.
 * ----------------------------------------------------------------
 */

typedef struct Counters
{
	uint64		next;			/* the next row's number */
	uint64		valid;			/* rows below it were truncated away */
} Counters;

/* False for a table that never had a row, since it was made or truncated. */
extern bool read_counters(Relation rel, Counters *counters);

#define lock_reserving(rel) LockPage(rel, 0, ExclusiveLock)
#define unlock_reserving(rel) UnlockPage(rel, 0, ExclusiveLock)

/* Reserves numbers for rows; returns the first. */
extern uint64 reserve_rows(Relation rel, uint32 rows);

/* Takes back the numbers from used on, which no row got, unless others were reserved behind them. */
extern void return_rows(Relation rel, uint64 used, uint64 end);

/* From now on the table has no rows; its numbers go on. */
extern void invalidate_rows(Relation rel);

/* Gives a new and empty main fork the counters of another. */
extern void write_counters(Relation rel, const Counters *counters);

/* ----------------------------------------------------------------
 * The TOAST relation, as an ordered store of chunks (chunks.c)
 *
 * Whether a chunk is visible is decided by PostgreSQL's heap, under the snapshot
 * that is given; so are WAL, crash recovery and all the rest.
 *
 * chunk_data is a checksum of all that follows and of chunk_id and chunk_seq; the
 * group's stamp (a random number that all chunks of a group share); bytes.
 * ----------------------------------------------------------------
 */

/* An open table. */
typedef struct Store
{
	Relation	rel;			/* borrowed */
	Relation	toast;			/* owned */
	Relation   *indexes;		/* owned; all are written, valid is read */
	int			nindexes;
	Relation	valid;
	LOCKMODE	lockmode;
	Counters	counters;		/* when it was opened */
} Store;

/* To read; NULL if the table has no rows.  To verify it: also where no row counts, but some may stand there. */
extern Store *open_store(Relation rel, bool to_verify);

/* To write; makes the TOAST relation if there is none. */
extern Store *open_store_to_write(Relation rel);

/* Locks are kept to the end of the transaction. */
extern void close_store(Store *store);

typedef struct Chunk
{
	uint64		first;			/* the first row of the chunk's group */
	uint32		part;
	uint64		stamp;
	const char *bytes;			/* until the reader's next call */
	Size		length;
	HeapTuple	tuple;			/* the same */
	const char *damage;			/* damage found in the chunk, or NULL; then bytes may be NULL */
} Chunk;

/* Reads chunks in order. */
typedef struct ChunkReader ChunkReader;

extern ChunkReader *begin_chunks(Store *store, Snapshot snapshot);
extern void end_chunks(ChunkReader *reader);
extern Store *chunks_store(const ChunkReader *reader);

/* The snapshot may be another from the next search on. */
extern void set_chunks_snapshot(ChunkReader *reader, Snapshot snapshot);

/* The first chunk from (first, part) on, and the last up to it; then next_chunk goes on in the same direction. */
extern bool chunk_from(ChunkReader *reader, uint64 first, uint32 part, Chunk *chunk);
extern bool chunk_upto(ChunkReader *reader, uint64 first, uint32 part, Chunk *chunk);

/*
 * The parts from .. upto of one group.  Under a snapshot that is not MVCC these are the parts of all that were ever
 * written at its number, dead or not: the stamp distinguishes them.
 */
extern bool chunk_between(ChunkReader *reader, uint64 first, uint32 from, uint32 upto, Chunk *chunk);
extern bool next_chunk(ChunkReader *reader, Chunk *chunk);

/* Makes the tuple of a chunk; length is at most CHUNK_BYTES. */
extern HeapTuple form_chunk(Relation toast, uint64 first, uint32 part, uint64 stamp,
							const char *bytes, Size length);

/* Reads a chunk from its tuple. */
extern void read_chunk(Relation toast, HeapTuple tuple, Chunk *chunk);

extern void insert_chunk(Store *store, uint64 first, uint32 part, uint64 stamp,
						 const char *bytes, Size length, CommandId cid, int options);

/* A number that no other group has, not even one that was rolled back. */
extern uint64 new_stamp(void);

#endif							/* PPREPUB_STORE_CHUNKS_H */
