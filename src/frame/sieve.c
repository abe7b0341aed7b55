/*
 * sieve.c
 *		Leaving out rows that cannot be shown.
 *
 * NOTES
 *		An answer must not tell of a single row that something is wrong with it.
 *		Who is left out is as good as not in the source: neither shown, nor of
 *		any help to others, and still remembered.  So the values that nobody else
 *		has must go, too: of the sensitive ones rows are invented, and of the
 *		others the domains are made.
 */
#include "frame/loading.h"

#include "frame/arrays.h"
#include "utils/memutils.h"

/* Values that no cell can hold. */
static void
mark_uncodable(const FrameLoad *load, const LoadingColumn *column, uint64 from, bool *is_out)
{
	Uncodable	uncodable;
	Code	   *code;

	(void) code_column(column->column, column->tree, column->dictionary, false, &code, &uncodable);
	for (uint64 row = from; row < load->nrows && uncodable.reason != NULL; row++)
		is_out[row] |= column->number[row] != DICTIONARY_NULL && code[column->number[row]] == NO_CODE;
}

/* Nobody can say which of two rows is the person's. */
static void
mark_repeated(const FrameLoad *load, uint64 from, bool *is_out)
{
	for (uint64 row = from; row < load->nrows; row++)
	{
		uint32		first = keys_find(load->keys, load->keys->keys[row]);

		if (first == row)
			continue;
		is_out[row] = true;
		if (first >= from)
			is_out[first] = true;
	}
}

static void
leave_out(FrameLoad *load, uint64 from, const bool *is_out)
{
	uint64		kept = from;

	for (uint64 row = from; row < load->nrows; row++)
	{
		if (is_out[row])
			continue;
		load->keys->keys[kept] = load->keys->keys[row];
		for (int i = 0; i < load->ncolumns; i++)
			if (load->columns[i].dictionary != NULL)
				load->columns[i].number[kept] = load->columns[i].number[row];
		kept++;
	}
	load->nrows = load->keys->size = kept;
}

/* Numbers the values anew that are left. */
static void
forget_values(FrameLoad *load, LoadingColumn *column)
{
	Dictionary *old = column->dictionary;
	uint32	   *number = new_zeros(uint32, dictionary_size(old));
	MemoryContext work = MemoryContextSwitchTo(load->context);

	column->dictionary = dictionary_create(column->column->type);
	MemoryContextSwitchTo(work);
	for (uint64 row = 0; row < load->nrows; row++)
	{
		uint32		before = column->number[row];

		if (before != DICTIONARY_NULL && number[before] == DICTIONARY_NULL)
			number[before] = dictionary_number(column->dictionary, dictionary_value(old, before), false);
		column->number[row] = number[before];
	}
	pfree(number);
}

/* Of helpers, sensitive values may stay: the past knows them by their numbers, and where there are helpers nothing is invented. */
static void
forget_all_values(FrameLoad *load, uint64 from)
{
	for (int i = 0; i < load->ncolumns; i++)
		if (load->columns[i].dictionary != NULL &&
			(from == 0 || load->columns[i].column->role != ROLE_SENSITIVE))
			forget_values(load, &load->columns[i]);
}

void
sieve_rows(FrameLoad *load, uint64 from)
{
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "sieve", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old;
	uint64		repeated = keys_index(load->keys);
	uint64		before = load->nrows;
	bool	   *is_out;

	old = MemoryContextSwitchTo(work);
	is_out = new_zeros(bool, load->nrows);
	for (int i = 0; i < load->ncolumns; i++)
		if (load->columns[i].column->role == ROLE_QUASI_IDENTIFIER)
			mark_uncodable(load, &load->columns[i], from, is_out);
	if (repeated > 0)
		mark_repeated(load, from, is_out);
	MemoryContextSwitchTo(old);
	leave_out(load, from, is_out);
	MemoryContextDelete(work);
	if (load->nrows == before)
		return;
	forget_all_values(load, from);
	keys_forget_index(load->keys);
	(void) keys_index(load->keys);
}
