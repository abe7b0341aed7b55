/*
 * worlds.c
 *		Searching for a world in which somebody has a candidate value.
 *
 * NOTES
 *		In a world everybody has one of his candidates, and the people of each
 *		class have what it shows.  A candidate that is in no world is excluded.
 *		Each search is bounded: one that takes too long excludes nothing, and says so.
 */
#include "postgres.h"

#include "audit/worlds.h"
#include "frame/arrays.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#define MAX_STEPS 200000		/* of one search */

struct Worlds
{
	const Statistics *statistics;
	Deduction  *deduction;

	/* Sets of threads that hang together, by their lists */
	Thread	   *head;			/* [threads] of the set that a thread is in */
	Thread	   *next;			/* [threads] the next in its set, or NO_THREAD */
	Thread	   *last;			/* [threads] of a head's list */
	uint64	   *size;			/* [threads] of a head's list */
	bool	   *is_bounded;		/* [threads] did a search in a head's list take too long? */
	Thread		at;				/* the thread to be looked at next */

	/* The set at hand */
	Thread		member[MAX_TOGETHER];
	uint32		n;
	Code		value[MAX_TOGETHER];
	uint64		steps;
};

static inline bool
is_open(const Worlds *worlds, Thread t)
{
	return worlds->deduction->ncandidates[t] > 1;
}

static void
join(Worlds *worlds, Thread a, Thread b)
{
	Thread		large = worlds->head[a];
	Thread		small = worlds->head[b];

	if (large == small)
		return;
	if (worlds->size[large] < worlds->size[small])
	{
		large = worlds->head[b];
		small = worlds->head[a];
	}
	worlds->next[worlds->last[large]] = small;
	worlds->last[large] = worlds->last[small];
	worlds->size[large] += worlds->size[small];
	for (Thread t = small; t != NO_THREAD; t = worlds->next[t])
		worlds->head[t] = large;
}

Worlds *
worlds_create(const Statistics *statistics, Deduction *deduction)
{
	const Seen *seen = statistics->seen;
	Worlds	   *worlds = palloc0(sizeof(Worlds));

	worlds->statistics = statistics;
	worlds->deduction = deduction;
	worlds->head = new_zeros(Thread, seen->nthreads);
	worlds->next = new_zeros(Thread, seen->nthreads);
	worlds->last = new_zeros(Thread, seen->nthreads);
	worlds->size = new_zeros(uint64, seen->nthreads);
	worlds->is_bounded = new_zeros(bool, seen->nthreads);
	for (uint64 t = 0; t < seen->nthreads; t++)
	{
		worlds->head[t] = worlds->last[t] = t;
		worlds->next[t] = NO_THREAD;
		worlds->size[t] = 1;
	}
	for (int32 r = 0; r < seen->nreleases; r++)
		for (uint32 c = 0; c < seen->release[r].nclasses; c++)
		{
			const SeenRelease *release = &seen->release[r];
			Thread		any = NO_THREAD;

			for (uint64 i = release->first[c]; i < release->first[c + 1]; i++)
			{
				if (!is_open(worlds, release->thread[i]))
					continue;
				if (any != NO_THREAD)
					join(worlds, any, release->thread[i]);
				any = release->thread[i];
			}
		}
	return worlds;
}

/* ----------------------------------------------------------------
 * Searching
 * ----------------------------------------------------------------
 */

/* The value that somebody has in the world at hand, as far as the first n members go; NO_CODE where it is open. */
static Code
value_in_world(const Worlds *worlds, Thread t, uint32 n)
{
	const Deduction *deduction = worlds->deduction;

	if (!is_open(worlds, t))
		return deduction->ncandidates[t] == 0 ? NO_CODE : deduction->candidate[deduction->first[t]];
	for (uint32 i = 0; i < n; i++)
		if (worlds->member[i] == t)
			return worlds->value[i];
	return NO_CODE;
}

