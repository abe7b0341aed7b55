/*
 * paths_write.c
 *		Writing the table of paths.
 *
 * NOTES
 *		The classes of a release are gathered into blocks, and these appended.
 *
 *		Where other values are protected from now on, each block is replaced by
 *		itself with other disclosures.  The snapshot is older than that, so a block
 *		that is written is not read again.  Arrays that stay are copied from the
 *		rows that go, so these go last.
 */
#include "history/paths_write.h"

#include "frame/arrays.h"
#include "history/disclosure.h"
#include "history/element.h"
#include "history/past_tables.h"
#include "history/protected.h"
#include "history/reader.h"
#include "history/writer.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#define BLOCK_ROWS (1 << 17)	/* so many, and a class more: keys of a kilobyte still fit into an array */

struct PathWriter
{
	const LoadedFrame *loaded;
	int32		release;
	RowWriter  *table;
	Element		key;
	Element		sensitive;
	bool		keeps_disclosures;
	PathCounts	begin;			/* of the release */
	PathCounts	counts;
	uint32	   *person;			/* [rows of the frame] or NO_KEY */
	const int32 *disclosed_before;	/* [rows of the frame] borrowed; NULL where the method does not ask */
	bool		any_block;

	/* The block at hand */
	uint64		nkeys;
	uint64		nclasses;
	uint64		nrows;
	uint64		allocated;		/* of each of these */
	Datum	   *keys;
	int32	   *sizes;
	int32	   *members;
	int32	   *shown;
	int32	   *disclosed;
	int32		nvalues;
	int32	   *place;			/* [codes] in the block's values, or -1 */
	Datum	   *values;			/* [codes] */
	Code	   *codes;			/* [nvalues] */
	bool	   *is_protected;	/* [nvalues] */
	uint32	   *count;			/* [nvalues] in the class at hand, 0 between uses */
};

/* The table, whose columns are those that rows are written with. */
static Oid
path_table_ready(const DeclaredPublication *publication)
{
	Oid			table = past_table_ensure(publication, PATHS_TABLE);

	past_table_verify(publication, PATHS_TABLE);
	return table;
}

/* Makes a writer without room for classes: it can write an empty block only. */
static PathWriter *
writer_create(Oid table, const DeclaredPublication *publication, int32 release)
{
	PathWriter *writer = palloc0(sizeof(PathWriter));

	writer->release = release;
	writer->keeps_disclosures = keeps_disclosures(publication);
	writer->table = writer_open(table, false);
	writer->key = element_of(publication_column(publication, ROLE_KEY));
	writer->sensitive = element_of(publication_column(publication, ROLE_SENSITIVE));
	return writer;
}

PathWriter *
path_writer_open(const PathReader *reader, const LoadedFrame *loaded, int32 release)
{
	const DeclaredPublication *publication = path_reader_publication(reader);
	PathWriter *writer = writer_create(path_table_ready(publication), publication, release);
	Size		ncodes = (Size) loaded->sensitive.ncodes + 1;
	uint64		nrows = loaded->frame.nrows;

	writer->loaded = loaded;
	writer->begin = writer->counts = path_reader_counts(reader);
	writer->person = new_array(uint32, nrows);
	for (uint64 row = 0; row < nrows; row++)
		writer->person[row] = path_reader_person(reader, row);
	writer->allocated = 1024;
	writer->keys = palloc(sizeof(Datum) * writer->allocated);
	writer->sizes = palloc(sizeof(int32) * writer->allocated);
	writer->members = palloc(sizeof(int32) * writer->allocated);
	writer->shown = palloc(sizeof(int32) * writer->allocated);
	writer->disclosed = palloc(sizeof(int32) * writer->allocated);
	writer->disclosed_before = path_reader_disclosed(reader);
	writer->place = new_array(int32, ncodes);
	memset(writer->place, 0xff, sizeof(int32) * ncodes);
	writer->values = new_array(Datum, ncodes);
	writer->codes = new_array(Code, ncodes);
	writer->is_protected = new_array(bool, ncodes);
	writer->count = new_zeros(uint32, ncodes);
	return writer;
}

