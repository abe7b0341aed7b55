/*
 * meeting.h
 *		The records of a release that are consistent with a tuple of
 *		quasi-identifiers, and the sensitive values that they show.
 */
#ifndef PPREPUB_AUDIT_JOIN_MEETING_H
#define PPREPUB_AUDIT_JOIN_MEETING_H

#include "audit/join/boxes.h"
#include "audit/join/graph.h"
#include "audit/join/parting.h"

/*
 * Quasi-identifiers of people: tuples that differ.
 *
 * Of a person it may only be known to lie in a box.  Records that contain all of it are
 * consistent with whatever he is, those that overlap it with some of what he may be.
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

/* Records of a node that show the same value */
typedef struct Share
{
	uint32		node;
	Code		value;			/* or NO_CODE */
} Share;

/* A release, as tuples meet it */
typedef struct Meeting
{
	const JoinSide *side;		/* borrowed */
	Code		nvalues;		/* as in the input */
	int32		ncolumns;
	int32	   *column;			/* [ncolumns] quasi-identifiers that are shown */
	Parting		alike;			/* tuples, by these columns */
	Boxes	   *boxes;			/* of pieces */
	Span	   *box;			/* [ncolumns] */
	bool		is_wide;		/* records that overlap a tuple's box are met, too */
	bool		tells;			/* the sensitive column is shown */
	Code	   *value;			/* [nodes] what they show, or NO_CODE, if it is shared; or NULL */
	uint32	   *share_of;		/* [pieces] if it tells */
	Share	   *share;			/* [shares] */

	/* Pieces that the tuple at hand meets */
	uint32		part;			/* of tuples that are alike, and behind them the same widely; NO_TUPLE for none yet */
	uint32	   *piece;			/* [pieces] */
	uint32	   *node;			/* [nodes] by value, if it is shared */
	uint32		nnodes;
	uint32	   *weight;			/* [nodes] records; 0 for those that it does not meet */
	uint32	   *met;			/* [shares] */
	uint32		nmet;
	uint32	   *share_weight;	/* [shares] */

	/* While its nodes are put in order, if value is not NULL */
	uint32	   *next;			/* [nodes] another one of the same value, or NO_NODE */
	uint32	   *head;			/* [values + 1] the first one of each value, or NO_NODE */
	Code	   *met_value;		/* [values + 1] those that are met */
} Meeting;

#define NO_TUPLE PG_UINT32_MAX

/* Parts tuples by columns. */
extern Parting part_tuples(const JoinTuples *tuples, const int32 *column, int32 ncolumns);

/* In the current context; the graph and the tuples must outlive it. */
extern void meeting_create(Meeting *meeting, const JoinGraph *graph, int32 r, const JoinTuples *tuples);

/* Finds what a tuple meets. */
extern void meet(Meeting *meeting, const JoinTuples *tuples, uint32 tuple);

/*
 * The first of a meeting's nodes, if these are sorted by value, that shows
 * this value or a greater one.
 */
extern uint32 first_of_value(const Meeting *meeting, Code value);

#endif							/* PPREPUB_AUDIT_JOIN_MEETING_H */
