/*
 * listing.c
 *		Listing cliques, and joining their nodes to components.
 */
#include "postgres.h"

#include "audit/join/cliques.h"
#include "audit/join/listing.h"
#include "frame/arrays.h"
#include "miscadmin.h"
#include "utils/memutils.h"

static uint32 *
numbers(Size n)
{
	return new_zeros(uint32, n);
}

/* Adds a clique to the list; false if no step is left. */
static bool
add_clique(void *arg, const uint32 *node)
{
	Listing    *listing = arg;

	if (*listing->steps == 0)
		return false;
	if (--*listing->steps % 65536 == 0)
		CHECK_FOR_INTERRUPTS();
	if (listing->ncliques == listing->room)
	{
		listing->room = array_room(listing->room, listing->ncliques + 1);
		array_resize(listing->clique, listing->room * listing->nreleases);
	}
	memcpy(&listing->clique[listing->ncliques++ * listing->nreleases], node, sizeof(uint32) * listing->nreleases);
	return true;
}

uint32
root_of(Listing *listing, uint32 node)
{
	while (listing->parent[node] != node)
		node = listing->parent[node] = listing->parent[listing->parent[node]];
	return node;
}

/* Unites the nodes that cliques connect. */
static void
find_components(Listing *listing)
{
	listing->first_node = numbers(listing->nreleases);
	for (int32 r = 0; r < listing->nreleases; r++)
		listing->first_node[r + 1] = listing->first_node[r] + listing->graph->side[r].nnodes;
	listing->nnodes = listing->first_node[listing->nreleases];
	listing->parent = numbers(listing->nnodes);
	for (uint32 v = 0; v < listing->nnodes; v++)
		listing->parent[v] = v;
	for (uint64 c = 0; c < listing->ncliques; c++)
		for (int32 r = 1; r < listing->nreleases; r++)
			listing->parent[root_of(listing, node_at(listing, c, r))] = root_of(listing, node_at(listing, c, 0));
}

bool
list_cliques(Listing *listing, const JoinGraph *graph, uint64 *steps)
{
	CliqueWalk	walk = {.graph = graph, .visit = add_clique, .arg = listing};

	*listing = (Listing) {.graph = graph, .nreleases = graph->nreleases, .steps = steps};
	walk.node = numbers(listing->nreleases);
	if (!walk_cliques(&walk))
		return false;
	pfree(walk.node);
	find_components(listing);
	return true;
}
