/*
 * tally.h
 *		Aggregates that are counted up column by column: their transition states, as PostgreSQL has them.
 *
 * What comes of a tally is what a partial aggregation hands on, so that a
 * Finalize Aggregate can make the results.
 */
#ifndef PPREPUB_STORE_TALLY_H
#define PPREPUB_STORE_TALLY_H

#include "postgres.h"

#include "nodes/primnodes.h"
#include "store/batch.h"

/* The kinds of aggregates. */
typedef enum TallyKind
{
	TALLY_NONE,
	TALLY_ROWS,					/* count(*) */
	TALLY_VALUES,				/* count(column) */
	TALLY_LEAST,				/* min */
	TALLY_GREATEST,				/* max */
	TALLY_SUM,					/* sum of smallint or integer */
	TALLY_MEAN,					/* avg of the same */
	TALLY_BIG_SUM				/* sum or avg of bigint */
} TallyKind;

typedef struct Tally
{
	TallyKind	kind;
	int			column;			/* attribute number less 1; -1: none */
	int			place;			/* of the column in the batch */
	Order		order;
	int16		typlen;
	bool		typbyval;
} Tally;

/* A tally of one group of the query's. */
typedef struct Count
{
	int64		n;				/* rows, or values that are not NULL */
	int128		sum;
	Datum		value;			/* the least or the greatest of these n; owned, if by reference */
} Count;

/*
 * Can the aggregate be counted up here?  The variables of its arguments are the
 * relation's, and *column is the argument's attribute number, or 0.
 */
extern TallyKind tally_of_aggregate(const Aggref *aggref, Index relid, AttrNumber *column);

/* The place is found among the columns of the batch. */
extern void begin_tally(Tally *tally, TallyKind kind, AttrNumber column, const Batch *batch);

/* Adds all rows of the batch's group by what its header says; false if that cannot be done.  Values are kept in the context. */
extern bool tally_header(const Tally *tally, Count *count, const Batch *batch, MemoryContext context);

/* Adds rows of the current vector. */
extern void tally_rows(const Tally *tally, Count *count, Batch *batch, const uint16 *rows, uint32 n, MemoryContext context);

extern Datum tally_result(const Tally *tally, const Count *count, bool *isnull);

#endif							/* PPREPUB_STORE_TALLY_H */
