/*
 * paths_write.c
 *		Writing the table of paths.
 *
 * NOTES
 *		Where other values are protected from now on, each block is replaced by
 *		itself with other disclosures.  The snapshot is older than that, so a block
 *		that is written is not read again.  Arrays that stay are copied from the
 *		rows that go, so these go last.
 */
#include "history/path_blocks.h"

#include "frame/arrays.h"
#include "history/element.h"
#include "history/past.h"
#include "history/past_tables.h"
#include "history/recall.h"
#include "history/rows.h"
#include "miscadmin.h"
#include "utils/memutils.h"

struct PathWriter
{
	const LoadedFrame *loaded;
	PathCounts	begin;			/* of the release */
	uint32	   *person;			/* [rows of the frame] or NO_KEY */
	const int32 *disclosed_before;	/* [rows of the frame] borrowed; NULL where the method does not ask */
	BlockWriter blocks;
};

PathWriter *
path_writer_open(const PathReader *reader, const LoadedFrame *loaded, int32 release)
{
	const DeclaredPublication *publication = reader->publication;
	PathWriter *writer = palloc0(sizeof(PathWriter));
	uint64		nrows = loaded->frame.nrows;

	blocks_open(&writer->blocks, path_table_ready(publication), publication);
	blocks_prepare(&writer->blocks, loaded->sensitive.ncodes);
	writer->blocks.release = release;
	writer->loaded = loaded;
	writer->begin = writer->blocks.counts = reader->counts;
	writer->person = memcpy(new_array(uint32, nrows), reader->person, sizeof(uint32) * nrows);
	writer->disclosed_before = reader->disclosed;
	return writer;
}

/* ----------------------------------------------------------------
 * A class
 * ----------------------------------------------------------------
 */

static void
add_member(PathWriter *writer, int32 member, Code code)
{
	if (code == NO_CODE)
		blocks_add_row(&writer->blocks, member, code, (Datum) 0, false);
	else
		blocks_add_row(&writer->blocks, member, code, writer->loaded->sensitive.values[code],
					   is_protected(&writer->loaded->frame, code));
}

/* Adds what was disclosed by now of the class that was added last, the first rows of which are people's. */
static void
disclose_members(PathWriter *writer, uint64 size, const RowId *rows, uint64 nrows)
{
	int32		by_class;
	int32	   *disclosed = blocks_disclose(&writer->blocks, size, &by_class);

	for (uint64 i = 0; i < nrows; i++)
		disclosed[i] = disclosure_in_all(writer->disclosed_before == NULL ? 0 : writer->disclosed_before[rows[i]], by_class);
	for (uint64 i = nrows; i < size; i++)
		disclosed[i] = 0;
}

void
path_writer_add(PathWriter *writer, const RowId *rows, uint64 nrows, const Code *invented, uint64 ninvented)
{
	blocks_make_room(&writer->blocks, nrows + ninvented);
	for (uint64 i = 0; i < nrows; i++)
	{
		uint32	   *person = &writer->person[rows[i]];

		/* A person who is new gets the next number, and the block gets the key. */
		if (*person == NO_KEY)
			*person = blocks_add_person(&writer->blocks, writer->loaded->keys[rows[i]]);
		add_member(writer, *person, writer->loaded->frame.sensitive[rows[i]]);
	}
	for (uint64 i = 0; i < ninvented; i++)
		add_member(writer, blocks_add_invented(&writer->blocks), invented[i]);
	if (writer->blocks.keeps_disclosures)
		disclose_members(writer, nrows + ninvented, rows, nrows);
	blocks_end_class(&writer->blocks, nrows + ninvented);
}

uint64
path_writer_close(PathWriter *writer)
{
	const PathCounts *end = &writer->blocks.counts;

	blocks_end_release(&writer->blocks);
	blocks_close(&writer->blocks);
	return end->people - writer->begin.people + end->invented - writer->begin.invented;
}

/* ----------------------------------------------------------------
 * A release without people
 * ----------------------------------------------------------------
 */

/* Raises the counts to those of the block: counts only grow, so the greatest are those of the last block. */
static void
find_latest(void *what, TupleTableSlot *slot)
{
	PathCounts *counts = what;
	static const int always[] = {PATHS_PEOPLE, PATHS_INVENTED, PATHS_ROWS};

	if (!row_has_values(slot, PATHS_COLUMNS, always, lengthof(always)))
		return;					/* reading will tell */
	counts->people = Max(counts->people, DatumGetInt64(slot->tts_values[PATHS_PEOPLE]));
	counts->invented = Max(counts->invented, DatumGetInt64(slot->tts_values[PATHS_INVENTED]));
	counts->rows = Max(counts->rows, DatumGetInt64(slot->tts_values[PATHS_ROWS]));
}

