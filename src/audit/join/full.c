/*
 * full.c
 *		Which cliques are in a perfect matching of more than two releases.
 *
 * NOTES
 *		A perfect matching says of each clique of nodes how many people it stands for; each node's cliques must stand
 *		for all of its records.  The records of a node are alike, so a clique of records is admissible if that of its
 *		nodes stands for a person in some perfect matching.
 *
 *		So a perfect matching is a world whose cells are cliques, and whose lines are nodes (audit/worlds.h).  The
 *		first one is the true one, if it is known.  Each that is found admits all its cliques, and the next one is
 *		looked for near it.
 */
#include "postgres.h"

#include "audit/join/join.h"
#include "audit/worlds.h"
#include "frame/arrays.h"
#include "miscadmin.h"
#include "utils/memutils.h"

/* Steps that a clique counts for: it takes memory, too. */
#define CLIQUE_STEPS 16

typedef struct FullJoin
{
	JoinGraph  *graph;
	int32		nreleases;
	uint64		steps;			/* that are left */

	/* Nodes of all releases in one row: those of release r begin at first_node[r] */
	uint32	   *first_node;		/* [releases + 1] */
	uint32	   *size;			/* [nodes] records */

	/* The kernel's cliques, ascending: fewer than NO_CLIQUE */
	uint64		ncliques;
	uint64		room;
	uint32	   *clique;			/* [cliques * releases] nodes by their numbers in the row */
	bool	   *admitted;		/* [cliques] */
} FullJoin;

/* Adds a clique to the list; false if no step is left. */
static bool
add_clique(void *arg, const uint32 *node)
{
	FullJoin   *full = arg;
	uint32	   *clique;

	if (full->steps < CLIQUE_STEPS)
		return false;
	full->steps -= CLIQUE_STEPS;
	if (full->ncliques % 4096 == 0)
		CHECK_FOR_INTERRUPTS();
	if (full->ncliques == full->room)
	{
		full->room = array_room(full->room, full->ncliques + 1);
		array_resize(full->clique, full->room * full->nreleases);
	}
	clique = &full->clique[full->ncliques++ * full->nreleases];
	for (int32 r = 0; r < full->nreleases; r++)
		clique[r] = full->first_node[r] + node[r];
	return true;
}

/* Lists the nodes and cliques; false if the steps do not suffice. */
static bool
list_cliques(FullJoin *full)
{
	CliqueWalk	walk = {.graph = full->graph, .visit = add_clique, .arg = full};
	bool		found;

	full->first_node = new_zeros(uint32, full->nreleases);
	for (int32 r = 0; r < full->nreleases; r++)
		full->first_node[r + 1] = full->first_node[r] + full->graph->side[r].nnodes;
	full->size = new_array(uint32, full->first_node[full->nreleases]);
	for (int32 r = 0; r < full->nreleases; r++)
		memcpy(full->size + full->first_node[r], full->graph->side[r].size, sizeof(uint32) * full->graph->side[r].nnodes);
	walk.node = new_array(uint32, full->nreleases);
	found = walk_cliques(&walk) && full->ncliques < NO_CLIQUE;
	pfree(walk.node);
	return found;
}

/*
 * How many people each clique stands for: those of whom it is the own one, if they are known.  Whose the records are
 * may be a guess, so that some people have no clique; records that are left are joined as it comes.
 */
