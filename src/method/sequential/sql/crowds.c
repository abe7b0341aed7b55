/*
 * crowds.c
 *		Comparing whose sensitive values two releases show.
 *
 * NOTES
 *		Whoever compares the values of two releases finds those of the people who
 *		came in between, and of those who left (paper 000, section 6, asks the first
 *		only).  No cell can hide that.  A person with another value than before has
 *		left with the one, and come with the other.
 */
#include "method/sequential/sql/sequential_sql.h"

#include "frame/arrays.h"
#include "miscadmin.h"
#include "utils/memutils.h"

Code *
values_in(const Reading *reading, const ReadRelease *release)
{
	const SeenRelease *seen = release->seen;
	uint64		nthreads = reading->recalled->seen.nthreads;
	Code	   *value = new_zeros(Code, nthreads);

	for (uint64 i = 0; i < nthreads; i++)
		value[i] = NOT_THERE;
	for (uint64 i = 0; i < seen->first[seen->nclasses]; i++)
		value[seen->thread[i]] = seen->value[i];
	return value;
}

/* Counts those who have other values than in another release, or are not there; returns how many they are. */
static uint64
count_others(const Reading *reading, const Code *value, const Code *other, uint64 *count)
{
	uint64		n = 0;

	memset(count, 0, sizeof(uint64) * reading->nvalues);
	for (uint64 i = 0; i < reading->recalled->seen.nthreads; i++)
	{
		if (value[i] == NOT_THERE || value[i] == other[i])
			continue;
		n++;
		if (value[i] != NO_CODE)
			count[value[i]]++;
	}
	return n;
}

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
