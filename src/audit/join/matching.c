/*
 * matching.c
 *		Perfect matchings of two releases' nodes: flows that use up all records.
 *
 * NOTES
 *		The residual graph of a flow lies in the edges of the pair.  Its vertices are the nodes of a, then those of b.
 *		From a node of a, every edge leads on, since it may join more; from a node of b leads back every edge that
 *		joins something, since it may join less.
 *
 *		Another perfect matching differs from the flow by cycles of the residual graph.  Paper 000, section 3.1.1, has
 *		this for records; with nodes of many records it is the same.
 */
#include "postgres.h"

#include "audit/join/join.h"
#include "frame/arrays.h"
#include "miscadmin.h"
#include "shared/progress.h"
#include "utils/memutils.h"

typedef struct Residual
{
	JoinPair   *pair;			/* borrowed */
	uint32		na;
	uint32		nvertices;
} Residual;

static inline Residual
residual_of(const JoinGraph *graph, JoinPair *pair)
{
	uint32		na = graph->side[pair->a].nnodes;

	return (Residual) {.pair = pair, .na = na, .nvertices = na + graph->side[pair->b].nnodes};
}

/* A vertex's arcs are numbered from here up to, not including, there. */
static inline uint32
first_arc(const Residual *residual, uint32 vertex)
{
	return vertex < residual->na ? residual->pair->first[vertex] : residual->pair->first_back[vertex - residual->na];
}

static inline uint32
end_of_arcs(const Residual *residual, uint32 vertex)
{
	return vertex < residual->na ? residual->pair->first[vertex + 1] : residual->pair->first_back[vertex - residual->na + 1];
}

static inline uint32
edge_of_arc(const Residual *residual, uint32 vertex, uint32 arc)
{
	return vertex < residual->na ? arc : residual->pair->back[arc];
}

static inline uint32
head_of_arc(const Residual *residual, uint32 vertex, uint32 arc)
{
	return vertex < residual->na ? residual->na + residual->pair->to[arc] : residual->pair->from[residual->pair->back[arc]];
}

/* Does the arc lead anywhere? */
static inline bool
is_open(const Residual *residual, uint32 vertex, uint32 arc)
{
	uint32		edge = edge_of_arc(residual, vertex, arc);

	return residual->pair->alive[edge] && (vertex < residual->na || residual->pair->flow[edge] > 0);
}

/* ---- Flows ---- */

#define NOT_REACHED PG_UINT32_MAX

typedef struct Flow
{
	Residual	residual;
	uint32	   *need;			/* [vertices] records that are not joined yet */
	uint32	   *depth;			/* [vertices] from any node of a with such records */
	uint32	   *arc;			/* [vertices] those before it lead nowhere */
	uint32	   *path;			/* [vertices] or those to be looked at, while depths are found */
} Flow;

