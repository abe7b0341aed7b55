/*
 * group.c
 *		Opening groups, bringing their bytes, and keeping those that were opened recently.  See group.h.
 *
 * MEMORY
 *		Groups that are kept take CACHE_BYTES at most, but for the one that is in use:
 *		when there are more, or more than CACHE_GROUPS, all go.
 */
#include "postgres.h"

#include "store/group.h"

#include "access/htup_details.h"
#include "miscadmin.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

/* ----------------------------------------------------------------
 * Damage
 * ----------------------------------------------------------------
 */

void
chunk_damaged(Relation rel, uint64 first, const char *what)
{
	ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED),
					errmsg("group " UINT64_FORMAT " of table \"%s\" is damaged", first, RelationGetRelationName(rel)),
					errdetail("%s", what),
					errhint("SELECT * FROM pprepub.verify_storage('%s') checks all groups.", RelationGetRelationName(rel))));
}

void
group_damaged(const RowGroup *group, int column, const char *what)
{
	ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED),
					errmsg("column \"%s\" of group " UINT64_FORMAT " of table \"%s\" is damaged",
						   NameStr(TupleDescAttr(group->desc, column)->attname),
						   group->first, RelationGetRelationName(group->rel)),
					errdetail("%s", what),
					errhint("SELECT * FROM pprepub.verify_storage('%s') checks all groups.",
							RelationGetRelationName(group->rel))));
}

/* ----------------------------------------------------------------
 * Bytes
 * ----------------------------------------------------------------
 */

/*
 * Under a snapshot that is not MVCC, chunks of a transaction that was rolled back
 * are met, too, whose numbers were given again; so our group's are taken by their stamp.
 */
static const char *
load_parts(RowGroup *group, uint32 from, uint32 upto)
{
	ChunkReader *reader = group->reader;
	bool		found;
	Chunk		chunk;

	if (reader == NULL)
		elog(ERROR, "a group is read without a reader");
	for (found = chunk_between(reader, group->first, from, upto, &chunk); found; found = next_chunk(reader, &chunk))
	{
		uint32		part = chunk.part;

		if (chunk.damage != NULL)
			return chunk.damage;
		if (chunk.first != group->first || part < from || part > upto)
			return "A chunk stands where another belongs.";
		if (chunk.stamp != group->stamp || group->loaded[part])
			continue;
		if (chunk.length != Min(group->header.length - part_offset(part), CHUNK_BYTES))
			return "A chunk has not the length that the header says.";
		memcpy(group->bytes + part_offset(part), chunk.bytes, chunk.length);
		group->loaded[part] = true;
	}
	for (uint32 part = from; part <= upto; part++)
		if (!group->loaded[part])
			return "A chunk is missing.";
	return NULL;
}

const char *
load_bytes(RowGroup *group, uint64 from, uint64 upto)
{
	uint32		first;
	uint32		last;

	if (upto <= HEADER_BYTES || from >= upto)
		return NULL;
	first = from <= HEADER_BYTES ? 0 : (uint32) ((from - HEADER_BYTES) / CHUNK_BYTES);
	last = (uint32) ((upto - 1 - HEADER_BYTES) / CHUNK_BYTES);
	while (first <= last && group->loaded[first])
		first++;
	while (last > first && group->loaded[last])
		last--;
	return first > last ? NULL : load_parts(group, first, last);
}

/* ----------------------------------------------------------------
 * Opening
 * ----------------------------------------------------------------
 */

static const char *
try_header(const Chunk *chunk, GroupHeader *header)
{
	if (chunk->damage != NULL)
		return chunk->damage;
	return chunk->part == PART_HEADER ? check_header(chunk->bytes, chunk->length, chunk->first, header) :
		"Its header is none.";
}

void
read_header(Relation rel, const Chunk *chunk, GroupHeader *header)
{
	const char *wrong = try_header(chunk, header);

	if (wrong != NULL)
		chunk_damaged(rel, chunk->first, wrong);
}

