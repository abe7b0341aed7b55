/*
 * sequential.h
 *		A release among those of a sequence that are judged together by joining them: drafted, and judged (paper 000).
 */
#ifndef PPREPUB_METHOD_SEQUENTIAL_SEQUENTIAL_H
#define PPREPUB_METHOD_SEQUENTIAL_SEQUENTIAL_H

#include "audit/join/join.h"
#include "frame/domain.h"
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
 * Drafts the next release of a sequence.  Each part's cells are written, too.  Where nothing may be published that is
 * an error, for the owner, which says why.
 *
 * The search does not see all that observers can rule out, so what it finds is to be judged.  If it is too little,
 * more caution finds another release, the coarser the more of it: with the most, all is withheld.  NULL if caution
 * finds none.
 */
extern Draft *sequential_draft(const Frame *frame, Sequence *sequence, const int64 *params, int caution);

/*
 * Are people who came between releases a part of the sequence of their own: where a release is looked for, and where
 * it is judged?  Who is told apart has fewer values, never more, but may have a greater diversity.
 */
extern bool sequential_parts_newcomers(const int64 *params, bool is_judged);

/*
 * May everybody know that a person is one of a crowd?  count[] says how many of the crowd have each sensitive value,
 * NULL not among them.  Diversity counts ways to join, and not how many people of a crowd have a value, so this is
 * asked besides; linkability is what can be joined, no more.
 */
extern bool sequential_is_crowd(const int64 *params, const uint64 *count, Code nvalues);

/*
 * Does a part keep what these parameters promise?  Judged from scratch, by the full match join, which is what
 * observers cannot rule out, or where the budget does not suffice for that, by what some of it shows.
 */
extern SequenceJudgement sequential_judge_part(const SequencePart *part, const int64 *params, uint64 budget);

/* Says in words what these parameters promise. */
extern char *sequential_promise(const int64 *params);

/* ----------------------------------------------------------------
 * Finding the most useful next release, cell by cell, for which all releases together keep what was promised
 * (algorithm 3)
 * ----------------------------------------------------------------
 */

/* A quasi-identifier that the new release shows. */
typedef struct SeqColumn
{
	int32		column;			/* of the join */
	const Tree *tree;			/* its cells are the nodes of this */
	const Span *span;			/* [nodes] the same as cells of the join */
	const double *loss;			/* [nodes] what such a cell loses */
	const Code *code;			/* [records] a leaf of the tree; NO_CODE for people of whom nothing is shown, whose
								 * cells stay withheld */

	/* The result: [records] */
	uint32	   *node;
	Span	   *cells;			/* its spans: those of the release */
} SeqColumn;

typedef struct SeqTask
{
	/*
	 * All releases, the new one being the last, and of all it must be known whose their records are.  The new one
	 * shows the quasi-identifiers of the columns below by cells that are to be found; its other columns stay as they
	 * are.
	 */
	const JoinInput *join;
	int32		ncolumns;
	SeqColumn  *column;
	const JoinTuples *tuples;	/* people to protect, by their quasi-identifiers */

	double		k;
	bool		diversity;		/* rather than linkability */
	bool		kernel;			/* judged on the kernel match join, rather than the match join */
	bool		single_cells;	/* rather than a cut through each column */
	bool		refined;		/* loss is lowered further, where cells are single */
	bool		withheld;		/* all cells are: nothing is looked for */
	uint64		seed;
} SeqTask;

/* Is a record of the new release one of a person of whom observers know that the person is not there? */
static inline bool
is_record_of_absent(const SeqTask *task, uint32 record)
{
	const JoinRelease *release = &task->join->release[task->join->nreleases - 1];

	return task->join->together != NULL && record >= release->nrecords - release->nabsent;
}

typedef struct SeqOutcome
{
	bool		found;

	/* Of the release with everything withheld, if there is none; else of that which was found */
	double		level;			/* linkability or diversity; infinite if no person can be linked to anything */
	double		cut_loss;		/* after the first stage */
	double		cell_loss;		/* after the second */
	double		loss;			/* in the end */
	double		cut_level;		/* what the first stage gave */
	uint64		trials;			/* tentative specialisations that were judged */
} SeqOutcome;

/*
 * Writes the cells of the new release.
 *
 * If there is none that keeps what was promised, whatever it shows, it says so, and cells are withheld.  Linkability
 * is at its best there, so this is certain; diversity is not, and all that is certain is that none was found.  Takes
 * what the graph takes (see audit/join/join.h), and about twice that again.  The same task gives the same cells.
 */
extern SeqOutcome specialise(const SeqTask *task);

/* ----------------------------------------------------------------
 * A tree for each domain, and what its cells lose (specialise.c)
 * ----------------------------------------------------------------
 */

/* The domain's own tree; or, of a line, a ladder of intervals, each of which has half of the values of the one above. */
extern const Tree *steps_of(const Domain *domain);

/* The loss of each node: by the loss metric, or by the entropy measure (paper 000, section 5.2). */
extern double *losses_of(const Domain *domain, const Tree *tree, bool entropy);

#endif							/* PPREPUB_METHOD_SEQUENTIAL_SEQUENTIAL_H */
