/*
 * plans.c
 *		Bringing people of two buckets together where that saves counterfeits.
 *
 * NOTES
 *		Two buckets meet in a third one, whose entries are the intersections of
 *		theirs under a plan that pairs them (Algorithm 2).  The plan with the
 *		greatest overlap is found as an assignment problem; one without distinct
 *		representatives can belong to no person, and is dropped.
 *
 *		The paper makes such buckets for all pairs, and then for pairs of these,
 *		and lets each person choose.  Here they are made one by one, only for
 *		buckets that newcomers will not fill, only where they save counterfeits,
 *		and either for all whom both have in common or for those whom a bucket has
 *		too many of in some entry.  So there are never more than a few times as
 *		many as there were at first.
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
 * The plan of greatest overlap
 * ----------------------------------------------------------------
 */

/* Lists the sets of a bucket's entries, each as often as its multiplicity says. */
static SetId *
slots_of(const Bucket *bucket)
{
	SetId	   *slots = palloc(sizeof(SetId) * (bucket->n + 1));
	uint32		at = 0;

	for (uint32 e = 0; e < bucket->nentries; e++)
		for (uint32 i = 0; i < bucket->multiplicity[e]; i++)
			slots[at++] = bucket->set[e];
	return slots;
}

/* The share of values of either that both have. */
static double
overlap(Sets *sets, SetId a, SetId b)
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

/*
 * The assignment with the least cost, by shortest augmenting paths with
 * potentials (Kuhn and Munkres); pair[j] is set to the row of column j.
 */
static void
assign(const double *cost, uint32 n, uint32 *pair)
{
	double	   *of_row = palloc0(sizeof(double) * (n + 1));
	double	   *of_column = palloc0(sizeof(double) * (n + 1));
	double	   *least = palloc(sizeof(double) * (n + 1));
	uint32	   *row = palloc0(sizeof(uint32) * (n + 1));	/* of each column, from 1 on */
	uint32	   *way = palloc0(sizeof(uint32) * (n + 1));
	bool	   *used = palloc(sizeof(bool) * (n + 1));

	for (uint32 i = 1; i <= n; i++)
	{
		uint32		column = 0;

		row[0] = i;
		memset(used, 0, sizeof(bool) * (n + 1));
		for (uint32 j = 0; j <= n; j++)
			least[j] = 1e300;
		do
		{
			double		delta = 1e300;
			uint32		next = 0;

			used[column] = true;
			for (uint32 j = 1; j <= n; j++)
			{
				double		reduced;

				if (used[j])
					continue;
				reduced = cost[(Size) (row[column] - 1) * n + j - 1] - of_row[row[column]] - of_column[j];
				if (reduced < least[j])
				{
					least[j] = reduced;
					way[j] = column;
				}
				if (least[j] < delta)
				{
					delta = least[j];
					next = j;
				}
			}
			for (uint32 j = 0; j <= n; j++)
			{
				if (used[j])
				{
					of_row[row[j]] += delta;
					of_column[j] -= delta;
				}
				else
					least[j] -= delta;
			}
			column = next;
		} while (row[column] != 0);
		while (column != 0)
		{
			row[column] = row[way[column]];
			column = way[column];
		}
	}
	for (uint32 j = 1; j <= n; j++)
		pair[j - 1] = row[j] - 1;
}

SetId *
intersect_buckets(Distinct *distinct, const Bucket *a, const Bucket *b)
{
	SetId	   *x = slots_of(a);
	SetId	   *y = slots_of(b);
	uint32		n = a->n;
	double	   *cost = palloc(sizeof(double) * n * n);
	uint32	   *pair = palloc(sizeof(uint32) * n);
	Code	   *value = palloc(sizeof(Code) * n);

	for (uint32 i = 0; i < n; i++)
		for (uint32 j = 0; j < n; j++)
		{
			double		both = overlap(distinct->sets, x[i], y[j]);

			cost[(Size) i * n + j] = both > 0 ? -both : n;	/* more than all others can save */
		}
	assign(cost, n, pair);
	for (uint32 j = 0; j < n; j++)
	{
		if (cost[(Size) pair[j] * n + j] > 0)
			return NULL;
		y[j] = set_intersection(distinct->sets, x[pair[j]], y[j]);
		value[j] = NO_CODE;
	}
	return represent(distinct->sets, y, n, value) ? y : NULL;
}

/* ----------------------------------------------------------------
 * The saving of a plan
 * ----------------------------------------------------------------
 */

