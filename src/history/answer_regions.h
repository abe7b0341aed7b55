/*
 * answer_regions.h
 *		What answers showed of their classes.
 *
 * A stored release has a table; of an answer nothing would be left but what the
 * log tells.  So the cells of its classes are kept in a plain table of
 * TARGET_private, NAME_regions: a row is a class of an answer, with as many
 * rows as it left with, and its cells as they were printed, those withheld that
 * it did not show.  It is part of the history as the log is: rows are only
 * added, in the order of the classes' numbers, which says nothing.
 *
 * Nothing is kept of insensitive values; sensitive ones stand in the log.
 */
#ifndef PPREPUB_HISTORY_ANSWER_REGIONS_H
#define PPREPUB_HISTORY_ANSWER_REGIONS_H

#include "postgres.h"

#include "declare/publication.h"
#include "frame/cells.h"

/* The table's columns. */
enum
{
	ANSWERED_RELEASE,
	ANSWERED_CLASS,
	ANSWERED_ROWS,
	ANSWERED_CELLS				/* the first quasi-identifier's; the others follow in declared order */
};

/* The table, or InvalidOid before the first answer. */
extern Oid	answered_of(const DeclaredPublication *publication);

/* The table, made when it is not there yet: as the owner, inside SPI. */
extern Oid	answered_ensure(const DeclaredPublication *publication);

/* An answer; its classes are in no order. */
typedef struct AnsweredRelease
{
	uint32		nclasses;
	uint32		allocated;
	int64	   *number;			/* [nclasses] of the class */
	int64	   *rows;			/* [nclasses] */
	Cell	   *cell;			/* [nclasses][quasi-identifiers] */
} AnsweredRelease;

typedef struct Answered
{
	int			nqis;
	Cells	  **cells;			/* [nqis] borrowed */
	int32		nreleases;
	AnsweredRelease *release;	/* [nreleases] release n is release[n - 1]; empty if it was no answer */
	MemoryContext context;
} Answered;

/*
 * As the owner, under the active snapshot: all of the table, up to a release.
 * NULL if it is not there, or has other columns.
 */
extern Answered *answered_read(const DeclaredPublication *publication, Cells **cells, int32 nreleases);

#endif							/* PPREPUB_HISTORY_ANSWER_REGIONS_H */
