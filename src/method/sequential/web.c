/*
 * web.c
 *		Nodes and edges that come and go.
 *
 * NOTES
 *		Edges stand in doubly linked lists; one that is dropped keeps its own links, and is put back by them if this is
 *		undone in the reverse order.  They stand in a table by their ends, too, which dropped ones do not leave.
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "frame/arrays.h"
#include "method/sequential/search.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#define OPEN	PG_UINT32_MAX

/* Where an edge is, by its ends */
typedef struct EndsEntry
{
	uint64		ends;
	uint32		edge;
	char		status;			/* simplehash's own */
} EndsEntry;

#define SH_PREFIX ends
#define SH_ELEMENT_TYPE EndsEntry
#define SH_KEY_TYPE uint64
#define SH_KEY ends
#define SH_HASH_KEY(table, key) murmurhash32((uint32) (key) ^ (uint32) ((key) >> 32) * 0x9e3779b9)
#define SH_EQUAL(table, a, b) ((a) == (b))
#define SH_SCOPE static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

/* Makes room for as many nodes as the web has room for; nothing is seen by then. */
static void
settling_make_room(Web *web)
{
	Settling   *s = &web->settling;

	array_resize(s->seen, web->room);
	array_resize(s->low, web->room);
	array_resize(s->component, web->room);
	array_resize(s->arc, web->room);
	array_resize(s->path, web->room);
	array_resize(s->open, web->room);
	array_resize(s->visited, web->room);
	if (s->chosen == NULL)
	{
		s->chosen = new_array(uint32, web->nreleases);
		array_reserve(s->touched, s->touched_room, 64);
		array_reserve(s->suspect, s->suspect_room, 64);
	}
	memset(s->seen, 0, sizeof(uint32) * web->room);
	s->clock = 0;
}

/* Notes that the matches of a node with a release have to be settled again. */
static void
touch(Web *web, uint32 node, int32 other)
{
	Settling   *s = &web->settling;

	if (!web->narrow)
		return;
	array_reserve(s->touched, s->touched_room, s->ntouched + 1);
	s->touched[s->ntouched++] = (Touched) {.node = node, .other = other};
}

/* Queues an edge that may be in no clique any more, unless it is queued already. */
static void
suspect(Web *web, uint32 edge)
{
	Settling   *s = &web->settling;

	if (!web->narrow || web->edge[edge].suspected)
		return;
	web->edge[edge].suspected = true;
	array_reserve(s->suspect, s->suspect_room, s->nsuspects + 1);
	s->suspect[s->nsuspects++] = edge;
}

static void suspect_around(Web *web, uint32 edge);

/* All arrays are made at once: later calls may come in another context. */
static void
make_room_for_nodes(Web *web, uint32 n)
{
	web->room = array_room(web->room, n);
	array_resize(web->release, web->room);
	array_resize(web->is_absent, web->room);
	array_resize(web->head, (Size) web->room * web->nreleases);
	array_resize(web->degree, (Size) web->room * web->nreleases);
	settling_make_room(web);
}

Web *
web_create(int32 nreleases, bool narrow)
{
	Web		   *web = palloc0(sizeof(Web));

	web->nreleases = nreleases;
	web->narrow = narrow;
	make_room_for_nodes(web, 1024);
	array_reserve(web->edge, web->edge_room, 1024);
	web->by_ends = ends_create(CurrentMemoryContext, 4096, NULL);
	array_reserve(web->change, web->change_room, 1024);
	return web;
}

static void
note(Web *web, WebDeed deed, uint32 which, uint32 before)
{
	array_reserve(web->change, web->change_room, web->nchanges + 1);
	web->change[web->nchanges++] = (WebChange) {.deed = deed, .which = which, .before = before};
}

uint32
web_add_node(Web *web, int32 release, bool is_absent)
{
	uint32		node = web->nnodes++;

	if (web->nnodes > web->room)
		make_room_for_nodes(web, web->nnodes);
	web->release[node] = release;
	web->is_absent[node] = is_absent;
	for (int32 r = 0; r < web->nreleases; r++)
	{
		web->head[web_list(web, node, r)] = NO_WEB_EDGE;
		web->degree[web_list(web, node, r)] = 0;
	}
	note(web, MADE_NODE, node, 0);
	return node;
}

/* The ends of an edge as a key: that of the earlier release comes first. */
static inline uint64
ends_of(const Web *web, uint32 a, uint32 b)
{
	bool		in_order = web->release[a] < web->release[b];

	return (uint64) (in_order ? a : b) << 32 | (in_order ? b : a);
}

