/*
 * full.c
 *		Searching perfect matchings of more than two releases.
 *
 * NOTES
 *		A perfect matching says of each clique of nodes how many people it stands
 *		for; each node's cliques must stand for all of its records.  The records of
 *		a node are alike, so a clique of records is admissible if that of its nodes
 *		stands for a person in some perfect matching.
 *
 *		Each matching that is found admits all its cliques.  The first one is the
 *		true one, if it is known.  Mostly a few people of it need only be joined
 *		otherwise to have another clique: those who have its nodes, one for each.
 *		If that does not suffice, all matchings of its component are searched.
 */
#include "postgres.h"

#include "audit/join/admission.h"
#include "audit/join/cliques.h"
#include "audit/join/full.h"
#include "frame/arrays.h"
#include "miscadmin.h"
#include "utils/memutils.h"

/* ----------------------------------------------------------------
 * Cliques and components
 * ----------------------------------------------------------------
 */

/* Lists the cliques of each node. */
static void
list_by_node(Full *full)
{
	uint64	   *filled = new_zeros(uint64, full->listing.nnodes);

	full->first_clique = new_zeros(uint64, full->listing.nnodes);
	full->clique_of = new_zeros(uint32, (Size) full->listing.ncliques * full->nreleases);
	for (uint32 c = 0; c < full->listing.ncliques; c++)
		for (int32 r = 0; r < full->nreleases; r++)
			full->first_clique[node_at(&full->listing, c, r) + 1]++;
	for (uint32 v = 0; v < full->listing.nnodes; v++)
		full->first_clique[v + 1] += full->first_clique[v];
	for (uint32 c = 0; c < full->listing.ncliques; c++)
		for (int32 r = 0; r < full->nreleases; r++)
		{
			uint32		v = node_at(&full->listing, c, r);

			full->clique_of[full->first_clique[v] + filled[v]++] = c;
		}
	pfree(filled);
}

/* Lists the nodes of each component. */
static void
list_members(Full *full)
{
	uint32	   *filled = new_zeros(uint32, full->listing.nnodes);

	full->first_member = new_zeros(uint32, full->listing.nnodes);
	full->member = new_zeros(uint32, full->listing.nnodes);
	for (uint32 v = 0; v < full->listing.nnodes; v++)
		full->first_member[root_of(&full->listing, v) + 1]++;
	for (uint32 v = 0; v < full->listing.nnodes; v++)
		full->first_member[v + 1] += full->first_member[v];
	for (uint32 v = 0; v < full->listing.nnodes; v++)
	{
		uint32		root = root_of(&full->listing, v);

		full->member[full->first_member[root] + filled[root]++] = v;
	}
	pfree(filled);
}

/* ----------------------------------------------------------------
 * Admissible cliques
 * ----------------------------------------------------------------
 */

/* A person's own clique; or NO_CLIQUE if it is none, since whose the records are is a guess. */
static uint32
own_clique(const Full *full, uint32 person)
{
	const JoinGraph *graph = full->graph;
	uint32	   *node = full->own;
	uint64		clique;

	find_own_nodes(graph, person, node);
	clique = find_clique(full->listing.clique, full->listing.ncliques, full->nreleases, node);
	if (clique == full->listing.ncliques ||
		memcmp(&full->listing.clique[clique * full->nreleases], node, sizeof(uint32) * full->nreleases) != 0)
		return NO_CLIQUE;
	return clique;
}

/* Puts those of a node's cliques first that stand for a person. */
static void
put_based_first(Full *full, uint32 node)
{
	uint32	   *clique = &full->clique_of[full->first_clique[node]];
	uint64		n = full->first_clique[node + 1] - full->first_clique[node];
	uint64		nbased = 0;

	for (uint64 i = 0; i < n; i++)
		if (full->base[clique[i]] > 0)
		{
			uint32		based = clique[i];

			clique[i] = clique[nbased];
			clique[nbased++] = based;
		}
	full->nbased[node] = nbased;
}

void
note_base(Full *full, uint32 root)
{
	CHECK_FOR_INTERRUPTS();
	full->has_base[root] = true;
	for (uint32 i = full->first_member[root]; i < full->first_member[root + 1]; i++)
		put_based_first(full, full->member[i]);
}