/* Writes the classes gathered so far as a row of the table, and starts the next block. */
static void
write_block(PathWriter *writer)
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
static void
make_room(PathWriter *writer, uint64 rows)
{
	uint64		needed = writer->nrows + rows + 1;

	if (needed <= writer->allocated)
		return;
	writer->allocated = Max(writer->allocated * 2, needed);
	writer->keys = repalloc_huge(writer->keys, sizeof(Datum) * writer->allocated);
	writer->sizes = repalloc_huge(writer->sizes, sizeof(int32) * writer->allocated);
	writer->members = repalloc_huge(writer->members, sizeof(int32) * writer->allocated);
	writer->shown = repalloc_huge(writer->shown, sizeof(int32) * writer->allocated);
	writer->disclosed = repalloc_huge(writer->disclosed, sizeof(int32) * writer->allocated);
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

/* ----------------------------------------------------------------
 * A class
 * ----------------------------------------------------------------
 */

/* Adds a row to the block; a value that the block does not have yet gets a place in the block's values. */
static void
add_member(PathWriter *writer, int32 member, Code code)
{
	if (code != NO_CODE && writer->place[code] < 0)
	{
		writer->place[code] = writer->nvalues;
		writer->is_protected[writer->nvalues] = is_protected(&writer->loaded->frame, code);
		writer->values[writer->nvalues] = writer->loaded->sensitive.values[code];
		writer->codes[writer->nvalues++] = code;
	}
	writer->members[writer->nrows] = member;
	writer->shown[writer->nrows++] = code == NO_CODE ? -1 : writer->place[code];
}

/* Returns a person's number; a person who is new gets the next one, and the block gets the key. */
static int32
number_person(PathWriter *writer, RowId row)
{
	if (writer->person[row] == NO_KEY)
	{
		verify_counts(&writer->counts);
		writer->keys[writer->nkeys++] = writer->loaded->keys[row];
		writer->person[row] = writer->counts.people++;
	}
	return writer->person[row];
}

static int32
disclosed_before(const PathWriter *writer, RowId row)
{
	return writer->disclosed_before == NULL ? 0 : writer->disclosed_before[row];
}

/* Adds what was disclosed by now of the class that was added last, the first rows of which are people's. */
static void
disclose_members(PathWriter *writer, uint64 size, const RowId *rows, uint64 nrows)
{
	uint64		first = writer->nrows - size;
	int32	   *disclosed = writer->disclosed + first;
	int32		by_class = disclosure_by_shown(writer->shown + first, size, writer->is_protected, writer->count);

	for (uint64 i = 0; i < nrows; i++)
		disclosed[i] = disclosure_in_all(disclosed_before(writer, rows[i]), by_class);
	for (uint64 i = nrows; i < size; i++)
		disclosed[i] = 0;
}

void
path_writer_add(PathWriter *writer, const RowId *rows, uint64 nrows, const Code *invented, uint64 ninvented)
{
	make_room(writer, nrows + ninvented);
	for (uint64 i = 0; i < nrows; i++)
		add_member(writer, number_person(writer, rows[i]), writer->loaded->frame.sensitive[rows[i]]);
	for (uint64 i = 0; i < ninvented; i++)
	{
		verify_counts(&writer->counts);
		add_member(writer, -(int32) ++writer->counts.invented, invented[i]);
	}
	if (writer->keeps_disclosures)
		disclose_members(writer, nrows + ninvented, rows, nrows);
	writer->sizes[writer->nclasses++] = nrows + ninvented;
	writer->counts.rows += nrows + ninvented;
	if (writer->nrows >= BLOCK_ROWS)
		write_block(writer);
}

uint64
path_writer_close(PathWriter *writer)
{
	if (writer->nrows > 0 || !writer->any_block)
		write_block(writer);
	writer_close(writer->table);
	return writer->counts.people - writer->begin.people + writer->counts.invented - writer->begin.invented;
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
	PathWriter *writer;

	read_each(table, find_latest, &counts);
	writer = writer_create(table, publication, release);
	writer->counts = counts;
	write_block(writer);
	writer_close(writer->table);
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