static bool
has_entry_for(const Sets *sets, const SetId *slots, uint32 n, Code value)
{
	for (uint32 i = 0; i < n; i++)
		if (set_has(sets, slots[i], value))
			return true;
	return false;
}

/* How many of each kind would go to the other bucket. */
typedef struct Leaving
{
	uint32	   *count;			/* [nkinds] */
	bool		any;
} Leaving;

/* All rows of a bucket that may be shown by these entries. */
static Leaving
all_that_may(const Distinct *distinct, const Bucket *bucket, const SetId *slots)
{
	Leaving		leaving = {palloc0(sizeof(uint32) * ((Size) bucket->nkinds + 1)), false};

	for (uint32 k = 0; k < bucket->nkinds; k++)
		if (has_entry_for(distinct->sets, slots, bucket->n, bucket->kinds[k].value))
		{
			leaving.count[k] = bucket->kinds[k].count;
			leaving.any |= leaving.count[k] > 0;
		}
	return leaving;
}

/* Rows that some entry has more of than the emptiest one. */
static Leaving
too_many(const Distinct *distinct, const Bucket *bucket, const SetId *slots)
{
	Leaving		leaving = {palloc0(sizeof(uint32) * ((Size) bucket->nkinds + 1)), false};
	const Placement *placement = place_bucket(distinct, bucket);
	uint64		groups = placement->groups;

	for (uint32 e = 0; e < bucket->nentries; e++)
		groups = Min(groups, placement->filled[e] / bucket->multiplicity[e]);
	for (uint32 e = 0; e < bucket->nentries; e++)
	{
		uint64		excess = placement->filled[e] - groups * bucket->multiplicity[e];

		for (uint32 k = 0; k < bucket->nkinds && excess > 0; k++)
		{
			uint32		here = placement->in[(Size) k * bucket->nentries + e];
			uint32		amount = Min(excess, here);

			if (amount == 0 || !has_entry_for(distinct->sets, slots, bucket->n, bucket->kinds[k].value))
				continue;
			leaving.count[k] += amount;
			leaving.any = true;
			excess -= amount;
		}
	}
	return leaving;
}

/* Invented rows that the bucket would need without those that leave; none if no row is left. */
static uint64
holes_without(const Distinct *distinct, const Bucket *bucket, const Leaving *leaving)
{
	Bucket		rest = *bucket;

	rest.kinds = palloc(sizeof(Kind) * ((Size) bucket->nkinds + 1));
	rest.nkinds = 0;
	for (uint32 k = 0; k < bucket->nkinds; k++)
	{
		uint32		gone = leaving == NULL ? 0 : leaving->count[k];

		if (bucket->kinds[k].count > gone)
			rest.kinds[rest.nkinds++] = (Kind) {bucket->kinds[k].value, bucket->kinds[k].count - gone, NO_ROW};
	}
	return rest.nkinds == 0 ? 0 : placement_holes(place_bucket(distinct, &rest));
}

/* The bucket where they would meet, with the rows that are there already. */
static uint64
holes_with(const Distinct *distinct, const Bucket *meeting, const Bucket *a, const Leaving *from_a,
		   const Bucket *b, const Leaving *from_b)
{
	Bucket		joined = *meeting;
	uint32		most = meeting->nkinds + a->nkinds + b->nkinds;
	const Bucket *from[] = {a, b};
	const Leaving *leaving[] = {from_a, from_b};

	joined.kinds = palloc(sizeof(Kind) * ((Size) most + 1));
	joined.nkinds = 0;
	for (uint32 k = 0; k < meeting->nkinds; k++)
		if (meeting->kinds[k].count > 0)
			joined.kinds[joined.nkinds++] = meeting->kinds[k];
	for (int side = 0; side < 2; side++)
		for (uint32 k = 0; k < from[side]->nkinds; k++)
		{
			uint32		at = 0;

			if (leaving[side]->count[k] == 0)
				continue;
			while (at < joined.nkinds && joined.kinds[at].value != from[side]->kinds[k].value)
				at++;
			if (at == joined.nkinds)
				joined.kinds[joined.nkinds++] = (Kind) {from[side]->kinds[k].value, 0, NO_ROW};
			joined.kinds[at].count += leaving[side]->count[k];
		}
	return joined.nkinds == 0 ? 0 : placement_holes(place_bucket(distinct, &joined));
}

/* The best of what can be done with a bucket that lacks rows. */
typedef struct Plan
{
	uint64		saved;
	uint32		partner;
	SetId	   *slots;			/* [n] */
	Leaving		from_first;
	Leaving		from_partner;
} Plan;

