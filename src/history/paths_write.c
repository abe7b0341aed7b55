/*
 * paths_write.c
 *		Writing the table of paths.
 */
#include "history/path_blocks.h"

#include "frame/arrays.h"
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
	if (keeps_past(publication, PAST_PLACES))
	{
		(void) past_table_ensure(publication, GROUPS_TABLE);
		(void) past_table_ensure(publication, PLACES_TABLE);
	}
	if (keeps_past(publication, PAST_LAST | PAST_PATHS))
		write_empty_block(publication, release);
}
