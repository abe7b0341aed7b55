/*
 * layout.h
 *		The layout of a group of rows in its chunks.
 *
 * LAYOUT
 *		The chunk PART_HEADER has a GroupHeader, and behind it the beginning of
 *		the group's bytes, as many as there is room for; the rest stands in the
 *		chunks 0, 1, 2 ...  The group's bytes are the directory (a ColumnEntry
 *		for each column, then the bounds), and then the columns, encoded, each
 *		at a multiple of MAXIMUM_ALIGNOF.  A small group is one chunk.
 *
 *		The chunk PART_RESERVATION is the reservation: how many numbers.
 *
 * A column without a value that is not NULL has no bytes.  A table may have more
 * columns than a group: they were added later.
 *
 * Nothing that is read is trusted: these functions say what cannot be, and look at
 * no byte beyond those that they are given.
 */
#ifndef PPREPUB_STORE_LAYOUT_H
#define PPREPUB_STORE_LAYOUT_H

#include "postgres.h"

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
	uint32		span;			/* its rows' numbers are first .. first + span - 1, if not all of them */
	uint64		length;			/* of its bytes */
	uint32		directory;		/* bytes of the directory */
	uint32		numbers_length; /* if there are gaps: the encoded numbers, less the first one */
	uint64		numbers_offset;
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

StaticAssertDecl(sizeof(GroupHeader) == 40 && HEADER_BYTES % MAXIMUM_ALIGNOF == 0, "parts must be aligned");
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
