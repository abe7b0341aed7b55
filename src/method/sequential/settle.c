/*
 * settle.c
 *		Narrowing a web to its kernel, around what was touched.
 *
 * NOTES
 *		Of two releases, an edge is a match if it carries flow or its ends lie in
 *		one strongly connected component of the residual graph (audit/join/matches.c).
 *		Once all others are dropped, what hangs together is strongly connected.
 *		Take an arc away, and wherever one could get before, one can get from the
 *		head of an arc that is gone: the rest of the way behind the last such arc.
 *		So a search from those heads sees all components that may have fallen apart.
 *		A node that is new hangs on edges of the node that its records come from,
 *		and carries their flow, so it lies in that one's component.
 *
 *		An edge that is dropped may leave others without a clique: those of whom
 *		it was one.  They are looked for as long as the others of the clique are
 *		there, so edges are dropped one by one, and suspects judged afterwards.
 */
#include "postgres.h"

#include "frame/arrays.h"
#include "method/sequential/web.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#define OPEN	PG_UINT32_MAX

void
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

void
touch(Web *web, uint32 node, int32 other)
{
	Settling   *s = &web->settling;

	if (!web->narrow)
		return;
	array_reserve(s->touched, s->touched_room, s->ntouched + 1);
	s->touched[s->ntouched++] = (Touched) {.node = node,.other = other};
}

void
suspect(Web *web, uint32 thread)
{
	Settling   *s = &web->settling;

	if (!web->narrow || web->thread[thread].suspected)
		return;
	web->thread[thread].suspected = true;
	array_reserve(s->suspect, s->suspect_room, s->nsuspects + 1);
	s->suspect[s->nsuspects++] = thread;
}

void
web_suspect_all(Web *web)
{
	for (uint32 v = 0; v < web->nnodes; v++)
		for (int32 r = 0; r < web->nreleases; r++)
			if (r != web->release[v])
				touch(web, v, r);
	for (uint32 t = 0; t < web->nthreads && web->nreleases > 2; t++)
		if (!web->thread[t].dropped)
			suspect(web, t);
}

/* ----------------------------------------------------------------
 * Matches
 * ----------------------------------------------------------------
 */

static inline bool
is_open(const Thread *thread, uint32 node)
{
	return thread->end[0] == node || thread->flow > 0;
}

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

		if (t == NO_THREAD)
		{
			leave(s, node);
			continue;
		}
		web->steps++;
		s->arc[node] = next_thread(web, t, node);
		if (!is_open(&web->thread[t], node))
			continue;
		next = other_end(&web->thread[t], node);
		if (s->seen[next] <= since)
			enter(web, next, web->release[next] == r ? other : r);
		else if (s->component[next] == OPEN)
			s->low[node] = Min(s->low[node], s->seen[next]);
	}
}

/* Drops what leads from one component to another. */
static void
drop_unmatched(Web *web, int32 r, int32 other)
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
		for (uint32 t = web->head[web_list(web, node, Max(r, other))]; t != NO_THREAD; t = next)
		{
			next = next_thread(web, t, node);
			if (s->component[web->thread[t].end[1]] != s->component[node])
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
	drop_unmatched(web, r, other);
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
			web_between(web, node, chosen[q]) == NO_THREAD)
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
	for (uint32 t = web->head[web_list(web, node, release)]; t != NO_THREAD; t = next_thread(web, t, node))
	{
		chosen[release] = other_end(&web->thread[t], node);
		web->steps++;
		if (fits(web, chosen[release], release, r, s) && choose(web, release + 1, r, s))
			return true;
	}
	return false;
}

static bool
is_in_clique(Web *web, uint32 t)
{
	const Thread *thread = &web->thread[t];
	int32		r = web->release[thread->end[0]];
	int32		s = web->release[thread->end[1]];

	web->settling.chosen[r] = thread->end[0];
	web->settling.chosen[s] = thread->end[1];
	return choose(web, 0, r, s);
}

/* Suspects the edges between neighbours of both ends, one of each of two releases. */
static void
suspect_opposite(Web *web, uint32 a, uint32 b, uint32 y, int32 release)
{
	for (int32 q = release + 1; q < web->nreleases; q++)
	{
		if (q == web->release[a] || q == web->release[b])
			continue;
		for (uint32 t = web->head[web_list(web, y, q)]; t != NO_THREAD; t = next_thread(web, t, y))
		{
			uint32		z = other_end(&web->thread[t], y);

			web->steps++;
			if (web_between(web, a, z) != NO_THREAD && web_between(web, b, z) != NO_THREAD)
				suspect(web, t);
		}
	}
}

/* Suspects all edges that may have had their only clique with one that was dropped. */
void
suspect_around(Web *web, uint32 dropped)
{
	uint32		a = web->thread[dropped].end[0];
	uint32		b = web->thread[dropped].end[1];

	for (int32 q = 0; q < web->nreleases && web->narrow; q++)
	{
		uint32		other;
		uint32		node;

		if (q == web->release[a] || q == web->release[b])
			continue;
		node = fewer(web, a, b, q, &other);
		for (uint32 t = web->head[web_list(web, node, q)]; t != NO_THREAD; t = next_thread(web, t, node))
		{
			uint32		y = other_end(&web->thread[t], node);
			uint32		side = web_between(web, other, y);

			web->steps++;
			if (side == NO_THREAD)
				continue;
			suspect(web, t);
			suspect(web, side);
			if (web->nreleases > 3)
				suspect_opposite(web, a, b, y, q);
		}
	}
}

static void
settle_suspects(Web *web)
{
	Settling   *s = &web->settling;

	while (s->nsuspects > 0)
	{
		uint32		t = s->suspect[--s->nsuspects];

		web->thread[t].suspected = false;

		/* People's own edges are in their clique */
		if (!web->thread[t].dropped && web->thread[t].flow == 0 && !is_in_clique(web, t))
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