uint32
reserved_rows(Relation rel, const Chunk *chunk)
{
	uint32		rows;

	if (chunk->length != sizeof(rows))
		chunk_damaged(rel, chunk->first, "Its reservation is none.");
	memcpy(&rows, chunk->bytes, sizeof(rows));
	return rows;
}

/* Before memory is taken for all of its bytes, the last of them must be seen to be there. */
static const char *
make_room(RowGroup *group, const Chunk *chunk)
{
	const GroupHeader *header = &group->header;

	group->nparts = 0;
	if (header->length > HEADER_BYTES)
	{
		Chunk		last;
		bool		found;

		group->nparts = (uint32) ((header->length - HEADER_BYTES + CHUNK_BYTES - 1) / CHUNK_BYTES);
		/* The header's bytes are used first: this moves the reader. */
		group->bytes = MemoryContextAlloc(group->context, HEADER_BYTES);
		memcpy(group->bytes, chunk->bytes + sizeof(GroupHeader), HEADER_BYTES);
		if (group->nparts > 128)
		{
			found = chunk_between(group->reader, group->first, group->nparts - 1, group->nparts - 1, &last);
			while (found && last.stamp != group->stamp)
				found = next_chunk(group->reader, &last);
			if (!found)
				return "Its last chunk is missing.";
		}
		group->bytes = repalloc_huge(group->bytes, header->length);
		group->loaded = MemoryContextAllocZero(group->context, group->nparts);
		return NULL;
	}
	group->bytes = MemoryContextAlloc(group->context, Max(header->length, 1));
	memcpy(group->bytes, chunk->bytes + sizeof(GroupHeader), header->length);
	return NULL;
}

const char *
try_group(ChunkReader *reader, const Chunk *chunk, MemoryContext context, RowGroup **result)
{
	RowGroup   *group = MemoryContextAllocZero(context, sizeof(RowGroup));
	const char *wrong;

	*result = NULL;
	group->context = context;
	group->reader = reader;
	group->rel = chunks_store(reader)->rel;
	group->desc = RelationGetDescr(group->rel);
	group->toast_node = chunks_store(reader)->toast->rd_locator.relNumber;
	group->first = chunk->first;
	group->stamp = chunk->stamp;
	if ((wrong = try_header(chunk, &group->header)) != NULL)
		return wrong;
	if ((wrong = make_room(group, chunk)) != NULL)
		return wrong;
	*result = group;

	if ((wrong = load_bytes(group, 0, group->header.directory)) != NULL)
		return wrong;
	group->columns = (const ColumnEntry *) group->bytes;
	group->open = MemoryContextAllocZero(context, Max(group->header.natts, 1) * sizeof(EncodedColumn *));
	for (int i = 0; i < group->header.natts; i++)
		if ((wrong = check_entry(&group->header, group->bytes, i)) != NULL)
			return wrong;
	if (group->header.natts > RelationGetNumberOfAttributes(group->rel))
		return "It has more columns than its table.";
	return NULL;
}

RowGroup *
open_group(ChunkReader *reader, const Chunk *chunk, MemoryContext context)
{
	RowGroup   *group;
	const char *wrong = try_group(reader, chunk, context, &group);

	if (wrong != NULL)
		chunk_damaged(chunks_store(reader)->rel, chunk->first, wrong);
	return group;
}

/* ----------------------------------------------------------------
 * Columns
 * ----------------------------------------------------------------
 */

ColumnShape
shape_of(Form_pg_attribute att)
{
	ColumnShape shape;

	shape.typlen = att->attlen;
	shape.typbyval = att->attbyval;
	shape.typalign = att->attalign;
	shape.packable = att->attlen == -1 && att->attstorage != TYPSTORAGE_PLAIN;
	return shape;
}