uint32
web_between(const Web *web, uint32 a, uint32 b)
{
	const EndsEntry *entry = ends_lookup(web->by_ends, ends_of(web, a, b));

	return entry == NULL || web->edge[entry->edge].dropped ? NO_WEB_EDGE : entry->edge;
}

/* The list that an edge is in at an end */
static inline Size
list_at(const Web *web, const WebEdge *edge, int end)
{
	return web_list(web, edge->end[end], web->release[edge->end[!end]]);
}

/* Has those between whom an edge stands, at an end, know these edges instead of each other, or of it. */
static void
tell_neighbours(Web *web, const WebEdge *edge, int end, uint32 next, uint32 prev)
{
	if (edge->prev[end] == NO_WEB_EDGE)
		web->head[list_at(web, edge, end)] = next;
	else
		web->edge[edge->prev[end]].next[end] = next;
	if (edge->next[end] != NO_WEB_EDGE)
		web->edge[edge->next[end]].prev[end] = prev;
}

/* Puts an edge into the list of an end, between those that it knows. */
static void
link_end(Web *web, uint32 t, int end)
{
	const WebEdge *edge = &web->edge[t];

	tell_neighbours(web, edge, end, t, t);
	web->degree[list_at(web, edge, end)]++;
}

static void
unlink_end(Web *web, uint32 t, int end)
{
	const WebEdge *edge = &web->edge[t];

	tell_neighbours(web, edge, end, edge->next[end], edge->prev[end]);
	web->degree[list_at(web, edge, end)]--;
}

uint32
web_add_edge(Web *web, uint32 a, uint32 b)
{
	uint32		t = web->nedges++;
	uint64		ends = ends_of(web, a, b);
	WebEdge    *edge;
	bool		found;

	if (web->nedges == NO_WEB_EDGE)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("releases have more than %u edges", NO_WEB_EDGE - 1),
				 errhint("Declare a publication for each of several views that divide the people among them.")));
	array_reserve(web->edge, web->edge_room, web->nedges);
	edge = &web->edge[t];
	*edge = (WebEdge) {.end = {ends >> 32, (uint32) ends}};
	for (int end = 0; end < 2; end++)
	{
		edge->prev[end] = NO_WEB_EDGE;
		edge->next[end] = web->head[list_at(web, edge, end)];
		link_end(web, t, end);
	}
	ends_insert(web->by_ends, ends, &found)->edge = t;
	note(web, MADE_EDGE, t, 0);
	web->steps++;
	if (web->nreleases > 2)
		suspect(web, t);
	return t;
}

/* From the last node leads back an arc for as long as there is flow; see audit/join/matching.c. */
void
web_change_flow(Web *web, uint32 t, int64 by)
{
	WebEdge    *edge = &web->edge[t];

	note(web, CHANGED_FLOW, t, edge->flow);
	edge->flow += by;
	if (edge->flow == 0)
		touch(web, edge->end[0], web->release[edge->end[1]]);
}

void
web_drop(Web *web, uint32 t)
{
	WebEdge    *edge = &web->edge[t];

	Assert(!edge->dropped && edge->flow == 0);
	unlink_end(web, t, 0);
	unlink_end(web, t, 1);
	edge->dropped = true;
	web->ndropped++;
	note(web, DROPPED_EDGE, t, 0);
	touch(web, edge->end[1], web->release[edge->end[0]]);
	suspect_around(web, t);
}

/* Undoes a change; changes are undone in reverse order. */
static void
undo(Web *web, const WebChange *change)
{
	WebEdge    *edge = &web->edge[change->which];

	switch (change->deed)
	{
		case MADE_NODE:
			web->nnodes--;
			break;
		case MADE_EDGE:
			ends_delete(web->by_ends, ends_of(web, edge->end[0], edge->end[1]));
			unlink_end(web, change->which, 0);
			unlink_end(web, change->which, 1);
			web->nedges--;
			break;
		case DROPPED_EDGE:
			edge->dropped = false;
			web->ndropped--;
			link_end(web, change->which, 1);
			link_end(web, change->which, 0);
			break;
		case CHANGED_FLOW:
			edge->flow = change->before;
			break;
	}
}

void
web_undo(Web *web, uint32 mark)
{
	Settling   *s = &web->settling;

	while (s->nsuspects > 0)
		web->edge[s->suspect[--s->nsuspects]].suspected = false;
	s->ntouched = 0;
	while (web->nchanges > mark)
		undo(web, &web->change[--web->nchanges]);
}

