/*
 * plans.c
 *		Bringing people of two buckets together where that saves counterfeits.
 *
 * NOTES
 *		Two buckets meet in a third one, whose entries are the intersections of
 *		theirs under a plan that pairs them (Algorithm 2): entry by entry with the one
 *		that has most in common with it.  One without distinct representatives can
 *		belong to no person, and is dropped.
 *
 *		The paper makes such buckets for all pairs, and then for pairs of these,
 *		and lets each person choose.  Here they are made one by one, only for
 *		buckets that newcomers will not fill, and only where they save
 *		counterfeits, if all meet who may.  So there are never more than a few times
 *		as many as there were at first.
 */
#include "postgres.h"

#include "frame/arrays.h"
#include "frame/domain.h"
#include "method/m_distinct/m_distinct.h"
#include "miscadmin.h"

/* Pairs that are looked at for each bucket that lacks rows, and buckets that are. */
#define MAX_PARTNERS	8
#define MAX_LACKING		1024

/* ----------------------------------------------------------------
 * Plans
 * ----------------------------------------------------------------
 */

SetId *
bucket_slots(const Bucket *bucket)
{
	SetId	   *slots = palloc(sizeof(SetId) * (bucket->n + 1));
	uint32		at = 0;

	for (uint32 e = 0; e < bucket->nentries; e++)
		for (uint32 i = 0; i < bucket->multiplicity[e]; i++)
			slots[at++] = bucket->set[e];
	return slots;
}

double
sets_overlap(Sets *sets, SetId a, SetId b)
{
	SetId		common;
	double		both;

	if (a == b)
		return 1;
	if (!sets_meet(sets, a, b))
		return 0;
	common = set_intersection(sets, a, b);	/* which may move the sets: not between them and a place in them */
	both = set_at(sets, common).n;
	return both / (set_at(sets, a).n + set_at(sets, b).n - both);
}

SetId *
intersect_buckets(Distinct *distinct, const Bucket *a, const Bucket *b)
{
	SetId	   *x = bucket_slots(a);
	SetId	   *y = bucket_slots(b);
	uint32		n = a->n;
	Code	   *value = palloc(sizeof(Code) * n);

	for (uint32 i = 0; i < n; i++)
	{
		uint32		best = n;
		double		most = 0;
		SetId		partner;

		for (uint32 j = i; j < n; j++)
		{
			double		both = sets_overlap(distinct->sets, x[i], y[j]);

			if (both <= most)
				continue;
			most = both;
			best = j;
		}
		if (best == n)
			return NULL;
		partner = y[best];
		y[best] = y[i];
		y[i] = set_intersection(distinct->sets, x[i], partner);
		value[i] = NO_CODE;
	}
	return represent(distinct->sets, y, n, value) ? y : NULL;
}

/* May people of this value meet where these are the entries? */
static bool
may_meet(const Sets *sets, const SetId *slots, uint32 n, Code value)
{
	for (uint32 i = 0; i < n; i++)
		if (set_has(sets, slots[i], value))
			return true;
	return false;
}

/* A bucket with the same entries, and nobody. */
static Bucket
emptied(const Bucket *bucket)
{
	Bucket		copy = *bucket;

	copy.kinds = NULL;
	copy.nkinds = copy.kinds_allocated = 0;
	return copy;
}

/* How many rows fewer must be invented if all people of two buckets who may meet in a third one. */
static uint64
saved_by_meeting(const Distinct *distinct, uint32 a, uint32 b, uint32 meeting, const SetId *slots)
{
	const uint32 from[] = {meeting, a, b};
	Bucket		joined = emptied(&distinct->buckets[meeting]);
	uint64		before = 0;
	uint64		after = 0;

	for (int i = 0; i < 3; i++)
	{
		const Bucket *bucket = &distinct->buckets[from[i]];
		Bucket		rest = emptied(bucket);

		if (i > 0 && from[i] == meeting)
			continue;
		before += placement_holes(place_bucket(distinct, bucket));
		for (uint32 k = 0; k < bucket->nkinds; k++)
			if (bucket->kinds[k].count > 0)
				bucket_kind(i == 0 || may_meet(distinct->sets, slots, bucket->n, bucket->kinds[k].value) ? &joined : &rest,
							bucket->kinds[k].value)->count += bucket->kinds[k].count;
		after += placement_holes(place_bucket(distinct, &rest));
	}
	after += placement_holes(place_bucket(distinct, &joined));
	return before - Min(before, after);
}

