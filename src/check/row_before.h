/*
 * row_before.h
 *		Which values of a release's row are those of the row before, so that nothing need be
 *		found out of them once more.
 */
#ifndef PPREPUB_CHECK_ROW_BEFORE_H
#define PPREPUB_CHECK_ROW_BEFORE_H

#include "postgres.h"

#include "release/checksum.h"

typedef struct RowBefore RowBefore;

/* In the current context; rows have these columns. */
extern RowBefore *row_before_create(TupleDesc columns, Checksum *checksum);

/* Takes the next row, and adds it to the checksum. */
extern void row_before_take(RowBefore *row, const Datum *values, const bool *nulls);

/* Has the row that was taken last the same bytes in a column as the one before? */
extern bool row_before_is_same(const RowBefore *row, int attribute);

#endif							/* PPREPUB_CHECK_ROW_BEFORE_H */
