/*
 * crowds.c
 *		Comparing, adding and subtracting the sensitive values that releases show.
 *
 * NOTES
 *		Comparing the values of two releases gives those of the people who came in
 *		between, and of those who left (paper 000, section 6, asks the first
 *		only).  No cell can hide that.  A person with another value than before has
 *		left with the one, and come with the other.
 *
 *		A group is of those who were in the same of the releases that show values,
 *		with the same value.  A release shows the sum of its groups, so an
 *		observer who knows who was there when adds and subtracts releases until one
 *		group is left: its values are found.  Two releases are not all that it takes; of
 *		those who were there in spring and not in summer, one was there in winter.
 *
 *		Which groups can be left follows from Gauss' elimination: releases are rows,
 *		groups columns.  A group alone is a sum of rows where, in the end, one has no
 *		other column.  It is done modulo a prime, where nothing is rounded.
 */
#include "method/sequential/sql/sequential_sql.h"

#include "frame/arrays.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#define NOT_THERE	(NO_CODE - 1)
#define PRIME UINT64CONST(2147483647)

/* ----------------------------------------------------------------
 * Two releases
 * ----------------------------------------------------------------
 */

/* The value with which the log has each person in a release: [individuals] NO_CODE for NULL, or NOT_THERE. */
static Code *
values_in(const Reading *reading, const ReadRelease *release)
{
	const SeenRelease *seen = release->seen;
	uint64		nindividuals = reading->recalled->seen.nindividuals;
	Code	   *value = new_zeros(Code, nindividuals);

	for (uint64 i = 0; i < nindividuals; i++)
		value[i] = NOT_THERE;
	for (uint64 i = 0; i < seen->first[seen->nclasses]; i++)
		value[seen->individual[i]] = seen->value[i];
	return value;
}

/* Counts those who have other values than in another release, or are not there; returns how many they are. */
static uint64
count_others(const Reading *reading, const Code *value, const Code *other, uint64 *count)
{
	uint64		n = 0;

	memset(count, 0, sizeof(uint64) * reading->nvalues);
	for (uint64 i = 0; i < reading->recalled->seen.nindividuals; i++)
	{
		if (value[i] == NOT_THERE || value[i] == other[i])
			continue;
		n++;
		if (value[i] != NO_CODE)
			count[value[i]]++;
	}
	return n;
}

/* The values of those who came, or left, between two releases would be told by the difference. */
static void
refuse_crowd(const Reading *reading, uint64 n, bool came, int32 since)
{
	ereport(ERROR,
			(errcode(ERRCODE_NO_DATA_FOUND),
			 came ? errmsg("people who have come to publication \"%s\" would be found by comparing releases", reading->publication->name)
			 : errmsg("people who have left publication \"%s\" would be found by comparing releases", reading->publication->name),
			 errdetail("The sensitive values of " UINT64_FORMAT " row(s) differ from release %d, and are too few, or too much alike, for what was promised.",
					   n, since),
			 errhint("Publish when there are more of them, or without the sensitive column.")));
}

void
verify_crowds(const Reading *reading, const int64 *params)
{
	const ReadRelease *draft = &reading->release[reading->nreleases - 1];
	int32		r = reading->nreleases - 2;
	Code	   *before;
	Code	   *now;
	uint64	   *count;
	uint64		n;

	while (r >= 0 && reading->release[r].value == NULL)
		r--;
	if (r < 0 || draft->value == NULL)
		return;
	before = values_in(reading, &reading->release[r]);
	now = values_in(reading, draft);
	count = new_zeros(uint64, reading->nvalues);
	n = count_others(reading, now, before, count);
	if (n > 0 && !sequential_is_crowd(params, count, reading->null_value))
		refuse_crowd(reading, n, true, reading->release[r].number);
	n = count_others(reading, before, now, count);
	if (n > 0 && !sequential_is_crowd(params, count, reading->null_value))
		refuse_crowd(reading, n, false, reading->release[r].number);
	pfree(before);
	pfree(now);
	pfree(count);
}

/* ----------------------------------------------------------------
 * Sums of all
 * ----------------------------------------------------------------
 */

/* A person, as long as he has one value. */
typedef struct Stay
{
	const uint8 *there;			/* [releases] */
	Code		value;
} Stay;

typedef struct Groups
{
	int32		nreleases;
	Code	  **value;			/* [releases] of individuals */
	uint64		nstays;
	Stay	   *stays;			/* group by group */
	uint64		n;
	uint64	   *first;			/* [n + 1] stays */
	uint32	   *matrix;			/* [releases * n] */
} Groups;

/* ----------------------------------------------------------------
 * Groups
 * ----------------------------------------------------------------
 */

static void
read_values(Groups *groups, const Reading *reading)
{
	groups->value = new_zeros(Code *, reading->nreleases);
	for (int32 r = 0; r < reading->nreleases; r++)
		if (reading->release[r].value != NULL)
			groups->value[groups->nreleases++] = values_in(reading, &reading->release[r]);
}

/* Has a person come with the value that he has in a release, or was it his before? */
static bool
is_new(const Groups *groups, uint64 individual, int32 release)
{
	Code		value = groups->value[release][individual];

	for (int32 r = 0; r < release; r++)
		if (groups->value[r][individual] == value)
			return false;
	return value != NOT_THERE;
}

