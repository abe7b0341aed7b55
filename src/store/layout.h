/*
 * layout.h
 *		The numbers of rows, and the layout of a group of rows in its chunks.
 *
 * Nothing that is read is trusted: these functions say what cannot be, and look at
 * no byte beyond those that they are given.
 */
#ifndef PPREPUB_STORE_LAYOUT_H
#define PPREPUB_STORE_LAYOUT_H

#include "postgres.h"

#include "access/htup_details.h"
#include "access/stratnum.h"
#include "storage/block.h"
#include "storage/itemptr.h"

/* ----------------------------------------------------------------
 * Rows have numbers; a TID is another way to write one
 *
 * A table counts the rows that were ever reserved, in a counter that never goes
 * back over a number that an index may have seen (metapage.c).  A row keeps its
 * number for ever; those of a group follow each other.
 *
 * The executor's bitmaps take 291 rows a page at most, so TID (b, o) is row
 * b * 291 + o - 1.  A chunk of a group is found by the group's first row: the
 * TOAST relation's chunk_id is that row's block, and chunk_seq holds the place
 * in the block and, below it, which part of the group the chunk is.  In the
 * order of the TOAST relation's index groups thus stand in the order of their
 * rows, and the group of a row is the last that begins at or before it.
 * ----------------------------------------------------------------
 */

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

/* ----------------------------------------------------------------
 * Bounds: the least and the greatest value of a group's column
 *
 * A group need not be read if no value of a condition lies in its bounds.  Only
 * types of PostgreSQL's own are compared, by code that can neither fail nor run
 * a user's function: groups are written at the end of a transaction, too.
 *
 * Text is compared byte by byte, whatever its collation: that decides equality
 * (of deterministic collations), and order where the collation is "C".
 * ----------------------------------------------------------------
 */

/* The order of a type's values. The numbers are stored. */
typedef enum Order
{
	ORDER_NONE = 0,
	ORDER_INTEGER = 1,			/* as int64: smallint to bigint, date, time, timestamps */
	ORDER_UNSIGNED = 2,			/* oid, boolean */
	ORDER_FLOAT4 = 3,
	ORDER_FLOAT8 = 4,
	ORDER_NUMERIC = 5,
	ORDER_UUID = 6,
	ORDER_TEXT = 7				/* byte by byte */
} Order;

#define ORDER_LAST ORDER_TEXT

/* The order of a type, or of the type under a domain. */
extern Order order_of_type(Oid type);

/* Longer values than this are not kept as bounds. */
#define BOUND_BYTES 64

/* For an order with values by reference: how many bytes one has; 0 if it is too long. */
extern Size bound_length(Order order, Datum value);
extern bool bound_is_by_reference(Order order);

/* Are these bytes, read from somewhere, such a value?  Comparing others would read beyond them. */
extern bool bound_is_sound(Order order, const char *bytes, Size length);

extern int	compare_in_order(Order order, Datum a, Datum b);

/* The least and greatest of the values that are not NULL; false if there is none. */
extern bool find_bounds(Order order, const Datum *values, const bool *nulls, uint32 nrows,
						Datum *least, Datum *greatest);

/* Can a value between the bounds be <, <=, =, >= or > than the given one? */
extern bool bounds_may_hold(Order order, Datum least, Datum greatest, StrategyNumber strategy, Datum value);

/* Are all values between the bounds <, <=, =, >= or > than the given one? */
extern bool bounds_must_hold(Order order, Datum least, Datum greatest, StrategyNumber strategy, Datum value);

/* ----------------------------------------------------------------
 * Groups
 *
 * The chunk PART_HEADER has a GroupHeader, and behind it the beginning of the
 * group's bytes, as many as there is room for; the rest stands in the chunks 0,
 * 1, 2 ...  The group's bytes are the directory (a ColumnEntry for each column,
 * then the bounds), and then the columns, encoded, each at a multiple of
 * MAXIMUM_ALIGNOF.  A small group is one chunk.
 *
 * The chunk PART_RESERVATION is the reservation: how many numbers.
 *
 * A column without a value that is not NULL has no bytes.  A table may have more
 * columns than a group: they were added later.
 * ----------------------------------------------------------------
 */

/*
 * A tuple with 8,124 bytes of chunk_data fills a page; the first of these are
 * the chunk's own header.
 */
#define CHUNK_HEADER 12
#define CHUNK_BYTES (8124 - CHUNK_HEADER)

#define GROUP_MAGIC 0x50726770
#define GROUP_VERSION 1

typedef struct GroupHeader
{
	uint32		magic;
	uint16		version;
	uint16		natts;
	uint32		nrows;
	uint32		directory;		/* bytes of the directory */
	uint64		length;			/* of its bytes */
} GroupHeader;

typedef struct ColumnEntry
{
	uint64		offset;
	uint64		length;			/* 0: all NULL */
	uint32		nulls;
	int16		typlen;
	char		typalign;
	uint8		flags;
	uint16		order;
	uint16		least_length;
	uint16		greatest_length;	/* the bounds stand in the directory, at bounds and behind it */
	uint16		unused;
	uint32		bounds;
	uint32		unused_too;
} ColumnEntry;

#define COLUMN_BYVAL 0x01
#define COLUMN_PACKABLE 0x02
#define COLUMN_HAS_BOUNDS 0x04

/* The number of a group's bytes that the header chunk has room for. */
#define HEADER_BYTES (CHUNK_BYTES - sizeof(GroupHeader))

StaticAssertDecl(sizeof(GroupHeader) == 24 && HEADER_BYTES % MAXIMUM_ALIGNOF == 0, "parts must be aligned");
StaticAssertDecl(CHUNK_BYTES % MAXIMUM_ALIGNOF == 0, "parts must be aligned");

/* The offset of a part's bytes among the group's: those before part 0's stand in the header chunk. */
static inline uint64
part_offset(uint32 part)
{
	return HEADER_BYTES + (uint64) part * CHUNK_BYTES;
}

/* Does a header chunk begin with a header of this version?  Then it is taken, unchecked. */
extern bool knows_header(const char *chunk, Size length, GroupHeader *header);

/* Takes the header from the header chunk of the group that begins with a row; NULL, or what is wrong. */
extern const char *check_header(const char *chunk, Size length, uint64 first, GroupHeader *header);

/* Checks an entry of the directory, all of which is there; returns NULL, or what is wrong. */
extern const char *check_entry(const GroupHeader *header, const char *directory, int column);

#endif							/* PPREPUB_STORE_LAYOUT_H */