/* Moves the people of a bucket who may to where these are the entries. */
static void
move_people(Distinct *distinct, uint32 from, const SetId *slots, uint32 to)
{
	Bucket	   *left = &distinct->buckets[from];
	Bucket	   *reached = &distinct->buckets[to];

	for (uint32 k = 0; k < left->nkinds && to != from; k++)
	{
		Kind	   *kind = &left->kinds[k];

		if (kind->count == 0 || !may_meet(distinct->sets, slots, left->n, kind->value))
			continue;
		left->rows -= kind->count;
		reached->rows += kind->count;
		while (kind->count > 0)
			kind_push(distinct, bucket_kind(reached, kind->value), kind_pop(distinct, kind));
	}
}

/* Joins a bucket with the best partner, of some that may be; false if none saves anything. */
static bool
join_one(Distinct *distinct, uint32 a, const Ranked *partners, uint32 npartners, const uint32 *components)
{
	uint64		most = 0;
	uint32		partner = 0;
	uint32		meeting = 0;
	const SetId *plan = NULL;
	uint32		tried = 0;

	for (uint32 i = 0; i < npartners && tried < MAX_PARTNERS; i++)
	{
		uint32		b = partners[i].what;
		const SetId *slots;
		uint32		where;
		uint64		saved;

		if (b == a || distinct->buckets[b].rows == 0 || components[b] != components[a] ||
			distinct->buckets[b].is_mixed != distinct->buckets[a].is_mixed)
			continue;
		CHECK_FOR_INTERRUPTS();
		tried++;
		/* Sets and buckets that are made on the way stay. */
		slots = intersect_buckets(distinct, &distinct->buckets[a], &distinct->buckets[b]);
		if (slots == NULL)
			continue;
		where = bucket_find(distinct, slots, distinct->buckets[a].n, distinct->buckets[a].is_mixed);
		saved = saved_by_meeting(distinct, a, b, where, slots);
		if (saved <= most)
			continue;
		most = saved;
		partner = b;
		meeting = where;
		plan = slots;
	}
	if (plan == NULL)
		return false;
	move_people(distinct, a, plan, meeting);
	move_people(distinct, partner, plan, meeting);
	return true;
}

/* A number for each bucket: entries of two buckets can meet only if they are of the same components. */
static uint32 *
number_components(const Distinct *distinct)
{
	TupleNumbers *numbers = tuple_numbers_create(ANY_WIDTH);
	uint32	   *number = new_array(uint32, distinct->nbuckets);

	for (uint32 b = 0; b < distinct->nbuckets; b++)
	{
		uint32		n = distinct->buckets[b].n;
		SetId	   *slots = bucket_slots(&distinct->buckets[b]);

		for (uint32 i = 0; i < n; i++)
			slots[i] = distinct->sets->component[set_at(distinct->sets, slots[i]).value[0]];
		sort_codes(slots, n);
		number[b] = tuple_number(numbers, slots, n);
		pfree(slots);
	}
	tuple_numbers_free(numbers);
	return number;
}

void
join_buckets(Distinct *distinct)
{
	uint32		nbuckets = distinct->nbuckets;
	uint32	   *components = number_components(distinct);
	Ranked	   *lacking = new_array(Ranked, nbuckets);

	for (uint32 b = 0; b < nbuckets; b++)
		lacking[b] = (Ranked) {placement_holes(place_bucket(distinct, &distinct->buckets[b])), b};
	sort_ranked(lacking, nbuckets);
	for (uint32 i = 0; i < nbuckets && i < MAX_LACKING && lacking[i].amount > 0; i++)
		if (distinct->buckets[lacking[i].what].rows > 0)
			while (join_one(distinct, lacking[i].what, lacking, nbuckets, components) &&
				   distinct->buckets[lacking[i].what].rows > 0)
				;
}
