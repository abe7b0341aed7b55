/*
 * search.h
 *		The search for a release: what its files share.
 */
#ifndef PPREPUB_METHOD_SEQUENTIAL_SEARCH_H
#define PPREPUB_METHOD_SEQUENTIAL_SEARCH_H

#include "audit/join/cells.h"
#include "frame/tuple_numbers.h"
#include "method/sequential/sequential.h"

#define NOTHING PG_UINT32_MAX

/* ----------------------------------------------------------------
 * A consistency graph whose last release changes, with its kernel (web.c)
 *
 * Nodes and edges are those of audit/join/join.h, but nodes of the last release come and go, edges are dropped one by
 * one, and whatever was done since a mark can be undone.  The flow of an edge are the people whose two records it
 * joins: a perfect matching that is known, and that survives in every kernel.
 *
 * Releases only become more specific here.  So a kernel only shrinks, and what web_settle() needs look at is what lies
 * around the edges that were touched.
 * ----------------------------------------------------------------
 */

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
	struct ends_hash *by_ends;

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

/* ----------------------------------------------------------------
 * The people of the new release, and how specific their records are so far (lots.c)
 *
 * People who have the same nodes in all earlier releases, and the same values in the new one, are a *band*; those of a
 * band who have the same cells there, too, are a *lot*: whatever is done to one of them might as well be done to
 * another.  A *region* is a cell for each column, a *piece* are the records of a region with the same sensitive value,
 * and a *place* what of a piece other releases show, too: it is a node of the web for as long as there is a record in
 * it.
 * ----------------------------------------------------------------
 */

/* A table has no more columns */
#define MAX_SEQ_COLUMNS 1600

typedef struct Lot
{
	uint32		band;
	uint32		piece;
	uint32		size;			/* people */
	uint32		next;			/* of the band, or NOTHING */
} Lot;

/* Its pieces that have records */
typedef struct Region
{
	uint32		first;			/* or NOTHING */
} Region;

typedef struct RegionPiece
{
	uint32		region;
	Code		value;			/* NO_CODE where it is not shown */
	uint32		size;			/* records */
	uint32		place;
	uint32		next;			/* of those of the region that have records, or NOTHING */
	uint32		prev;
} RegionPiece;

typedef struct SeqPlace
{
	uint32		size;			/* records */
	uint32		node;			/* of the web; NOTHING without records */
} SeqPlace;

/* People who were made more specific */
typedef struct Shift
{
	uint32		from;			/* lots */
	uint32		to;
	uint32		size;
	uint32		from_node;		/* of their places, as they were before */
	uint32		to_node;
} Shift;

typedef struct SeqPeople
{
	const SeqTask *task;		/* borrowed */
	const JoinGraph *graph;		/* borrowed; of the new release, only which columns are shared */
	int32		last;			/* number of the new release */
	int32		ncolumns;
	bool	   *shared;			/* [columns] shown by an earlier release, too */
	bool		value_shared;	/* so is the sensitive value */
	uint32	   *first_node;		/* [releases] of each release, in the web */
	Web		   *web;
	MemoryContext web_context;

	/* Bands */
	uint32		nbands;
	uint64	   *first_member;	/* [bands + 1] */
	uint32	   *member;			/* [records] of the new release, band by band */
	uint32	   *node;			/* [bands * last] their nodes in the web */
	Code	   *code;			/* [bands * columns] */
	Code	   *value;			/* [bands] */
	uint32	   *fixed;			/* [bands] other columns of the new release that are shared */
	uint32	   *fixed_record;	/* [of those] a record */
	uint32	   *lots;			/* [bands] first lot */

	/* Lots */
	uint32		nlots;
	uint32		lot_room;
	Lot		   *lot;

	/* Regions by fixed columns and the nodes of cells; pieces by region and value; places */
	TupleNumbers *regions;
	uint32		region_room;
	Region	   *region;			/* [regions] */
	TupleNumbers *piece_numbers;
	uint32		piece_room;
	RegionPiece *piece;
	TupleNumbers *place_numbers;
	uint32		place_room;
	SeqPlace   *place;
	uint32		node_room;
	uint32	   *place_of;		/* [nodes of the web, from the last release's on] */

	double		loss;			/* of all cells, as far as it was added up */
	uint64		version;		/* changes with every shift, and with every web */
	Shift	   *shift;			/* what was done */
	uint32		nshifts;
	uint32		shift_room;
} SeqPeople;

