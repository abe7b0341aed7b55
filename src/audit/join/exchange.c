/*
 * exchange.c
 *		Joining a few people of a known matching otherwise.
 *
 * NOTES
 *		To bring a clique into the matching, it mostly suffices to join the people
 *		who have its nodes, one person for each, otherwise among themselves, or
 *		with a few others.
 */
#include "postgres.h"

#include "audit/join/admission.h"
#include "audit/join/cliques.h"

/* Beyond them it is for the search to say */
#define MOST_ATTEMPTS	64		/* with different people, for a clique */
#define MOST_TRIES		200		/* in an attempt */

/* Numbers that follow each other, far from each other */
static inline uint64
scatter(uint32 number)
{
	return number * UINT64CONST(0x9E3779B97F4A7C15) >> 32;
}

static inline uint32 *
exchanged_at(const Full *full, int32 r, uint32 i)
{
	return &full->exchanged[(Size) r * (full->nreleases + MOST_EXTRAS) + i];
}

/* Does one of the people to be exchanged have this node? */
static bool
has_node(const Full *full, int32 r, uint32 node)
{
	for (uint32 i = 0; i < full->nexchanged; i++)
		if (*exchanged_at(full, r, i) == node)
			return true;
	return false;
}

/* Was a person taken who has all nodes of this clique? */
static bool
is_taken(const Full *full, uint32 clique)
{
	for (uint32 i = 0; i < full->nexchanged; i++)
	{
		int32		r = 0;

		while (r < full->nreleases && *exchanged_at(full, r, i) == full->listing.clique[(Size) clique * full->nreleases + r])
			r++;
		if (r == full->nreleases)
			return true;
	}
	return false;
}

/* Takes a person of the matching who has a node, in each attempt another one; false if all are taken. */
static bool
add_person(Full *full, int32 r, uint32 node, uint32 attempt)
{
	uint32		v = full->listing.first_node[r] + node;
	uint64		first = full->first_clique[v];
	uint64		n = full->nbased[v];
	uint64		begin = scatter(attempt) * n >> 32;

	for (uint64 i = 0; i < n; i++)
	{
		uint32		c = full->clique_of[first + (begin + i) % n];

		if (is_taken(full, c))
			continue;
		for (int32 s = 0; s < full->nreleases; s++)
			*exchanged_at(full, s, full->nexchanged) = full->listing.clique[(Size) c * full->nreleases + s];
		full->nexchanged++;
		return true;
	}
	return false;
}

/* Takes a few more who have a node of a person who was taken; the more, the later the attempt. */
static void
add_others(Full *full, uint32 attempt)
{
	uint32		n = attempt == 0 ? 0 : attempt * MOST_EXTRAS / MOST_ATTEMPTS + 1;

	for (uint32 i = 0; i < n; i++)
	{
		uint32		any = (uint32) scatter(attempt * MOST_EXTRAS + i);
		int32		r = any % full->nreleases;

		(void) add_person(full, r, *exchanged_at(full, r, (any >> 8) % full->nexchanged), any);
	}
}

static inline void
swap(const Full *full, int32 r, uint32 i, uint32 j)
{
	uint32		node = *exchanged_at(full, r, i);

	*exchanged_at(full, r, i) = *exchanged_at(full, r, j);
	*exchanged_at(full, r, j) = node;
}

/* Finds for person i a node of release r, and so on until all people are joined. */
static bool
exchange_from(Full *full, uint32 i, int32 r)
{
	if (r == full->nreleases)
		return exchange_from(full, i + 1, 1);
	if (i >= full->nexchanged)
		return true;
	for (uint32 j = i; j < full->nexchanged && full->tries > 0 && full_pay(full); j++)
	{
		int32		s = 0;

		full->tries--;
		swap(full, r, i, j);
		while (s < r && is_joined(full->graph, s, *exchanged_at(full, s, i), r, *exchanged_at(full, r, i)))
			s++;
		if (s == r && exchange_from(full, i, r + 1))
			return true;
		swap(full, r, i, j);
	}
	return false;
}

/* Gives person 0 the nodes of a clique, in exchange for that person's own. */
static void
put_first(Full *full, const uint32 *node)
{
	for (int32 r = 0; r < full->nreleases; r++)
	{
		uint32		i = 0;

		while (*exchanged_at(full, r, i) != node[r])
			i++;
		swap(full, r, 0, i);
	}
}

/* Admits the cliques that the exchanged people now have. */
static void
admit_exchanged(Full *full)
{
	uint32	   *node = palloc(sizeof(uint32) * full->nreleases);

	for (uint32 i = 0; i < full->nexchanged; i++)
	{
		for (int32 r = 0; r < full->nreleases; r++)
			node[r] = *exchanged_at(full, r, i);
		full->admitted[find_clique(full->listing.clique, full->listing.ncliques, full->nreleases, node)] = true;
	}
	pfree(node);
}

/*
 * Joins the people who have the nodes of a clique otherwise, so that it stands
 * for one of them.
 *
 * A person is taken for each node that none has yet, and in later attempts more who have a node
 * of those.
 */
static bool
exchange(Full *full, uint32 clique, uint32 attempt)
{
	const uint32 *node = &full->listing.clique[(Size) clique * full->nreleases];

	full->nexchanged = 0;
	full->tries = MOST_TRIES;
	for (int32 r = 0; r < full->nreleases; r++)
		if (!has_node(full, r, node[r]) && !add_person(full, r, node[r], attempt * full->nreleases + r))
			return false;
	add_others(full, attempt);
	put_first(full, node);
	if (!exchange_from(full, 1, 1))
		return false;
	admit_exchanged(full);
	return true;
}

bool
exchange_people(Full *full, uint32 clique)
{
	for (uint32 attempt = 0; attempt < MOST_ATTEMPTS && full_pay(full); attempt++)
		if (exchange(full, clique, attempt))
			return true;
	return false;
}
