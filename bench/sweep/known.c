/*
 * known.c
 *		What observers of all releases so far can tell apart, kept from release
 *		to release without a database.
 */
#include "known.h"

Known *
known_create(uint32 npeople, int nqis)
{
	Known	   *known = palloc0(sizeof(Known));

	known->nqis = nqis;
	known->people_allocated = npeople + 1;
	known->neighborhood = palloc_extended(sizeof(uint32) * known->people_allocated, MCXT_ALLOC_HUGE);
	known->place = palloc_extended(sizeof(uint32) * known->people_allocated, MCXT_ALLOC_HUGE);
	known->neighborhoods_allocated = 64;
	known->neighborhoods = palloc(sizeof(Neighborhood) * known->neighborhoods_allocated);
	while (known->npeople < npeople)
		(void) known_add_person(known);
	return known;
}

uint32
known_add_person(Known *known)
{
	if (known->npeople == known->people_allocated)
	{
		known->people_allocated *= 2;
		known->neighborhood = repalloc_huge(known->neighborhood, sizeof(uint32) * known->people_allocated);
		known->place = repalloc_huge(known->place, sizeof(uint32) * known->people_allocated);
	}
	known->neighborhood[known->npeople] = NO_NEIGHBORHOOD;
	known->place[known->npeople] = 0;
	return known->npeople++;
}

static Neighborhood *
add_neighborhood(Known *known)
{
	if (known->nneighborhoods == known->neighborhoods_allocated)
	{
		known->neighborhoods_allocated *= 2;
		known->neighborhoods = repalloc_huge(known->neighborhoods,
											 sizeof(Neighborhood) * known->neighborhoods_allocated);
	}
	return &known->neighborhoods[known->nneighborhoods++];
}

/* The members who are being published, or the others, with all that was published of them. */
static Neighborhood
take_part(const Known *known, const Neighborhood *whole, bool published, uint64 size)
{
	Neighborhood part = {.nepochs = whole->nepochs};

	part.member = palloc(sizeof(uint32) * Max(1, size));
	part.values = palloc(sizeof(Code) * Max(1, size) * (whole->nepochs + 1));
	part.region = palloc(sizeof(Span) * Max(1, known->nqis));
	memcpy(part.region, whole->region, sizeof(Span) * known->nqis);
	for (uint64 i = 0; i < whole->size; i++)
	{
		if ((known->place[whole->member[i]] != 0) != published)
			continue;
		for (uint32 epoch = 0; epoch < whole->nepochs; epoch++)
			part.values[epoch * size + part.size] = whole->values[epoch * whole->size + i];
		part.member[part.size++] = whole->member[i];
	}
	Assert(part.size == size);
	return part;
}

static void
free_neighborhood(Neighborhood *neighborhood)
{
	pfree(neighborhood->member);
	pfree(neighborhood->values);
	pfree(neighborhood->region);
}

/* Appends an epoch, unless all members have kept their values. */
static void
add_epoch(const Known *known, Neighborhood *neighborhood, const Code *values)
{
	uint64		size = neighborhood->size;
	Code	   *next = neighborhood->values + neighborhood->nepochs * size;

	for (uint64 i = 0; i < size; i++)
		next[i] = values[known->place[neighborhood->member[i]] - 1];
	if (neighborhood->nepochs == 0 || memcmp(next - size, next, sizeof(Code) * size) != 0)
		neighborhood->nepochs++;
}

/* People who were in both regions are known to be where they overlap; those who have moved, in the latter. */
static void
narrow_region(Span *known, Span published)
{
	*known = span_overlaps(*known, published) ?
		(Span) {Max(known->lo, published.lo), Min(known->hi, published.hi)} : published;
}

/* Parts a neighborhood; returns the number of those in place[], be they all of it. */
static uint32
part_neighborhood(Known *known, uint32 n, uint64 npublished)
{
	Neighborhood whole = known->neighborhoods[n];
	uint32		part = whole.size == npublished ? n : known->nneighborhoods;

	if (part != n)
	{
		*add_neighborhood(known) = (Neighborhood) {0};
		known->neighborhoods[n] = take_part(known, &whole, false, whole.size - npublished);
	}
	known->neighborhoods[part] = take_part(known, &whole, true, npublished);
	free_neighborhood(&whole);
	return part;
}

