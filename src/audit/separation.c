/*
 * separation.c
 *		Groups of rows, and the search for small sets of columns.
 *
 * NOTES
 *		A group is parted by hashing its number with one code, so that a set costs one pass over the rows more than the
 *		set before it without the last column.  Pairs of rows are counted, never visited.
 */
#include "audit/separation.h"

#include <math.h>

#include "frame/arrays.h"
#include "frame/tuple_numbers.h"
#include "miscadmin.h"

/* ----------------------------------------------------------------
 * Groups
 * ----------------------------------------------------------------
 */

RowGroups
groups_of_all(uint32 nrows)
{
	return (RowGroups) {.nrows = nrows, .ngroups = nrows > 0, .group = new_zeros(uint32, nrows)};
}

RowGroups
groups_parted(const RowGroups *groups, const uint32 *code)
{
	RowGroups	parted = {.nrows = groups->nrows, .group = new_array(uint32, groups->nrows)};
	TupleNumbers *tuples = tuple_numbers_create(2);

	for (uint32 row = 0; row < groups->nrows; row++)
	{
		uint32		word[2] = {groups->group[row], code[row]};

		if (row % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		parted.group[row] = tuple_number(tuples, word, 2);
	}
	parted.ngroups = tuples->n;
	tuple_numbers_free(tuples);
	return parted;
}

void
groups_free(RowGroups *groups)
{
	pfree(groups->group);
}

Separation
groups_separation(const RowGroups *groups)
{
	uint32	   *rows = new_zeros(uint32, groups->ngroups);
	Separation	result = {.distinct = groups->ngroups, .separation = NAN, .distinction = NAN, .alone_share = NAN};
	double		together = 0;

	for (uint32 row = 0; row < groups->nrows; row++)
		rows[groups->group[row]]++;
	for (uint32 g = 0; g < groups->ngroups; g++)
	{
		result.alone += rows[g] == 1;
		together += (double) rows[g] * (rows[g] - 1);
	}
	pfree(rows);
	if (groups->nrows > 0)
	{
		result.distinction = (double) groups->ngroups / groups->nrows;
		result.alone_share = (double) result.alone / groups->nrows;
	}
	if (groups->nrows > 1)
		result.separation = 1 - together / ((double) groups->nrows * (groups->nrows - 1));
	return result;
}

/* ----------------------------------------------------------------
 * The search
 * ----------------------------------------------------------------
 */

/* Does the set hold one that was found?  Its last column is where it may have come to do so. */
static bool
holds_found(const SetSearch *search, const ColumnSet *set)
{
	for (int s = 0; s < search->nsets; s++)
	{
		const ColumnSet *found = &search->set[s];
		int			common = 0;

		for (int i = 0; i < found->n; i++)
			for (int j = 0; j < set->n; j++)
				common += found->column[i] == set->column[j];
		if (common == found->n)
			return true;
	}
	return false;
}

/* The figures of a set on all rows. */
static Separation
separation_of_set(const SetSearch *search, const ColumnSet *set)
{
	RowGroups	groups = groups_of_all(search->nrows);
	Separation	separation;

	for (int i = 0; i < set->n; i++)
	{
		RowGroups	parted = groups_parted(&groups, search->code[set->column[i]]);

		groups_free(&groups);
		groups = parted;
	}
	separation = groups_separation(&groups);
	groups_free(&groups);
	return separation;
}

/* Looks at a set whose groups of the first rows are known; keeps it if it singles out too many of all. */
static void
look_at_set(SetSearch *search, ColumnSet *set, const RowGroups *groups)
{
	set->separation = groups_separation(groups);
	search->tried++;
	if (!(set->separation.alone_share > search->threshold))
		return;
	if (search->nfirst < search->nrows)
	{
		if (search->verified == search->most_verified)
		{
			search->is_whole = false;
			return;
		}
		search->verified++;
		set->separation = separation_of_set(search, set);
		if (!(set->separation.alone_share > search->threshold))
			return;
	}
	array_reserve(search->set, search->nallocated, search->nsets + 1);
	search->set[search->nsets++] = *set;
}

/* Tries all sets of some size that begin with these columns, whose groups of the first rows are given. */
static void
try_sets(SetSearch *search, const ColumnSet *set, const RowGroups *groups, int size)
{
	for (int column = set->n == 0 ? 0 : set->column[set->n - 1] + 1; column < search->ncolumns; column++)
	{
		ColumnSet	larger = *set;
		RowGroups	parted;

		CHECK_FOR_INTERRUPTS();
		larger.column[larger.n++] = column;
		if (holds_found(search, &larger))
			continue;
		if (search->tried == search->most_tried)
		{
			search->is_whole = false;
			return;
		}
		parted = groups_parted(groups, search->code[column]);
		if (larger.n == size)
			look_at_set(search, &larger, &parted);
		else
			try_sets(search, &larger, &parted, size);
		groups_free(&parted);
	}
}

/* Puts smaller sets first, and then those that single out more. */
static int
compare_sets(const void *a, const void *b)
{
	const ColumnSet *x = a;
	const ColumnSet *y = b;

	if (x->n != y->n)
		return x->n < y->n ? -1 : 1;
	if (x->separation.alone != y->separation.alone)
		return x->separation.alone > y->separation.alone ? -1 : 1;
	return memcmp(x->column, y->column, sizeof(x->column));
}

void
search_sets(SetSearch *search)
{
	RowGroups	all = groups_of_all(Min(search->nfirst, search->nrows));

	search->is_whole = true;
	for (int size = 1; size <= Min(MOST_IN_SET, search->ncolumns); size++)
		try_sets(search, &(ColumnSet) {.n = 0}, &all, size);
	groups_free(&all);
	if (search->nsets > 1)
		qsort(search->set, search->nsets, sizeof(ColumnSet), compare_sets);
}
