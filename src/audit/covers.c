/*
 * covers.c
 *		Values whose first classes are full of invented rows.
 */
#include "postgres.h"

#include "audit/covers.h"
#include "frame/arrays.h"
#include "miscadmin.h"
#include "utils/memutils.h"

/* A value in its first release. */
typedef struct FirstShowing
{
	int32		release;		/* or -1 */
	bool		is_true;		/* does a true row have it? */
	bool		is_plain;		/* has a class too few invented rows for it? */
	uint64		rows;
	uint32		nclasses;
} FirstShowing;

/* Counts the invented rows of a class. */
static uint64
invented_in(const Peers *peers, uint64 class)
{
	uint64		n = 0;

	for (uint64 i = peers->first_in[class]; i < peers->first_in[class + 1]; i++)
		if (peers->is_invented[peers->in[i]])
			n += peers_size(peers, peers->in[i]);
	return n;
}

uint64
peers_having(const Peers *peers, uint32 group, Code value)
{
	uint64		n = 0;

	for (uint64 i = peers->first[group]; i < peers->first[group + 1]; i++)
		n += peers->value[peers->individual[i]] == value;
	return n;
}

/* Notes a class for the values that it shows, where these are shown for the first time. */
static void
note_class(const Peers *peers, FirstShowing *firsts, Step at)
{
	const ShownValues *shown = &peers->statistics->shown[at.release];
	uint64		class = peers_class(peers, at);
	uint64		invented = invented_in(peers, class);

	for (uint64 i = shown->first[at.class]; i < shown->first[at.class + 1]; i++)
	{
		FirstShowing *first = &firsts[shown->value[i]];

		if (first->release < 0)
			first->release = at.release;
		if (first->release != at.release)
			continue;
		first->is_plain |= shown->count[i] > invented;
		first->rows += shown->count[i];
		first->nclasses++;
		for (uint64 k = peers->first_in[class]; k < peers->first_in[class + 1] && !first->is_true; k++)
			first->is_true = !peers->is_invented[peers->in[k]] && peers_having(peers, peers->in[k], shown->value[i]) > 0;
	}
}

/* Looks for the first release of each value. */
static FirstShowing *
find_firsts(const Peers *peers)
{
	const Seen *seen = peers->statistics->seen;
	FirstShowing *firsts = new_zeros(FirstShowing, seen->nvalues);

	for (Code v = 0; v < seen->nvalues; v++)
		firsts[v].release = -1;
	for (int32 r = 0; r < seen->nreleases; r++)
		for (uint32 c = 0; c < seen->release[r].nclasses; c++)
		{
			CHECK_FOR_INTERRUPTS();
			note_class(peers, firsts, (Step) {r, c});
		}
	return firsts;
}

/* Lists the groups of invented rows in the first classes of a cover's value. */
static void
list_groups(const Peers *peers, Cover *cover, const FirstShowing *first)
{
	for (uint32 c = 0; c < peers->statistics->seen->release[first->release].nclasses; c++)
	{
		Step		at = {first->release, c};
		uint64		class = peers_class(peers, at);

		if (statistics_count(peers->statistics, at, cover->value) == 0)
			continue;
		for (uint64 i = peers->first_in[class]; i < peers->first_in[class + 1]; i++)
			if (peers->is_invented[peers->in[i]])
				cover->group[cover->n++] = peers->in[i];
	}
}

Covers *
covers_find(const Peers *peers)
{
	Covers	   *covers = palloc0(sizeof(Covers));
	FirstShowing *firsts = find_firsts(peers);

	covers->cover = new_array(Cover, peers->statistics->seen->nvalues);
	for (Code v = 0; v < peers->statistics->seen->nvalues; v++)
	{
		Cover	   *cover = &covers->cover[covers->n];

		CHECK_FOR_INTERRUPTS();
		if (firsts[v].release < 0 || firsts[v].is_plain || !firsts[v].is_true)
			continue;
		*cover = (Cover) {.value = v, .most = firsts[v].rows - 1, .group = new_array(uint32, firsts[v].nclasses)};
		list_groups(peers, cover, &firsts[v]);
		covers->n++;
	}
	pfree(firsts);
	return covers;
}

bool
may_have(const Deduction *deduction, uint32 group, Code value)
{
	for (uint32 k = 0; k < deduction->ncandidates[group]; k++)
		if (deduction->candidate[deduction->first[group] + k] == value)
			return true;
	return false;
}

bool
cover_binds(const Deduction *deduction, const Cover *cover)
{
	const Peers *peers = deduction->peers;
	uint64		most = 0;

	for (uint32 i = 0; i < cover->n; i++)
	{
		uint64		nsteps;
		const Step *step = peers_steps(peers, cover->group[i], &nsteps);
		uint64		rows = statistics_count(peers->statistics, *step, cover->value);

		if (may_have(deduction, cover->group[i], cover->value))
			most += Min(peers_size(peers, cover->group[i]), rows);
	}
	return most > cover->most;
}
