/*
 * web.c
 *		Nodes and edges that come and go.
 *
 * NOTES
 *		Edges stand in doubly linked lists; one that is dropped keeps its own
 *		links, and is put back by them if this is undone in the reverse order.
 *		They stand in a table by their ends, too, which dropped ones do not leave.
 *		The newest edge is removed from it by emptying its slot: nothing can have
 *		been put behind it, since tables are made anew in the order of edges.
 */
#include "postgres.h"

#include "frame/arrays.h"
#include "method/sequential/web.h"
#include "utils/memutils.h"

/* Makes the table, empty. */
static void
make_slots(Web *web)
{
	web->slot = new_array(WebSlot, web->nslots);
	memset(web->slot, 0xFF, sizeof(WebSlot) * web->nslots);
}

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
	array_reserve(web->thread, web->thread_room, 1024);
	web->nslots = 4096;
	make_slots(web);
	array_reserve(web->change, web->change_room, 1024);
	return web;
}

static void
note(Web *web, WebDeed deed, uint32 which, uint32 before)
{
	array_reserve(web->change, web->change_room, web->nchanges + 1);
	web->change[web->nchanges++] = (WebChange) {.deed = deed,.which = which,.before = before};
}

/* ----------------------------------------------------------------
 * Nodes
 * ----------------------------------------------------------------
 */

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
		web->head[web_list(web, node, r)] = NO_THREAD;
		web->degree[web_list(web, node, r)] = 0;
	}
	note(web, MADE_NODE, node, 0);
	return node;
}

/* ----------------------------------------------------------------
 * Edges
 * ----------------------------------------------------------------
 */

static inline uint64
hash_ends(uint32 a, uint32 b)
{
	uint64		hash = ((uint64) a << 32 | b) * UINT64CONST(0x9E3779B97F4A7C15);

	return hash ^ hash >> 32;
}

/* The slot of an edge, or the one that it would get. */
static WebSlot *
find_slot(const Web *web, uint32 a, uint32 b)
{
	uint64		hash = hash_ends(a, b);

	for (uint64 i = hash;; i++)
	{
		WebSlot    *slot = &web->slot[i & (web->nslots - 1)];

		if (slot->thread == NO_THREAD ||
			(slot->print == (uint32) (hash >> 32) &&
			 web->thread[slot->thread].end[0] == a && web->thread[slot->thread].end[1] == b))
			return slot;
	}
}

static void
fill_slot(Web *web, uint32 t)
{
	const uint32 *end = web->thread[t].end;

	*find_slot(web, end[0], end[1]) = (WebSlot) {.thread = t,.print = hash_ends(end[0], end[1]) >> 32};
}

static void
grow_slots(Web *web)
{
	pfree(web->slot);
	web->nslots *= 2;
	make_slots(web);
	for (uint32 t = 0; t + 1 < web->nthreads; t++)
		fill_slot(web, t);
}

uint32
web_between(const Web *web, uint32 a, uint32 b)
{
	bool		in_order = web->release[a] < web->release[b];
	uint32		thread = find_slot(web, in_order ? a : b, in_order ? b : a)->thread;

	return thread == NO_THREAD || web->thread[thread].dropped ? NO_THREAD : thread;
}

/* The list that an edge is in at an end */
static inline Size
list_at(const Web *web, const Thread *thread, int end)
{
	return web_list(web, thread->end[end], web->release[thread->end[!end]]);
}

/* Has those between whom an edge stands, at an end, know these edges instead of each other, or of it. */
static void
tell_neighbours(Web *web, const Thread *thread, int end, uint32 next, uint32 prev)
{
	if (thread->prev[end] == NO_THREAD)
		web->head[list_at(web, thread, end)] = next;
	else
		web->thread[thread->prev[end]].next[end] = next;
	if (thread->next[end] != NO_THREAD)
		web->thread[thread->next[end]].prev[end] = prev;
}

/* Puts an edge into the list of an end, between those that it knows. */
static void
link_end(Web *web, uint32 t, int end)
{
	const Thread *thread = &web->thread[t];

	tell_neighbours(web, thread, end, t, t);
	web->degree[list_at(web, thread, end)]++;
}

static void
unlink_end(Web *web, uint32 t, int end)
{
	const Thread *thread = &web->thread[t];

	tell_neighbours(web, thread, end, thread->next[end], thread->prev[end]);
	web->degree[list_at(web, thread, end)]--;
}

uint32
web_add_thread(Web *web, uint32 a, uint32 b)
{
	uint32		t = web->nthreads++;
	bool		in_order = web->release[a] < web->release[b];
	Thread	   *thread;

	if (web->nthreads == NO_THREAD)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("releases have more than %u edges", NO_THREAD - 1),
				 errhint("Declare a publication for each of several views that divide the people among them.")));
	array_reserve(web->thread, web->thread_room, web->nthreads);
	thread = &web->thread[t];
	*thread = (Thread) {.end = {in_order ? a : b, in_order ? b : a}};
	for (int end = 0; end < 2; end++)
	{
		thread->prev[end] = NO_THREAD;
		thread->next[end] = web->head[list_at(web, thread, end)];
		link_end(web, t, end);
	}
	if (web->nthreads > web->nslots / 2)
		grow_slots(web);
	fill_slot(web, t);
	note(web, MADE_THREAD, t, 0);
	web->steps++;
	if (web->nreleases > 2)
		suspect(web, t);
	return t;
}

/* From the last node leads back an arc for as long as there is flow; see residual.h in audit/join. */
void
web_change_flow(Web *web, uint32 t, int64 by)
{
	Thread	   *thread = &web->thread[t];

	note(web, CHANGED_FLOW, t, thread->flow);
	thread->flow += by;
	if (thread->flow == 0)
		touch(web, thread->end[0], web->release[thread->end[1]]);
}

void
web_drop(Web *web, uint32 t)
{
	Thread	   *thread = &web->thread[t];

	Assert(!thread->dropped && thread->flow == 0);
	unlink_end(web, t, 0);
	unlink_end(web, t, 1);
	thread->dropped = true;
	web->ndropped++;
	note(web, DROPPED_THREAD, t, 0);
	touch(web, thread->end[1], web->release[thread->end[0]]);
	suspect_around(web, t);
}

/* ----------------------------------------------------------------
 * Undoing
 * ----------------------------------------------------------------
 */

static void
undo(Web *web, const WebChange *change)
{
	Thread	   *thread = &web->thread[change->which];

	switch (change->deed)
	{
		case MADE_NODE:
			web->nnodes--;
			break;
		case MADE_THREAD:
			find_slot(web, thread->end[0], thread->end[1])->thread = NO_THREAD;
			unlink_end(web, change->which, 0);
			unlink_end(web, change->which, 1);
			web->nthreads--;
			break;
		case DROPPED_THREAD:
			thread->dropped = false;
			web->ndropped--;
			link_end(web, change->which, 1);
			link_end(web, change->which, 0);
			break;
		case CHANGED_FLOW:
			thread->flow = change->before;
			break;
	}
}

void
web_undo(Web *web, uint32 mark)
{
	Settling   *s = &web->settling;

	while (s->nsuspects > 0)
		web->thread[s->suspect[--s->nsuspects]].suspected = false;
	s->ntouched = 0;
	while (web->nchanges > mark)
		undo(web, &web->change[--web->nchanges]);
}
