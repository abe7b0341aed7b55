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

/* Adds a person with those rows of one value that another has, too, or lacks, if there are any. */
static void
add_person(Changes *changes, Code value, Code other, bool has_too)
{
	const Aspects *of = changes->of;
	uint64		first = rows_begin(of->first, other);
	bool	   *is_met = new_zeros(bool, count_rows(of, other));
	uint64		end = changes->first[changes->npeople];

	for (uint64 row = rows_begin(of->first, value); row < rows_end(of->first, value); row++)
	{
		uint64		equal = first;

		while (equal < rows_end(of->first, other) && (is_met[equal - first] || !are_equal_rows(of, row, equal)))
			equal++;
		if (equal < rows_end(of->first, other))
			is_met[equal - first] = true;
		if ((equal < rows_end(of->first, other)) != has_too)
			continue;
		for (int a = 0; a < of->n; a++)
			changes->code[a][end] = of->aspect[a].code[row];
		end++;
	}
	if (end > changes->first[changes->npeople])
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

/* Is a person known to have got rows?  Of a sample that changes nobody knows which rows came, but whose they are. */
static bool
has_more(const Aspects *aspects, Code before, Code after)
{
	uint64		rows = count_rows(aspects, before);
	uint64		rows_now = count_rows(aspects, after);

	return rows_now > rows || (before != after && Max(rows, rows_now) >= aspects->most);
}

typedef enum Which
{
	ROWS_KEPT,
	ROWS_CAME,
	ROWS_CAME_FOR_CERTAIN		/* to people who are known to have got some */
} ChangedRows;

/* Are the rows that people kept, or that came to them, allowed by themselves? */
static bool
are_a_set(const Principle *principle, const Aspects *aspects, const Code *before, const Code *after, uint64 n, ChangedRows which)
{
	Changes		changes;
	uint64		rows = 0;

	for (uint64 i = 0; i < n; i++)
		rows += count_rows(aspects, after[i]);
	changes = changes_create(aspects, n, rows);
	for (uint64 i = 0; i < n; i++)
		if (which != ROWS_CAME_FOR_CERTAIN || has_more(aspects, before[i], after[i]))
			add_person(&changes, after[i], before[i], which == ROWS_KEPT);
	return allows_alone(principle, &changes);
}

bool
changes_are_allowed(const Principle *principle, const Aspects *aspects, const Code *before, const Code *after, uint64 n)
{
	MemoryContext work;
	MemoryContext old;
	bool		allowed;

	if (!has_row_values(aspects) || memcmp(before, after, sizeof(Code) * n) == 0)
		return true;
	work = AllocSetContextCreate(CurrentMemoryContext, "changed rows", ALLOCSET_SMALL_SIZES);
	old = MemoryContextSwitchTo(work);
	allowed = are_a_set(principle, aspects, before, after, n, ROWS_KEPT);
	/* Rows that went are those that came, looked at backward. */
	for (ChangedRows which = ROWS_CAME; which <= ROWS_CAME_FOR_CERTAIN && allowed; which++)
		allowed = are_a_set(principle, aspects, before, after, n, which) && are_a_set(principle, aspects, after, before, n, which);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(work);
	return allowed;
}