/* The argument of need_bytes(): the column of the group that the bytes belong to. */
typedef struct BytesOf
{
	RowGroup   *group;
	int			column;
	uint64		offset;
} BytesOf;

static void
need_bytes(void *arg, Size from, Size upto)
{
	BytesOf    *of = arg;
	const char *wrong = load_bytes(of->group, of->offset + from, of->offset + upto);

	if (wrong != NULL)
		group_damaged(of->group, of->column, wrong);
}

/*
 * The shape that the values were written with must be the table's: values are
 * taken for what they are not, otherwise.  Whether a varlena may be short is
 * the column's to change (SET STORAGE).
 */
const char *
try_column(RowGroup *group, int column, EncodedColumn **encoded)
{
	const ColumnEntry *entry = &group->columns[column];
	Form_pg_attribute att = TupleDescAttr(group->desc, column);
	EncodedBytes bytes = {.data = group->bytes + entry->offset, .length = entry->length, .need = need_bytes};
	ColumnShape shape;
	MemoryContext old;
	BytesOf    *of;
	const char *wrong;

	*encoded = group->open[column];
	if (*encoded != NULL || entry->length == 0)
		return NULL;
	shape.typlen = entry->typlen;
	shape.typbyval = (entry->flags & COLUMN_BYVAL) != 0;
	shape.typalign = entry->typalign;
	shape.packable = (entry->flags & COLUMN_PACKABLE) != 0;
	if (shape.typlen != att->attlen || shape.typbyval != att->attbyval || shape.typalign != att->attalign)
		return "It was written with values of another form than its type has.";
	/* It reads bytes of the group when it needs them. */
	old = MemoryContextSwitchTo(group->context);
	bytes.arg = of = palloc(sizeof(BytesOf));
	*of = (BytesOf) {.group = group, .column = column, .offset = entry->offset};
	wrong = open_column(&shape, &bytes, group->header.nrows, encoded);
	MemoryContextSwitchTo(old);
	if (wrong == NULL)
		group->open[column] = *encoded;
	return wrong;
}

EncodedColumn *
group_column(RowGroup *group, int column)
{
	EncodedColumn *encoded = group->open[column];

	if (encoded == NULL)
	{
		const char *wrong = try_column(group, column, &encoded);

		if (wrong != NULL)
			group_damaged(group, column, wrong);
	}
	return encoded;
}

bool
group_bounds(const RowGroup *group, int column, Order order, Datum *least, Datum *greatest)
{
	const ColumnEntry *entry;
	const char *at;

	if (column >= group->header.natts)
		return false;
	entry = &group->columns[column];
	if (!(entry->flags & COLUMN_HAS_BOUNDS) || entry->order != order)
		return false;
	at = group->bytes + entry->bounds;
	if (bound_is_by_reference(order))
	{
		*least = PointerGetDatum(at);
		*greatest = PointerGetDatum(at + MAXALIGN(entry->least_length));
	}
	else
	{
		memcpy(least, at, sizeof(Datum));
		memcpy(greatest, at + sizeof(Datum), sizeof(Datum));
	}
	return true;
}

/* ----------------------------------------------------------------
 * Whole groups
 * ----------------------------------------------------------------
 */

void
read_vector(RowGroup *group, int column, uint32 vector, MemoryContext context, Datum *values, bool *nulls)
{
	uint32		n = Min(group->header.nrows - vector * ENCODING_VECTOR, ENCODING_VECTOR);
	EncodedColumn *encoded = NULL;
	Datum		value = 0;
	bool		isnull = true;
	const char *wrong;

	if (column >= group->header.natts)
		value = getmissingattr(group->desc, column + 1, &isnull);
	else if (!TupleDescAttr(group->desc, column)->attisdropped)
		encoded = group_column(group, column);
	for (uint32 i = 0; encoded == NULL && i < n; i++)
	{
		values[i] = value;
		nulls[i] = isnull;
	}
	if (encoded != NULL && (wrong = decode_vector(encoded, vector, context, values, nulls)) != NULL)
		group_damaged(group, column, wrong);
}