/* ----------------------------------------------------------------
 * Narrowing a web to its kernel, around what was touched
 *
 * Of two releases, an edge is a match if it carries flow or its ends lie in one strongly connected component of the
 * residual graph (audit/join/matching.c).  Once all others are dropped, what hangs together is strongly connected.
 * Take an arc away, and wherever one could get before, one can get from the head of an arc that is gone: the rest of
 * the way behind the last such arc.  So a search from those heads sees all components that may have fallen apart.  A
 * node that is new hangs on edges of the node that its records come from, and carries their flow, so it lies in that
 * one's component.
 *
 * An edge that is dropped may leave others without a clique: those of whom it was one.  They are looked for as long as
 * the others of the clique are there, so edges are dropped one by one, and suspects judged afterwards.
 * ----------------------------------------------------------------
 */

void
web_suspect_all(Web *web)
{
	for (uint32 v = 0; v < web->nnodes; v++)
		for (int32 r = 0; r < web->nreleases; r++)
			if (r != web->release[v])
				touch(web, v, r);
	for (uint32 t = 0; t < web->nedges && web->nreleases > 2; t++)
		if (!web->edge[t].dropped)
			suspect(web, t);
}

/* ----------------------------------------------------------------
 * Matches
 * ----------------------------------------------------------------
 */

/* Begins the visit of a node: numbers it, and puts it on the path and among the open ones. */
static void
enter(Web *web, uint32 node, int32 other)
{
	Settling   *s = &web->settling;

	s->seen[node] = s->low[node] = ++s->clock;
	s->component[node] = OPEN;
	s->arc[node] = web->head[web_list(web, node, other)];
	s->path[s->npath++] = node;
	s->open[s->nopen++] = node;
	s->visited[s->nvisited++] = node;
}

/* Ends the visit of a node; the root of a component closes it. */
static void
leave(Settling *s, uint32 node)
{
	uint32		member;

	s->npath--;
	if (s->npath > 0)
		s->low[s->path[s->npath - 1]] = Min(s->low[s->path[s->npath - 1]], s->low[node]);
	if (s->low[node] < s->seen[node])
		return;
	do
	{
		member = s->open[--s->nopen];
		s->component[member] = s->ncomponents;
	} while (member != node);
	s->ncomponents++;
}

/* Tarjan's algorithm in the residual graph of two releases. */
static void
visit(Web *web, uint32 start, int32 r, int32 other, uint32 since)
{
	Settling   *s = &web->settling;

	enter(web, start, web->release[start] == r ? other : r);
	while (s->npath > 0)
	{
		uint32		node = s->path[s->npath - 1];
		uint32		t = s->arc[node];
		uint32		next;

		if (t == NO_WEB_EDGE)
		{
			leave(s, node);
			continue;
		}
		web->steps++;
		s->arc[node] = next_edge(web, t, node);
		if (web->edge[t].end[0] != node && web->edge[t].flow == 0)
			continue;
		next = other_end(&web->edge[t], node);
		if (s->seen[next] <= since)
			enter(web, next, web->release[next] == r ? other : r);
		else if (s->component[next] == OPEN)
			s->low[node] = Min(s->low[node], s->seen[next]);
	}
}

/* Drops what leads from one component to another. */
static void
web_drop_unmatched(Web *web, int32 r, int32 other)
{
	Settling   *s = &web->settling;
	int32		first = Min(r, other);
	uint32		ntouched = s->ntouched;

	for (uint32 i = 0; i < s->nvisited; i++)
	{
		uint32		node = s->visited[i];
		uint32		next;

		if (web->release[node] != first)
			continue;
		for (uint32 t = web->head[web_list(web, node, Max(r, other))]; t != NO_WEB_EDGE; t = next)
		{
			next = next_edge(web, t, node);
			if (s->component[web->edge[t].end[1]] != s->component[node])
				web_drop(web, t);
		}
	}
	s->ntouched = ntouched;		/* components are strongly connected without them */
}

/* Narrows the two releases of the last node that was touched to matches. */
static void
settle_pair(Web *web)
{
	Settling   *s = &web->settling;
	int32		r = web->release[s->touched[s->ntouched - 1].node];
	int32		other = s->touched[s->ntouched - 1].other;
	uint32		left = 0;
	uint32		since;

	if (s->clock > PG_UINT32_MAX / 2)
	{
		memset(s->seen, 0, sizeof(uint32) * web->room);
		s->clock = 0;
	}
	since = s->clock;
	s->nvisited = s->ncomponents = 0;
	for (uint32 i = 0; i < s->ntouched; i++)
	{
		Touched		touched = s->touched[i];
		int32		own = web->release[touched.node];

		if (Min(own, touched.other) != Min(r, other) || Max(own, touched.other) != Max(r, other))
			s->touched[left++] = touched;
		else if (s->seen[touched.node] <= since)
			visit(web, touched.node, r, other, since);
	}
	s->ntouched = left;
	web_drop_unmatched(web, r, other);
}