/* Each release has a block, though without rows. */
static void
write_empty_block(const DeclaredPublication *publication, int32 release)
{
	Oid			table = path_table_ready(publication);
	PathCounts	counts = {0};
	BlockWriter writer;

	read_each(table, find_latest, &counts);
	blocks_open(&writer, table, publication);
	writer.release = release;
	writer.counts = counts;
	blocks_end_release(&writer);
	blocks_close(&writer);
}

void
past_skip(const DeclaredPublication *publication, int32 release)
{
	if (keeps_past(publication, PAST_NEIGHBORHOODS))
		(void) past_table_ensure(publication, NEIGHBORHOODS_TABLE);
	if (keeps_past(publication, PAST_LAST | PAST_PATHS))
		write_empty_block(publication, release);
}

/* ----------------------------------------------------------------
 * Other values that are protected
 * ----------------------------------------------------------------
 */

typedef struct Recounting
{
	const DeclaredPublication *publication;
	const Recalled *recalled;
	const bool *is_listed;		/* [values of the log] */
	RowWriter  *writer;
	Element		sensitive;
	int64		npeople;
	int32	   *disclosed;		/* [people] so far */
} Recounting;

/* Which of the values in a block are protected? */
static bool *
protected_places(const Recounting *recounting, const PathBlock *block)
{
	bool	   *is_protected = new_array(bool, block->nvalues);
	ElementWalk walk;

	for (element_walk(&walk, &recounting->sensitive, block->values); element_next(&walk);)
	{
		Code		code = recalled_value(recounting->recalled, walk.value, walk.isnull);

		if (code == UNKNOWN_VALUE)	/* it might be one of those that are listed */
			refuse_paths(recounting->publication);
		is_protected[walk.i] = code != NO_CODE && recounting->is_listed[code];
	}
	return is_protected;
}

/* Adds a class's disclosure to that of each person in it, and notes the sums; invented rows get 0. */
static void
recount_members(Recounting *recounting, const int32 *members, int size, int32 by_class, int32 *disclosed)
{
	for (int i = 0; i < size; i++)
	{
		if (members[i] >= recounting->npeople)
			refuse_paths(recounting->publication);
		disclosed[i] = 0;
		if (members[i] >= 0)
			disclosed[i] = recounting->disclosed[members[i]] = disclosure_in_all(recounting->disclosed[members[i]], by_class);
	}
}

/* Returns a block's new array of disclosures; blocks must come oldest first, since these are sums over releases. */
static Datum
recounted(Recounting *recounting, const PathBlock *block)
{
	bool	   *is_protected = protected_places(recounting, block);
	uint32	   *count = new_zeros(uint32, block->nvalues);
	int32	   *disclosed = new_array(int32, block->nrows);
	int			from = 0;

	for (int c = 0; c < block->nclasses; c++)
	{
		int			size = block->sizes[c];

		if (c % 4096 == 0)
			CHECK_FOR_INTERRUPTS();
		recount_members(recounting, block->members + from, size,
						disclosure_by_shown(block->shown + from, size, is_protected, count), disclosed + from);
		from += size;
	}
	return integer_array(disclosed, block->nrows);
}

/* Writes a copy of the block with new disclosures; the caller deletes the old rows later. */
static bool
recount_block(void *what, TupleTableSlot *slot)
{
	Recounting *recounting = what;
	Datum		values[PATHS_COLUMNS];
	bool		nulls[PATHS_COLUMNS] = {false};
	PathBlock	block;

	read_block(recounting->publication, slot, &block);
	memcpy(values, slot->tts_values, sizeof(values));
	values[PATHS_DISCLOSED] = recounted(recounting, &block);
	writer_add(recounting->writer, values, nulls);
	return true;
}

void
paths_recount(const DeclaredPublication *publication, Oid list)
{
	Oid			table = past_table(publication, PATHS_TABLE);
	const Recalled *recalled = recall(publication);
	PathBlocks	blocks;
	Recounting	recounting = {
		.publication = publication,
		.recalled = recalled,
		.is_listed = listed_values(publication, list, recalled),
		.sensitive = element_of(publication_column(publication, ROLE_SENSITIVE)),
	};

	path_blocks_find(publication, &blocks);
	if (blocks.n == 0)
		refuse_paths(publication);
	recounting.npeople = blocks.place[blocks.n - 1].end.people;
	recounting.disclosed = new_zeros(int32, recounting.npeople);
	recounting.writer = writer_open(table, false);
	path_blocks_visit(&blocks, false, recount_block, &recounting);
	writer_close(recounting.writer);
	for (uint32 b = 0; b < blocks.n; b++)
		delete_rows(table, &blocks.place[b].tid, 1);
}
