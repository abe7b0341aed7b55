/*
 * linkability.h
 *		Releases and the people of the source, as match joins take them.
 *
 * Releases are read row by row, as observers have them: printed cells, sensitive and insensitive values; and of each row
 * whose it is, as far as the log tells.  The source is what observers may know of people.
 */
#ifndef PPREPUB_REPORT_LINKABILITY_H
#define PPREPUB_REPORT_LINKABILITY_H

#include "postgres.h"

#include "audit/join/join.h"
#include "compat.h"
#include "frame/cells.h"
#include "frame/load.h"
#include "history/recall.h"
#include "release/past_releases.h"

/* ---- reading.c: releases ---- */

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

	int32		nreleases;
	ReadRelease *release;		/* [nreleases] */
} Reading;

/*
 * Called as the owner, under the active snapshot: the releases with these numbers, ascending, to be judged by one of the
 * sensitive columns, from 0 on.  Takes for each row 4 bytes a column that is shown, and 8 more.  A release that is not as
 * it was published is an error.  Behind them comes a draft, unless it is NULL: a frame's rows, with what it shows of them
 * as it is.
 */
extern Reading *read_releases(const DeclaredPublication *publication, const int32 *numbers, int32 n, int sensitive,
							  const LoadedFrame *draft);

/* The numbers of a plain column's codes. */
extern uint32 *numbers_of_codes(Dictionary *dictionary, const PlainColumn *plain);

/* An error that says how to go on: the release is not as it was published. */
pg_noreturn extern void refuse_release(const Reading *reading, const ReadRelease *release);

/* ---- people.c: the source, and records of people ---- */

typedef struct Source
{
	const LoadedFrame *loaded;
	Individual *individual;		/* [rows] NO_INDIVIDUAL for who was never published */
	uint64	   *insensitive_print;	/* [individuals] of the compared insensitive values; NULL if there are none */
	CellSpans  *line;			/* [qis] beside the cells of all releases */

	/* Taxonomies that were extended between releases: each is one more column of joins, behind the quasi-identifiers */
	int			naged;
	int		   *aged;			/* [naged] quasi-identifiers */
	TreeAges  **ages;			/* [naged] */
} Source;

/* Distinct quasi-identifiers of some rows */
typedef struct SourceTuples
{
	uint32		ntuples;
	uint32	   *row;			/* [ntuples] one of them */
	uint64	   *records;		/* [ntuples] how many there are */
	uint64		nrows;			/* that were asked for */
	uint32	   *row_of;			/* [nrows] those */
	uint32	   *tuple_of;		/* [nrows] */
	Code	  **code;			/* [qis + aged][ntuples] on the line */
} SourceTuples;

/* Called as the owner, inside SPI, under the active snapshot; all releases are read.  loaded: its rows, or NULL if they are to be read. */
extern Source *read_source(const Reading *reading, const LoadedFrame *loaded);

/*
 * The tuples of those who are in one of the first n releases; of all, if it is not known of one of them who is in it.
 */
extern SourceTuples *tuples_of_members(const Reading *reading, const Source *source, int32 n);

/* A row's code in a column of joins: a quasi-identifier, or the age of one. */
static inline Code
code_of_row(const Source *source, int column, uint64 row)
{
	const Frame *frame = &source->loaded->frame;
	int			aged;

	if (column < frame->nqis)
		return source->line[column].code[frame->code[column][row]];
	aged = column - frame->nqis;
	return source->ages[aged]->code[frame->code[source->aged[aged]][row]];
}

/* A print of the insensitive values that are compared: of a release's row. */
extern uint64 insensitive_print(const Reading *reading, const ReadRelease *release, uint64 row);

/* ---- identify.c: whose the rows of releases are ---- */

/*
 * Gives each row of a table that has classes to a member of its class who had
 * its sensitive value, and leaves out the rows of those who were invented.
 *
 * Rows of a class that show the same value differ in insensitive columns at most.  Where these are compared, who has
 * the values in the source now gets such a row, and for the rest it is a guess: returns whether it is.
 */
extern bool identify_rows(Reading *reading, const Source *source);

/*
 * A person whose sensitive value is another one than before, or whose quasi- identifiers are known to have changed,
 * counts as two: one has left, and another one has come. Quasi-identifiers are known to have changed if the log has
 * other fingerprints of them in two releases that show the same columns, or if cells have nothing in common.
 */
typedef struct People
{
	uint32		n;				/* who are in a release */
	bool		is_exact;		/* it is known of each release whose the rows are */
	JoinInput	input;
	Individual *individual;		/* [n] */
	uint32	   *last_of_individual; /* [individuals] the last person that each one counts as, or NOBODY_YET */
} People;

#define NOBODY_YET PG_UINT32_MAX

/*
 * The people of the first n releases, and "more" people of whom nothing is known. If
 * unifying, absentees may be any person.
 */
extern People *people_of(const Reading *reading, const Source *source, int32 n,
						 bool is_guess, bool unifying, uint64 more);

#endif							/* PPREPUB_REPORT_LINKABILITY_H */