/* ----------------------------------------------------------------
 * Cliques
 * ----------------------------------------------------------------
 */

/* Whichever of two nodes has fewer edges to a release; the other one is told, too. */
static uint32
fewer(const Web *web, uint32 a, uint32 b, int32 release, uint32 *other)
{
	bool		first = web->degree[web_list(web, a, release)] <= web->degree[web_list(web, b, release)];

	*other = first ? b : a;
	return first ? a : b;
}

/* Is a node joined to all that are chosen of releases before this one, or of the edge's? */
static bool
fits(const Web *web, uint32 node, int32 release, int32 r, int32 s)
{
	const uint32 *chosen = web->settling.chosen;

	for (int32 q = 0; q < web->nreleases; q++)
		if ((q < release || q == r || q == s) && q != release &&
			web_between(web, node, chosen[q]) == NO_WEB_EDGE)
			return false;
	return true;
}

/* Can nodes be chosen of this release and the next ones, which make a clique with those chosen? */
static bool
choose(Web *web, int32 release, int32 r, int32 s)
{
	uint32	   *chosen = web->settling.chosen;
	uint32		node;
	uint32		other;

	while (release == r || release == s)
		release++;
	if (release == web->nreleases)
		return !web_is_nobody(web, chosen);
	node = fewer(web, chosen[r], chosen[s], release, &other);
	for (uint32 t = web->head[web_list(web, node, release)]; t != NO_WEB_EDGE; t = next_edge(web, t, node))
	{
		chosen[release] = other_end(&web->edge[t], node);
		web->steps++;
		if (fits(web, chosen[release], release, r, s) && choose(web, release + 1, r, s))
			return true;
	}
	return false;
}

/* Suspects the edges between neighbours of both ends, one of each of two releases. */
static void
suspect_opposite(Web *web, uint32 a, uint32 b, uint32 y, int32 release)
{
	for (int32 q = release + 1; q < web->nreleases; q++)
	{
		if (q == web->release[a] || q == web->release[b])
			continue;
		for (uint32 t = web->head[web_list(web, y, q)]; t != NO_WEB_EDGE; t = next_edge(web, t, y))
		{
			uint32		z = other_end(&web->edge[t], y);

			web->steps++;
			if (web_between(web, a, z) != NO_WEB_EDGE && web_between(web, b, z) != NO_WEB_EDGE)
				suspect(web, t);
		}
	}
}

/* Suspects all edges that may have had their only clique with one that was dropped. */
static void
suspect_around(Web *web, uint32 dropped)
{
	uint32		a = web->edge[dropped].end[0];
	uint32		b = web->edge[dropped].end[1];

	for (int32 q = 0; q < web->nreleases && web->narrow; q++)
	{
		uint32		other;
		uint32		node;

		if (q == web->release[a] || q == web->release[b])
			continue;
		node = fewer(web, a, b, q, &other);
		for (uint32 t = web->head[web_list(web, node, q)]; t != NO_WEB_EDGE; t = next_edge(web, t, node))
		{
			uint32		y = other_end(&web->edge[t], node);
			uint32		side = web_between(web, other, y);

			web->steps++;
			if (side == NO_WEB_EDGE)
				continue;
			suspect(web, t);
			suspect(web, side);
			if (web->nreleases > 3)
				suspect_opposite(web, a, b, y, q);
		}
	}
}

/* Drops suspected edges that are in no clique; these make others suspected. */
static void
settle_suspects(Web *web)
{
	Settling   *s = &web->settling;

	while (s->nsuspects > 0)
	{
		uint32		t = s->suspect[--s->nsuspects];
		WebEdge    *edge = &web->edge[t];

		edge->suspected = false;

		/* The edges of people are in their clique */
		if (edge->dropped || edge->flow > 0)
			continue;
		s->chosen[web->release[edge->end[0]]] = edge->end[0];
		s->chosen[web->release[edge->end[1]]] = edge->end[1];
		if (!choose(web, 0, web->release[edge->end[0]], web->release[edge->end[1]]))
			web_drop(web, t);
	}
}

void
web_settle(Web *web)
{
	Settling   *s = &web->settling;

	while (s->ntouched > 0 || s->nsuspects > 0)
	{
		CHECK_FOR_INTERRUPTS();
		settle_suspects(web);
		if (s->ntouched > 0)
			settle_pair(web);
	}
}
