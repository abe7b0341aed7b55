/*
 * counting.h
 *		The records of releases that are consistent with a tuple, and how many cliques they have: for the files that
 *		find what tuples are linked to.
 */
#ifndef PPREPUB_AUDIT_JOIN_COUNTING_H
#define PPREPUB_AUDIT_JOIN_COUNTING_H

#include "audit/join/cells.h"
#include "audit/join/join.h"

/* ---- The records of a release that are consistent with a tuple ---- */

/* Records of a node that show the same value */
typedef struct Share
{
	uint32		node;
	Code		value;			/* or NO_CODE */
} Share;

typedef struct Consistent
{
	const JoinSide *side;		/* borrowed */
	int32		ncolumns;
	int32	   *column;			/* [ncolumns] quasi-identifiers that are shown */
	Parting		alike;			/* tuples, by these columns */
	Boxes	   *boxes;			/* of pieces */
	Span	   *box;			/* [ncolumns] */
	bool		shows_values;	/* the sensitive column is shown */
	Code	   *value;			/* [nodes] what they show, or NO_CODE, if it is shared; or NULL */
	uint32	   *share_of;		/* [pieces] if values are shown */
	Share	   *share;			/* [shares] */

	/* The records that the tuple at hand is consistent with */
	uint32		part;			/* of tuples that are alike, and behind them the same widely; NO_TUPLE for none yet */
	uint32	   *piece;			/* [pieces] */
	uint32	   *node;			/* [nodes] by value, if it is shared */
	uint32		nnodes;
	uint32	   *weight;			/* [nodes] records; 0 for those that it is not consistent with */
	uint32	   *found_share;	/* [shares] */
	uint32		nshares;
	uint32	   *share_weight;	/* [shares] */
} Consistent;

#define NO_TUPLE PG_UINT32_MAX

/* Parts tuples by columns. */
extern Parting part_tuples(const JoinTuples *tuples, const int32 *column, int32 ncolumns);

/* For each release, in the current context; the graph and the tuples must outlive it. */
extern Consistent *consistent_create(const JoinGraph *graph, const JoinTuples *tuples);

/* Finds what a tuple is consistent with in a release; is_wide: of a box, with some tuple in it, not with all of them. */
extern void find_consistent(Consistent *consistent, const JoinTuples *tuples, uint32 tuple, bool is_wide);

/* The first of these nodes, if they are sorted by value, that shows this value or a greater one. */
extern uint32 first_of_value(const Consistent *consistent, Code value);

/* ----------------------------------------------------------------
 * How many cliques of records some nodes of each release have: a product, as far as all nodes of a release are joined
 * to all of another
 * ----------------------------------------------------------------
 */

typedef struct CliqueCounter CliqueCounter;

/* For nodes that each have some tuple in common; weight[r][v] is how many records of node v count. */
extern CliqueCounter *counter_create(const JoinGraph *graph, const uint32 *const *weight);

/*
 * Counts the cliques of only[r][nonly[r]], for each release r: different nodes, that do not contradict each other in
 * quasi-identifiers or in the sensitive value.  If by is a release, adds to count[v], for each of its nodes v, the
 * cliques of records of the others; else adds all cliques to *count.
 *
 * Takes a step for each node, and one for each two nodes of releases of which not all are joined; where some are not,
 * or the join was narrowed to some cliques, a walk over all cliques of such releases.
 */
extern void count_cliques(CliqueCounter *counter, const uint32 *const *only, const uint32 *nonly, int32 by, Wide *count);

#endif							/* PPREPUB_AUDIT_JOIN_COUNTING_H */
