/*
 * seal.c
 *		Encoding a group and cutting it into chunks.  See layout.h for the layout.
 */
#include "postgres.h"

#include "store/group.h"

#include "miscadmin.h"
#include "utils/memutils.h"

/* The pieces of a group to be written: directory, columns. */
typedef struct Sealing
{
	TupleDesc	desc;			/* borrowed */
	const Rows *rows;			/* borrowed */
	GroupHeader header;
	ColumnEntry *entries;
	char	   *directory;
	char	  **pieces;			/* of each column; NULL: none */
	Size	   *lengths;
} Sealing;

/* ----------------------------------------------------------------
 * Directory
 * ----------------------------------------------------------------
 */

/* Writes a column's least and greatest value into the directory, unless they are too long. */
static void
add_bounds(Sealing *sealing, int column, Size *used)
{
	const Rows *rows = sealing->rows;
	Form_pg_attribute att = TupleDescAttr(sealing->desc, column);
	ColumnEntry *entry = &sealing->entries[column];
	Order		order;
	Datum		least;
	Datum		greatest;
	Size		least_length = sizeof(Datum);
	Size		greatest_length = sizeof(Datum);
	char	   *at = sealing->directory + *used;

	if (rows->nrows < BOUNDED_GROUP_ROWS || att->attisdropped || (order = order_of_type(att->atttypid)) == ORDER_NONE ||
		!find_bounds(order, rows->values[column], rows->nulls[column], rows->nrows, &least, &greatest))
		return;
	if (bound_is_by_reference(order))
	{
		least_length = bound_length(order, least);
		greatest_length = bound_length(order, greatest);
		if (least_length == 0 || greatest_length == 0)
			return;
		memcpy(at, DatumGetPointer(least), least_length);
		memcpy(at + MAXALIGN(least_length), DatumGetPointer(greatest), greatest_length);
	}
	else
	{
		memcpy(at, &least, sizeof(Datum));
		memcpy(at + sizeof(Datum), &greatest, sizeof(Datum));
	}
	entry->flags |= COLUMN_HAS_BOUNDS;
	entry->order = order;
	entry->least_length = least_length;
	entry->greatest_length = greatest_length;
	entry->bounds = *used;
	*used += MAXALIGN(least_length) + MAXALIGN(greatest_length);
}

/* The directory, but for where the columns stand. */
static void
make_directory(Sealing *sealing)
{
	const Rows *rows = sealing->rows;
	Size		used = MAXALIGN(rows->natts * sizeof(ColumnEntry));

	sealing->directory = palloc0(used + rows->natts * 2 * MAXALIGN(BOUND_BYTES) + 1);
	sealing->entries = (ColumnEntry *) sealing->directory;
	for (int i = 0; i < rows->natts; i++)
	{
		ColumnShape shape = shape_of(TupleDescAttr(sealing->desc, i));
		ColumnEntry *entry = &sealing->entries[i];

		entry->typlen = shape.typlen;
		entry->typalign = shape.typalign;
		entry->flags = (shape.typbyval ? COLUMN_BYVAL : 0) | (shape.packable ? COLUMN_PACKABLE : 0);
		for (uint32 row = 0; row < rows->nrows; row++)
			entry->nulls += rows->nulls[i][row];
		if (entry->nulls < rows->nrows)
			add_bounds(sealing, i, &used);
	}
	sealing->header.directory = used;
}

/* ----------------------------------------------------------------
 * Columns
 * ----------------------------------------------------------------
 */

/* Encodes all columns, and places them one after the other. */
static void
encode_columns(Sealing *sealing)
{
	const Rows *rows = sealing->rows;
	uint64		end = MAXALIGN(sealing->header.directory);

	sealing->pieces = palloc0(Max(rows->natts, 1) * sizeof(char *));
	sealing->lengths = palloc0(Max(rows->natts, 1) * sizeof(Size));
	for (int i = 0; i < rows->natts; i++)
	{
		ColumnEntry *entry = &sealing->entries[i];
		ColumnShape shape = shape_of(TupleDescAttr(sealing->desc, i));

		if (entry->nulls < rows->nrows)
			sealing->pieces[i] = encode_column(&shape, rows->values[i], entry->nulls > 0 ? rows->nulls[i] : NULL,
											   rows->nrows, &sealing->lengths[i]);
		entry->length = sealing->lengths[i];
		entry->offset = end;
		end += MAXALIGN(entry->length);
	}
	sealing->header.length = end;
}

