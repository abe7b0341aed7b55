/*
 * path_blocks.c
 *		The table of paths, block by block.
 */
#include "history/path_blocks.h"

#include "catalog/pg_type.h"
#include "frame/arrays.h"
#include "history/past.h"
#include "history/rows.h"
#include "utils/memutils.h"

/* ----------------------------------------------------------------
 * A block
 * ----------------------------------------------------------------
 */

static int
array_length(ArrayType *array)
{
	return ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
}

/* Returns the elements of an int4 array, and their number; refuses arrays of another type, or with NULLs. */
static const int32 *
integers_of(const DeclaredPublication *publication, Datum datum, int *n)
{
	ArrayType  *array = DatumGetArrayTypeP(datum);

	if (ARR_ELEMTYPE(array) != INT4OID || ARR_HASNULL(array))
		refuse_paths(publication);
	*n = array_length(array);
	return (const int32 *) ARR_DATA_PTR(array);
}

/* Returns whether classes have members, their sizes add up to the rows, and members have numbers given by then. */
static bool
has_whole_classes(const PathBlock *block)
{
	int64		rows = 0;

	for (int c = 0; c < block->nclasses; c++)
	{
		if (block->sizes[c] <= 0)
			return false;
		rows += block->sizes[c];
	}
	for (int i = 0; i < block->nrows; i++)
		if (block->members[i] >= block->end.people || -(int64) block->members[i] > block->end.invented)
			return false;
	return rows == block->nrows;
}

void
read_block_members(const DeclaredPublication *publication, TupleTableSlot *slot, PathBlock *block)
{
	static const int always[] = {PATHS_RELEASE, PATHS_PEOPLE, PATHS_INVENTED, PATHS_ROWS, PATHS_SIZES, PATHS_MEMBERS};

	if (!row_has_values(slot, PATHS_COLUMNS, always, lengthof(always)))
		refuse_paths(publication);
	*block = (PathBlock) {.release = DatumGetInt32(slot->tts_values[PATHS_RELEASE])};
	block->end.people = DatumGetInt64(slot->tts_values[PATHS_PEOPLE]);
	block->end.invented = DatumGetInt64(slot->tts_values[PATHS_INVENTED]);
	block->end.rows = DatumGetInt64(slot->tts_values[PATHS_ROWS]);
	block->sizes = integers_of(publication, slot->tts_values[PATHS_SIZES], &block->nclasses);
	block->members = integers_of(publication, slot->tts_values[PATHS_MEMBERS], &block->nrows);
	if (!has_whole_classes(block))
		refuse_paths(publication);
}

void
read_block_disclosed(const DeclaredPublication *publication, TupleTableSlot *slot, PathBlock *block)
{
	static const int always[] = {PATHS_DISCLOSED};
	int			ndisclosed;
	int32		least = 0;

	if (!row_has_values(slot, PATHS_COLUMNS, always, lengthof(always)))
		refuse_paths(publication);
	block->disclosed = integers_of(publication, slot->tts_values[PATHS_DISCLOSED], &ndisclosed);
	if (ndisclosed != block->nrows)
		refuse_paths(publication);
	for (int i = 0; i < ndisclosed; i++)
		least = Min(least, block->disclosed[i]);
	if (least < 0)
		refuse_paths(publication);
}

void
read_block_shown(const DeclaredPublication *publication, TupleTableSlot *slot, PathBlock *block)
{
	static const int always[] = {PATHS_SHOWN, PATHS_VALUES};
	int			nshown;

	read_block_members(publication, slot, block);
	if (!row_has_values(slot, PATHS_COLUMNS, always, lengthof(always)))
		refuse_paths(publication);
	block->shown = integers_of(publication, slot->tts_values[PATHS_SHOWN], &nshown);
	block->values = DatumGetArrayTypeP(slot->tts_values[PATHS_VALUES]);
	block->nvalues = array_length(block->values);
	if (nshown != block->nrows || ARR_HASNULL(block->values))
		refuse_paths(publication);
	for (int i = 0; i < nshown; i++)
		if (block->shown[i] < -1 || block->shown[i] >= block->nvalues)
			refuse_paths(publication);
}

void
read_block(const DeclaredPublication *publication, TupleTableSlot *slot, PathBlock *block)
{
	static const int always[] = {PATHS_KEYS};

	read_block_shown(publication, slot, block);
	if (!row_has_values(slot, PATHS_COLUMNS, always, lengthof(always)))
		refuse_paths(publication);
	block->keys = DatumGetArrayTypeP(slot->tts_values[PATHS_KEYS]);
	if (ARR_HASNULL(block->keys))
		refuse_paths(publication);
	if (keeps_disclosures(publication))
		read_block_disclosed(publication, slot, block);
}

