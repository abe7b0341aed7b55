/*
 * concern.c
 *		Whom a specialisation concerns: those who lose a clique, or, for
 *		diversity, all those of whose cliques one may weigh otherwise.
 */
#include "postgres.h"

#include "method/sequential/guard.h"

static void
add(Guard *guard, uint32 tuple)
{
	if (guard->stamped[tuple] == guard->stamp)
		return;
	guard->stamped[tuple] = guard->stamp;
	pile_add(&guard->concerned, tuple);
}

static void
concern_region(Guard *guard, uint32 region)
{
	const Pile *kinds = &guard->kinds_in[region];

	if (guard->region_stamped[region] == guard->stamp)
		return;
	guard->region_stamped[region] = guard->stamp;
	for (uint32 i = 0; i < kinds->n; i++)
		for (uint32 t = guard->first_of_kind[kinds->number[i]]; t < guard->first_of_kind[kinds->number[i] + 1]; t++)
			add(guard, t);
}

/* Is a tuple in a node of the new release, as far as other releases show it? */
static bool
is_in_place(const Guard *guard, uint32 tuple, uint32 node)
{
	const People *people = guard->people;
	uint32		place = people->place_of[node - people->first_node[people->last]];
	const uint32 *key = tuple_words(people->place_numbers, place);

	for (int32 c = 0; c < people->ncolumns; c++)
		if (!span_contains(cell_of_key(people, key, c), guard->cell[(Size) tuple * people->ncolumns + c]))
			return false;
	return true;
}

/* The tuples that meet a node of an earlier release */
static const uint32 *
tuples_of(const Guard *guard, uint32 node, uint32 *n)
{
	int32		r = guard->people->web->release[node];
	const Encounter *encounter = &guard->encounter[r];
	uint32		v = node - guard->people->first_node[r];

	*n = encounter->first_tuple[v + 1] - encounter->first_tuple[v];
	return &encounter->tuple[encounter->first_tuple[v]];
}

static void
concern_thread(Guard *guard, const Thread *thread)
{
	const People *people = guard->people;
	bool		fresh = people->web->release[thread->end[1]] == people->last;
	uint32		n;
	const uint32 *tuple = tuples_of(guard, thread->end[0], &n);

	if (!fresh)
	{
		uint32		n_other;
		const uint32 *other = tuples_of(guard, thread->end[1], &n_other);

		if (n_other < n)
		{
			n = n_other;
			tuple = other;
		}
	}
	for (uint32 i = 0; i < n; i++)
		if (!fresh || is_in_place(guard, tuple[i], thread->end[1]))
			add(guard, tuple[i]);
}

void
concern(Guard *guard, uint32 web_mark, uint32 people_mark)
{
	const People *people = guard->people;
	const Web  *web = people->web;

	learn_regions(guard);
	guard->concerned.n = 0;
	if (++guard->stamp == 0)
	{
		memset(guard->stamped, 0, sizeof(uint32) * guard->ntuples);
		memset(guard->region_stamped, 0, sizeof(uint32) * guard->nregions);
		guard->stamp = 1;
	}
	for (uint32 i = people_mark; i < people->nshifts; i++)
	{
		const RegionPiece *piece = &people->piece[people->lot[people->shift[i].from].piece];

		if (piece->size == 0 || guard->task->diversity)
			concern_region(guard, piece->region);
	}
	for (uint32 i = web_mark; i < web->nchanges; i++)
		if (web->change[i].deed == DROPPED_THREAD)
			concern_thread(guard, &web->thread[web->change[i].which]);
}
