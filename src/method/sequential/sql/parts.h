/*
 * parts.h
 *		The people of a sequence, together, or by when they came.
 */
#ifndef PPREPUB_METHOD_SEQUENTIAL_SQL_PARTS_H
#define PPREPUB_METHOD_SEQUENTIAL_SQL_PARTS_H

#include "postgres.h"

#include "method/sequence.h"
#include "report/linkability/source.h"

typedef struct Sequencing
{
	Reading    *reading;
	Source	   *source;
	bool		is_guess;
	const bool *is_changed;		/* [threads] is the source's row another one than was published? NULL if none can be */

	/* The draft, which is the last release; NULL where all of them were published */
	const LoadedFrame *loaded;	/* borrowed */
	int		   *column;			/* [nqis of the frame] among all quasi-identifiers */
	const Tree **tree;			/* [nqis of the frame] */
	Cell	  **cell;			/* [nqis of the frame][nodes] */
} Sequencing;

static inline ReadRelease *
drafted(const Sequencing *sequencing)
{
	return &sequencing->reading->release[sequencing->reading->nreleases - 1];
}

/* One part of all people; or, if parted, one of those who came with each release, in the releases since then. */
extern void make_parts(const Sequencing *sequencing, Sequence *sequence, bool parted);

#endif							/* PPREPUB_METHOD_SEQUENTIAL_SQL_PARTS_H */