int32
disclosure_by_shown(const int32 *shown, uint64 size, const bool *is_protected, uint32 *count)
{
	uint32		most = 0;

	for (uint64 i = 0; i < size; i++)
		if (shown[i] >= 0 && is_protected[shown[i]])
		{
			uint32		n = ++count[shown[i]];

			most = Max(most, n);
		}
	for (uint64 i = 0; i < size; i++)
		if (shown[i] >= 0)
			count[shown[i]] = 0;
	return disclosure_by_class(most, size);
}

/* ----------------------------------------------------------------
 * All of them
 * ----------------------------------------------------------------
 */

/* Adds a block to the list of places: where its row is, and the counts at its end. */
static void
note_place(void *what, TupleTableSlot *slot)
{
	PathBlocks *blocks = what;
	static const int counts[] = {PATHS_RELEASE, PATHS_PEOPLE, PATHS_INVENTED, PATHS_ROWS, PATHS_KEYS};

	if (!row_has_values(slot, PATHS_COLUMNS, counts, lengthof(counts)))
		refuse_paths(blocks->publication);
	array_reserve(blocks->place, blocks->allocated, blocks->n + 1);
	blocks->place[blocks->n++] = (BlockPlace) {
		.tid = slot->tts_tid,
		.release = DatumGetInt32(slot->tts_values[PATHS_RELEASE]),
		.end = {
			.people = DatumGetInt64(slot->tts_values[PATHS_PEOPLE]),
			.invented = DatumGetInt64(slot->tts_values[PATHS_INVENTED]),
			.rows = DatumGetInt64(slot->tts_values[PATHS_ROWS]),
		},
	};
}

/* Orders blocks by release, and those of one release by the number of rows up to their end. */
static int
compare_places(const void *a, const void *b)
{
	const BlockPlace *x = a;
	const BlockPlace *y = b;

	if (x->release != y->release)
		return x->release < y->release ? -1 : 1;
	return (x->end.rows > y->end.rows) - (x->end.rows < y->end.rows);
}

void
path_blocks_find(const DeclaredPublication *publication, PathBlocks *blocks)
{
	Oid			table = past_table(publication, PATHS_TABLE);

	*blocks = (PathBlocks) {.publication = publication};
	array_reserve(blocks->place, blocks->allocated, 64);
	if (OidIsValid(table))
	{
		past_table_verify(publication, PATHS_TABLE);
		read_each(table, note_place, blocks);
	}
	qsort(blocks->place, blocks->n, sizeof(BlockPlace), compare_places);
}

void
path_blocks_visit(const PathBlocks *blocks, bool newest_first, bool (*visit) (void *what, TupleTableSlot *slot), void *what)
{
	ItemPointerData *tids;

	if (blocks->n == 0)
		return;
	tids = new_array(ItemPointerData, blocks->n);
	for (uint32 b = 0; b < blocks->n; b++)
		tids[b] = blocks->place[newest_first ? blocks->n - 1 - b : b].tid;
	(void) read_some(past_table(blocks->publication, PATHS_TABLE), tids, blocks->n, visit, what);
	pfree(tids);
}

/* ----------------------------------------------------------------
 * Writing
 * ----------------------------------------------------------------
 */

#define BLOCK_ROWS (1 << 17)	/* so many, and a class more: keys of a kilobyte still fit into an array */

Oid
path_table_ready(const DeclaredPublication *publication)
{
	Oid			table = past_table_ensure(publication, PATHS_TABLE);

	past_table_verify(publication, PATHS_TABLE);
	return table;
}

/* Makes a writer without room for classes: it can write an empty block only. */
void
blocks_open(BlockWriter *writer, Oid table, const DeclaredPublication *publication)
{
	memset(writer, 0, sizeof(BlockWriter));
	writer->keeps_disclosures = keeps_disclosures(publication);
	writer->table = writer_open(table, false);
	writer->key = element_of(publication_column(publication, ROLE_KEY));
	writer->sensitive = element_of(publication_column(publication, ROLE_SENSITIVE));
}

void
blocks_prepare(BlockWriter *writer, Code ncodes)
{
	blocks_make_room(writer, 1024);
	writer->place = new_array(int32, ncodes);
	memset(writer->place, 0xff, sizeof(int32) * ((Size) ncodes + 1));
	writer->values = new_array(Datum, ncodes);
	writer->codes = new_array(Code, ncodes);
	writer->is_protected = new_array(bool, ncodes);
	writer->count = new_zeros(uint32, ncodes);
}

