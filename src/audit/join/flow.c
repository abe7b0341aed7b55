/*
 * flow.c
 *		Flows between two releases.
 */
#include "postgres.h"

#include "audit/join/flow.h"
#include "audit/join/residual.h"
#include "frame/arrays.h"
#include "miscadmin.h"
#include "shared/steps.h"
#include "utils/memutils.h"

#define NOT_REACHED PG_UINT32_MAX

typedef struct Flow
{
	Residual	residual;
	uint32	   *need;			/* [vertices] records that are not joined yet */
	uint32	   *depth;			/* [vertices] from any node of a with such records */
	uint32	   *arc;			/* [vertices] those before it lead nowhere */
	uint32	   *path;			/* [vertices] or those to be looked at, while depths are found */
} Flow;

static uint32 *
numbers(Size n)
{
	return new_zeros(uint32, n);
}

uint32
flow_of_people(const JoinGraph *graph, JoinPair *pair)
{
	const uint32 *a = graph->side[pair->a].node_of_person;
	const uint32 *b = graph->side[pair->b].node_of_person;
	uint32		nrecords = graph->input->release[pair->a].nrecords;

	pair->flow = numbers(pair->nedges);
	if (a == NULL || b == NULL || nrecords != graph->input->release[pair->b].nrecords)
		return NOBODY;
	for (uint32 p = 0; p < nrecords; p++)
	{
		uint32		edge = edge_between(pair, a[p], b[p]);

		if (edge == NO_EDGE && !graph->input->is_guess)
			return p;
		if (edge != NO_EDGE)
			pair->flow[edge]++;
		if (p % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
	}
	return NOBODY;
}

/*
 * Takes back the flow of edges that are gone, and joins the records that can
 * be joined without a detour.
 */
static void
begin(const JoinGraph *graph, Flow *flow)
{
	JoinPair   *pair = flow->residual.pair;
	uint32	   *a = flow->need;
	uint32	   *b = flow->need + flow->residual.na;

	memcpy(a, graph->side[pair->a].size, sizeof(uint32) * flow->residual.na);
	memcpy(b, graph->side[pair->b].size, sizeof(uint32) * (flow->residual.nvertices - flow->residual.na));
	for (uint32 e = 0; e < pair->nedges; e++)
	{
		if (!pair->alive[e])
			pair->flow[e] = 0;
		a[pair->from[e]] -= pair->flow[e];
		b[pair->to[e]] -= pair->flow[e];
	}
	for (uint32 e = 0; e < pair->nedges; e++)
	{
		uint32		more = Min(a[pair->from[e]], b[pair->to[e]]);

		if (!pair->alive[e] || more == 0)
			continue;
		pair->flow[e] += more;
		a[pair->from[e]] -= more;
		b[pair->to[e]] -= more;
	}
}

static uint64
count_left_over(const Flow *flow)
{
	uint64		left_over = 0;

	for (uint32 v = 0; v < flow->residual.na; v++)
		left_over += flow->need[v];
	return left_over;
}

/* Finds depths; false if no node of b that needs records can be reached. */
static bool
find_depths(Flow *flow)
{
	const Residual *residual = &flow->residual;
	uint32		head = 0;
	uint32		tail = 0;
	bool		found = false;

	for (uint32 v = 0; v < residual->nvertices; v++)
	{
		flow->arc[v] = first_arc(residual, v);
		flow->depth[v] = NOT_REACHED;
		if (v < residual->na && flow->need[v] > 0)
		{
			flow->depth[v] = 0;
			flow->path[tail++] = v;
		}
	}
	while (head < tail)
	{
		uint32		v = flow->path[head++];

		if (head % 1024 == 0)
			CHECK_FOR_INTERRUPTS();
		take_steps(end_of_arcs(residual, v) - first_arc(residual, v));
		found |= v >= residual->na && flow->need[v] > 0;
		for (uint32 arc = first_arc(residual, v); arc < end_of_arcs(residual, v); arc++)
		{
			uint32		next = head_of_arc(residual, v, arc);

			if (flow->depth[next] != NOT_REACHED || !is_open(residual, v, arc))
				continue;
			flow->depth[next] = flow->depth[v] + 1;
			flow->path[tail++] = next;
		}
	}
	return found;
}

/* Moves as many records as possible along a path of the given number of arcs. */
static void
move_along(Flow *flow, uint32 length)
{
	JoinPair   *pair = flow->residual.pair;
	uint32		amount = Min(flow->need[flow->path[0]], flow->need[flow->path[length]]);

	for (uint32 i = 1; i < length; i += 2)
		amount = Min(amount, pair->flow[edge_of_arc(&flow->residual, flow->path[i], flow->arc[flow->path[i]])]);
	for (uint32 i = 0; i < length; i++)
	{
		uint32		edge = edge_of_arc(&flow->residual, flow->path[i], flow->arc[flow->path[i]]);

		if (i % 2 == 0)
			pair->flow[edge] += amount;
		else
			pair->flow[edge] -= amount;
	}
	flow->need[flow->path[0]] -= amount;
	flow->need[flow->path[length]] -= amount;
}

/* Steps from a vertex one deeper; false if there is no way. */
static bool
step(Flow *flow, uint32 vertex, uint32 *next)
{
	const Residual *residual = &flow->residual;

	for (; flow->arc[vertex] < end_of_arcs(residual, vertex); flow->arc[vertex]++)
	{
		*next = head_of_arc(residual, vertex, flow->arc[vertex]);
		if (flow->depth[*next] == flow->depth[vertex] + 1 && is_open(residual, vertex, flow->arc[vertex]))
			return true;
	}
	return false;
}

/* Sends on what a node of a still needs, along shortest paths, until none is left. */
static void
send(Flow *flow, uint32 source)
{
	uint32		length = 0;

	flow->path[0] = source;
	while (flow->need[source] > 0)
	{
		uint32		v = flow->path[length];

		CHECK_FOR_INTERRUPTS();
		take_steps(1);
		if (v >= flow->residual.na && flow->need[v] > 0)
		{
			move_along(flow, length);
			length = 0;
		}
		else if (step(flow, v, &flow->path[length + 1]))
			length++;
		else if (length == 0)
			return;
		else
			flow->arc[flow->path[--length]]++;
	}
}

uint64
flow_complete(const JoinGraph *graph, JoinPair *pair)
{
	Flow		flow = {.residual = residual_of(graph, pair)};
	uint32		n = flow.residual.nvertices;
	uint64		left_over;

	flow.need = numbers(n);
	flow.depth = numbers(n);
	flow.arc = numbers(n);
	flow.path = numbers(n);
	begin(graph, &flow);
	while ((left_over = count_left_over(&flow)) > 0 && find_depths(&flow))
		for (uint32 v = 0; v < flow.residual.na; v++)
			send(&flow, v);
	pfree(flow.need);
	pfree(flow.depth);
	pfree(flow.arc);
	pfree(flow.path);
	return left_over;
}
