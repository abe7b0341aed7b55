/*
 * peers.c
 *		Sorting people by where they were.
 */
#include "postgres.h"

#include "audit/compromise.h"
#include "common/hashfn.h"
#include "frame/arrays.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "utils/memutils.h"

/* Finds the value of each individual; values do not change here. */
static void
find_values(Peers *peers)
{
	const Seen *seen = peers->statistics->seen;

	peers->value = new_zeros(Code, seen->nindividuals);
	for (int32 r = 0; r < seen->nreleases; r++)
	{
		const SeenRelease *release = &seen->release[r];

		CHECK_FOR_INTERRUPTS();
		for (uint64 i = 0; i < release->first[release->nclasses]; i++)
			peers->value[release->individual[i]] = release->value[i];
	}
}

/* ----------------------------------------------------------------
 * Groups
 * ----------------------------------------------------------------
 */

static Size
steps_length(const Statistics *statistics, Individual t)
{
	return sizeof(Step) * (statistics->first[t + 1] - statistics->first[t]);
}

/* The individuals that have no true row. */
static bool *
find_invented(const Seen *seen)
{
	bool	   *is_invented = new_array(bool, seen->nindividuals);

	memset(is_invented, true, sizeof(bool) * seen->nindividuals);
	for (int32 r = 0; r < seen->nreleases; r++)
	{
		const SeenRelease *release = &seen->release[r];

		CHECK_FOR_INTERRUPTS();
		for (uint64 i = 0; i < release->first[release->nclasses]; i++)
			is_invented[release->individual[i]] &= release->counterfeit[i];
	}
	return is_invented;
}

/* Observers' knowledge of each individual alone. */
typedef struct Known
{
	bool	   *is_known;		/* [individuals] */
	bool	   *is_invented;	/* [individuals] */
} Known;

static uint32
hash_individual(const Peers *peers, Individual t, bool is_known)
{
	const Statistics *statistics = peers->statistics;
	uint32		hash = hash_bytes((const unsigned char *) &statistics->step[statistics->first[t]],
								  (int) steps_length(statistics, t));

	return is_known ? hash_combine(hash, hash_bytes_uint32(peers->value[t])) : hash;
}

/* Can observers tell two individuals apart? */
static bool
are_peers(const Peers *peers, const Known *known, Individual a, Individual b)
{
	const Statistics *statistics = peers->statistics;

	return known->is_known[a] == known->is_known[b] && known->is_invented[a] == known->is_invented[b] &&
		(!known->is_known[a] || peers->value[a] == peers->value[b]) &&
		steps_length(statistics, a) == steps_length(statistics, b) &&
		memcmp(&statistics->step[statistics->first[a]], &statistics->step[statistics->first[b]],
			   steps_length(statistics, a)) == 0;
}

/* Groups are numbered by their first individuals, which any[] says. */
static void
find_groups(Peers *peers, const Known *known)
{
	uint64		nindividuals = peers->statistics->seen->nindividuals;
	uint64		mask = pg_nextpower2_64(nindividuals * 2 + 2) - 1;
	uint32	   *slot = new_array(uint32, mask);
	Individual *any = new_array(Individual, nindividuals);

	memset(slot, 0xff, sizeof(uint32) * (mask + 1));	/* NO_GROUP */
	peers->group = new_array(uint32, nindividuals);
	peers->is_known = new_zeros(bool, nindividuals);
	peers->is_invented = new_zeros(bool, nindividuals);
	for (Individual t = 0; t < nindividuals; t++)
	{
		uint64		at = hash_individual(peers, t, known->is_known[t]) & mask;

		CHECK_FOR_INTERRUPTS();
		while (slot[at] != NO_GROUP && !are_peers(peers, known, any[slot[at]], t))
			at = (at + 1) & mask;
		if (slot[at] == NO_GROUP)
		{
			slot[at] = peers->n++;
			any[slot[at]] = t;
			peers->is_known[slot[at]] = known->is_known[t];
			peers->is_invented[slot[at]] = known->is_invented[t];
		}
		peers->group[t] = slot[at];
	}
	pfree(slot);
	pfree(any);
}

/* Turns counts, each in the place behind its own, into where each begins. */
static void
sum_up(uint64 *first, uint64 n)
{
	for (uint64 i = 0; i < n; i++)
		first[i + 1] += first[i];
}

/* ----------------------------------------------------------------
 * Classes
 * ----------------------------------------------------------------
 */

/* Counts the groups in each class. */
static void
count_groups(Peers *peers)
{
	for (uint32 g = 0; g < peers->n; g++)
	{
		uint64		n;
		const Step *step = peers_steps(peers, g, &n);

		CHECK_FOR_INTERRUPTS();
		for (uint64 s = 0; s < n; s++)
			peers->first_in[peers_class(peers, step[s]) + 1]++;
	}
	sum_up(peers->first_in, peers_nclasses(peers));
}

/* Lists the groups in each class. */
static void
list_groups(Peers *peers)
{
	uint64		nclasses = peers_nclasses(peers);
	uint64	   *filled = new_array(uint64, nclasses);

	peers->in = new_array(uint32, peers->first_in[nclasses]);
	memcpy(filled, peers->first_in, sizeof(uint64) * nclasses);
	for (uint32 g = 0; g < peers->n; g++)
	{
		uint64		n;
		const Step *step = peers_steps(peers, g, &n);

		CHECK_FOR_INTERRUPTS();
		for (uint64 s = 0; s < n; s++)
			peers->in[filled[peers_class(peers, step[s])]++] = g;
	}
	pfree(filled);
}

/* Numbers the classes of all releases consecutively, and lists the groups of each. */
static void
look_into_classes(Peers *peers)
{
	const Seen *seen = peers->statistics->seen;

	peers->base = new_zeros(uint64, seen->nreleases);
	for (int32 r = 0; r < seen->nreleases; r++)
		peers->base[r + 1] = peers->base[r] + seen->release[r].nclasses;
	peers->first_in = new_zeros(uint64, peers_nclasses(peers));
	count_groups(peers);
	list_groups(peers);
}

Peers *
peers_create(const Statistics *statistics, const Individual *known, uint64 nknown, bool tells_invented)
{
	const Seen *seen = statistics->seen;
	Peers	   *peers = palloc0(sizeof(Peers));
	Known		of_individuals = {
		.is_known = new_zeros(bool, seen->nindividuals),
		.is_invented = tells_invented ? find_invented(seen) : new_zeros(bool, seen->nindividuals),
	};

	peers->statistics = statistics;
	for (uint64 i = 0; i < nknown; i++)
		of_individuals.is_known[known[i]] = true;
	find_values(peers);
	find_groups(peers, &of_individuals);
	list_by_group(peers->group, seen->nindividuals, peers->n, &peers->first, &peers->individual);
	look_into_classes(peers);
	pfree(of_individuals.is_known);
	pfree(of_individuals.is_invented);
	return peers;
}
