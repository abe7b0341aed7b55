/*
 * update_graph.c
 *		Forwards and backwards over the layers.
 *
 * NOTES
 *		Only ratios count, so the sums of each layer are scaled to 1: hundreds of
 *		releases would underflow.
 *
 *		Out-degrees are those of the whole graph, as the weights of Definition 10
 *		are; pruning (Definition 11) takes nodes away and leaves weights alone.
 */
#include "postgres.h"

#include "audit/update/update_graph.h"
#include "frame/arrays.h"
#include "miscadmin.h"
#include "utils/memutils.h"

/* A layer, and the edges that come to it. */
typedef struct GraphLevel
{
	Layer		layer;
	Code		allocated;
	double	   *forward;		/* [n] */
	double	   *backward;		/* [n] */

	/* [nodes of the layer before][n] 0 where there is no edge */
	double	   *edge;
	Size		edges_allocated;
} GraphLevel;

struct UpdateGraph
{
	const Updates *updates;
	uint32		n;
	uint32		allocated;
	GraphLevel *levels;
	MemoryContext context;
};

UpdateGraph *
graph_create(const Updates *updates)
{
	UpdateGraph *graph = palloc0(sizeof(UpdateGraph));

	graph->updates = updates;
	graph->context = CurrentMemoryContext;
	array_reserve_zeros(graph->levels, graph->allocated, 16);
	return graph;
}

void
graph_clear(UpdateGraph *graph)
{
	graph->n = 0;
}

uint32
graph_layers(const UpdateGraph *graph)
{
	return graph->n;
}

const Layer *
graph_layer(const UpdateGraph *graph, uint32 layer)
{
	return &graph->levels[layer].layer;
}

/* The weight of the edge before out-degrees: a probability, or 1; 0 where there is none. */
static double
weigh(const Updates *updates, Code from, Code to)
{
	uint64		at;

	if (from == NO_CODE || to == NO_CODE)
		return 1;
	at = updates_find(updates, from, to);
	if (at == NO_UPDATE)
		return 0;
	return updates->probability == NULL ? 1 : updates->probability[at];
}

/* Edges that have no probability share what leaves their node. */
static void
add_edges(const UpdateGraph *graph, const Layer *before, GraphLevel *level)
{
	for (Code i = 0; i < before->n; i++)
	{
		double	   *edge = level->edge + (Size) i * level->layer.n;
		bool		is_shared = graph->updates->probability == NULL || before->value[i] == NO_CODE;
		Code		leaving = 0;

		for (Code j = 0; j < level->layer.n; j++)
		{
			edge[j] = weigh(graph->updates, before->value[i], level->layer.value[j]);
			leaving += edge[j] > 0;
		}
		for (Code j = 0; j < level->layer.n && is_shared && leaving > 0; j++)
			edge[j] /= leaving;
	}
}

/* Makes room for a layer; what it had is not kept. */
static void
make_room(UpdateGraph *graph, GraphLevel *level, Code n, Code before)
{
	if (n > level->allocated)
	{
		level->allocated = n;
		level->layer.value = MemoryContextAllocHuge(graph->context, sizeof(Code) * n);
		level->layer.weight = MemoryContextAllocHuge(graph->context, sizeof(double) * n);
		level->layer.probability = MemoryContextAllocHuge(graph->context, sizeof(double) * n);
		level->forward = MemoryContextAllocHuge(graph->context, sizeof(double) * n);
		level->backward = MemoryContextAllocHuge(graph->context, sizeof(double) * n);
	}
	if ((Size) n * before > level->edges_allocated)
	{
		level->edges_allocated = (Size) n * before;
		level->edge = MemoryContextAllocHuge(graph->context, sizeof(double) * level->edges_allocated);
	}
}

void
graph_add_layer(UpdateGraph *graph, const Code *value, const double *weight, Code n)
{
	const Layer *before;
	GraphLevel *level;

	array_reserve_zeros(graph->levels, graph->allocated, graph->n + 1);
	before = graph->n == 0 ? NULL : &graph->levels[graph->n - 1].layer;
	level = &graph->levels[graph->n++];
	make_room(graph, level, n, before == NULL ? 0 : before->n);
	level->layer.n = n;
	memcpy(level->layer.value, value, sizeof(Code) * n);
	memcpy(level->layer.weight, weight, sizeof(double) * n);
	if (before != NULL)
		add_edges(graph, before, level);
}

/* Scales to a sum of 1; false if all are 0. */
static bool
scale(double *numbers, Code n)
{
	double		sum = 0;

	for (Code i = 0; i < n; i++)
		sum += numbers[i];
	if (!(sum > 0))
		return false;
	for (Code i = 0; i < n; i++)
		numbers[i] /= sum;
	return true;
}

/* The weight of the ways to each node, its own included. */
static bool
go_forward(GraphLevel *before, GraphLevel *level)
{
	for (Code j = 0; j < level->layer.n; j++)
	{
		double		sum = before == NULL ? 1 : 0;

		for (Code i = 0; before != NULL && i < before->layer.n; i++)
			sum += before->forward[i] * level->edge[(Size) i * level->layer.n + j];
		level->forward[j] = sum * level->layer.weight[j];
	}
	return scale(level->forward, level->layer.n);
}

/* The weight of the ways from each node, its own not included. */
static bool
go_backward(GraphLevel *level, GraphLevel *after)
{
	for (Code i = 0; i < level->layer.n; i++)
	{
		double		sum = after == NULL ? 1 : 0;

		for (Code j = 0; after != NULL && j < after->layer.n; j++)
			sum += after->edge[(Size) i * after->layer.n + j] * after->layer.weight[j] * after->backward[j];
		level->backward[i] = sum;
	}
	return scale(level->backward, level->layer.n);
}

/* Lives are impossible, or underflow: each layer by itself. */
static void
conclude_nothing(UpdateGraph *graph, uint32 layers)
{
	for (uint32 l = 0; l < layers; l++)
	{
		Layer	   *layer = &graph->levels[l].layer;

		memcpy(layer->probability, layer->weight, sizeof(double) * layer->n);
		(void) scale(layer->probability, layer->n);
	}
}

/* Multiplies weights forward and backward; false if no way leads through all layers. */
static bool
try_to_conclude(UpdateGraph *graph, uint32 layers)
{
	GraphLevel *levels = graph->levels;

	for (uint32 l = 0; l < layers; l++)
		if (!go_forward(l == 0 ? NULL : &levels[l - 1], &levels[l]))
			return false;
	for (uint32 l = layers; l-- > 0;)
	{
		Layer	   *layer = &levels[l].layer;

		if (!go_backward(&levels[l], l + 1 == layers ? NULL : &levels[l + 1]))
			return false;
		for (Code i = 0; i < layer->n; i++)
			layer->probability[i] = levels[l].forward[i] * levels[l].backward[i];
		if (!scale(layer->probability, layer->n))
			return false;
	}
	return true;
}

bool
graph_conclude(UpdateGraph *graph, uint32 layers)
{
	Assert(layers <= graph->n);
	CHECK_FOR_INTERRUPTS();
	if (try_to_conclude(graph, layers))
		return true;
	conclude_nothing(graph, layers);
	return false;
}

uint32
layer_candidates(const Layer *layer)
{
	uint32		candidates = 0;

	for (Code i = 0; i < layer->n; i++)
		candidates += layer->probability[i] > 0;
	return candidates;
}

double
layer_risk(const Layer *layer, Code value)
{
	for (Code i = 0; i < layer->n; i++)
		if (layer->value[i] == value)
			return layer->probability[i];
	return 0;
}
