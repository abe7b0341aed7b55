/*
 * answer_regions.h
 *		What answers showed of their classes.
 *
 * A stored release keeps its cells in its table, but the log alone would not
 * keep the cells of an answer.  So they are written to a plain table of
 * TARGET_private, NAME_regions: a row is a class of an answer, with the number of
 * rows that the answer showed and its cells as printed; cells that it did not
 * show are withheld ones.  The table is part of the history like the log: rows
 * are only added, and their order, by class number, reveals nothing.
 *
 * Insensitive values are not kept; sensitive ones are in the log.
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
 * Reads the table up to a release; NULL if the table is missing or has other
 * columns.  Callers act as the owner, under the active snapshot.
 */
extern Answered *answered_read(const DeclaredPublication *publication, Cells **cells, int32 nreleases);

#endif							/* PPREPUB_HISTORY_ANSWER_REGIONS_H */
