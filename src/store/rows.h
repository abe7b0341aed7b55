/*
 * rows.h
 *		All rows of a group, column by column: to write them again.
 */
#ifndef PPREPUB_STORE_ROWS_H
#define PPREPUB_STORE_ROWS_H

#include "postgres.h"

#include "store/group.h"
#include "store/seal.h"

/*
 * Decodes a group, into the current context; a group that lacks columns gets the
 * values that they have in it.
 */
extern void read_group(RowGroup *group, int natts, Rows *rows);

/* Decodes into arrays that begin at the given row. */
extern void read_column(RowGroup *group, int column, Datum *values, bool *nulls);

#endif							/* PPREPUB_STORE_ROWS_H */
