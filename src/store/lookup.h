/*
 * lookup.h
 *		Which group is a row in?
 */
#ifndef PPREPUB_STORE_LOOKUP_H
#define PPREPUB_STORE_LOOKUP_H

#include "postgres.h"

#include "store/chunks.h"

/*
 * The last group, as its header, that begins at or before the row, as far as the
 * reader's snapshot sees.  Under an MVCC snapshot no other can have the row: the
 * groups that one snapshot sees do not overlap.
 */
extern bool find_header_upto(ChunkReader *reader, uint64 row, Chunk *header);

/* The first group that begins at or after the row. */
extern bool find_header_from(ChunkReader *reader, uint64 row, Chunk *header);

/*
 * The group with the first chunk from a row on, and that chunk; what a damaged chunk says
 * of itself is not believed.  Where a group is lost, its number is a guess, and *next is
 * where others may begin.
 */
typedef enum GroupFound
{
	GROUP_NONE,
	GROUP_FOUND,
	GROUP_LOST
} GroupFound;

extern GroupFound find_group_from(ChunkReader *reader, uint64 row, Chunk *chunk, uint64 *next);

/*
 * Does the row exist for a check for duplicates?  A dirty snapshot's xmin is
 * set to the transaction that is inserting it, if it is not committed, as a
 * heap does.  Decodes nothing.
 */
extern bool row_exists(ChunkReader *reader, uint64 row, Snapshot snapshot);

/*
 * An index has an entry of a row that no group has, although its entries of dead rows were removed: is the row only one
 * that the snapshot does not see?  Raises an error if not.
 */
extern void verify_row_is_there(Relation rel, uint64 row);

/* Was its number reserved by our transaction, and is in no group yet? */
extern bool is_reserved_by_us(ChunkReader *reader, uint64 row);

#endif							/* PPREPUB_STORE_LOOKUP_H */