void
read_group(RowGroup *group, int natts, Rows *rows)
{
	uint32		nrows = group->header.nrows;

	rows->first = group->first;
	rows->nrows = nrows;
	rows->natts = natts;
	rows->values = palloc(Max(natts, 1) * sizeof(Datum *));
	rows->nulls = palloc(Max(natts, 1) * sizeof(bool *));
	for (int i = 0; i < natts; i++)
	{
		rows->values[i] = palloc(nrows * sizeof(Datum));
		rows->nulls[i] = palloc(nrows);
		for (uint32 row = 0; row < nrows; row += ENCODING_VECTOR)
		{
			CHECK_FOR_INTERRUPTS();
			read_vector(group, i, row / ENCODING_VECTOR, CurrentMemoryContext, rows->values[i] + row, rows->nulls[i] + row);
		}
	}
}

/* ----------------------------------------------------------------
 * Groups that are kept
 * ----------------------------------------------------------------
 */

#define CACHE_GROUPS 1024
#define CACHE_BYTES ((Size) 16 * 1024 * 1024)

/* Without holes: it is hashed as it stands. */
typedef struct CacheKey
{
	uint64		first;
	uint64		node;			/* the TOAST relation's; the stamp tells what this does not */
} CacheKey;

typedef struct CacheEntry
{
	CacheKey	key;
	RowGroup   *group;
} CacheEntry;

static struct
{
	MemoryContext context;		/* of groups, and of the table */
	HTAB	   *groups;
	uint64		generation;
}			cache;

uint64
cache_generation(void)
{
	return cache.generation;
}

void
use_group_again(RowGroup *group, ChunkReader *reader)
{
	group->rel = chunks_store(reader)->rel;
	group->desc = RelationGetDescr(group->rel);
	group->reader = reader;
}

RowGroup *
cached_group(ChunkReader *reader, const Chunk *header)
{
	CacheKey	key = {header->first, chunks_store(reader)->toast->rd_locator.relNumber};
	CacheEntry *entry = cache.groups ? hash_search(cache.groups, &key, HASH_FIND, NULL) : NULL;
	MemoryContext context;
	RowGroup   *group;
	bool		found;
	HASHCTL		control;

	if (entry != NULL && entry->group->stamp == header->stamp && header->damage == NULL)
	{
		use_group_again(entry->group, reader);
		return entry->group;
	}
	/* Empties the cache when it holds too many groups or bytes; makes it if there is none. */
	control = (HASHCTL) {.keysize = sizeof(CacheKey), .entrysize = sizeof(CacheEntry)};
	if (cache.context == NULL)
		cache.context = AllocSetContextCreate(CacheMemoryContext, "pprepub groups", ALLOCSET_SMALL_SIZES);
	else if (cache.groups != NULL && (hash_get_num_entries(cache.groups) >= CACHE_GROUPS ||
									  MemoryContextMemAllocated(cache.context, true) > CACHE_BYTES))
	{
		cache.generation++;
		MemoryContextReset(cache.context);
		cache.groups = NULL;
	}
	control.hcxt = cache.context;
	if (cache.groups == NULL)
		cache.groups = hash_create("pprepub groups", 64, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	context = AllocSetContextCreate(cache.context, "a group", ALLOCSET_SMALL_SIZES);
	group = open_group(reader, header, context);
	entry = hash_search(cache.groups, &key, HASH_ENTER, &found);
	if (found)
	{
		cache.generation++;
		MemoryContextDelete(entry->group->context);
	}
	entry->group = group;
	return group;
}

/* The table and the reader may be gone when the group is used again. */
void
done_with_group(RowGroup *group)
{
	group->reader = NULL;
	group->rel = NULL;
	group->desc = NULL;
}