/* Writes the classes gathered so far as a row of the table, and starts the next block. */
static void
blocks_write(BlockWriter *writer)
{
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "block of paths", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(work);
	Datum		values[PATHS_COLUMNS];
	bool		nulls[PATHS_COLUMNS] = {false};

	values[PATHS_RELEASE] = Int32GetDatum(writer->release);
	values[PATHS_PEOPLE] = Int64GetDatum(writer->counts.people);
	values[PATHS_INVENTED] = Int64GetDatum(writer->counts.invented);
	values[PATHS_ROWS] = Int64GetDatum(writer->counts.rows);
	values[PATHS_KEYS] = element_array(&writer->key, writer->keys, NULL, writer->nkeys);
	values[PATHS_SIZES] = integer_array(writer->sizes, writer->nclasses);
	values[PATHS_MEMBERS] = integer_array(writer->members, writer->nrows);
	values[PATHS_SHOWN] = integer_array(writer->shown, writer->nrows);
	values[PATHS_VALUES] = element_array(&writer->sensitive, writer->values, NULL, writer->nvalues);
	nulls[PATHS_DISCLOSED] = !writer->keeps_disclosures;
	values[PATHS_DISCLOSED] = writer->keeps_disclosures ? integer_array(writer->disclosed, writer->nrows) : (Datum) 0;
	writer_add(writer->table, values, nulls);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(work);

	for (int32 i = 0; i < writer->nvalues; i++)
		writer->place[writer->codes[i]] = -1;
	writer->nkeys = writer->nclasses = writer->nrows = 0;
	writer->nvalues = 0;
	writer->any_block = true;
}

/* Enlarges the block's arrays to hold a class of so many rows, each of which may bring a new key. */
void
blocks_make_room(BlockWriter *writer, uint64 rows)
{
	uint64		needed = writer->nrows + rows + 1;

	if (needed <= writer->allocated)
		return;
	writer->allocated = array_room(writer->allocated, needed);
	array_resize(writer->keys, writer->allocated);
	array_resize(writer->sizes, writer->allocated);
	array_resize(writer->members, writer->allocated);
	array_resize(writer->shown, writer->allocated);
	array_resize(writer->disclosed, writer->allocated);
}

/* Numbers of the table are 32 bits wide, and have a sign. */
static void
verify_counts(const PathCounts *counts)
{
	if (counts->people >= PG_INT32_MAX || counts->invented >= PG_INT32_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("more than %d people or invented rows cannot be followed", PG_INT32_MAX),
				 errhint("Declare a publication for each of several views that divide the people among them.")));
}

int32
blocks_add_person(BlockWriter *writer, Datum key)
{
	verify_counts(&writer->counts);
	writer->keys[writer->nkeys++] = key;
	return writer->counts.people++;
}

int32
blocks_add_invented(BlockWriter *writer)
{
	verify_counts(&writer->counts);
	return -(int32) ++writer->counts.invented;
}

/* A value that the block does not have yet gets a place in the block's values. */
void
blocks_add_row(BlockWriter *writer, int32 member, Code code, Datum value, bool is_protected)
{
	if (code != NO_CODE && writer->place[code] < 0)
	{
		writer->place[code] = writer->nvalues;
		writer->is_protected[writer->nvalues] = is_protected;
		writer->values[writer->nvalues] = value;
		writer->codes[writer->nvalues++] = code;
	}
	writer->members[writer->nrows] = member;
	writer->shown[writer->nrows++] = code == NO_CODE ? -1 : writer->place[code];
}

int32 *
blocks_disclose(BlockWriter *writer, uint64 size, int32 *by_class)
{
	uint64		first = writer->nrows - size;

	*by_class = disclosure_by_shown(writer->shown + first, size, writer->is_protected, writer->count);
	return writer->disclosed + first;
}

void
blocks_end_class(BlockWriter *writer, uint64 size)
{
	writer->sizes[writer->nclasses++] = size;
	writer->counts.rows += size;
	if (writer->nrows >= BLOCK_ROWS)
		blocks_write(writer);
}

void
blocks_end_release(BlockWriter *writer)
{
	if (writer->nrows > 0 || !writer->any_block)
		blocks_write(writer);
	writer->any_block = false;
}

void
blocks_close(BlockWriter *writer)
{
	writer_close(writer->table);
}