/* Keeps a plan if it saves more invented rows than the best so far. */
static void
weigh_plan(Distinct *distinct, uint32 a, uint32 b, SetId *slots, Leaving from_a, Leaving from_b, Plan *best)
{
	const Bucket *first = &distinct->buckets[a];
	const Bucket *second = &distinct->buckets[b];
	uint32		meeting = bucket_find(distinct, slots, first->n, first->is_mixed);
	uint64		before;
	uint64		after;

	first = &distinct->buckets[a];	/* buckets may have moved */
	second = &distinct->buckets[b];
	if (meeting == a)
		from_a = (Leaving) {palloc0(sizeof(uint32) * ((Size) first->nkinds + 1)), false};
	if (meeting == b)
		from_b = (Leaving) {palloc0(sizeof(uint32) * ((Size) second->nkinds + 1)), false};
	if (!from_a.any && !from_b.any)
		return;
	before = holes_without(distinct, first, NULL) + holes_without(distinct, second, NULL);
	after = holes_with(distinct, &distinct->buckets[meeting], first, &from_a, second, &from_b);
	if (meeting != a && meeting != b)
		before += holes_without(distinct, &distinct->buckets[meeting], NULL);
	if (meeting != a)
		after += holes_without(distinct, first, &from_a);
	if (meeting != b)
		after += holes_without(distinct, second, &from_b);
	if (after < before && before - after > best->saved)
		*best = (Plan) {before - after, b, slots, from_a, from_b};
}

/* ----------------------------------------------------------------
 * Doing it
 * ----------------------------------------------------------------
 */

/* Moves the rows that leave to another bucket. */
static void
move_people(Distinct *distinct, uint32 from, const Leaving *leaving, uint32 to)
{
	uint32		nkinds = distinct->buckets[from].nkinds;

	for (uint32 k = 0; k < nkinds; k++)
	{
		Kind	   *target;

		if (leaving->count[k] == 0)
			continue;
		target = bucket_kind(distinct, to, distinct->buckets[from].kinds[k].value);
		for (uint32 i = 0; i < leaving->count[k]; i++)
			kind_push(distinct, target, kind_pop(distinct, &distinct->buckets[from].kinds[k]));
		distinct->buckets[from].rows -= leaving->count[k];
		distinct->buckets[to].rows += leaving->count[k];
	}
}

/* The best partner of a bucket, among some that may be; false if none saves anything. */
static bool
join_one(Distinct *distinct, uint32 a, const Ranked *partners, uint32 npartners, const uint32 *components)
{
	Plan		best = {0};
	uint32		tried = 0;
	uint32		meeting;

	for (uint32 i = 0; i < npartners && tried < MAX_PARTNERS; i++)
	{
		uint32		b = partners[i].what;
		SetId	   *slots;

		if (b == a || distinct->buckets[b].rows == 0 || components[b] != components[a] ||
			distinct->buckets[b].is_mixed != distinct->buckets[a].is_mixed)
			continue;
		CHECK_FOR_INTERRUPTS();
		tried++;
		/* Sets and buckets that are made on the way stay. */
		slots = intersect_buckets(distinct, &distinct->buckets[a], &distinct->buckets[b]);
		if (slots == NULL)
			continue;
		weigh_plan(distinct, a, b, slots,
				   all_that_may(distinct, &distinct->buckets[a], slots),
				   all_that_may(distinct, &distinct->buckets[b], slots), &best);
		weigh_plan(distinct, a, b, slots,
				   too_many(distinct, &distinct->buckets[a], slots),
				   too_many(distinct, &distinct->buckets[b], slots), &best);
	}
	if (best.saved == 0)
		return false;
	meeting = bucket_find(distinct, best.slots, distinct->buckets[a].n, distinct->buckets[a].is_mixed);
	if (meeting != a)
		move_people(distinct, a, &best.from_first, meeting);
	if (meeting != best.partner)
		move_people(distinct, best.partner, &best.from_partner, meeting);
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
		SetId	   *slots = slots_of(&distinct->buckets[b]);

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
		lacking[b] = (Ranked) {holes_without(distinct, &distinct->buckets[b], NULL), b};
	sort_ranked(lacking, nbuckets);
	for (uint32 i = 0; i < nbuckets && i < MAX_LACKING && lacking[i].amount > 0; i++)
		if (distinct->buckets[lacking[i].what].rows > 0)
			while (join_one(distinct, lacking[i].what, lacking, nbuckets, components) &&
				   distinct->buckets[lacking[i].what].rows > 0)
				;
}