/* All cells withheld; the web is settled. */
extern SeqPeople *people_create(const SeqTask *task, const JoinGraph *graph);

/* The tree node of a lot's cell in a column. */
static inline uint32
lot_cell(const SeqPeople *people, uint32 lot, int32 column)
{
	return tuple_words(people->regions, people->piece[people->lot[lot].piece].region)[1 + column];
}

static inline Code
lot_code(const SeqPeople *people, uint32 lot, int32 column)
{
	return people->code[(Size) people->lot[lot].band * people->ncolumns + column];
}

/* The cell of a region, or a place, in a column.  Absent people are withheld: ANYTHING. */
static inline Span
cell_of_key(const SeqPeople *people, const uint32 *key, int32 column)
{
	return is_record_of_absent(people->task, people->fixed_record[key[0]]) ? ANYTHING :
		people->task->column[column].span[key[1 + column]];
}

/* Is a column of the join one whose cells are to be found? */
extern bool is_cell_column(const SeqPeople *people, int32 column);

/* The next node of a tree towards a leaf that says more. */
extern uint32 step_down(const Tree *tree, uint32 node, Code code);

static inline bool
is_leaf(const Tree *tree, uint32 node)
{
	return tree->nodes[node].leaves.lo == tree->nodes[node].leaves.hi;
}

/* Can a lot's cell become more specific? */
static inline bool
can_step(const SeqPeople *people, uint32 lot, int32 column)
{
	return people->lot[lot].size > 0 && lot_code(people, lot, column) != NO_CODE &&
		!is_leaf(people->task->column[column].tree, lot_cell(people, lot, column));
}

/* The piece whose records a lot's would be. */
extern uint32 piece_below(SeqPeople *people, uint32 lot, int32 column);

/* Makes so many of a lot more specific in a column; the web is not settled.  Returns their lot. */
extern uint32 people_shift(SeqPeople *people, uint32 lot, int32 column, uint32 size);

/* Makes so many of a lot as they were in a node above; the web must then be made anew. */
extern uint32 people_lift(SeqPeople *people, uint32 lot, uint32 region, uint32 size);

/* Makes the web anew, and settles it. */
extern void people_weave(SeqPeople *people);

static inline uint32
people_mark(const SeqPeople *people)
{
	return people->nshifts;
}

/* Undoes what was done since a mark, but for the web. */
extern void people_undo(SeqPeople *people, uint32 mark);

static inline void
people_commit(SeqPeople *people)
{
	people->nshifts = 0;
}

/* Adds up the loss of all cells. */
extern double people_loss(const SeqPeople *people);

/* Writes the cells of all people. */
extern void people_write(const SeqPeople *people);

/* ----------------------------------------------------------------
 * Checks that each tuple stays as hard to link as was promised (guard.c)
 *
 * The definitions are those of audit/join/join.h.  Here they are asked again and again, after each specialisation, of
 * those only whom it can concern.
 * ----------------------------------------------------------------
 */

/* Records of a node that a tuple is consistent with, and that show the same value. */
typedef struct Candidate
{
	uint32		node;
	Code		value;			/* or NO_CODE */
	uint32		weight;			/* records */
} Candidate;

/* An earlier release, as tuples meet it: those that agree in what it shows are a kind. */
typedef struct Encounter
{
	uint32	   *kind;			/* [tuples] */
	uint64	   *first;			/* [kinds + 1] */
	Candidate  *candidate;		/* kind by kind */
	uint64	   *first_tuple;	/* [nodes + 1] */
	uint32	   *tuple;			/* node by node, those that meet it */
} Encounter;

