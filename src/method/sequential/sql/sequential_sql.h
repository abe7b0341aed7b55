/*
 * sequential_sql.h
 *		Releases of method sequential, read back, and the next one judged together with them.
 */
#ifndef PPREPUB_METHOD_SEQUENTIAL_SQL_SEQUENTIAL_SQL_H
#define PPREPUB_METHOD_SEQUENTIAL_SQL_SEQUENTIAL_SQL_H

#include "postgres.h"

#include "method/sequential/sequential.h"
#include "report/linkability/linkability.h"

typedef struct Sequencing
{
	Reading    *reading;
	Source	   *source;
	bool		is_guess;
	const bool *is_changed;		/* [individuals] is the source's row another one than was published? NULL if none can
								 * be */

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

/* ---- sequence.c: the whole ---- */

/*
 * Called as the owner, inside SPI, under the active snapshot: reads all releases of which it is known whose rows they
 * have, drafts the next one, and has it judged once more, as linkability() will.  Where nothing may be published that
 * is an error.
 */
extern Draft *draft_in_sequence(const DeclaredPublication *publication, const LoadedFrame *loaded);

/* Result of judging all releases together of which it is known whose rows they have. */
typedef struct Published
{
	uint32		people;			/* of these releases, whatever became of them; one who has changed counts again */
	uint32		exposed;		/* of them, who are linked to less than was promised */
	uint32		unknown;		/* of them, who could not be judged: all where insensitive values have changed */
	double		least;			/* level of any; infinite if no person is linked to anything */
} Published;

/*
 * Judges the releases up to this one as publish() judges them, by these parameters.  A release that is not as it was
 * published is an error, as is a source that cannot be read.
 */
extern Published *judge_published(const DeclaredPublication *publication, int32 last, const int64 *params);

/* ---- parts.c: the people of a sequence, together, or by when they came ---- */

/*
 * One part of all people; or one of those who came with each release, in the releases since then.  Nothing needs to be
 * found for those of whom the draft has nobody; but all are judged.
 */
extern void make_parts(const Sequencing *sequencing, Sequence *sequence, const int64 *params, bool is_judged);

/* ---- recover.c: quasi-identifiers of people who have left ---- */

typedef struct Recovery Recovery;

/* From the releases that are read, from this one on. */
extern Recovery *recovery_create(const Sequencing *sequencing, int32 first);

/*
 * Narrows what a person may be in each quasi-identifier to what he was, as far as the log tells: he is in some of the
 * releases, in others absent.
 */
extern void recover_person(const Recovery *recovery, Individual individual, const bool *is_absent, Span *cover);

#endif							/* PPREPUB_METHOD_SEQUENTIAL_SQL_SEQUENTIAL_SQL_H */
