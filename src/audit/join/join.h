/*
 * join.h
 *		Match joins: which records of several releases of one table may be the same person's, and what that links
 *		people to (paper 000).
 *
 * Two records of different releases are consistent if their cells overlap in every column.  Records of one release
 * that agree on all columns that another release shows, too, have the same neighbours: they are one node, with a
 * number of records.  An edge between two nodes stands for one between any two of their records.  A clique (an
 * R-clique of the paper) is a node of each release, any two joined.
 *
 * The releases are of the same people, so all have equally many records.  A person whom a release leaves out has a
 * record there all the same, withheld but for what observers know of absentees.  They may be taken to know of each two
 * releases whether people are in both, in one only, in the other only, or in neither: so in two releases of the same
 * people absentees meet only each other, and where people only come, no person who was there meets an absentee of
 * later.  And they know that no person is absent everywhere.
 *
 * Everything is allocated in the current context.
 */
#ifndef PPREPUB_AUDIT_JOIN_JOIN_H
#define PPREPUB_AUDIT_JOIN_JOIN_H

#include "frame/domain.h"
#include "partition/wide.h"

/* ---- Releases ---- */

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

	/* For two releases: which records, present or absent in each, may be the same person's; NULL if any may */
	const Together *together;	/* [pairs] as pair_number() has them */
} JoinInput;

/* ---- The graph (graph.c) ---- */

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

	/* If not NULL, only these cliques are in the join: one node of each release, ascending */
	uint64		ncliques;
	uint32	   *clique;			/* [ncliques * releases] */
} JoinGraph;

#define NO_NODE PG_UINT32_MAX
#define NO_EDGE PG_UINT32_MAX
#define NOBODY PG_UINT32_MAX

/*
 * The match join of the releases; NULL where two of them have more edges than the input allows.
 *
 * One step a record and column, and then for each node and release what it takes to find those that it meets, mostly
 * their number.  Takes 16 bytes a record, 12 a piece, 13 an edge, and 4 more once there is a flow.  Cells and
 * sensitive values are borrowed.
 */
extern JoinGraph *join_graph(const JoinInput *input);

