/*
 * changed_rows.c
 *		Rows that came to people, or went, as a set of their own.
 */
#include "postgres.h"

#include "frame/arrays.h"
#include "partition/changed_rows.h"
#include "utils/memutils.h"

/* People, with the rows that one value of theirs has and another does not. */
typedef struct Changes
{
	const Aspects *of;
	Aspects		aspects;		/* each person is a value */
	Code		npeople;
	uint64	   *first;			/* [npeople + 1] */
	Code	  **code;			/* [aspects][first[npeople]] */
} Changes;

/* Room for n people with so many rows, and nobody yet. */
static Changes
changes_create(const Aspects *of, uint64 n, uint64 nrows)
{
	Changes		changes = {.of = of, .first = new_zeros(uint64, n), .code = new_array(Code *, of->n)};
	Aspect	   *aspect = new_array(Aspect, of->n);

	for (int a = 0; a < of->n; a++)
	{
		changes.code[a] = new_array(Code, nrows);
		aspect[a] = of->aspect[a];
		aspect[a].code = changes.code[a];
	}
	changes.aspects = (Aspects) {.n = of->n, .aspect = aspect, .first = changes.first};
	return changes;
}

static uint64
count_rows(const Aspects *aspects, Code value)
{
	return rows_end(aspects->first, value) - rows_begin(aspects->first, value);
}

static bool
are_equal_rows(const Aspects *aspects, uint64 a, uint64 b)
{
	bool		equal = true;

	for (int i = 0; i < aspects->n; i++)
		equal &= aspects->aspect[i].code[a] == aspects->aspect[i].code[b];
	return equal;
}

/* Adds a person with the rows of one value that another value lacks. */
static void
add_person(Changes *changes, Code more, Code less)
{
	const Aspects *of = changes->of;
	bool	   *is_met = new_zeros(bool, count_rows(of, less));
	uint64		end = changes->first[changes->npeople];

	for (uint64 row = rows_begin(of->first, more); row < rows_end(of->first, more); row++)
	{
		uint64		begin = rows_begin(of->first, less);
		uint64		other = begin;

		while (other < rows_end(of->first, less) && (is_met[other - begin] || !are_equal_rows(of, row, other)))
			other++;
		if (other < rows_end(of->first, less))
		{
			is_met[other - begin] = true;
			continue;
		}
		for (int a = 0; a < of->n; a++)
			changes->code[a][end] = of->aspect[a].code[row];
		end++;
	}
	if (end > changes->first[changes->npeople]) /* a release made elsewhere may have shown more rows than a sample has */
		changes->first[++changes->npeople] = end;
	pfree(is_met);
}

/* Nobody's rows, or a set that is allowed. */
static bool
allows_alone(const Principle *principle, const Changes *changes)
{
	Principle	alone;
	Tally	   *tally;

	if (changes->npeople == 0)
		return true;
	if (changes->npeople < principle->k || principle_compares(principle))
		return false;
	alone = principle_bound(principle, changes->npeople, &changes->aspects);
	tally = tally_create(changes->npeople);
	for (Code person = 0; person < changes->npeople; person++)
		tally_add(tally, person);
	return principle_allows(&alone, tally);
}

bool
changes_are_allowed(const Principle *principle, const Aspects *aspects, const Code *before, const Code *after, uint64 n)
{
	MemoryContext work;
	MemoryContext old;
	Changes		came;
	Changes		went;
	uint64		nbefore = 0;
	uint64		nafter = 0;
	bool		allowed;

	if (aspects == NULL || aspects->first == NULL)
		return true;
	for (uint64 i = 0; i < n; i++)
	{
		nbefore += count_rows(aspects, before[i]);
		nafter += count_rows(aspects, after[i]);
	}
	work = AllocSetContextCreate(CurrentMemoryContext, "changed rows", ALLOCSET_SMALL_SIZES);
	old = MemoryContextSwitchTo(work);
	came = changes_create(aspects, n, nafter);
	went = changes_create(aspects, n, nbefore);
	for (uint64 i = 0; i < n; i++)
	{
		uint64		rows = count_rows(aspects, before[i]);
		uint64		rows_now = count_rows(aspects, after[i]);

		/* A sample changes where none of its rows is known to have come, and whose it is that others came to is known. */
		if (rows_now > rows || (rows_now >= aspects->most && after[i] != before[i]))
			add_person(&came, after[i], before[i]);
		if (rows_now < rows || (rows_now >= aspects->most && after[i] != before[i]))
			add_person(&went, before[i], after[i]);
	}
	allowed = allows_alone(principle, &came) && allows_alone(principle, &went);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(work);
	return allowed;
}