/* Can each class of the last member still show what it does? */
static bool
agrees(const Worlds *worlds, uint32 n)
{
	const Statistics *statistics = worlds->statistics;
	Thread		t = worlds->member[n - 1];

	for (uint64 s = statistics->first[t]; s < statistics->first[t + 1]; s++)
	{
		Step		at = statistics->step[s];
		const SeenRelease *release = &statistics->seen->release[at.release];
		uint32		have = 0;

		for (uint64 i = release->first[at.class]; i < release->first[at.class + 1]; i++)
			have += value_in_world(worlds, release->thread[i], n) == worlds->value[n - 1];
		if (have > statistics_count(statistics, at, worlds->value[n - 1]))
			return false;
	}
	return true;
}

/*
 * Is there a world with the values of the first n members?  As everybody has
 * one value, and no value too often, every class shows what it must.
 */
static bool
extend(Worlds *worlds, uint32 n)
{
	const Deduction *deduction = worlds->deduction;
	Thread		t;

	if (n > 0 && !agrees(worlds, n))
		return false;
	if (n == worlds->n || ++worlds->steps > MAX_STEPS)
		return true;
	t = worlds->member[n];
	for (uint32 k = 0; k < deduction->ncandidates[t]; k++)
	{
		worlds->value[n] = deduction->candidate[deduction->first[t] + k];
		if (extend(worlds, n + 1))
			return true;
	}
	return false;
}

/* Whoever is asked about comes first. */
static void
bring_first(Worlds *worlds, Thread t)
{
	for (uint32 i = 0; i < worlds->n; i++)
		if (worlds->member[i] == t)
		{
			worlds->member[i] = worlds->member[0];
			worlds->member[0] = t;
		}
}

static bool
exclude_of(Worlds *worlds, Thread t)
{
	Deduction  *deduction = worlds->deduction;
	Code	   *candidates = deduction->candidate + deduction->first[t];
	uint32		n = deduction->ncandidates[t];
	uint32		kept = 0;

	bring_first(worlds, t);
	for (uint32 k = 0; k < n; k++)
	{
		Code		value = candidates[k];

		CHECK_FOR_INTERRUPTS();
		worlds->steps = 0;
		worlds->value[0] = value;
		if (extend(worlds, 1))
			candidates[kept++] = value;
		worlds->is_bounded[worlds->head[t]] |= worlds->steps > MAX_STEPS;
	}
	if (kept == 0)
		return false;			/* there is no world at all: what was published does not agree */
	deduction->ncandidates[t] = kept;
	return kept < n;
}

static void
take_set(Worlds *worlds, Thread head)
{
	worlds->n = 0;
	for (Thread t = head; t != NO_THREAD; t = worlds->next[t])
		if (is_open(worlds, t))
			worlds->member[worlds->n++] = t;
}

Thread
worlds_next(Worlds *worlds)
{
	uint64		nthreads = worlds->statistics->seen->nthreads;

	while (worlds->at < nthreads)
	{
		Thread		t = worlds->at++;
		Thread		head = worlds->head[t];

		if (!is_open(worlds, t) || worlds->size[head] > MAX_TOGETHER)
			continue;
		take_set(worlds, head);
		if (exclude_of(worlds, t))
			return t;
	}
	return NO_THREAD;
}

void
worlds_end(Worlds *worlds)
{
	Deduction  *deduction = worlds->deduction;

	for (uint64 t = 0; t < worlds->statistics->seen->nthreads; t++)
	{
		Thread		head = worlds->head[t];

		deduction->together[t] = is_open(worlds, t) ? head : NO_THREAD;
		deduction->is_exact[t] = !is_open(worlds, t) ||
			(worlds->size[head] <= MAX_TOGETHER && !worlds->is_bounded[head]);
	}
	pfree(worlds->head);
	pfree(worlds->next);
	pfree(worlds->last);
	pfree(worlds->size);
	pfree(worlds->is_bounded);
	pfree(worlds);
}
