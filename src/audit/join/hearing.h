/*
 * hearing.h
 *		How many cliques link a tuple to each sensitive value.
 */
#ifndef PPREPUB_AUDIT_JOIN_HEARING_H
#define PPREPUB_AUDIT_JOIN_HEARING_H

#include "audit/join/meeting.h"
#include "partition/wide.h"

typedef struct Hearing
{
	const JoinGraph *graph;		/* borrowed */
	const Meeting *meeting;		/* [releases] borrowed */

	/* By value; after all codes, "not shown" */
	Wide	   *cliques;		/* [values + 1] of records */
	bool	   *heard;			/* [values + 1] */
	Code	   *value;			/* [values + 1] those that were heard */
	uint32		nvalues;
	bool		any;			/* clique was heard of, if only of a NULL */

	struct Listening *listening;	/* private */
} Hearing;

extern Hearing *hearing_create(const JoinGraph *graph, const Meeting *meeting);

/* Counts the cliques of the records that the tuple at hand meets. */
extern void hear_cliques(Hearing *hearing);

/* Forgets what was heard. */
extern void hearing_clear(Hearing *hearing);

#endif							/* PPREPUB_AUDIT_JOIN_HEARING_H */
