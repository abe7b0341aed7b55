/*
 * counts.c
 *		Counting edges and cliques of records by those of nodes.
 */
#include "postgres.h"

#include "audit/join/cliques.h"
#include "audit/join/counts.h"

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

/* Adds a pair's edges between records to those before; an error if an int64 cannot hold them. */
static uint64
count_edges(const JoinGraph *graph, const JoinPair *pair, uint64 before)
{
	uint64		n = before;

	for (uint32 e = 0; e < pair->nedges; e++)
	{
		uint64		more = (uint64) graph->side[pair->a].size[pair->from[e]] * graph->side[pair->b].size[pair->to[e]];

		if (!pair->alive[e])
			continue;
		if (more > PG_INT64_MAX - n)
			ereport(ERROR,
					(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
					 errmsg("releases have too many edges to count")));
		n += more;
	}
	return n;
}

uint64
join_edges(const JoinGraph *graph)
{
	uint64		edges = 0;

	for (Size p = 0; p < npairs(graph); p++)
		edges = count_edges(graph, &graph->pair[p], edges);
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
