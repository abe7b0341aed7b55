/*
 * kernel.c
 *		Walking over cliques, and dropping edges that are no matches, and those in no clique, in turns.
 */
#include "postgres.h"

#include "audit/join/join.h"
#include "frame/arrays.h"
#include "miscadmin.h"
#include "shared/progress.h"
#include "utils/memutils.h"

/* ---- Cliques ---- */

/* Nodes of a release, of which one is to be chosen */
typedef struct Choice
{
	const JoinPair *pair;		/* edges by which they are neighbours; NULL for all nodes */
	bool		backwards;
	uint32		begin;
	uint32		end;
} Choice;

static inline bool
is_chosen(const CliqueWalk *walk, int32 s, int32 r)
{
	return s < r || (walk->fixed != NULL && walk->fixed[s]);
}

/* The fewest nodes of release r among which the next one must be: neighbours of a node chosen already. */
static Choice
choices(const CliqueWalk *walk, int32 r)
{
	Choice		fewest = {.end = walk->graph->side[r].nnodes};

	for (int32 s = 0; s < walk->graph->nreleases; s++)
		if (s != r && is_chosen(walk, s, r))
		{
			const JoinPair *pair = pair_of(walk->graph, s, r);
			const uint32 *first = &(r < s ? pair->first_back : pair->first)[walk->node[s]];

			if (first[1] - first[0] < fewest.end - fewest.begin)
				fewest = (Choice) {.pair = pair, .backwards = r < s, .begin = first[0], .end = first[1]};
		}
	return fewest;
}

/* Can nodes of which any two are joined be somebody's, as far as the join was narrowed? */
static bool
is_wanted(const JoinGraph *graph, const uint32 *node)
{
	return !is_nobody(graph, node) &&
		(graph->clique == NULL || find_clique(graph->clique, graph->ncliques, graph->nreleases, node) < graph->ncliques);
}

