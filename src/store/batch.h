/*
 * batch.h
 *		Rows of a group, a vector at a time, column by column: as values, and as codes where there are some.
 *
 * Only what is asked for is read and decoded.  Values by reference live as long as
 * the group that they are of, or its vector.
 */
#ifndef PPREPUB_STORE_BATCH_H
#define PPREPUB_STORE_BATCH_H

#include "postgres.h"

#include "executor/tuptable.h"
#include "store/cursor.h"
#include "store/encoding/encoding.h"

typedef struct BatchColumn
{
	int			column;			/* attribute number less 1 */
	Order		order;

	/* In the current group */
	bool		opened;
	EncodedColumn *encoded;		/* or NULL */
	bool		fixed;			/* all rows have one value, which is not encoded: */
	Datum		value;
	bool		isnull;
	bool		ranged;			/* integers that lie close together, whose codes are their distances from the least */
	int64		least;

	/* In the current vector */
	bool		has_codes;
	bool		has_values;
	CodedVector *coded;
	Datum	   *values;
	bool	   *nulls;
} BatchColumn;

typedef struct Batch
{
	Cursor	   *cursor;			/* borrowed; set by the user of the batch */
	TupleDesc	desc;			/* borrowed */
	TupleTableSlot *slot;		/* borrowed: for rows in memory */
	int			ncolumns;
	BatchColumn *columns;

	RowGroup   *group;			/* the current group; NULL: it is in memory */
	uint32		nrows;
	uint32		vector;			/* the current one */
	uint32		n;				/* its rows */
	MemoryContext context;		/* owned: of the vector */
} Batch;

/* The slot is one for rows of the table.  All is allocated in the current context. */
extern Batch *make_batch(TupleTableSlot *slot, const int *columns, int ncolumns);

/* The cursor has entered another group. */
extern void batch_enter(Batch *batch, uint32 nrows);
extern void batch_go(Batch *batch, uint32 vector);

/* All rows of the current vector, of which there are ENCODING_VECTOR at most; returns how many. */
extern uint32 batch_rows(const Batch *batch, uint16 *rows);

/* The codes of a column's rows; NULL if there are none. */
extern const CodedVector *batch_codes(Batch *batch, int i);

/* The value of one of these codes. */
extern Datum batch_value_of_code(Batch *batch, int i, uint32 code, bool *isnull);

/* Brings values and nulls of a column. */
extern void batch_values(Batch *batch, int i);

#endif							/* PPREPUB_STORE_BATCH_H */
