/*
 * sequence.h
 *		A release among those of a sequence that are judged together by joining
 *		them: drafted, and judged.
 */
#ifndef PPREPUB_METHOD_SEQUENTIAL_SEQUENCE_H
#define PPREPUB_METHOD_SEQUENTIAL_SEQUENCE_H

#include "audit/join/profile.h"
#include "method/method.h"

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

	/* People to protect: who has left is a box of all that he may have been */
	JoinTuples	tuples;
} SequencePart;

/* The promise that a part keeps, as it came out */
typedef struct SequenceJudgement
{
	uint32		exposed;		/* tuples that are linked to less than was promised */
	uint32		unknown;		/* tuples of which neither that nor the contrary was shown */
	double		least;			/* linkability or diversity of any that is known, though of people who have more than
								 * was promised it may be no more than that; infinite if no person is linked to
								 * anything */
} SequenceJudgement;

/* How much less than is promised are releases to link people to while they are looked for? */
#define MOST_CAUTION 4

typedef struct Sequence
{
	const char *publication;
	int32		number;			/* of the new release */
	uint64		changed;		/* times that people became other people between releases */
	uint64		contradicted;	/* people who seem to have other insensitive values than before: nothing can be judged */
	SequenceColumn *column;		/* [nqis] of the frame */
	int32		nparts;
	SequencePart *part;
} Sequence;

/*
 * Drafts the next release of a sequence.  Each part's cells are written, too.
 * Where nothing may be published that is an error, for the owner, which says why.
 *
 * The search does not see all that observers can rule out, so what it finds is to be judged.  If it is too
 * little, more caution finds another release, the coarser the more of it: with the most, all is withheld.  NULL if
 * caution finds none.
 */
extern Draft *sequential_draft(const Frame *frame, Sequence *sequence, const int64 *params, int caution);

/*
 * Are people who came between releases a part of the sequence of their own: where a release is looked for, and where it is
 * judged?  Who is told apart has fewer values, never more, but may have a greater diversity.
 */
extern bool sequential_parts_newcomers(const int64 *params, bool is_judged);

/*
 * May everybody know that a person is one of a crowd?  count[] says how many of the
 * crowd have each sensitive value, NULL not among them.  Diversity counts ways to join, and not how many people of a
 * crowd have a value, so this is asked besides; linkability is what can be joined, no more.
 */
extern bool sequential_is_crowd(const int64 *params, const uint64 *count, Code nvalues);

/*
 * Does a part keep what these parameters promise?  Judged from scratch, by the full match join, which is what observers
 * cannot rule out, or where the budget does not suffice for that, by what some of it shows.
 */
extern SequenceJudgement sequential_judge_part(const SequencePart *part, const int64 *params, uint64 budget);

/* Says in words what these parameters promise. */
extern char *sequential_promise(const int64 *params);

#endif							/* PPREPUB_METHOD_SEQUENTIAL_SEQUENCE_H */
