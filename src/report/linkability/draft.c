/*
 * draft.c
 *		A release that is not published yet, behind those that are.
 *
 * NOTES
 *		Its cells are the values themselves: so whoever is known to have changed
 *		in any release that could be made of these rows is known to have changed.
 */
#include "report/linkability/reading.h"

#include "frame/arrays.h"
#include "frame/print.h"
#include "miscadmin.h"
#include "utils/memutils.h"

/* The numbers of a plain column's codes. */
static uint32 *
numbers_of(Dictionary *dictionary, const PlainColumn *plain)
{
	uint32	   *number = new_zeros(uint32, plain->ncodes);

	for (Code code = 0; code < plain->ncodes; code++)
		number[code] = dictionary_number(dictionary, plain->values[code], false);
	return number;
}

static uint32 *
cells_of_codes(Cells *cells, const Coding *coding)
{
	uint32	   *number = new_zeros(uint32, coding->domain->size);

	for (Code code = 0; code < coding->domain->size; code++)
	{
		bool		isnull;
		Datum		printed = print_cell(coding, span_of(code), &isnull);

		number[code] = cells_number(cells, printed, isnull);
	}
	return number;
}

static void
fill_column(uint32 *column, const uint32 *number, const Code *code, uint64 nrows)
{
	for (uint64 row = 0; row < nrows; row++)
		column[row] = code[row] == NO_CODE ? DICTIONARY_NULL : number[code[row]];
}

/* Newcomers get threads behind all that are known. */
static Thread *
find_threads(Reading *reading, const LoadedFrame *loaded)
{
	Recalled   *recalled = reading->recalled;
	uint64		nrows = loaded->frame.nrows;
	Thread	   *thread = new_zeros(Thread, nrows);

	if (recalled->seen.nthreads != recalled->people->size)
		elog(ERROR, "releases without classes have invented rows");
	for (uint64 row = 0; row < nrows; row++)
		thread[row] = keys_add(recalled->people, loaded->keys[row]);
	recalled->seen.nthreads = recalled->people->size;
	return thread;
}

/* What the log will tell of it; values are numbers yet. */
static SeenRelease *
seen_draft(Reading *reading, const LoadedFrame *loaded, Thread *thread)
{
	uint64		nrows = loaded->frame.nrows;
	SeenRelease *seen = palloc0(sizeof(SeenRelease));

	seen->nclasses = 1;
	seen->number = palloc(sizeof(int64));
	seen->number[0] = 1;
	seen->first = new_zeros(uint64, 1);
	seen->first[1] = nrows;
	seen->thread = thread;
	seen->counterfeit = new_zeros(bool, nrows);
	seen->fingerprint = loaded->fingerprint;
	seen->value = new_zeros(Code, nrows);
	fill_column(seen->value, numbers_of(reading->recalled->dictionary, &loaded->sensitive), loaded->sensitive.code, nrows);
	return seen;
}

static void
show_columns(Reading *reading, ReadRelease *release, const LoadedFrame *loaded)
{
	uint64		nrows = loaded->frame.nrows;
	int			n = 0;
	int			insensitive = 0;

	for (uint64 row = 0; row < nrows; row++)
		(void) add_read_row(reading, release);
	for (int q = 0; q < reading->nqis; q++)
		if (release->cell[q] != NULL)
		{
			fill_column(release->cell[q], cells_of_codes(reading->cells[q], loaded->codings[n]), loaded->frame.code[n], nrows);
			n++;
		}
	for (int i = 0; i < reading->ninsensitive; i++)
		if (release->insensitive[i] != NULL)
		{
			const PlainColumn *plain = &loaded->insensitive[insensitive++];

			fill_column(release->insensitive[i], numbers_of(reading->insensitive[i], plain), plain->code, nrows);
		}
	if (release->value != NULL)
		memcpy(release->value, release->seen->value, sizeof(Code) * nrows);
}

void
read_draft(Reading *reading, const LoadedFrame *loaded)
{
	const DeclaredPublication *publication = reading->publication;
	ReadRelease *release = &reading->release[reading->nreleases++];
	Released   *released = palloc0(sizeof(Released));
	Thread	   *thread = find_threads(reading, loaded);

	released->number = release->number = publication->releases + 1;
	released->is_identified = true;
	released->shown = loaded->shown;
	released->shows_sensitive = loaded->shown[publication_column(publication, ROLE_SENSITIVE) - publication->columns];
	release->released = released;
	release->seen = seen_draft(reading, loaded, thread);
	release->is_logged = release->is_draft = true;
	begin_read_release(reading, release);
	show_columns(reading, release, loaded);
	release->thread = thread;
}

void
code_draft(ReadRelease *release, const Code *code)
{
	for (uint64 i = 0; i < release->nrows; i++)
		release->seen->value[i] = code[release->seen->value[i]];
}