static inline JoinPair *
pair_of(const JoinGraph *graph, int32 a, int32 b)
{
	return &graph->pair[pair_number(Min(a, b), Max(a, b))];
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

/* ---- Perfect matchings of two releases: flows that use up all records (matching.c) ---- */

/*
 * Joins each person's two records, if it is known of both releases whose they are: a perfect matching for nothing.
 * Returns NOBODY, or a person whose records are not consistent; where that is a guess, those are not joined.
 */
extern uint32 flow_of_people(const JoinGraph *graph, JoinPair *pair);

/*
 * Completes the flow along the edges that are left, as far as possible, and returns how many records of each of the
 * two releases are left over.  Dinic's algorithm.
 */
extern uint64 flow_complete(const JoinGraph *graph, JoinPair *pair);

/* Drops edges that are in no perfect matching, given a complete flow; returns how many.  Linear in nodes and edges. */
extern uint32 drop_unmatched(const JoinGraph *graph, JoinPair *pair);

/* Why there is no perfect matching: records of a that meet fewer records of b than they are (Hall's condition). */
typedef struct Shortage
{
	uint64		unmatched;		/* records of a that a largest matching leaves out */
	uint64		records;		/* some of a, these among them */
	uint64		places;			/* that they meet in b, all taken by them */
	uint32		record;			/* one of them */
} Shortage;

/* After flow_complete() left records of a over; no record is unmatched where only b has too many. */
extern Shortage shortage_of(const JoinGraph *graph, JoinPair *pair);

/* ---- Cliques, and the kernel (kernel.c) ---- */

typedef struct CliqueWalk
{
	const JoinGraph *graph;
	bool		(*visit) (void *arg, const uint32 *node);	/* a clique's nodes; false ends the walk */
	void	   *arg;

	/* If fixed[r], the clique has node[r]; otherwise that is where the walk is */
	bool	   *fixed;			/* [releases] or NULL */
	uint32	   *node;			/* [releases] */

	uint64	   *steps;			/* comparisons of two nodes that are left; NULL for any number */
} CliqueWalk;

/*
 * Walks over cliques in the order of their nodes; returns false if the visitor ended it, or there were too few steps.
 *
 * A node is looked at in release r if it is a neighbour of whichever of the nodes already chosen has fewest there.
 */
extern bool walk_cliques(CliqueWalk *walk);

/* Are these nodes, one of each release, a clique of the join? */
extern bool is_clique(const JoinGraph *graph, const uint32 *node);

/* The place of a clique among n ascending ones; or n */
extern uint64 find_clique(const uint32 *clique, uint64 n, int32 nreleases, const uint32 *node);

typedef struct JoinCounts
{
	uint64		nodes;			/* of the collapsed graph */
	uint64		edges;			/* of records, that are in the join */
	Wide	   *cliques;		/* of records, that are in the join; NULL if the steps did not suffice */
} JoinCounts;

/*
 * An error if there are more edges than an int64 holds.  Cliques are counted one clique of nodes at a time, some steps
 * for each node that is looked at; *steps is what is left of them, or NULL for any number.
 */
extern JoinCounts join_count(const JoinGraph *graph, uint64 *steps);

/* Counts the edges alone */
extern uint64 join_edges(const JoinGraph *graph);

/* Limbs that any number of a graph's cliques needs */
extern int32 join_limbs(const JoinGraph *graph);

typedef enum JoinOutcome
{
	JOIN_FOUND,
	JOIN_UNMATCHED,				/* there is no perfect matching */
	JOIN_CONTRADICTED,			/* a person's records are not consistent */
	JOIN_OVER_BUDGET			/* the join is the kernel, no less */
} JoinOutcome;

/* The releases between which there is no join */
typedef struct JoinTrouble
{
	int32		a;				/* releases, from 0 on */
	int32		b;
	uint32		person;			/* if contradicted */
} JoinTrouble;

/*
 * Where it is not known whose the records are: by how many people more would they have to be of, for each two releases
 * to have a perfect matching?  A person without a record that fits is absent there, and another one here.
 */
extern uint64 join_missing(JoinGraph *graph);

/*
 * Drops edges that are not in the kernel: those that are not a match, or in no clique, until all are both (paper 000,
 * definition 3.7 and theorem 3.7; unlike in algorithm 2, both must be stable).
 *
 * Where the records' people are known, there is always a kernel, unless a person's records contradict each other.
 * Else JOIN_UNMATCHED says that there is no perfect matching, but of more than two releases a kernel does not prove
 * that there is one.
 *
 * Linear in nodes and edges for two releases.  For more, a round adds for each edge the search for a clique around it,
 * mostly a few steps, and drops an edge at least.
 */
extern JoinOutcome join_kernel(JoinGraph *graph, JoinTrouble *trouble);

/* ---- The full match join: the cliques that are in a perfect matching of all releases (full.c) ---- */

/*
 * Narrows a kernel to the full match join, exactly or not at all (paper 000, definition 3.3).
 *
 * Of one release or two they are the same.  Of more, this is NP-hard: for each clique of nodes a perfect matching is
 * searched in which it stands for a person, which may take for ever.  The budget bounds how much is looked at; over
 * it, JOIN_OVER_BUDGET leaves the kernel as it was.  JOIN_UNMATCHED: the records' people are not known, and cannot be
 * the same in all releases.
 *
 * Takes 8 bytes for each clique of nodes and release, and 21 more for each clique.
 */
extern JoinOutcome join_full(JoinGraph *graph, uint64 budget);

/* ---- What people are linked to (profile.c) ---- */

/*
 * Quasi-identifiers of people: tuples that differ.
 *
 * Of a person it may only be known to lie in a box.  Records that contain all of it are consistent with whatever the
 * person is, those that overlap it with some of what the person may be.
 */
typedef struct JoinTuples
{
	uint32		ntuples;
	const Code *const *code;	/* [qis][ntuples] */
	const Code *const *end;		/* [qis][ntuples] of boxes; NULL where all are known */
} JoinTuples;

static inline Span
tuple_cell(const JoinTuples *tuples, int32 column, uint32 tuple)
{
	Code		code = tuples->code[column][tuple];

	return (Span) {code, tuples->end == NULL ? code : tuples->end[column][tuple]};
}

/* Is it not known of a tuple what it is, in some of these columns? */
static inline bool
is_box(const JoinTuples *tuples, int32 ncolumns, uint32 tuple)
{
	for (int32 c = 0; tuples->end != NULL && c < ncolumns; c++)
		if (tuples->end[c][tuple] != tuples->code[c][tuple])
			return true;
	return false;
}

/* No clique of the join is consistent with a tuple: its rows are in no release. */
#define NO_CLIQUE PG_UINT32_MAX

/*
 * The values that cliques link a tuple to (paper 000, definitions 4.1 and 4.2).
 *
 * A clique counts as often as it stands for records, each of which must be consistent with the tuple in all
 * quasi-identifiers.  Its value is that of any of its records that shows one; "not shown" is a value, too, where some
 * records show one.  A clique with a NULL counts for no value, and not for the frequency of others; so a tuple that
 * has only such has linkability 0 and diversity 0.
 *
 * Of a tuple that is a box, linkability and diversity are no more than those of any tuple in it: values count that all
 * of these are linked to, and most of all that value which the most cliques may link one of them to.
 */
typedef struct LinkProfile
{
	uint32	   *linkability;	/* [ntuples] different values; or NO_CLIQUE */
	double	   *diversity;		/* [ntuples] inverse of the greatest relative frequency; 0 without values */

	/* The least of all tuples that have cliques; NO_CLIQUE and 0 without such */
	uint32		least_linkability;
	double		least_diversity;

	/*
	 * If asked for, values with their relative frequencies: tuple t's are linkability[t] from first[t] on; more of a
	 * box, all those that a tuple in it may be linked to, and how frequent they are at most
	 */
	uint64	   *first;			/* [ntuples] or NULL */
	uint32	   *nvalues;		/* [ntuples] as many as are written down: linkability[t], but for boxes; or NULL */
	Code	   *value;			/* ascending; NO_CODE, "not shown", comes last */
	double	   *frequency;
} LinkProfile;

/*
 * Linkability and diversity of a join, which may be narrowed before to a kernel or further; NULL if no release shows
 * the sensitive column.
 *
 * Tuples that agree in all columns that releases show are looked at once.  For each, this takes the search for records
 * that are consistent with it, and a step for each of their nodes and values; more where edges between them were
 * dropped, see counting.h.
 */
extern LinkProfile *link_profile(const JoinGraph *graph, const JoinTuples *tuples, bool with_values);

/*
 * A part of a full match join that takes too long to be found (shown.c): to how many different sensitive values is
 * each tuple linked in the perfect matching that is known, and in others near it: [ntuples], and no more than enough.
 * The full match join links it to these, and perhaps to more.  Of a box, what every tuple in it is linked to.
 *
 * A NULL and "not shown" are no values.  The releases must know whose their records are; where that is a guess that is
 * no matching, nothing is found.  The budget bounds the search.  The graph may be narrowed to its kernel.
 */
extern uint32 *join_shown(const JoinGraph *graph, const JoinTuples *tuples, uint32 enough, uint64 budget);

#endif							/* PPREPUB_AUDIT_JOIN_JOIN_H */