/* Components of a person who has no clique: what is said of the others there is no perfect matching. */
static bool *
find_doubtful(Full *full)
{
	bool	   *is_doubtful = new_zeros(bool, full->listing.nnodes);

	for (uint32 p = 0; p < full->graph->input->release[0].nrecords; p++)
		if (own_clique(full, p) == NO_CLIQUE)
			for (int32 r = 0; r < full->nreleases; r++)
				is_doubtful[root_of(&full->listing, full->listing.first_node[r] + full->own[r])] = true;
	return is_doubtful;
}

/* Admits each person's own clique, if it is known. */
static void
admit_people(Full *full)
{
	const JoinGraph *graph = full->graph;
	bool	   *is_doubtful;

	if (!knows_people(graph))
		return;
	is_doubtful = find_doubtful(full);
	for (uint32 p = 0; p < graph->input->release[0].nrecords; p++)
	{
		uint32		clique = own_clique(full, p);

		if (p % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		if (clique == NO_CLIQUE || is_doubtful[root_of(&full->listing, node_at(&full->listing, clique, 0))])
			continue;
		full->admitted[clique] = true;
		full->base[clique]++;
	}
	for (uint32 v = 0; v < full->listing.nnodes; v++)
		if (full->first_member[v + 1] > full->first_member[v] && !is_doubtful[v])
			note_base(full, v);
	pfree(is_doubtful);
}

/* Decides which cliques are admissible; false if that is over the budget. */
static bool
admit(Full *full)
{
	full->admitted = new_zeros(bool, full->listing.ncliques);
	full->left = new_zeros(uint32, full->listing.nnodes);
	full->people = new_zeros(uint32, full->listing.ncliques);
	full->decided = new_zeros(bool, full->listing.ncliques);
	full->decision = new_zeros(Decision, full->listing.ncliques);
	full->base = new_zeros(uint32, full->listing.ncliques);
	full->has_base = new_zeros(bool, full->listing.nnodes);
	full->nbased = new_zeros(uint64, full->listing.nnodes);
	full->own = new_zeros(uint32, full->nreleases);
	full->exchanged = new_zeros(uint32, (Size) full->nreleases * (full->nreleases + MOST_EXTRAS));
	admit_people(full);
	for (uint32 c = 0; c < full->listing.ncliques; c++)
		if (!full->admitted[c] && !exchange_people(full, c) && !search_matching(full, c))
			return false;
	return true;
}

/* Is each node in a clique that is admitted? */
static bool
is_matched(const Full *full)
{
	for (uint32 v = 0; v < full->listing.nnodes; v++)
	{
		uint64		i = full->first_clique[v];

		while (i < full->first_clique[v + 1] && !full->admitted[full->clique_of[i]])
			i++;
		if (i == full->first_clique[v + 1])
			return false;
	}
	return true;
}

/* Keeps in the graph what was admitted. */
static void
narrow(Full *full)
{
	JoinGraph  *graph = full->graph;

	for (Size p = 0; p < npairs(graph); p++)
		memset(graph->pair[p].alive, false, graph->pair[p].nedges);
	for (uint32 c = 0; c < full->listing.ncliques; c++)
	{
		const uint32 *node = &full->listing.clique[(Size) c * full->nreleases];

		if (!full->admitted[c])
			continue;
		for (Size p = 0; p < npairs(graph); p++)
		{
			JoinPair   *pair = &graph->pair[p];

			pair->alive[edge_between(pair, node[pair->a], node[pair->b])] = true;
		}
		memmove(&full->listing.clique[graph->ncliques++ * full->nreleases], node, sizeof(uint32) * full->nreleases);
	}
	graph->clique = full->listing.clique;
}

JoinOutcome
join_full(JoinGraph *graph, uint64 budget)
{
	Full		full = {.graph = graph, .nreleases = graph->nreleases, .steps = budget};

	if (graph->nreleases <= 2)
		return JOIN_FOUND;
	if (!list_cliques(&full.listing, graph, &full.steps) || full.listing.ncliques >= NO_CLIQUE)
		return JOIN_OVER_BUDGET;
	list_by_node(&full);
	list_members(&full);
	if (!admit(&full))
		return JOIN_OVER_BUDGET;
	if (!is_matched(&full))
		return JOIN_UNMATCHED;
	narrow(&full);
	return JOIN_FOUND;
}
