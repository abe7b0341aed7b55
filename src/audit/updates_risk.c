/*
 * updates_risk.c
 *		What observers conclude about each version of each person's value.
 *
 * NOTES
 *		Only ratios count, so the sums of each layer are scaled to 1: hundreds of releases would underflow.
 *
 *		Out-degrees are those of the whole graph, as the weights of Definition 10 are; pruning (Definition 11) takes
 *		nodes away and leaves weights alone.
 *
 *		People who were in the same classes have the same graph, and differ only in which of its nodes are theirs: so
 *		graphs are made for atoms.
 */
#include "postgres.h"

#include "audit/updates.h"
#include "frame/arrays.h"
#include "history/seen.h"
#include "miscadmin.h"
#include "utils/memutils.h"

/* ---- The graph ---- */

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

const Layer *
graph_layer(const UpdateGraph *graph, uint32 layer)
{
	return &graph->levels[layer].layer;
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
			edge[j] = 1;
			if (before->value[i] != NO_CODE && level->layer.value[j] != NO_CODE)
			{
				uint64		at = updates_find(graph->updates, before->value[i], level->layer.value[j]);

				edge[j] = at == NO_UPDATE ? 0 : graph->updates->probability == NULL ? 1 : graph->updates->probability[at];
			}
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

	/* Lives are impossible, or underflow: each layer by itself */
	for (uint32 l = 0; l < layers; l++)
	{
		Layer	   *layer = &graph->levels[l].layer;

		memcpy(layer->probability, layer->weight, sizeof(double) * layer->n);
		(void) scale(layer->probability, layer->n);
	}
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

/* ---- Versions ---- */

typedef struct Risking
{
	const Seen *seen;
	const Statistics *statistics;
	const Atoms *atoms;
	uint64		npeople;
	bool		every_moment;
	void		(*visit) (void *what, const Version *version);
	void	   *what;

	Code	   *shown;			/* [steps] of statistics: the value of a true row, or NO_CODE */
	uint64	   *first_member;	/* [atoms + 1] */
	Individual *member;			/* [people] atom by atom */

	UpdateGraph *graph;
	Code	   *value;			/* [values + 1] of a layer */
	double	   *weight;
	uint64		impossible;
} Risking;

/* Lists the value that each person showed in each step. */
static void
gather_shown(Risking *risking)
{
	const Seen *seen = risking->seen;
	uint64	   *next = new_array(uint64, seen->nindividuals);

	memcpy(next, risking->statistics->first, sizeof(uint64) * seen->nindividuals);
	risking->shown = new_array(Code, risking->statistics->first[seen->nindividuals]);
	for (int32 r = 0; r < seen->nreleases; r++)
	{
		const SeenRelease *release = &seen->release[r];

		for (uint64 i = 0; i < release->first[release->nclasses]; i++)
			risking->shown[next[release->individual[i]]++] = release->counterfeit[i] ? NO_CODE : release->value[i];
	}
	pfree(next);
}

/* The values of a class, NULL among them if it is shown, by how often they are. */
static void
add_layer(Risking *risking, Step step)
{
	const ShownValues *shown = &risking->statistics->shown[step.release];
	uint64		rest = statistics_size(risking->statistics, step);
	Code		n = 0;

	for (uint64 i = shown->first[step.class]; i < shown->first[step.class + 1]; i++)
	{
		risking->value[n] = shown->value[i];
		risking->weight[n++] = shown->count[i];
		rest -= shown->count[i];
	}
	if (rest > 0)
	{
		risking->value[n] = NO_CODE;
		risking->weight[n++] = rest;
	}
	graph_add_layer(risking->graph, risking->value, risking->weight, n);
}

/* Visits the versions of a person, by what the graph concludes. */
static void
visit_member(Risking *risking, Individual individual, uint32 layers)
{
	const Statistics *statistics = risking->statistics;
	uint64		first = statistics->first[individual];

	for (uint32 l = 0; l < layers; l++)
	{
		Version		version = {
			.individual = individual,
			.release = statistics->step[first + l].release,
			.seen_from = statistics->step[first + layers - 1].release,
			.step = statistics->step + first,
			.nsteps = layers,
			.value = risking->shown[first + l],
		};

		if (version.value == NO_CODE)
			continue;
		version.candidates = layer_candidates(graph_layer(risking->graph, l));
		version.risk = layer_risk(graph_layer(risking->graph, l), version.value);
		risking->visit(risking->what, &version);
	}
}

/* Concludes once for all people of an atom: they were in the same classes. */
static void
visit_atom(Risking *risking, uint32 atom)
{
	uint64		begin = risking->first_member[atom];
	uint64		end = risking->first_member[atom + 1];
	const Statistics *statistics = risking->statistics;
	uint64		first;
	uint32		nlayers;

	if (begin == end)
		return;
	first = statistics->first[risking->member[begin]];
	nlayers = statistics->first[risking->member[begin] + 1] - first;
	graph_clear(risking->graph);
	for (uint32 l = 0; l < nlayers; l++)
		add_layer(risking, statistics->step[first + l]);
	for (uint32 layers = risking->every_moment ? 1 : nlayers; layers <= nlayers; layers++)
	{
		if (!graph_conclude(risking->graph, layers) && layers == nlayers)
			risking->impossible += end - begin;
		for (uint64 i = begin; i < end; i++)
			visit_member(risking, risking->member[i], layers);
	}
}

uint64
each_version(const Seen *seen, const Updates *updates, uint64 npeople, bool every_moment,
			 void (*visit) (void *what, const Version *version), void *what)
{
	Risking		risking = {
		.seen = seen, .statistics = statistics_of(seen, NULL), .atoms = atoms_of(seen),
		.npeople = npeople, .every_moment = every_moment, .visit = visit, .what = what,
		.graph = graph_create(updates),
	};

	gather_shown(&risking);
	list_by_group(risking.atoms->atom, npeople, risking.atoms->natoms, &risking.first_member, &risking.member);
	risking.value = new_array(Code, seen->nvalues);
	risking.weight = new_array(double, seen->nvalues);
	for (uint32 a = 0; a < risking.atoms->natoms; a++)
	{
		CHECK_FOR_INTERRUPTS();
		visit_atom(&risking, a);
	}
	return risking.impossible;
}
