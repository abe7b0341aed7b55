/*
 * companies.c
 *		Gathering sets of people, each once.
 *
 * NOTES
 *		A set that was there in the release that was looked at before is found by
 *		the last set of each of its people.  One that comes again after its people
 *		were parted is a set of its own: that costs a little, and changes nothing.
 */
#include "postgres.h"

#include "frame/arrays.h"
#include "history/companies.h"
#include "utils/memutils.h"

#define NO_COMPANY PG_UINT32_MAX

struct CompanyFinder
{
	Companies	companies;
	uint64		nrows;
	uint32	   *latest;			/* [rows] the company that a person was put into last */
	uint64	   *first;			/* [companies + 1] into rows */
	uint32		allocated;
	RowId	   *rows;
	uint64		rows_allocated;
};

CompanyFinder *
companies_begin(uint64 nrows)
{
	CompanyFinder *finder = palloc0(sizeof(CompanyFinder));

	finder->nrows = nrows;
	finder->latest = new_array(uint32, nrows);
	memset(finder->latest, 0xff, sizeof(uint32) * nrows);	/* NO_COMPANY */
	finder->companies.releases = new_zeros(uint32, nrows);
	finder->allocated = 64;
	finder->first = new_array(uint64, finder->allocated);
	finder->first[0] = 0;
	finder->rows_allocated = 64;
	finder->rows = new_array(RowId, finder->rows_allocated);
	return finder;
}

void
companies_count(CompanyFinder *finder, RowId row)
{
	finder->companies.releases[row]++;
}

/* Returns whether the rows are exactly the members of the company that each was put into last. */
static bool
is_latest(const CompanyFinder *finder, const RowId *rows, uint32 n)
{
	uint32		latest = finder->latest[rows[0]];

	if (latest == NO_COMPANY || finder->first[latest + 1] - finder->first[latest] != n)
		return false;
	for (uint32 i = 1; i < n; i++)
		if (finder->latest[rows[i]] != latest)
			return false;
	return true;
}

void
companies_add(CompanyFinder *finder, const RowId *rows, uint32 n)
{
	uint32	   *ncompanies = &finder->companies.n;
	uint64		at = finder->first[*ncompanies];

	if (n == 0 || is_latest(finder, rows, n))
		return;
	if (*ncompanies == finder->allocated)
	{
		finder->allocated *= 2;
		finder->first = repalloc_huge(finder->first, sizeof(uint64) * ((Size) finder->allocated + 1));
	}
	if (at + n > finder->rows_allocated)
	{
		finder->rows_allocated = Max(finder->rows_allocated * 2, at + n);
		finder->rows = repalloc_huge(finder->rows, sizeof(RowId) * finder->rows_allocated);
	}
	for (uint32 i = 0; i < n; i++)
	{
		finder->rows[at + i] = rows[i];
		finder->latest[rows[i]] = *ncompanies;
	}
	finder->first[++*ncompanies] = at + n;
}

/* By rows, where they were found by companies. */
const Companies *
companies_end(CompanyFinder *finder)
{
	Companies  *companies = &finder->companies;
	uint64	   *end = new_array(uint64, finder->nrows);
	uint64		n = finder->first[companies->n];

	companies->first = new_zeros(uint64, finder->nrows);
	companies->company = new_array(uint32, n);
	for (uint64 i = 0; i < n; i++)
		companies->first[finder->rows[i] + 1]++;
	for (uint64 row = 0; row < finder->nrows; row++)
	{
		end[row] = companies->first[row];
		companies->first[row + 1] += companies->first[row];
	}
	for (uint32 c = 0; c < companies->n; c++)
		for (uint64 i = finder->first[c]; i < finder->first[c + 1]; i++)
			companies->company[end[finder->rows[i]]++] = c;
	pfree(end);
	pfree(finder->latest);
	pfree(finder->first);
	pfree(finder->rows);
	return companies;
}