/* Finds for each person and each value the releases that showed the two together. */
static void
find_stays(Groups *groups, uint64 nindividuals)
{
	uint8	   *there;

	for (uint64 individual = 0; individual < nindividuals; individual++)
		for (int32 r = 0; r < groups->nreleases; r++)
			groups->nstays += is_new(groups, individual, r);
	groups->stays = new_zeros(Stay, groups->nstays);
	there = new_zeros(uint8, groups->nreleases * groups->nstays);
	groups->nstays = 0;
	for (uint64 individual = 0; individual < nindividuals; individual++)
		for (int32 r = 0; r < groups->nreleases; r++)
		{
			Code		value = groups->value[r][individual];

			if (!is_new(groups, individual, r))
				continue;
			for (int32 s = r; s < groups->nreleases; s++)
				there[s] = groups->value[s][individual] == value;
			groups->stays[groups->nstays++] = (Stay) {there, value};
			there += groups->nreleases;
		}
}

static int
compare_stays(const void *a, const void *b, void *nreleases)
{
	return memcmp(((const Stay *) a)->there, ((const Stay *) b)->there, *(const int32 *) nreleases);
}

/* Gathers stays of the same releases, and makes the matrix of releases and groups. */
static void
find_groups(Groups *groups)
{
	groups->first = new_zeros(uint64, groups->nstays);
	qsort_arg(groups->stays, groups->nstays, sizeof(Stay), compare_stays, &groups->nreleases);
	for (uint64 i = 0; i < groups->nstays; i++)
		if (i == 0 || compare_stays(&groups->stays[i - 1], &groups->stays[i], &groups->nreleases) != 0)
			groups->first[groups->n++] = i;
	groups->first[groups->n] = groups->nstays;
	groups->matrix = new_zeros(uint32, groups->nreleases * groups->n);
	for (uint64 g = 0; g < groups->n; g++)
		for (int32 r = 0; r < groups->nreleases; r++)
			groups->matrix[r * groups->n + g] = groups->stays[groups->first[g]].there[r];
}

/* ----------------------------------------------------------------
 * Elimination
 * ----------------------------------------------------------------
 */

/* The multiplicative inverse modulo the prime, by Fermat's little theorem. */
static uint64
inverse(uint64 number)
{
	uint64		result = 1;

	for (uint64 power = PRIME - 2; power > 0; power /= 2)
	{
		if (power % 2 == 1)
			result = result * number % PRIME;
		number = number * number % PRIME;
	}
	return result;
}

/* Swaps two rows of the matrix. */
static void
swap_rows(uint32 *a, uint32 *b, uint64 n)
{
	for (uint64 i = 0; i < n; i++)
	{
		uint32		swap = a[i];

		a[i] = b[i];
		b[i] = swap;
	}
}

static void
subtract_row(uint32 *row, const uint32 *pivot, uint64 factor, uint64 n)
{
	for (uint64 i = 0; i < n && factor != 0; i++)
		row[i] = (row[i] + (PRIME - factor) * pivot[i]) % PRIME;
}

/* Makes the column that of one row only, which becomes the given one; false where no row from there on has it. */
static bool
eliminate(const Groups *groups, int32 row, uint64 column)
{
	uint64		n = groups->n;
	uint32	   *pivot = groups->matrix + row * n;
	int32		r = row;
	uint64		factor;

	while (r < groups->nreleases && groups->matrix[r * n + column] == 0)
		r++;
	if (r == groups->nreleases)
		return false;
	CHECK_FOR_INTERRUPTS();
	if (r != row)
		swap_rows(pivot, groups->matrix + r * n, n);
	factor = inverse(pivot[column]);
	for (uint64 i = 0; i < n; i++)
		pivot[i] = pivot[i] * factor % PRIME;
	for (r = 0; r < groups->nreleases; r++)
		if (r != row)
			subtract_row(groups->matrix + r * n, pivot, groups->matrix[r * n + column], n);
	return true;
}

/* The group that a row has alone, or as many as there are. */
static uint64
only_group(const Groups *groups, int32 row)
{
	uint64		only = groups->n;

	for (uint64 g = 0; g < groups->n; g++)
	{
		if (groups->matrix[row * groups->n + g] == 0)
			continue;
		if (only < groups->n)
			return groups->n;
		only = g;
	}
	return only;
}

/* ----------------------------------------------------------------
 * Groups that are left alone
 * ----------------------------------------------------------------
 */

/* An error if a group whose values can be found is no crowd. */
static void
verify_group(const Groups *groups, uint64 g, const Reading *reading, const int64 *params)
{
	uint64	   *count = new_zeros(uint64, reading->nvalues);

	for (uint64 i = groups->first[g]; i < groups->first[g + 1]; i++)
		if (groups->stays[i].value != NO_CODE)
			count[groups->stays[i].value]++;
	if (!sequential_is_crowd(params, count, reading->null_value))
		ereport(ERROR,
				(errcode(ERRCODE_NO_DATA_FOUND),
				 errmsg("people of publication \"%s\" would be found by adding and subtracting releases", reading->publication->name),
				 errdetail("The sensitive values of " UINT64_FORMAT " row(s) follow from what all releases show, and are too few, or too much alike, for what was promised.",
						   groups->first[g + 1] - groups->first[g]),
				 errhint("Publish when more people have come or left, or without the sensitive column.")));
	pfree(count);
}

void
verify_sums(const Reading *reading, const int64 *params)
{
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "sums of releases", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(work);
	Groups		groups = {0};

	if (reading->release[reading->nreleases - 1].value != NULL)
		read_values(&groups, reading);
	if (groups.nreleases > 2)	/* two are compared, and joined */
	{
		int32		row = 0;

		find_stays(&groups, reading->recalled->seen.nindividuals);
		find_groups(&groups);
		for (uint64 g = 0; g < groups.n && row < groups.nreleases; g++)
			row += eliminate(&groups, row, g);
		for (int32 r = 0; r < row; r++)
			if (only_group(&groups, r) < groups.n)
				verify_group(&groups, only_group(&groups, r), reading, params);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(work);
}
