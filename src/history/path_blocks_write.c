/*
 * path_blocks_write.c
 *		Gathering classes into blocks, and appending these to the table of paths.
 */
#include "history/path_blocks_write.h"

#include "frame/arrays.h"
#include "history/disclosure.h"
#include "utils/memutils.h"

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
	writer->allocated = 1024;
	writer->keys = palloc(sizeof(Datum) * writer->allocated);
	writer->sizes = palloc(sizeof(int32) * writer->allocated);
	writer->members = palloc(sizeof(int32) * writer->allocated);
	writer->shown = palloc(sizeof(int32) * writer->allocated);
	writer->disclosed = palloc(sizeof(int32) * writer->allocated);
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

void
blocks_note_invented(BlockWriter *writer, int64 number)
{
	writer->counts.invented = Max(writer->counts.invented, number);
	verify_counts(&writer->counts);
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
