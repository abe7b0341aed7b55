/*
 * group.h
 *		Groups of rows: finding, reading and writing them (layout.h says what they are made of).
 *
 * No byte that is read is trusted: a contradiction is an error that
 * names table, group and column.
 */
#ifndef PPREPUB_STORE_GROUP_H
#define PPREPUB_STORE_GROUP_H

#include "postgres.h"

#include "access/tupdesc.h"
#include "compat.h"
#include "store/chunks.h"
#include "store/encoding/encoding.h"

/* ----------------------------------------------------------------
 * Reading (group.c)
 * ----------------------------------------------------------------
 */

/* The most rows of a group, and the most cells, where a row has very many columns. */
#define GROUP_ROWS 16384
#define GROUP_CELLS (1024 * 1024)

static inline uint32
group_rows_at_most(int natts)
{
	return Min(GROUP_ROWS, Max(GROUP_CELLS / Max(natts, 1), 64));
}

/* Groups with fewer rows have no bounds: skipping them would spare nothing. */
#define BOUNDED_GROUP_ROWS 128

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

static inline uint64
group_last(const RowGroup *group)
{
	return group->first + group->header.nrows - 1;
}

static inline bool
group_has(const RowGroup *group, uint64 row)
{
	return row >= group->first && row <= group_last(group);
}

/* Brings bytes from .. upto - 1.  NULL, or what is wrong. */
extern const char *load_bytes(RowGroup *group, uint64 from, uint64 upto);

/* A column that the group has, ready to be decoded; NULL if all its values are NULL. */
extern EncodedColumn *group_column(RowGroup *group, int column);

/* NULL, or what is wrong; *encoded is NULL for a column of NULLs only. */
extern const char *try_column(RowGroup *group, int column, EncodedColumn **encoded);

/*
 * The values of a vector's rows, as decode_vector() has them.  A column that was added after the group was written has one
 * value for all of its rows, which is the description's.
 */
extern void read_vector(RowGroup *group, int column, uint32 vector, MemoryContext context, Datum *values, bool *nulls);

/* The bounds; false if there are none in this order. */
extern bool group_bounds(const RowGroup *group, int column, Order order, Datum *least, Datum *greatest);

/* Raises the error: this group, this column, what of it. */
pg_noreturn extern void group_damaged(const RowGroup *group, int column, const char *what);
pg_noreturn extern void chunk_damaged(Relation rel, uint64 first, const char *what);

extern ColumnShape shape_of(Form_pg_attribute att);

/* ----------------------------------------------------------------
 * Groups that were opened recently (group.c)
 *
 * A group's contents never change, so it is identified by its place and its stamp;
 * its header is looked up each time, under the snapshot that must see it.
 * ----------------------------------------------------------------
 */

/*
 * The group of a header; it is the caller's until the next call of this.  Its
 * reader is set, and must be taken away again with done_with_group.
 */
extern RowGroup *cached_group(ChunkReader *reader, const Chunk *header);
extern void done_with_group(RowGroup *group);

/*
 * A caller may use its group again as long as this number stays the same: no
 * group has been evicted since.
 */
extern uint64 cache_generation(void);
extern void use_group_again(RowGroup *group, ChunkReader *reader);

/* ----------------------------------------------------------------
 * The group that a row is in (lookup.c)
 * ----------------------------------------------------------------
 */

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

/* Was its number reserved by our transaction, and is in no group yet? */
extern bool is_reserved_by_us(ChunkReader *reader, uint64 row);

/* ----------------------------------------------------------------
 * Writing (seal.c)
 * ----------------------------------------------------------------
 */

/* Rows, column by column.  No varlena is external or compressed. */
typedef struct Rows
{
	uint64		first;			/* the first one's number */
	uint32		nrows;
	int			natts;
	Datum	  **values;
	bool	  **nulls;
} Rows;

/* Takes the chunks of a group, in any order but the header last. */
typedef void (*ChunkSink) (void *arg, uint64 first, uint32 part, uint64 stamp, const char *bytes, Size length);

/* Memory: the encoded columns, and what encoding a column takes. */
extern void seal_rows(TupleDesc desc, const Rows *rows, ChunkSink sink, void *arg);

/* Writes a group of rows into a table. */
extern void write_rows(Store *store, TupleDesc desc, const Rows *rows, CommandId cid, int options);

/* A reservation, before any of its rows. */
extern void write_reservation(Store *store, uint64 first, uint32 rows, CommandId cid, int options);

/*
 * Decodes a group, into the current context; a group that lacks columns gets the
 * values that they have in it.
 */
extern void read_group(RowGroup *group, int natts, Rows *rows);

#endif							/* PPREPUB_STORE_GROUP_H */
