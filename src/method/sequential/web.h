/*
 * web.h
 *		A consistency graph whose last release changes, with its kernel.
 *
 * Nodes and edges are those of audit/join/graph.h, but nodes of the last release
 * come and go, edges are dropped one by one, and whatever was done since a mark
 * can be undone.  The flow of an edge are the people whose two records it joins:
 * a perfect matching that is known, and that survives in every kernel.
 *
 * Releases only become more specific here.  So a kernel only shrinks, and what
 * web_settle() needs look at is what lies around the edges that were touched.
 */
#ifndef PPREPUB_METHOD_SEQUENTIAL_WEB_H
#define PPREPUB_METHOD_SEQUENTIAL_WEB_H

#define NO_WEB_EDGE	PG_UINT32_MAX

/* An edge.  In its ends' lists until it is dropped. */
typedef struct WebEdge
{
	uint32		end[2];			/* nodes; that of the earlier release comes first */
	uint32		flow;			/* people */
	bool		dropped;
	bool		suspected;		/* stands among the suspects */
	uint32		next[2];		/* of the edges of each end to the other's release */
	uint32		prev[2];
} WebEdge;

/* Where an edge stands in the table by its ends */
typedef struct WebSlot
{
	uint32		edge;			/* or NO_WEB_EDGE */
	uint32		print;			/* of its ends: most others can be told from it without being looked at */
} WebSlot;

typedef enum WebDeed
{
	MADE_NODE,
	MADE_EDGE,
	DROPPED_EDGE,
	CHANGED_FLOW
} WebDeed;

typedef struct WebChange
{
	WebDeed		deed;
	uint32		which;			/* node or edge */
	uint32		before;			/* flow */
} WebChange;

/* A node that arcs of a pair no longer lead to */
typedef struct Touched
{
	uint32		node;
	int32		other;			/* release */
} Touched;

/* How the kernel is found */
typedef struct Settling
{
	uint32		clock;			/* nodes seen before are forgotten */
	uint32	   *seen;			/* [room] when; not seen if before the start of the search */
	uint32	   *low;			/* [room] the first seen that it reaches */
	uint32	   *component;		/* [room] or OPEN */
	uint32	   *arc;			/* [room] the next edge to follow */
	uint32	   *path;			/* [room] */
	uint32	   *open;			/* [room] */
	uint32	   *visited;		/* [room] */
	uint32		npath;
	uint32		nopen;
	uint32		nvisited;
	uint32		ncomponents;
	Touched    *touched;
	uint32		ntouched;
	uint32		touched_room;
	uint32	   *suspect;		/* edges that may be in no clique */
	uint32		nsuspects;
	uint32		suspect_room;
	uint32	   *chosen;			/* [releases] */
} Settling;

typedef struct Web
{
	int32		nreleases;
	bool		narrow;			/* to the kernel; else it is the match join */

	/* Nodes */
	uint32		nnodes;
	uint32		room;
	int32	   *release;		/* [nodes] */
	bool	   *is_absent;		/* [nodes] of people of whom it is known that they are not there */
	uint32	   *head;			/* [nodes * releases] first edge to each; or NO_WEB_EDGE */
	uint32	   *degree;			/* [nodes * releases] */

	/* Edges, also by their ends */
	WebEdge    *edge;
	uint32		nedges;
	uint32		ndropped;		/* of them */
	uint32		edge_room;
	WebSlot    *slot;			/* [nslots] */
	uint64		nslots;

	/* Changes, to be undone */
	WebChange  *change;
	uint32		nchanges;
	uint32		change_room;

	Settling	settling;
	uint64		steps;			/* edges that were made, or looked at by web_settle() */
} Web;

/* Allocated in the current context. */
extern Web *web_create(int32 nreleases, bool narrow);

extern uint32 web_add_node(Web *web, int32 release, bool is_absent);
extern uint32 web_add_edge(Web *web, uint32 a, uint32 b);

/* The edge between nodes of different releases, if it is left; or NO_WEB_EDGE. */
extern uint32 web_between(const Web *web, uint32 a, uint32 b);

extern void web_change_flow(Web *web, uint32 edge, int64 by);
extern void web_drop(Web *web, uint32 edge);

/* Has all edges looked at by the next web_settle(), not only those that were touched. */
extern void web_suspect_all(Web *web);

/* Narrows to the kernel again. */
extern void web_settle(Web *web);

static inline uint32
web_mark(const Web *web)
{
	return web->nchanges;
}

/* Undoes what was done since a mark, which leaves nothing to settle. */
extern void web_undo(Web *web, uint32 mark);

/* Forgets how to undo anything. */
static inline void
web_commit(Web *web)
{
	web->nchanges = 0;
}

/* Lists of edges */
static inline Size
web_list(const Web *web, uint32 node, int32 release)
{
	return (Size) node * web->nreleases + release;
}

/* Which end of an edge is this node? */
static inline int
end_at(const WebEdge *edge, uint32 node)
{
	return edge->end[1] == node;
}

static inline uint32
other_end(const WebEdge *edge, uint32 node)
{
	return edge->end[!end_at(edge, node)];
}

static inline uint32
next_edge(const Web *web, uint32 edge, uint32 node)
{
	return web->edge[edge].next[end_at(&web->edge[edge], node)];
}

/* Nodes of each release of people who are absent everywhere belong to no person. */
static inline bool
web_is_nobody(const Web *web, const uint32 *node)
{
	int32		i = 0;

	while (i < web->nreleases && web->is_absent[node[i]])
		i++;
	return i == web->nreleases;
}

#endif							/* PPREPUB_METHOD_SEQUENTIAL_WEB_H */
