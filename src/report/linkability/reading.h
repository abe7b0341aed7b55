/*
 * reading.h
 *		Releases, row by row, as observers have them: printed cells, sensitive and
 *		insensitive values; and of each row whose it is, as far as the log tells.
 */
#ifndef PPREPUB_REPORT_LINKABILITY_READING_H
#define PPREPUB_REPORT_LINKABILITY_READING_H

#include "postgres.h"

#include "compat.h"
#include "frame/cells.h"
#include "frame/load.h"
#include "history/recall.h"
#include "release/past_releases.h"

/* Steps of a search that a record counts for: it is read, and prepared for a join. */
#define RECORD_STEPS 16

/* A release; its true rows, once those that were invented are left out. */
typedef struct ReadRelease
{
	int32		number;
	const Released *released;
	const SeenRelease *seen;	/* without those who were only counted in */
	bool		is_logged;		/* the log tells who is in it */
	bool		is_draft;		/* not published yet */
	uint64		nrows;
	uint64		allocated;
	Cell	  **cell;			/* [nqis] NULL for those that are not shown */
	int32	   *tree;			/* [nqis] that their nodes are of, or 0 */
	Code	   *value;			/* NULL if not shown */
	uint32	  **insensitive;	/* [ninsensitive] NULL for those that are not shown, or not kept */
	uint32	   *class;			/* numbers of the log; NULL if that tells nothing of rows, or all */
	Individual *individual;		/* whose they are; NULL if that is not known */
} ReadRelease;

typedef struct Reading
{
	const DeclaredPublication *publication;
	Recalled   *recalled;

	int			nqis;
	const DeclaredColumn **column;	/* [nqis] borrowed */
	Cells	  **cells;			/* [nqis] */

	int			ninsensitive;
	const DeclaredColumn **insensitive_column;	/* [ninsensitive] borrowed */
	Dictionary **insensitive;	/* [ninsensitive] */
	bool	   *is_compared;	/* [ninsensitive] two releases show it, so it says which rows may be one person's */

	/*
	 * Sensitive values, NULL's code being the last.  Of several sensitive columns one is judged; rows are joined by as
	 * many as can be compared, and values are tuples of these, the other columns being NULL.
	 */
	Code		nvalues;
	Code		null_value;
	int			judged;
	const SensitiveColumn *judged_column;	/* the column's own codes of values */
	uint32	   *place;			/* [the column's values + 1] zeros, for those who count them */
	int			nsensitive;
	bool	   *is_joined;		/* [nsensitive] */
	Datum	   *part;			/* [nsensitive] of the value at hand */
	bool	   *isnull;
	Code	   *joined;			/* [values of the log] what is joined of each; NULL for a column that is the only one */

	int32		nreleases;
	ReadRelease *release;		/* [nreleases] */
} Reading;

/*
 * Called as the owner, under the active snapshot: the releases with these numbers,
 * ascending, to be judged by one of the sensitive columns, from 0 on.  Takes for each row 4 bytes a column that is shown, and 8 more.
 * A release that is not as it was published is an error.
 */
extern Reading *read_releases(const DeclaredPublication *publication, const int32 *numbers, int32 n, int sensitive);

/* Like read_releases(), and behind them one that is not published yet: of a frame's rows, with what it shows of them as it is. */
extern Reading *read_releases_and_draft(const DeclaredPublication *publication, const int32 *numbers, int32 n, int sensitive,
										const LoadedFrame *draft);

/* The numbers of a plain column's codes. */
extern uint32 *numbers_of_codes(Dictionary *dictionary, const PlainColumn *plain);

/* An error that says how to go on: the release is not as it was published. */
pg_noreturn extern void refuse_release(const Reading *reading, const ReadRelease *release);

#endif							/* PPREPUB_REPORT_LINKABILITY_READING_H */
