/*
 * path_blocks.c
 *		The table of paths, block by block.
 */
#include "history/path_blocks.h"

#include "catalog/pg_type.h"
#include "frame/arrays.h"
#include "history/disclosure.h"
#include "history/reader.h"

bool
keeps_disclosures(const DeclaredPublication *publication)
{
	return keeps_past(publication, PAST_PATHS);
}

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

/* Returns whether each row shows a place in the block's values, or -1, which stands for NULL. */
static bool
has_whole_values(const PathBlock *block, int nshown)
{
	if (nshown != block->nrows)
		return false;
	for (int i = 0; i < block->nrows; i++)
		if (block->shown[i] < -1 || block->shown[i] >= block->nvalues)
			return false;
	return true;
}

/* Returns whether each row has a disclosure, and none is negative. */
static bool
has_whole_disclosed(const PathBlock *block, int ndisclosed)
{
	int32		least = 0;

	if (ndisclosed != block->nrows)
		return false;
	for (int i = 0; i < ndisclosed; i++)
		least = Min(least, block->disclosed[i]);
	return least >= 0;
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

	if (!row_has_values(slot, PATHS_COLUMNS, always, lengthof(always)))
		refuse_paths(publication);
	block->disclosed = integers_of(publication, slot->tts_values[PATHS_DISCLOSED], &ndisclosed);
	if (!has_whole_disclosed(block, ndisclosed))
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
	if (!has_whole_values(block, nshown) || ARR_HASNULL(block->values))
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
	if (blocks->n == blocks->allocated)
	{
		blocks->allocated *= 2;
		blocks->place = repalloc_huge(blocks->place, sizeof(BlockPlace) * blocks->allocated);
	}
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

	blocks->publication = publication;
	blocks->n = 0;
	blocks->allocated = 64;
	blocks->place = palloc(sizeof(BlockPlace) * blocks->allocated);
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

static bool
verify_block(void *what, TupleTableSlot *slot)
{
	PathBlock	block;

	read_block(what, slot, &block);
	return true;
}

void
path_blocks_verify(const DeclaredPublication *publication)
{
	PathBlocks	blocks;

	path_blocks_find(publication, &blocks);
	path_blocks_visit(&blocks, false, verify_block, unconstify(DeclaredPublication *, publication));
}