/* The first neighborhood of people who were never published; returns its number. */
static uint32
found_neighborhood(Known *known, const uint32 *people, uint64 n, const Span *region)
{
	Neighborhood *founded = add_neighborhood(known);

	*founded = (Neighborhood) {.size = n};
	founded->member = palloc(sizeof(uint32) * n);
	founded->values = palloc(sizeof(Code) * n);
	founded->region = palloc(sizeof(Span) * Max(1, known->nqis));
	memcpy(founded->member, people, sizeof(uint32) * n);
	memcpy(founded->region, region, sizeof(Span) * known->nqis);
	return founded - known->neighborhoods;
}

void
known_publish(Known *known, const uint32 *people, const Code *values, uint64 n, const Span *region)
{
	uint32		of = known->neighborhood[people[0]];

	for (uint64 i = 0; i < n; i++)
		known->place[people[i]] = i + 1;
	of = of == NO_NEIGHBORHOOD ? found_neighborhood(known, people, n, region) :
		part_neighborhood(known, of, n);
	add_epoch(known, &known->neighborhoods[of], values);
	for (int q = 0; q < known->nqis; q++)
		narrow_region(&known->neighborhoods[of].region[q], region[q]);
	for (uint64 i = 0; i < n; i++)
	{
		known->place[people[i]] = 0;
		known->neighborhood[people[i]] = of;
	}
}

void
known_forget(Known *known, const uint32 *people, uint64 n)
{
	for (uint64 i = 0; i < n; i++)
	{
		uint32		of = known->neighborhood[people[i]];
		Neighborhood whole;

		if (of == NO_NEIGHBORHOOD)
			continue;
		whole = known->neighborhoods[of];
		known->place[people[i]] = 1;
		known->neighborhoods[of] = take_part(known, &whole, false, whole.size - 1);
		free_neighborhood(&whole);
		known->place[people[i]] = 0;
		known->neighborhood[people[i]] = NO_NEIGHBORHOOD;
	}
}

Past *
known_past(const Known *known, const RowId *row, uint64 nrows)
{
	Past	   *past = palloc0(sizeof(Past));
	uint64		members = 0;
	uint64		values = 0;

	past->releases = known->releases;
	past->nneighborhoods = known->nneighborhoods;
	past->first = palloc_extended(sizeof(uint64) * (known->nneighborhoods + 1), MCXT_ALLOC_HUGE);
	past->first_value = palloc_extended(sizeof(uint64) * (known->nneighborhoods + 1), MCXT_ALLOC_HUGE);
	for (uint32 n = 0; n < known->nneighborhoods; n++)
	{
		past->first[n] = members;
		past->first_value[n] = values;
		members += known->neighborhoods[n].size;
		values += known->neighborhoods[n].size * known->neighborhoods[n].nepochs;
	}
	past->first[known->nneighborhoods] = members;
	past->first_value[known->nneighborhoods] = values;
	past->row = palloc_extended(sizeof(RowId) * (members + 1), MCXT_ALLOC_HUGE);
	past->value = palloc_extended(sizeof(Code) * (values + 1), MCXT_ALLOC_HUGE);
	past->member = palloc_extended(sizeof(uint64) * (nrows + 1), MCXT_ALLOC_HUGE);
	for (uint64 r = 0; r < nrows; r++)
		past->member[r] = NO_MEMBER;
	for (uint32 n = 0; n < known->nneighborhoods; n++)
	{
		const Neighborhood *neighborhood = &known->neighborhoods[n];

		memcpy(past->value + past->first_value[n], neighborhood->values,
			   sizeof(Code) * neighborhood->size * neighborhood->nepochs);
		for (uint64 i = 0; i < neighborhood->size; i++)
		{
			RowId		at = row[neighborhood->member[i]];

			past->row[past->first[n] + i] = at;
			if (at != NO_ROW)
				past->member[at] = past->first[n] + i;
		}
	}
	return past;
}
