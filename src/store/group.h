/*
 * group.h
 *		A group of rows, read from its chunks (layout.h).
 *
 * No byte that is read is trusted: a contradiction is an error that
 * names table, group and column.
 */
#ifndef PPREPUB_STORE_GROUP_H
#define PPREPUB_STORE_GROUP_H

#include "postgres.h"

#include "access/tupdesc.h"
#include "compat.h"
#include "store/bounds.h"
#include "store/chunks.h"
#include "store/encoding/encoding.h"
#include "store/layout.h"

/* The most rows of a group, and the most cells, where a row has very many columns. */
#define GROUP_ROWS 16384
#define GROUP_CELLS (1024 * 1024)

static inline uint32
group_rows_at_most(int natts)
{
	return Min(GROUP_ROWS, Max(GROUP_CELLS / Max(natts, 1), 64));
}

/* A group with fewer rows waits to be merged with its neighbours. */
#define SMALL_GROUP_ROWS 1024

/* A group that is being read. */
typedef struct RowGroup
{
	/* Identity */
	Relation	rel;			/* borrowed */
	TupleDesc	desc;			/* borrowed; what its columns are.  ALTER TABLE reads with the old one */
	Oid			toast_node;		/* the relation that it was read from */
	uint64		first;
	uint64		stamp;
	GroupHeader header;

	/* Its bytes */
	MemoryContext context;		/* owned: all of this is in it */
	ChunkReader *reader;		/* borrowed; set by each user of the group */
	char	   *bytes;
	uint32		nparts;
	bool	   *loaded;			/* which parts are there */

	/* Its columns */
	const ColumnEntry *columns;
	EncodedColumn **open;		/* NULL until needed */
	uint32	   *numbers;		/* if there are gaps: of each row, less first; NULL until needed */
} RowGroup;

/* Reads the group header from a header chunk and checks it; the rest of the group is not read. */
extern void read_header(Relation rel, const Chunk *chunk, GroupHeader *header);

/* The number of row numbers that a reservation chunk reserves. */
extern uint32 reserved_rows(Relation rel, const Chunk *chunk);

/*
 * Opens the group of a header chunk, in the given context, which the group owns
 * from then on.  Bytes are read when they are needed, by the reader: with an MVCC
 * snapshot under it, else by the stamp.
 */
extern RowGroup *open_group(ChunkReader *reader, const Chunk *header, MemoryContext context);

/* Like open_group(), but returns the damage instead of raising an error, or NULL. */
extern const char *try_group(ChunkReader *reader, const Chunk *header, MemoryContext context, RowGroup **group);

/* Do its numbers have gaps? */
static inline bool
group_has_gaps(const RowGroup *group)
{
	return group->header.numbers_length > 0;
}

static inline uint64
group_last(const RowGroup *group)
{
	return group->first + group->header.span - 1;
}

/*
 * Finds the index of the row with this number or, without exact, of the first
 * row from it on. Returns false if there is none.
 */
extern bool group_index_of(RowGroup *group, uint64 row, bool exact, uint32 *index);
extern uint64 group_number_with_gaps(RowGroup *group, uint32 index);

/* The number of one of its rows. */
static inline uint64
group_number(RowGroup *group, uint32 index)
{
	return group_has_gaps(group) ? group_number_with_gaps(group, index) : group->first + index;
}

/* Brings bytes from .. upto - 1.  NULL, or what is wrong. */
extern const char *load_bytes(RowGroup *group, uint64 from, uint64 upto);

/* A column that the group has, ready to be decoded; NULL if all its values are NULL. */
extern EncodedColumn *group_column(RowGroup *group, int column);

/* NULL, or what is wrong; *encoded is NULL for a column of NULLs only. */
extern const char *try_column(RowGroup *group, int column, EncodedColumn **encoded);
extern const char *try_numbers(RowGroup *group);

/* The bounds; false if there are none in this order. */
extern bool group_bounds(const RowGroup *group, int column, Order order, Datum *least, Datum *greatest);

/* Raises the error: this group, this column (or -1), what of it. */
pg_noreturn extern void group_damaged(const RowGroup *group, int column, const char *what);
pg_noreturn extern void chunk_damaged(Relation rel, uint64 first, const char *what);

extern ColumnShape shape_of(Form_pg_attribute att);

#endif							/* PPREPUB_STORE_GROUP_H */
