/*
 * past.c
 *		Companies, and what classes of the past showed.
 *
 * NOTES
 *		A company that was there in the release that was looked at before is found by
 *		the last one of each of its people.  One that comes again after its people
 *		were parted is a company of its own: that costs a little, and changes nothing.
 */
#include "postgres.h"

#include <math.h>

#include "frame/arrays.h"
#include "history/past.h"
#include "miscadmin.h"

/* ----------------------------------------------------------------
 * Companies
 * ----------------------------------------------------------------
 */

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
	array_reserve(finder->first, finder->allocated, 64);
	finder->first[0] = 0;
	array_reserve(finder->rows, finder->rows_allocated, 64);
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
	array_reserve(finder->first, finder->allocated, *ncompanies + 1);
	array_reserve(finder->rows, finder->rows_allocated, at + n);
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

/* ----------------------------------------------------------------
 * Values of classes
 * ----------------------------------------------------------------
 */

/* Counts the protected values of a class; count[] is all zeros before and after. */
static void
count_class(ShownClasses *shown, const Paths *paths, const Frame *frame, uint32 c, uint32 *count)
{
	ShownClass *class = &shown->class[c];
	ShownValue *value = shown->value + class->first;
	uint32		most = 0;

	for (uint64 i = paths->first_value[c]; i < paths->first_value[c + 1]; i++)
	{
		uint64		n;
		const Code *own = single_values(frame->aspects, &paths->value[i], &n);

		for (uint64 j = 0; j < n; j++)
			if (is_protected(frame, own[j]) && count[own[j]]++ == 0)
				value[class->nvalues++].value = own[j];
	}
	for (uint32 i = 0; i < class->nvalues; i++)
	{
		value[i].count = Min(count[value[i].value], class->size);
		most = Max(most, value[i].count);
		count[value[i].value] = 0;
	}
	class->worst = log1p(-(double) most / class->size);
}

ShownClasses
shown_classes(const Paths *paths, const Frame *frame)
{
	ShownClasses shown = {
		.class = new_array(ShownClass, paths->nclasses),
		.value = new_array(ShownValue, count_single_values(frame->aspects, paths->value, paths->first_value[paths->nclasses])),
	};
	uint32	   *count = new_zeros(uint32, single_codes(frame->aspects, frame->nsensitive));
	uint64		first = 0;

	for (uint32 c = 0; c < paths->nclasses; c++)
	{
		if (c % 4096 == 0)
			CHECK_FOR_INTERRUPTS();
		shown.class[c] = (ShownClass) {.first = first, .size = paths_size(paths, c)};
		count_class(&shown, paths, frame, c, count);
		first += shown.class[c].nvalues;
	}
	pfree(count);
	return shown;
}

uint32
times_shown(const ShownClasses *shown, uint32 class, Code value)
{
	const ShownValue *first = shown->value + shown->class[class].first;

	for (uint32 i = 0; i < shown->class[class].nvalues; i++)
		if (first[i].value == value)
			return first[i].count;
	return 0;
}

void
shown_free(ShownClasses *shown)
{
	pfree(shown->class);
	pfree(shown->value);
}
