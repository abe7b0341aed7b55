/*
 * cliques.c
 *		Walking over cliques, release by release.
 */
#include "postgres.h"

#include "audit/join/cliques.h"
#include "miscadmin.h"
#include "shared/steps.h"

/* Nodes of a release, of which one is to be chosen */
typedef struct Choice
{
	const JoinPair *pair;		/* edges by which they are neighbours; NULL for all nodes */
	bool		backwards;
	uint32		begin;
	uint32		end;
} Choice;

static inline uint32
chosen_at(const Choice *choice, uint32 i)
{
	if (choice->pair == NULL)
		return i;
	return choice->backwards ? choice->pair->from[choice->pair->back[i]] : choice->pair->to[i];
}

static inline bool
is_chosen(const CliqueWalk *walk, int32 s, int32 r)
{
	return s < r || (walk->fixed != NULL && walk->fixed[s]);
}

/* The neighbours in r of a node of s */
static Choice
neighbours(const JoinGraph *graph, int32 s, uint32 node, int32 r)
{
	const JoinPair *pair = pair_of(graph, s, r);
	bool		backwards = r < s;
	const uint32 *first = backwards ? pair->first_back : pair->first;

	return (Choice) {.pair = pair, .backwards = backwards, .begin = first[node], .end = first[node + 1]};
}

/*
 * The fewest nodes of release r among which the next one must be: neighbours
 * of a node chosen already.
 */
static Choice
choices(const CliqueWalk *walk, int32 r)
{
	Choice		fewest = {.end = walk->graph->side[r].nnodes};

	for (int32 s = 0; s < walk->graph->nreleases; s++)
		if (s != r && is_chosen(walk, s, r))
		{
			Choice		choice = neighbours(walk->graph, s, walk->node[s], r);

			if (choice.end - choice.begin < fewest.end - fewest.begin)
				fewest = choice;
		}
	return fewest;
}

/* Is a node of r joined to all that are chosen? */
static bool
fits(const CliqueWalk *walk, int32 r, uint32 node)
{
	for (int32 s = 0; s < walk->graph->nreleases; s++)
		if (s != r && is_chosen(walk, s, r) && !is_joined(walk->graph, s, walk->node[s], r, node))
			return false;
	return true;
}

/* May the walk compare one more node with those of the other releases? */
static inline bool
may_go_on(CliqueWalk *walk)
{
	uint64		steps = walk->graph->nreleases;

	take_steps(steps);
	if (walk->steps == NULL)
		return true;
	if (*walk->steps < steps)
		return false;
	*walk->steps -= steps;
	return true;
}

/* Can nodes of which any two are joined be somebody's, as far as the join was narrowed? */
static bool
is_wanted(const JoinGraph *graph, const uint32 *node)
{
	return !is_nobody(graph, node) && (graph->clique == NULL || is_listed(graph, node));
}

/* Chooses a node of release r and of all later ones; false if the visitor ended the walk. */
static bool
walk_from(CliqueWalk *walk, int32 r)
{
	Choice		choice;

	while (r < walk->graph->nreleases && walk->fixed != NULL && walk->fixed[r])
		r++;
	if (r == walk->graph->nreleases)
		return !is_wanted(walk->graph, walk->node) || walk->visit(walk->arg, walk->node);
	choice = choices(walk, r);
	CHECK_FOR_INTERRUPTS();
	for (uint32 i = choice.begin; i < choice.end; i++)
	{
		uint32		node = chosen_at(&choice, i);

		if (!may_go_on(walk))
			return false;
		if (!fits(walk, r, node))
			continue;
		walk->node[r] = node;
		if (!walk_from(walk, r + 1))
			return false;
	}
	return true;
}

bool
walk_cliques(CliqueWalk *walk)
{
	return walk_from(walk, 0);
}

bool
is_clique(const JoinGraph *graph, const uint32 *node)
{
	for (int32 s = 1; s < graph->nreleases; s++)
		for (int32 r = 0; r < s; r++)
			if (!is_joined(graph, r, node[r], s, node[s]))
				return false;
	return is_wanted(graph, node);
}

uint64
find_clique(const uint32 *clique, uint64 n, int32 nreleases, const uint32 *node)
{
	uint64		low = 0;
	uint64		high = n;

	while (low < high)
	{
		uint64		middle = low + (high - low) / 2;
		const uint32 *at = &clique[middle * nreleases];
		int32		r = 0;

		while (r < nreleases - 1 && at[r] == node[r])
			r++;
		if (at[r] < node[r])
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool
is_listed(const JoinGraph *graph, const uint32 *node)
{
	uint64		i = find_clique(graph->clique, graph->ncliques, graph->nreleases, node);

	return i < graph->ncliques &&
		memcmp(&graph->clique[i * graph->nreleases], node, sizeof(uint32) * graph->nreleases) == 0;
}
