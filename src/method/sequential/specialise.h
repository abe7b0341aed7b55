/*
 * specialise.h
 *		Finding the most useful next release of a sequence, cell by cell, for which
 *		all releases together keep what was promised (paper 000, algorithm 3).
 */
#ifndef PPREPUB_METHOD_SEQUENTIAL_SPECIALISE_H
#define PPREPUB_METHOD_SEQUENTIAL_SPECIALISE_H

#include "audit/join/profile.h"
#include "frame/domain.h"

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
 * If there is none that keeps what was promised, whatever it shows, it says so, and cells are
 * withheld.  Linkability is at its best there, so this is certain; diversity is not, and all
 * that is certain is that none was found.  Takes what the graph takes (see audit/join/graph.h),
 * and about twice that again.  The same task gives the same cells.
 */
extern SeqOutcome specialise(const SeqTask *task);

/* ----------------------------------------------------------------
 * A tree for each domain, and what its cells lose (ladder.c)
 * ----------------------------------------------------------------
 */

/* The domain's own tree; or, of a line, a ladder of intervals, each of which has half of the values of the one above. */
extern const Tree *steps_of(const Domain *domain);

/* The loss of each node: by the loss metric, or by the entropy measure (paper 000, section 5.2). */
extern double *losses_of(const Domain *domain, const Tree *tree, bool entropy);

#endif							/* PPREPUB_METHOD_SEQUENTIAL_SPECIALISE_H */