/* ----------------------------------------------------------------
 * Chunks
 * ----------------------------------------------------------------
 */

/*
 * The chunks that the group's bytes are distributed over: the header's first,
 * then one after the other.
 */
typedef struct Cutter
{
	const Sealing *sealing;
	ChunkSink	sink;
	void	   *arg;
	uint64		stamp;
	char	   *header;			/* kept, since it goes last */
	char	   *part;
	uint32		number;			/* of part */
	Size		header_used;
	Size		part_used;
} Cutter;

static void
end_part(Cutter *cutter)
{
	if (cutter->part_used == 0)
		return;
	cutter->sink(cutter->arg, cutter->sealing->rows->first, cutter->number++, cutter->stamp,
				 cutter->part, cutter->part_used);
	cutter->part_used = 0;
}

/*
 * Distributes bytes, and zeros up to a multiple of MAXIMUM_ALIGNOF, over chunks: the header's is filled first, then one
 * after the other.
 */
static void
cut(Cutter *cutter, const char *bytes, Size length)
{
	Size		aligned = MAXALIGN(length);

	for (Size at = 0, take; at < aligned; at += take)
	{
		bool		in_header = cutter->header_used < CHUNK_BYTES;
		Size	   *used = in_header ? &cutter->header_used : &cutter->part_used;
		char	   *into = (in_header ? cutter->header : cutter->part) + *used;
		Size		copied;

		CHECK_FOR_INTERRUPTS();
		take = Min(aligned - at, CHUNK_BYTES - *used);
		copied = at < length ? Min(take, length - at) : 0;
		memcpy(into, bytes + at, copied);
		memset(into + copied, 0, take - copied);
		*used += take;
		if (cutter->part_used == CHUNK_BYTES)
			end_part(cutter);
	}
}

void
seal_rows(TupleDesc desc, const Rows *rows, ChunkSink sink, void *arg)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "sealing a group", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	Sealing		sealing = {.desc = desc, .rows = rows};
	Cutter		cutter;

	Assert(rows->nrows > 0 && rows->nrows <= ENCODING_MAX_ROWS);
	sealing.header.magic = GROUP_MAGIC;
	sealing.header.version = GROUP_VERSION;
	sealing.header.natts = rows->natts;
	sealing.header.nrows = rows->nrows;
	make_directory(&sealing);
	encode_columns(&sealing);
	/* Writes a group: its chunks, and the header's last, since a group without one is none. */
	cutter = (Cutter) {.sealing = &sealing, .sink = sink, .arg = arg, .stamp = new_stamp()};
	cutter.header = palloc(CHUNK_BYTES);
	cutter.part = palloc(CHUNK_BYTES);
	cut(&cutter, (const char *) &sealing.header, sizeof(GroupHeader));
	cut(&cutter, sealing.directory, sealing.header.directory);
	for (int i = 0; i < sealing.rows->natts; i++)
		if (sealing.pieces[i] != NULL)
			cut(&cutter, sealing.pieces[i], sealing.lengths[i]);
	end_part(&cutter);
	sink(arg, sealing.rows->first, PART_HEADER, cutter.stamp, cutter.header, cutter.header_used);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
}

typedef struct IntoTable
{
	Store	   *store;
	CommandId	cid;
	int			options;
} IntoTable;

static void
into_table(void *arg, uint64 first, uint32 part, uint64 stamp, const char *bytes, Size length)
{
	IntoTable  *into = arg;

	insert_chunk(into->store, first, part, stamp, bytes, length, into->cid, into->options);
}

void
write_rows(Store *store, TupleDesc desc, const Rows *rows, CommandId cid, int options)
{
	IntoTable	into = {store, cid, options};

	seal_rows(desc, rows, into_table, &into);
}

void
write_reservation(Store *store, uint64 first, uint32 rows, CommandId cid, int options)
{
	insert_chunk(store, first, PART_RESERVATION, 0, (const char *) &rows, sizeof(rows), cid, options);
}
