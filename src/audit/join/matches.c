/*
 * matches.c
 *		An edge is a match if and only if it carries flow, or both its ends lie in
 *		one strongly connected component of the residual graph.
 *
 * NOTES
 *		Another perfect matching differs from the flow by cycles of the residual
 *		graph.  Paper 000, section 3.1.1, has this for records; with nodes of many
 *		records it is the same.  Components are found by Tarjan's algorithm, with
 *		a stack of its own, since a path may be as long as there are nodes.
 */
#include "postgres.h"

#include "audit/join/matches.h"
#include "audit/join/residual.h"
#include "frame/arrays.h"
#include "miscadmin.h"
#include "utils/memutils.h"

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

static uint32 *
numbers(Size n)
{
	return new_zeros(uint32, n);
}

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

/*
 * Goes back from a vertex.  Its component is complete if it reaches no vertex
 * that was seen before it.
 */
static void
leave(Tarjan *t, uint32 vertex)
{
	uint32		member;

	t->length--;
	if (t->length > 0)
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

/* Drops edges without flow between two components: they are in no perfect matching. */
static uint32
drop_between_components(const Tarjan *t)
{
	JoinPair   *pair = t->residual.pair;
	uint32		dropped = 0;

	for (uint32 e = 0; e < pair->nedges; e++)
	{
		if (!pair->alive[e] || pair->flow[e] > 0 ||
			t->component[pair->from[e]] == t->component[t->residual.na + pair->to[e]])
			continue;
		pair->alive[e] = false;
		dropped++;
	}
	return dropped;
}

uint32
drop_unmatched(const JoinGraph *graph, JoinPair *pair)
{
	Tarjan		t = {.residual = residual_of(graph, pair)};
	uint32		n = t.residual.nvertices;
	uint32		dropped;

	t.seen = numbers(n);
	t.low = numbers(n);
	t.component = numbers(n);
	t.arc = numbers(n);
	t.path = numbers(n);
	t.open = numbers(n);
	for (uint32 v = 0; v < n; v++)
		if (t.seen[v] == UNSEEN)
			visit(&t, v);
	dropped = drop_between_components(&t);
	pfree(t.seen);
	pfree(t.low);
	pfree(t.component);
	pfree(t.arc);
	pfree(t.path);
	pfree(t.open);
	return dropped;
}
