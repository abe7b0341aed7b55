/*
 * test_separation.c
 *		Shares of pairs and of tuples against all pairs; the search against all sets.
 */
#include "shim.h"

#include <math.h>

#include "audit/separation.h"

#define MOST_ROWS 120
#define MOST_COLUMNS 7

typedef struct Rows
{
	uint32		nrows;
	int			ncolumns;
	uint32		code[MOST_COLUMNS][MOST_ROWS];
	const uint32 *column[MOST_COLUMNS];
} Rows;

static Rows *
make_rows(void)
{
	Rows	   *rows = palloc0(sizeof(Rows));

	rows->nrows = any_below(MOST_ROWS);
	rows->ncolumns = 1 + any_below(MOST_COLUMNS);
	for (int c = 0; c < rows->ncolumns; c++)
	{
		uint32		values = 1 + any_below(any_below(3) == 0 ? 60 : 6);

		rows->column[c] = rows->code[c];
		for (uint32 row = 0; row < rows->nrows; row++)
			rows->code[c][row] = any_below(values);
	}
	return rows;
}

static bool
differ(const Rows *rows, uint32 set, uint32 a, uint32 b)
{
	for (int c = 0; c < rows->ncolumns; c++)
		if ((set >> c & 1) != 0 && rows->code[c][a] != rows->code[c][b])
			return true;
	return false;
}

/* All pairs of rows. */
static Separation
plain_separation(const Rows *rows, uint32 set)
{
	Separation	result = {0};
	uint64		differing = 0;

	for (uint32 a = 0; a < rows->nrows; a++)
	{
		bool		is_first = true;
		bool		is_alone = true;

		for (uint32 b = 0; b < rows->nrows; b++)
		{
			bool		d = differ(rows, set, a, b);

			differing += b > a && d;
			is_first &= b >= a || d;
			is_alone &= b == a || d;
		}
		result.distinct += is_first;
		result.alone += is_alone;
	}
	result.separation = rows->nrows < 2 ? NAN : differing / (rows->nrows * (rows->nrows - 1) / 2.0);
	return result;
}

static Separation
separation(const Rows *rows, uint32 set)
{
	RowGroups	groups = groups_of_all(rows->nrows);

	for (int c = 0; c < rows->ncolumns; c++)
		if ((set >> c & 1) != 0)
			groups = groups_parted(&groups, rows->column[c]);
	return groups_separation(&groups);
}

static void
pairs_are_counted(void)
{
	for (int i = 0; i < 200; i++)
	{
		Rows	   *rows = make_rows();
		uint32		set = any_below(1 << rows->ncolumns);
		Separation	found = separation(rows, set);
		Separation	expected = plain_separation(rows, set);

		check(found.distinct == expected.distinct && found.alone == expected.alone);
		check(isnan(expected.separation) ? isnan(found.separation) : fabs(found.separation - expected.separation) < 1e-12);
		check(rows->nrows == 0 ? isnan(found.distinction) :
			  fabs(found.distinction - (double) expected.distinct / rows->nrows) < 1e-12);
	}
}

/* Sets of up to MOST_IN_SET columns that single out more, none of whose subsets does. */
static int
count_minimal(const Rows *rows, double threshold)
{
	int			n = 0;

	for (uint32 set = 1; set < 1U << rows->ncolumns; set++)
	{
		bool		is_minimal = __builtin_popcount(set) <= MOST_IN_SET && separation(rows, set).alone_share > threshold;

		for (uint32 part = (set - 1) & set; part != 0 && is_minimal; part = (part - 1) & set)
			is_minimal = !(separation(rows, part).alone_share > threshold);
		n += is_minimal;
	}
	return n;
}

static void
smallest_sets_are_found(void)
{
	for (int i = 0; i < 60; i++)
	{
		Rows	   *rows = make_rows();
		SetSearch	search = {
			.code = rows->column, .ncolumns = rows->ncolumns, .nrows = rows->nrows, .nfirst = rows->nrows,
			.threshold = any_below(40) / 100.0, .most_tried = 10000, .most_verified = 0
		};

		search_sets(&search);
		check(search.is_whole && search.nsets == count_minimal(rows, search.threshold));
		for (int s = 0; s < search.nsets; s++)
		{
			uint32		set = 0;

			for (int j = 0; j < search.set[s].n; j++)
				set |= 1U << search.set[s].column[j];
			check(separation(rows, set).alone == search.set[s].separation.alone);
			check(s == 0 || search.set[s - 1].n <= search.set[s].n);
		}
	}
}

/* A search that stops says so; one that begins with a part of the rows keeps only what holds of all. */
static void
searches_are_bounded(void)
{
	for (int i = 0; i < 60; i++)
	{
		Rows	   *rows = make_rows();
		SetSearch	search = {
			.code = rows->column, .ncolumns = rows->ncolumns, .nrows = rows->nrows, .nfirst = rows->nrows / 2,
			.threshold = 0.1, .most_tried = any_below(30), .most_verified = any_below(10)
		};

		search_sets(&search);
		check(search.tried <= search.most_tried && search.verified <= search.most_verified);
		for (int s = 0; s < search.nsets; s++)
			check(search.set[s].separation.alone_share > 0.1 && search.set[s].separation.alone <= rows->nrows);
	}
}

static const Test tests[] = {
	{"pairs of rows are counted", pairs_are_counted},
	{"the smallest sets are found, and no others", smallest_sets_are_found},
	{"searches are bounded", searches_are_bounded},
};

RUN(tests)
