/*
 * sequence.h
 *		A release among those of a sequence that are judged together by joining
 *		them: what methods get that publish such.
 */
#ifndef PPREPUB_METHOD_SEQUENCE_H
#define PPREPUB_METHOD_SEQUENCE_H

#include "audit/join/profile.h"
#include "frame/frame.h"

/* A quasi-identifier that the new release shows, of the frame. */
typedef struct SequenceColumn
{
	int32		column;			/* of the joins */
	const Tree *tree;			/* its cells are the nodes of this, whose leaves are the frame's codes */
	const Span *span;			/* [nodes] the same as cells of the joins */
} SequenceColumn;

/* People who are judged by themselves, in all releases since they came. */
typedef struct SequencePart
{
	/* The new release is the last; cells that it shows are to be found, and to be written to cells */
	JoinInput	join;
	Span	  **cells;			/* [nqis][records] of the frame's quasi-identifiers */
	const RowId *row;			/* [records of the last release] of the frame; NO_ROW for who is absent */
	JoinTuples	tuples;
} SequencePart;

typedef struct Sequence
{
	const char *publication;
	int32		number;			/* of the new release */
	uint64		changed;		/* times that people became somebody else between releases */
	SequenceColumn *column;		/* [nqis] of the frame */
	int32		nparts;
	SequencePart *part;
} Sequence;

#endif							/* PPREPUB_METHOD_SEQUENCE_H */