/* Numbers that are added to */
typedef struct Pile
{
	uint32		n;
	uint32		room;
	uint32	   *number;
} Pile;

/* A tuple's level, as it was */
typedef struct LevelBefore
{
	uint32		tuple;
	double		level;
} LevelBefore;

typedef struct Guard
{
	const SeqPeople *people;	/* borrowed */
	const JoinInput *input;		/* borrowed */
	const SeqTask *task;		/* borrowed */
	bool		watches;		/* some release shows the sensitive column */

	/*
	 * May a tuple's level be higher where releases are more specific?  Diversity may; and linkability, where people
	 * may be linked to values that are not shown: they count as a value beside others, but who is linked to nothing
	 * else is linked to nothing.
	 */
	bool		may_rise;
	Code		null_value;
	Code		nvalues;

	/* Tuples that differ in what any release shows, those alike in the new one side by side */
	uint32		ntuples;
	Span	   *cell;			/* [tuples * columns] in the new release's columns */
	int32		nfixed;			/* quasi-identifiers that the new release shows as they are */
	int32	   *fixed;			/* [nfixed] columns of the join */
	Encounter  *encounter;		/* [last] */

	/* The new release, as tuples meet it */
	uint32		nkinds;
	uint32	   *kind;			/* [tuples] */
	uint32	   *first_of_kind;	/* [kinds + 1] tuples */
	Boxes	   *kinds;
	uint32		nregions;		/* that kinds know of */
	Pile	   *regions;		/* [kinds] those that contain it */
	Pile	   *kinds_in;		/* [regions] */
	uint32	   *region_stamped; /* [regions] */
	uint32		region_room;
	uint32	   *found;			/* [kinds] */

	/* Records that the tuple at hand meets */
	const Candidate **candidate;	/* [releases] */
	uint32	   *ncandidates;
	int32	   *order;			/* [releases] those with fewest first */
	uint32	   *chosen;			/* [releases] nodes, in that order */
	Candidate  *fresh;			/* of the new release, of this kind, at this version */
	uint32		nfresh;
	uint32		fresh_room;
	uint32		fresh_kind;
	uint64		fresh_version;

	/* Values that it is linked to */
	uint32		enough;			/* different values */
	bool	   *heard;			/* [values + 1] the last is "not shown" */
	Code	   *value;			/* [values + 1] those that were heard */
	uint32		nheard;
	bool		any;			/* clique */
	Wide	   *cliques;		/* [values + 1] */
	Wide	   *product;		/* [releases + 1] */
	Wide	   *total;

	/* Tuples that a change concerns */
	uint32		stamp;
	uint32	   *stamped;		/* [tuples] */
	Pile		concerned;
	uint32		culprit;		/* the tuple harmed last */

	uint64		steps;			/* candidates looked at */

	/* Levels, where they are kept: they may rise */
	double	   *level;			/* [tuples] */
	LevelBefore *before;
	uint32		nbefore;
	uint32		before_room;
} Guard;

extern Guard *guard_create(const SeqTask *task, const SeqPeople *people);

/* After a settled change since these marks: does each tuple keep k? */
extern bool guard_holds(Guard *guard, uint32 web_mark, uint32 people_mark);

/*
 * The least level of all, and then again after a settled change since these marks, before which it was "least".  Where
 * levels cannot rise, what is less than k need not be the least.
 */
extern double guard_measure_all(Guard *guard);
extern double guard_measure(Guard *guard, uint32 web_mark, uint32 people_mark, double least);

static inline uint32
guard_mark(const Guard *guard)
{
	return guard->nbefore;
}

extern void guard_undo(Guard *guard, uint32 mark);

static inline void
guard_commit(Guard *guard)
{
	guard->nbefore = 0;
}

extern void pile_add(Pile *pile, uint32 number);

#endif							/* PPREPUB_METHOD_SEQUENTIAL_SEARCH_H */
