/*
 * path_recount.c
 *		Writing the table of paths anew, with what its classes told of values that
 *		are protected from now on.
 *
 * NOTES
 *		Each block is replaced by itself with other numbers.  The snapshot is older
 *		than that, so what is written is not read again.  Arrays that stay are
 *		copied from the rows that go, so these go last.
 */
#include "history/path_recount.h"

#include "frame/arrays.h"
#include "history/element.h"
#include "history/path_blocks.h"
#include "history/protected.h"
#include "history/told.h"
#include "history/writer.h"
#include "miscadmin.h"

typedef struct Recounting
{
	const DeclaredPublication *publication;
	const Recalled *recalled;
	const bool *is_listed;		/* [values of the log] */
	RowWriter  *writer;
	Element		sensitive;
	int64		npeople;
	int32	   *told;			/* [people] so far */
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
			path_blocks_refuse(recounting->publication);
		is_protected[walk.i] = code != NO_CODE && recounting->is_listed[code];
	}
	return is_protected;
}

static void
tell_members(Recounting *recounting, const int32 *members, int size, int32 by_class, int32 *told)
{
	for (int i = 0; i < size; i++)
	{
		if (members[i] >= recounting->npeople)
			path_blocks_refuse(recounting->publication);
		told[i] = 0;
		if (members[i] >= 0)
			told[i] = recounting->told[members[i]] = told_in_all(recounting->told[members[i]], by_class);
	}
}

static Datum
recounted(Recounting *recounting, const PathBlock *block)
{
	bool	   *is_protected = protected_places(recounting, block);
	uint32	   *count = new_zeros(uint32, block->nvalues);
	int32	   *told = new_array(int32, block->nrows);
	int			from = 0;

	for (int c = 0; c < block->nclasses; c++)
	{
		int			size = block->sizes[c];

		if (c % 4096 == 0)
			CHECK_FOR_INTERRUPTS();
		tell_members(recounting, block->members + from, size,
					 told_by_shown(block->shown + from, size, is_protected, count), told + from);
		from += size;
	}
	return integer_array(told, block->nrows);
}

static bool
recount_block(void *what, TupleTableSlot *slot)
{
	Recounting *recounting = what;
	Datum		values[PATHS_COLUMNS];
	bool		nulls[PATHS_COLUMNS] = {false};
	PathBlock	block;

	read_block(recounting->publication, slot, &block);
	memcpy(values, slot->tts_values, sizeof(values));
	values[PATHS_TOLD] = recounted(recounting, &block);
	writer_add(recounting->writer, values, nulls);
	return true;
}

void
paths_recount(const DeclaredPublication *publication, Oid list)
{
	Oid			table = path_table_of(publication);
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
		path_blocks_refuse(publication);
	recounting.npeople = blocks.place[blocks.n - 1].end.people;
	recounting.told = new_zeros(int32, recounting.npeople);
	recounting.writer = writer_open(table, false);
	path_blocks_visit(&blocks, false, recount_block, &recounting);
	writer_close(recounting.writer);
	for (uint32 b = 0; b < blocks.n; b++)
		delete_rows(table, &blocks.place[b].tid, 1);
}