static uint32 *
begin_matching(const FullJoin *full)
{
	const JoinGraph *graph = full->graph;
	uint32	   *people = new_zeros(uint32, full->ncliques);
	uint32	   *left = new_array(uint32, full->first_node[full->nreleases]);
	uint32	   *own = new_array(uint32, full->nreleases);

	memcpy(left, full->size, sizeof(uint32) * full->first_node[full->nreleases]);
	for (uint32 p = 0; knows_people(graph) && p < graph->input->release[0].nrecords; p++)
	{
		uint64		clique;

		if (p % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		find_own_nodes(graph, p, own);
		for (int32 r = 0; r < full->nreleases; r++)
			own[r] += full->first_node[r];
		clique = find_clique(full->clique, full->ncliques, full->nreleases, own);
		if (clique == full->ncliques)
			continue;
		people[clique]++;
		for (int32 r = 0; r < full->nreleases; r++)
			left[own[r]]--;
	}
	for (uint64 c = 0; c < full->ncliques; c++)
	{
		const uint32 *node = &full->clique[c * full->nreleases];
		uint32		more = PG_UINT32_MAX;

		for (int32 r = 0; r < full->nreleases; r++)
			more = Min(more, left[node[r]]);
		people[c] += more;
		for (int32 r = 0; r < full->nreleases; r++)
			left[node[r]] -= more;
	}
	pfree(left);
	pfree(own);
	return people;
}

/* Decides which cliques are admissible. */
static JoinOutcome
admit(FullJoin *full)
{
	uint32	   *people = begin_matching(full);
	uint64	   *first_through = new_array(uint64, full->ncliques);
	Worlds		worlds = {.ncells = full->ncliques, .first_through = first_through, .through = full->clique};
	WorldFound	found;

	for (uint64 c = 0; c <= full->ncliques; c++)
		first_through[c] = c * full->nreleases;
	worlds.nlines = full->first_node[full->nreleases];
	worlds_begin(&worlds, people, full->size);
	full->admitted = new_zeros(bool, full->ncliques);
	found = worlds_search(&worlds, NO_CELL, full->steps, full->admitted);
	full->steps -= Min(full->steps, worlds.steps);
	if (found != POSSIBLE)
		return found == IMPOSSIBLE ? JOIN_UNMATCHED : JOIN_OVER_BUDGET;
	for (uint32 c = 0; c < full->ncliques; c++)
		full->admitted[c] = worlds.cell[c].people > 0;
	for (uint64 effort = FIRST_EFFORT;; effort = more_effort(effort))
	{
		bool		is_open = false;

		for (uint32 c = 0; c < full->ncliques && full->steps > 0; c++)
		{
			if (full->admitted[c] || worlds.cell[c].most == 0)
				continue;
			found = worlds_search(&worlds, c, Min(effort, full->steps), full->admitted);
			full->steps -= Min(full->steps, worlds.steps);
			is_open |= found == NOT_KNOWN;
			if (found == IMPOSSIBLE)
				worlds_exclude(&worlds, c);
		}
		if (full->steps == 0)
			return JOIN_OVER_BUDGET;
		if (!is_open)
			return JOIN_FOUND;
	}
}

/* Keeps in the graph what was admitted. */
static void
narrow(FullJoin *full)
{
	JoinGraph  *graph = full->graph;

	for (Size p = 0; p < npairs(graph); p++)
		memset(graph->pair[p].alive, false, graph->pair[p].nedges);
	graph->clique = full->clique;
	for (uint64 c = 0; c < full->ncliques; c++)
	{
		uint32	   *kept = &graph->clique[graph->ncliques * full->nreleases];

		if (!full->admitted[c])
			continue;
		for (int32 r = 0; r < full->nreleases; r++)
			kept[r] = full->clique[c * full->nreleases + r] - full->first_node[r];
		for (Size p = 0; p < npairs(graph); p++)
		{
			JoinPair   *pair = &graph->pair[p];

			pair->alive[edge_between(pair, kept[pair->a], kept[pair->b])] = true;
		}
		graph->ncliques++;
	}
}

JoinOutcome
join_full(JoinGraph *graph, uint64 budget)
{
	FullJoin	full = {.graph = graph, .nreleases = graph->nreleases, .steps = budget};
	JoinOutcome outcome;

	if (graph->nreleases <= 2)
		return JOIN_FOUND;
	outcome = list_cliques(&full) ? admit(&full) : JOIN_OVER_BUDGET;
	if (outcome == JOIN_FOUND)
		narrow(&full);
	return outcome;
}