/* Chooses a node of release r and of all later ones; false if the visitor ended the walk. */
static bool
walk_from(CliqueWalk *walk, int32 r)
{
	uint64		steps = walk->graph->nreleases;
	Choice		choice;

	while (r < walk->graph->nreleases && walk->fixed != NULL && walk->fixed[r])
		r++;
	if (r == walk->graph->nreleases)
		return !is_wanted(walk->graph, walk->node) || walk->visit(walk->arg, walk->node);
	choice = choices(walk, r);
	CHECK_FOR_INTERRUPTS();
	for (uint32 i = choice.begin; i < choice.end; i++)
	{
		uint32		node = choice.pair == NULL ? i : choice.backwards ? choice.pair->from[choice.pair->back[i]] : choice.pair->to[i];
		int32		s = 0;

		take_steps(steps);
		if (walk->steps != NULL)
		{
			if (*walk->steps < steps)
				return false;
			*walk->steps -= steps;
		}

		/* Is it joined to all that are chosen? */
		while (s < walk->graph->nreleases &&
			   (s == r || !is_chosen(walk, s, r) || is_joined(walk->graph, s, walk->node[s], r, node)))
			s++;
		if (s < walk->graph->nreleases)
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
	return low < n && memcmp(&clique[low * nreleases], node, sizeof(uint32) * nreleases) == 0 ? low : n;
}

int32
join_limbs(const JoinGraph *graph)
{
	uint32		most = 1;

	for (int32 r = 0; r < graph->nreleases; r++)
		most = Max(most, graph->input->release[r].nrecords);
	return wide_limbs(most, graph->nreleases);
}

typedef struct Counting
{
	const JoinGraph *graph;
	Wide	   *cliques;
	Wide	   *product;
} Counting;

/* Adds the cliques of records that a clique of nodes stands for: the product of the nodes' sizes. */
static bool
count_clique(void *arg, const uint32 *node)
{
	Counting   *counting = arg;

	wide_set(counting->product, 1);
	for (int32 r = 0; r < counting->graph->nreleases; r++)
		wide_multiply(counting->product, counting->graph->side[r].size[node[r]]);
	wide_add(counting->cliques, counting->product);
	return true;
}

uint64
join_edges(const JoinGraph *graph)
{
	uint64		edges = 0;

	for (Size p = 0; p < npairs(graph); p++)
	{
		const JoinPair *pair = &graph->pair[p];

		for (uint32 e = 0; e < pair->nedges; e++)
		{
			uint64		more = (uint64) graph->side[pair->a].size[pair->from[e]] * graph->side[pair->b].size[pair->to[e]];

			if (!pair->alive[e])
				continue;
			if (more > PG_INT64_MAX - edges)
				ereport(ERROR,
						(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
						 errmsg("releases have too many edges to count")));
			edges += more;
		}
	}
	return edges;
}

JoinCounts
join_count(const JoinGraph *graph, uint64 *steps)
{
	JoinCounts	counts = {0};
	Counting	counting = {.graph = graph};
	CliqueWalk	walk = {.graph = graph, .visit = count_clique, .arg = &counting, .steps = steps};

	for (int32 r = 0; r < graph->nreleases; r++)
		counts.nodes += graph->side[r].nnodes;
	counts.edges = join_edges(graph);
	counting.cliques = counts.cliques = wide_create(1, join_limbs(graph));
	counting.product = wide_create(1, join_limbs(graph));
	walk.node = palloc(sizeof(uint32) * graph->nreleases);
	if (!walk_cliques(&walk))
	{
		wide_free(counts.cliques);
		counts.cliques = NULL;
	}
	pfree(walk.node);
	wide_free(counting.product);
	return counts;
}

/* ---- The kernel ---- */

typedef struct Narrowing
{
	JoinGraph  *graph;
	bool	   *stale;			/* [pairs] edges were dropped since matches were found */
	bool	  **in_clique;		/* [pairs][edges] known to be */
	CliqueWalk	walk;
} Narrowing;

/* Begins the flows of all pairs with each person's own records. */
static JoinOutcome
begin_flows(JoinGraph *graph, JoinTrouble *trouble)
{
	for (Size p = 0; p < npairs(graph); p++)
	{
		JoinPair   *pair = &graph->pair[p];
		uint32		person = pair->flow == NULL ? flow_of_people(graph, pair) : NOBODY;

		*trouble = (JoinTrouble) {.a = pair->a, .b = pair->b, .person = person};
		if (person != NOBODY)
			return JOIN_CONTRADICTED;
	}
	return JOIN_FOUND;
}

uint64
join_missing(JoinGraph *graph)
{
	uint64		missing = 0;
	JoinTrouble trouble;

	if (begin_flows(graph, &trouble) != JOIN_FOUND)
		return 0;				/* which is for join_kernel() to say */
	for (Size p = 0; p < npairs(graph); p++)
	{
		uint64		left_over = flow_complete(graph, &graph->pair[p]);

		missing = Max(missing, left_over);
	}
	return missing;
}

/* Drops what is no match; false if there is no perfect matching. */
static bool
narrow_to_matches(Narrowing *narrowing, bool *dropped, JoinTrouble *trouble)
{
	JoinGraph  *graph = narrowing->graph;

	for (Size p = 0; p < npairs(graph); p++)
	{
		JoinPair   *pair = &graph->pair[p];

		if (!narrowing->stale[p])
			continue;
		*trouble = (JoinTrouble) {.a = pair->a, .b = pair->b, .person = NOBODY};
		if (flow_complete(graph, pair) > 0)
			return false;
		if (drop_unmatched(graph, pair) > 0)
			*dropped = true;
		narrowing->stale[p] = false;
	}
	return true;
}

/* A clique was found: so all its edges are in one. */
static bool
note_clique(void *arg, const uint32 *node)
{
	const Narrowing *narrowing = arg;

	for (int32 b = 1; b < narrowing->graph->nreleases; b++)
		for (int32 a = 0; a < b; a++)
			narrowing->in_clique[pair_number(a, b)][edge_between(pair_of(narrowing->graph, a, b), node[a], node[b])] = true;
	return false;
}

/* Is an edge in a clique of the graph as it is now? */
static bool
is_in_clique(Narrowing *narrowing, Size p, uint32 edge)
{
	const JoinPair *pair = &narrowing->graph->pair[p];
	CliqueWalk *walk = &narrowing->walk;
	bool		found;

	if (narrowing->in_clique[p][edge])
		return true;
	walk->fixed[pair->a] = walk->fixed[pair->b] = true;
	walk->node[pair->a] = pair->from[edge];
	walk->node[pair->b] = pair->to[edge];
	found = !walk_cliques(walk);
	walk->fixed[pair->a] = walk->fixed[pair->b] = false;
	return found;
}

/*
 * Drops every edge that is in no clique; its pair is to be looked at again.  Since the edges dropped are in no clique,
 * a clique that was found stays one.
 */
static void
narrow_to_cliques(Narrowing *narrowing)
{
	JoinGraph  *graph = narrowing->graph;

	for (Size p = 0; p < npairs(graph); p++)
		memset(narrowing->in_clique[p], 0, graph->pair[p].nedges);
	for (Size p = 0; p < npairs(graph); p++)
		for (uint32 e = 0; e < graph->pair[p].nedges; e++)
		{
			CHECK_FOR_INTERRUPTS();
			if (!graph->pair[p].alive[e])
				continue;
			take_steps(graph->nreleases);
			if (is_in_clique(narrowing, p, e))
				continue;
			graph->pair[p].alive[e] = false;
			narrowing->stale[p] = true;
		}
}

JoinOutcome
join_kernel(JoinGraph *graph, JoinTrouble *trouble)
{
	JoinOutcome outcome = begin_flows(graph, trouble);
	Narrowing	narrowing = {.graph = graph};
	bool		dropped = true; /* cliques have not been looked at yet */
	MemoryContext context = CurrentMemoryContext;
	MemoryContext work;

	if (outcome != JOIN_FOUND)
		return outcome;
	work = AllocSetContextCreate(context, "kernel", ALLOCSET_DEFAULT_SIZES);
	MemoryContextSwitchTo(work);
	narrowing.stale = new_array(bool, npairs(graph));
	memset(narrowing.stale, true, npairs(graph));
	narrowing.in_clique = new_array(bool *, npairs(graph));
	for (Size p = 0; p < npairs(graph); p++)
		narrowing.in_clique[p] = new_array(bool, graph->pair[p].nedges);
	narrowing.walk = (CliqueWalk) {
		.graph = graph, .visit = note_clique, .arg = &narrowing,
		.fixed = new_zeros(bool, graph->nreleases),
		.node = new_zeros(uint32, graph->nreleases)
	};
	while (outcome == JOIN_FOUND && memchr(narrowing.stale, 1, npairs(graph)) != NULL)
	{
		if (!narrow_to_matches(&narrowing, &dropped, trouble))
			outcome = JOIN_UNMATCHED;
		else if (graph->nreleases > 2 && dropped)
			narrow_to_cliques(&narrowing);
		dropped = false;
	}
	MemoryContextSwitchTo(context);
	MemoryContextDelete(work);
	return outcome;
}
