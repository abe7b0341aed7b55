/*
 * source.h
 *		The people of the source as they are now: what observers may know of them.
 */
#ifndef PPREPUB_REPORT_LINKABILITY_SOURCE_H
#define PPREPUB_REPORT_LINKABILITY_SOURCE_H

#include "postgres.h"

#include "frame/cells.h"
#include "frame/load.h"
#include "report/linkability/reading.h"

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

/* Called as the owner, inside SPI, under the active snapshot; all releases are read. */
extern Source *read_source(const Reading *reading);

/*
 * The tuples of those who are in one of the first n releases; of all, if it is not known of one of them
 * who is in it.
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
 * Rows of a class that show the same value differ in insensitive columns at
 * most.  Where these are compared, who has the values in the source now gets
 * such a row, and for the rest it is a guess: returns whether it is.
 */
extern bool identify_rows(Reading *reading, const Source *source);

#endif							/* PPREPUB_REPORT_LINKABILITY_SOURCE_H */