uint32
flow_of_people(const JoinGraph *graph, JoinPair *pair)
{
	const uint32 *a = graph->side[pair->a].node_of_person;
	const uint32 *b = graph->side[pair->b].node_of_person;
	uint32		nrecords = graph->input->release[pair->a].nrecords;

	pair->flow = new_zeros(uint32, pair->nedges);
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

/* Takes back the flow of edges that are gone, and joins the records that can be joined without a detour. */
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

/* Finds depths; false if no node of b that needs records can be reached. */
static bool
find_depths(Flow *flow)
{
	const Residual *residual = &flow->residual;
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
	for (uint32 head = 0; head < tail; head++)
	{
		uint32		v = flow->path[head];

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

/* Sends on what a node of a still needs, along shortest paths, until none is left. */
static void
send(Flow *flow, uint32 source)
{
	const Residual *residual = &flow->residual;
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
		else
		{
			uint32	   *arc = &flow->arc[v];	/* those that lead nowhere, or not one deeper, are passed */

			while (*arc < end_of_arcs(residual, v) &&
				   (flow->depth[head_of_arc(residual, v, *arc)] != flow->depth[v] + 1 || !is_open(residual, v, *arc)))
				(*arc)++;
			if (*arc < end_of_arcs(residual, v))
				flow->path[++length] = head_of_arc(residual, v, *arc);
			else if (length == 0)
				return;
			else
				flow->arc[flow->path[--length]]++;
		}
	}
}

uint64
flow_complete(const JoinGraph *graph, JoinPair *pair)
{
	Flow		flow = {.residual = residual_of(graph, pair)};
	uint32		n = flow.residual.nvertices;
	uint64		left_over;

	flow.need = new_array(uint32, n);
	flow.depth = new_array(uint32, n);
	flow.arc = new_array(uint32, n);
	flow.path = new_array(uint32, n);
	begin(graph, &flow);
	for (;;)
	{
		left_over = 0;
		for (uint32 v = 0; v < flow.residual.na; v++)
			left_over += flow.need[v];
		if (left_over == 0 || !find_depths(&flow))
			break;
		for (uint32 v = 0; v < flow.residual.na; v++)
			send(&flow, v);
	}
	pfree(flow.need);
	pfree(flow.depth);
	pfree(flow.arc);
	pfree(flow.path);
	return left_over;
}

/* ----------------------------------------------------------------
 * Matches: an edge is one if and only if it carries flow, or both its ends lie in one strongly connected component of
 * the residual graph.  Components are found by Tarjan's algorithm, with a stack of its own, since a path may be as
 * long as there are nodes.
 * ----------------------------------------------------------------
 */

/* A vertex's component, until it is known, and while it is not yet looked at */
#define OPEN		PG_UINT32_MAX
#define UNSEEN		0

typedef struct Tarjan
{
	Residual	residual;
	uint32		nseen;
	uint32		ncomponents;
	uint32	   *seen;			/* [vertices] when, from 1 on; or UNSEEN */
	uint32	   *low;			/* [vertices] the first seen that it reaches, as far as known */
	uint32	   *component;		/* [vertices] or OPEN */
	uint32	   *arc;			/* [vertices] the next one to follow */
	uint32	   *path;			/* [vertices] */
	uint32		length;
	uint32	   *open;			/* [vertices] seen, without a component */
	uint32		nopen;
} Tarjan;

/* Begins the visit of a vertex: numbers it, and puts it on the path and among the open ones. */
static void
enter(Tarjan *t, uint32 vertex)
{
	t->seen[vertex] = t->low[vertex] = ++t->nseen;
	if (t->nseen % 1024 == 0)
		CHECK_FOR_INTERRUPTS();
	t->component[vertex] = OPEN;
	t->arc[vertex] = first_arc(&t->residual, vertex);
	t->path[t->length++] = vertex;
	t->open[t->nopen++] = vertex;
}

/* Goes back from a vertex.  Its component is complete if it reaches no vertex that was seen before it. */
static void
leave(Tarjan *t, uint32 vertex)
{
	uint32		member;

	if (--t->length > 0)
	{
		uint32		before = t->path[t->length - 1];

		t->low[before] = Min(t->low[before], t->low[vertex]);
	}
	if (t->low[vertex] < t->seen[vertex])
		return;
	do
	{
		member = t->open[--t->nopen];
		t->component[member] = t->ncomponents;
	} while (member != vertex);
	t->ncomponents++;
}

/* Tarjan's depth-first search from a vertex, without recursion. */
static void
visit(Tarjan *t, uint32 start)
{
	enter(t, start);
	while (t->length > 0)
	{
		uint32		vertex = t->path[t->length - 1];
		uint32		arc = t->arc[vertex]++;
		uint32		next;

		if (arc == end_of_arcs(&t->residual, vertex))
		{
			leave(t, vertex);
			continue;
		}
		if (!is_open(&t->residual, vertex, arc))
			continue;
		next = head_of_arc(&t->residual, vertex, arc);
		if (t->seen[next] == UNSEEN)
			enter(t, next);
		else if (t->component[next] == OPEN)
			t->low[vertex] = Min(t->low[vertex], t->seen[next]);
	}
}

uint32
drop_unmatched(const JoinGraph *graph, JoinPair *pair)
{
	Tarjan		t = {.residual = residual_of(graph, pair)};
	uint32		n = t.residual.nvertices;
	uint32		dropped = 0;

	t.seen = new_zeros(uint32, n);
	t.low = new_array(uint32, n);
	t.component = new_array(uint32, n);
	t.arc = new_array(uint32, n);
	t.path = new_array(uint32, n);
	t.open = new_array(uint32, n);
	for (uint32 v = 0; v < n; v++)
		if (t.seen[v] == UNSEEN)
			visit(&t, v);
	for (uint32 e = 0; e < pair->nedges; e++)
		if (pair->alive[e] && pair->flow[e] == 0 &&
			t.component[pair->from[e]] != t.component[t.residual.na + pair->to[e]])
		{
			pair->alive[e] = false;
			dropped++;
		}
	pfree(t.seen);
	pfree(t.low);
	pfree(t.component);
	pfree(t.arc);
	pfree(t.path);
	pfree(t.open);
	return dropped;
}

/* ----------------------------------------------------------------
 * Shortages: the nodes that can be reached from a node of a that has records left, along open arcs, are a set of a's
 * nodes and all that they meet: there every record is taken by one of theirs, or the flow could grow.
 * ----------------------------------------------------------------
 */

Shortage
shortage_of(const JoinGraph *graph, JoinPair *pair)
{
	Residual	residual = residual_of(graph, pair);
	Shortage	shortage = {0};
	uint32		first = residual.na;	/* node of a that has records which are not joined */
	bool	   *reached = new_zeros(bool, residual.nvertices);
	uint32	   *path = new_array(uint32, residual.nvertices);
	uint32		tail = 0;

	for (uint32 node = 0; node < residual.na; node++)
	{
		uint64		left = graph->side[pair->a].size[node];

		for (uint32 e = pair->first[node]; e < pair->first[node + 1]; e++)
			left -= pair->flow[e];
		shortage.unmatched += left;
		if (left > 0 && first == residual.na)
			first = node;
	}
	if (first < residual.na)
	{
		shortage.record = graph->side[pair->a].record[first];
		reached[first] = true;
		path[tail++] = first;
	}
	for (uint32 head = 0; head < tail; head++)
	{
		uint32		v = path[head];

		if (head % 1024 == 0)
			CHECK_FOR_INTERRUPTS();
		if (v < residual.na)
			shortage.records += graph->side[pair->a].size[v];
		else
			shortage.places += graph->side[pair->b].size[v - residual.na];
		for (uint32 arc = first_arc(&residual, v); arc < end_of_arcs(&residual, v); arc++)
		{
			uint32		next = head_of_arc(&residual, v, arc);

			if (reached[next] || !is_open(&residual, v, arc))
				continue;
			reached[next] = true;
			path[tail++] = next;
		}
	}
	pfree(reached);
	pfree(path);
	return shortage;
}
