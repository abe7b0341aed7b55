/*
 * graph.h
 *		The consistency graph of several releases of one table, collapsed.
 *
 * Two records of different releases are consistent if their cells overlap in
 * every column.  Records of one release that agree on all columns that another
 * release shows, too, have the same neighbours: they are one node, with a number
 * of records.  An edge between two nodes stands for one between any two of their
 * records.
 *
 * The releases are of the same people, so all have equally many records.  A
 * person whom a release leaves out has a record there all the same, withheld
 * but for what observers know of absentees.  They may be taken to know of each
 * two releases whether people are in both, in one only, in the other only, or
 * in neither: so in two releases of the same people absentees meet only each
 * other, and where people only come, no person who was there meets an absentee of
 * later.  And they know that no person is absent everywhere.
 */
#ifndef PPREPUB_AUDIT_JOIN_GRAPH_H
#define PPREPUB_AUDIT_JOIN_GRAPH_H

#include "frame/domain.h"

/* How two records of one person may be combined: a set of may_be() */
typedef uint8 Together;

static inline Together
may_be(bool is_absent, bool other_is_absent)
{
	return 1 << (2 * is_absent + other_is_absent);
}

#define ALL_TOGETHER ((Together) 15)

/* The place of two releases, a before b, among all pairs */
static inline Size
pair_number(int32 a, int32 b)
{
	return (Size) b * (b - 1) / 2 + a;
}

/* A release, record by record. */
typedef struct JoinRelease
{
	uint32		nrecords;
	uint32		nabsent;		/* of these, the last ones: records of people who are not there */
	const Span *const *cells;	/* [columns][nrecords] NULL for a column that is withheld */
	const Code *sensitive;		/* [nrecords] NO_CODE where it is not shown; NULL if nowhere */
	const uint32 *person;		/* [nrecords] whose it is, from 0 on, each person's once; NULL if unknown */
} JoinRelease;

typedef struct JoinInput
{
	int32		nreleases;		/* one at least */
	const JoinRelease *release;
	int32		ncolumns;		/* but the sensitive one */
	int32		nqis;			/* the first of these columns; the others are insensitive */
	Code		nvalues;		/* sensitive codes are less than this */
	Code		null_value;		/* the code of a sensitive NULL, which counts for no value; or NO_CODE */
	uint32		most_edges;		/* between two releases, where memory matters; 0 for as many as can be numbered */
	bool		is_guess;		/* are the people given a guess? Then records may be another person's */

	/*
	 * For two releases: which records, present or absent in each, may be the same person's; NULL if any may
	 */
	const Together *together;	/* [pairs] as pair_number() has them */
} JoinInput;

/* Records of a node that agree in all quasi-identifiers and the sensitive value. */
typedef struct Piece
{
	uint32		node;
	uint32		record;			/* one of them */
	uint32		nrecords;
} Piece;

/* A release as nodes. */
typedef struct JoinSide
{
	const Span **cells;			/* [columns + 1] the last one sensitive; NULL where withheld */
	bool	   *shared;			/* [columns + 1] shown here and elsewhere */
	uint32		nnodes;
	uint32	   *size;			/* [nnodes] records */
	uint32	   *record;			/* [nnodes] one of them */
	bool	   *is_absent;		/* [nodes] are its records of people who are not there? */
	uint32	   *node_of;		/* [records] */
	uint32	   *node_of_person; /* [records] or NULL */
	uint32		npieces;
	Piece	   *piece;			/* [npieces] */
} JoinSide;

/* The edges between two releases, a before b. */
typedef struct JoinPair
{
	int32		a;
	int32		b;
	uint32		nedges;
	uint32	   *from;			/* [nedges] node of a, ascending */
	uint32	   *to;				/* [nedges] node of b, ascending for each node of a */
	uint32	   *first;			/* [nodes of a + 1] its edges */
	uint32	   *back;			/* [nedges] edges node by node of b, ascending by node of a */
	uint32	   *first_back;		/* [nodes of b + 1] */
	bool	   *alive;			/* [nedges] left in the join */
	uint32	   *flow;			/* [nedges] records that a perfect matching joins here; NULL before it is found */
} JoinPair;

typedef struct JoinGraph
{
	const JoinInput *input;		/* borrowed */
	int32		nreleases;
	int32		sensitive;		/* number of that column */
	JoinSide   *side;			/* [releases] */
	JoinPair   *pair;			/* see pair_of() */

	/* If not NULL, only these R-cliques are in the join: one node of each release, ascending */
	uint64		ncliques;
	uint32	   *clique;			/* [ncliques * releases] */
} JoinGraph;

#define NO_NODE PG_UINT32_MAX
#define NO_EDGE PG_UINT32_MAX

/*
 * The match join of the releases; NULL where two of them have more edges than
 * the input allows.
 *
 * One step a record and column, and then for each node and release what it
 * takes to find those that it meets, mostly their number.  Takes 16 bytes a
 * record, 12 a piece, 13 an edge, and 4 more once there is a flow.  Everything is allocated in the current context; cells
 * and sensitive values are borrowed.
 */
extern JoinGraph *join_graph(const JoinInput *input);

static inline JoinPair *
pair_of(const JoinGraph *graph, int32 a, int32 b)
{
	int32		low = Min(a, b);
	int32		high = Max(a, b);

	return &graph->pair[pair_number(low, high)];
}

static inline Size
npairs(const JoinGraph *graph)
{
	return (Size) graph->nreleases * (graph->nreleases - 1) / 2;
}

/* Nodes of people who are absent everywhere belong to no person, where observers know that. */
static inline bool
is_nobody(const JoinGraph *graph, const uint32 *node)
{
	int32		r = 0;

	if (graph->input->together == NULL)
		return false;
	while (r < graph->nreleases && graph->side[r].is_absent[node[r]])
		r++;
	return r == graph->nreleases;
}

/* Are the records of all people known, in all releases? */
static inline bool
knows_people(const JoinGraph *graph)
{
	for (int32 r = 0; r < graph->nreleases; r++)
		if (graph->side[r].node_of_person == NULL ||
			graph->input->release[r].nrecords != graph->input->release[0].nrecords)
			return false;
	return true;
}

/* The nodes of a person's own records, one of each release, where they are known. */
static inline void
find_own_nodes(const JoinGraph *graph, uint32 person, uint32 *node)
{
	for (int32 r = 0; r < graph->nreleases; r++)
		node[r] = graph->side[r].node_of_person[person];
}

/* The edge of a pair between a node of the one and one of the other; or NO_EDGE. */
extern uint32 edge_between(const JoinPair *pair, uint32 a, uint32 b);

/* Are two nodes of different releases joined, as far as the join was narrowed? */
static inline bool
is_joined(const JoinGraph *graph, int32 r, uint32 node, int32 s, uint32 other)
{
	const JoinPair *pair = pair_of(graph, r, s);
	uint32		edge = r < s ? edge_between(pair, node, other) : edge_between(pair, other, node);

	return edge != NO_EDGE && pair->alive[edge];
}

#endif							/* PPREPUB_AUDIT_JOIN_GRAPH_H */
