/*
 * kernel.c
 *		Dropping edges that are no matches, and those in no clique, in turns.
 *
 * NOTES
 *		A clique around an edge is looked for near those that are known: each person's own
 *		records are one, and mostly another one has the edge if only one of their nodes is
 *		exchanged.  That takes a step a release; other edges take a walk.
 */
#include "postgres.h"

#include "audit/join/cliques.h"
#include "audit/join/flow.h"
#include "audit/join/kernel.h"
#include "audit/join/matches.h"
#include "frame/arrays.h"
#include "miscadmin.h"
#include "shared/steps.h"
#include "utils/memutils.h"

typedef struct Narrowing
{
	JoinGraph  *graph;
	bool	   *stale;			/* [pairs] edges were dropped since matches were found */
	bool	  **in_clique;		/* [pairs][edges] known to be */
	uint32	  **owner;			/* [releases][nodes] somebody whose own records are a clique, one of the node; or
								 * NOBODY */
	uint32	   *near;			/* [releases] such a clique, one node exchanged */
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

/* A clique has these nodes of releases a and b, a before b: so their edge is in one. */
static inline void
note_edge(const Narrowing *narrowing, const uint32 *node, int32 a, int32 b)
{
	const JoinPair *pair = pair_of(narrowing->graph, a, b);

	narrowing->in_clique[pair_number(a, b)][edge_between(pair, node[a], node[b])] = true;
}

/* A clique was found: so all its edges are in one. */
static bool
note_clique(void *arg, const uint32 *node)
{
	const Narrowing *narrowing = arg;

	for (int32 b = 1; b < narrowing->graph->nreleases; b++)
		for (int32 a = 0; a < b; a++)
			note_edge(narrowing, node, a, b);
	return false;
}

/*
 * Notes somebody for each node whose own records are a clique, and its edges.  If whose records are whose is a guess, they
 * need not be one.
 */
static void
note_people(Narrowing *narrowing)
{
	const JoinGraph *graph = narrowing->graph;
	uint32	   *own = narrowing->near;

	for (int32 r = 0; r < graph->nreleases; r++)
		memset(narrowing->owner[r], 0xff, sizeof(uint32) * graph->side[r].nnodes);
	if (!knows_people(graph))
		return;
	for (uint32 person = 0; person < graph->input->release[0].nrecords; person++)
	{
		bool		is_new = false;

		CHECK_FOR_INTERRUPTS();
		take_steps(graph->nreleases);
		find_own_nodes(graph, person, own);
		for (int32 r = 0; r < graph->nreleases; r++)
			is_new |= narrowing->owner[r][own[r]] == NOBODY;
		if (!is_new || !is_clique(graph, own))
			continue;
		(void) note_clique(narrowing, own);
		for (int32 r = 0; r < graph->nreleases; r++)
			narrowing->owner[r][own[r]] = person;
	}
}

/*
 * Takes the own records of somebody who has one of this node, and exchanges the one of release s for another node, which
 * is joined to this node.  Is that a clique?
 */
static bool
is_near_clique(Narrowing *narrowing, int32 r, uint32 node, int32 s, uint32 other)
{
	const JoinGraph *graph = narrowing->graph;
	uint32		person = narrowing->owner[r][node];

	if (person == NOBODY)
		return false;
	find_own_nodes(graph, person, narrowing->near);
	narrowing->near[s] = other;
	for (int32 t = 0; t < graph->nreleases; t++)
		if (t != r && t != s && !is_joined(graph, s, other, t, narrowing->near[t]))
			return false;
	if (is_nobody(graph, narrowing->near))
		return false;
	for (int32 t = 0; t < graph->nreleases; t++)
		if (t != s)
			note_edge(narrowing, narrowing->near, Min(s, t), Max(s, t));
	return true;
}

/* Is an edge in a clique of the graph as it is now? */
static bool
is_in_clique(Narrowing *narrowing, Size p, uint32 edge)
{
	const JoinPair *pair = &narrowing->graph->pair[p];
	CliqueWalk *walk = &narrowing->walk;
	bool		found;

	if (narrowing->in_clique[p][edge] ||
		is_near_clique(narrowing, pair->a, pair->from[edge], pair->b, pair->to[edge]) ||
		is_near_clique(narrowing, pair->b, pair->to[edge], pair->a, pair->from[edge]))
		return true;
	walk->fixed[pair->a] = walk->fixed[pair->b] = true;
	walk->node[pair->a] = pair->from[edge];
	walk->node[pair->b] = pair->to[edge];
	found = !walk_cliques(walk);
	walk->fixed[pair->a] = walk->fixed[pair->b] = false;
	return found;
}

/*
 * Drops every edge that is in no clique; its pair is to be looked at again.
 * Since the edges dropped are in no clique, a clique that was found stays one.
 */
static void
narrow_to_cliques(Narrowing *narrowing)
{
	JoinGraph  *graph = narrowing->graph;

	for (Size p = 0; p < npairs(graph); p++)
		memset(narrowing->in_clique[p], 0, graph->pair[p].nedges);
	note_people(narrowing);
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

static bool
is_stale(const Narrowing *narrowing)
{
	for (Size p = 0; p < npairs(narrowing->graph); p++)
		if (narrowing->stale[p])
			return true;
	return false;
}

/* Allocates the state of narrowing a graph; all its pairs are to be looked at. */
static Narrowing
narrowing_create(JoinGraph *graph)
{
	Narrowing	narrowing = {.graph = graph};

	narrowing.stale = palloc(sizeof(bool) * (npairs(graph) + 1));
	narrowing.in_clique = palloc(sizeof(bool *) * (npairs(graph) + 1));
	for (Size p = 0; p < npairs(graph); p++)
	{
		narrowing.stale[p] = true;
		narrowing.in_clique[p] = palloc_extended((Size) graph->pair[p].nedges + 1, MCXT_ALLOC_HUGE);
	}
	narrowing.owner = palloc(sizeof(uint32 *) * graph->nreleases);
	for (int32 r = 0; r < graph->nreleases; r++)
		narrowing.owner[r] = new_array(uint32, graph->side[r].nnodes);
	narrowing.near = palloc(sizeof(uint32) * graph->nreleases);
	narrowing.walk = (CliqueWalk) {
		.graph = graph,
		.visit = note_clique,
		.fixed = palloc0(sizeof(bool) * graph->nreleases),
		.node = palloc0(sizeof(uint32) * graph->nreleases)
	};
	return narrowing;
}

/* Frees the state of narrowing, but not the graph. */
static void
narrowing_free(Narrowing *narrowing)
{
	for (Size p = 0; p < npairs(narrowing->graph); p++)
		pfree(narrowing->in_clique[p]);
	for (int32 r = 0; r < narrowing->graph->nreleases; r++)
		pfree(narrowing->owner[r]);
	pfree(narrowing->in_clique);
	pfree(narrowing->owner);
	pfree(narrowing->near);
	pfree(narrowing->stale);
	pfree(narrowing->walk.fixed);
	pfree(narrowing->walk.node);
}

JoinOutcome
join_kernel(JoinGraph *graph, JoinTrouble *trouble)
{
	JoinOutcome outcome = begin_flows(graph, trouble);
	Narrowing	narrowing;
	bool		dropped = true; /* cliques have not been looked at yet */

	if (outcome != JOIN_FOUND)
		return outcome;
	narrowing = narrowing_create(graph);
	narrowing.walk.arg = &narrowing;
	while (outcome == JOIN_FOUND && is_stale(&narrowing))
	{
		if (!narrow_to_matches(&narrowing, &dropped, trouble))
			outcome = JOIN_UNMATCHED;
		else if (graph->nreleases > 2 && dropped)
			narrow_to_cliques(&narrowing);
		dropped = false;
	}
	narrowing_free(&narrowing);
	return outcome;
}
