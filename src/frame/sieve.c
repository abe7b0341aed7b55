/*
 * sieve.c
 *		Leaving out rows that cannot be shown.
 *
 * NOTES
 *		An answer must not tell of a single row that something is wrong with it.
 *		Who is left out is as good as not in the source: neither shown, nor of
 *		any help to others, and still remembered.
 */
#include "frame/loading.h"

#include "utils/memutils.h"

/* Values that no cell can hold. */
static void
mark_uncodable(const FrameLoad *load, const LoadingColumn *column, uint64 from, bool *is_out)
{
	Uncodable	uncodable;
	Code	   *code;

	(void) code_column(column->column, column->dictionary, false, &code, &uncodable);
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

void
sieve_rows(FrameLoad *load, uint64 from)
{
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "sieve", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old;
	uint64		repeated = keys_index(load->keys);
	uint64		before = load->nrows;
	bool	   *is_out;

	old = MemoryContextSwitchTo(work);
	is_out = palloc_extended(sizeof(bool) * (load->nrows + 1), MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
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
	keys_forget_index(load->keys);
	(void) keys_index(load->keys);
}
