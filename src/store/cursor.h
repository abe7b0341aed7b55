/*
 * cursor.h
 *		Walking over the rows of a table that a snapshot sees, in both directions.
 *
 * What is pending in memory and visible when the cursor starts is walked over in
 * its place among the groups; later on it stays as it was then.  Rows by
 * reference live until the cursor moves into another vector of rows.
 */
#ifndef PPREPUB_STORE_CURSOR_H
#define PPREPUB_STORE_CURSOR_H

#include "postgres.h"

#include "executor/tuptable.h"
#include "nodes/bitmapset.h"
#include "store/group.h"
#include "utils/rel.h"
#include "utils/snapshot.h"

typedef struct Cursor Cursor;

/* Is there nothing in this group that the reader wants? */
typedef bool (*SkipGroup) (void *arg, const RowGroup *group);

/*
 * Which rows of a vector of the current group does the reader want?  entered: none of
 * this group's was asked for before.
 */
typedef void (*ChooseRows) (void *arg, bool entered, uint32 vector, bool *wanted);

extern Cursor *begin_cursor(Relation rel, Snapshot snapshot);
extern void end_cursor(Cursor *cursor);

/* Begins anew, with what is pending now. */
extern void restart_cursor(Cursor *cursor);

/* All columns are needed, or only these (attribute number less 1): others come as NULL. */
extern void cursor_wants(Cursor *cursor, const Bitmapset *columns, bool all);
extern void cursor_skips(Cursor *cursor, SkipGroup skip, void *arg);

/* Rows that are not chosen are passed over by cursor_next(); those in memory are not looked at. */
extern void cursor_chooses(Cursor *cursor, ChooseRows choose, void *arg);

/* Only rows from .. upto - 1 are wanted.  The cursor stands before them. */
extern void cursor_range(Cursor *cursor, uint64 from, uint64 upto);

/*
 * Like cursor_range(), for forward scans only; keeps the decoded vector, which
 * may serve the new range, too.
 */
extern void cursor_range_onward(Cursor *cursor, uint64 from, uint64 upto);

/* The next row, or the previous one; false at the end.  An empty slot is left there. */
extern bool cursor_next(Cursor *cursor, ScanDirection direction, TupleTableSlot *slot);

/*
 * The next row, of which only some columns (attribute number less 1) go into a virtual
 * slot, one after the other.  The other slot is one for whole rows, to work with.
 */
extern bool cursor_next_columns(Cursor *cursor, ScanDirection direction, TupleTableSlot *whole,
								TupleTableSlot *slot, const int *columns, int ncolumns);

/*
 * Goes on to the next group that is not skipped, forward, and decodes nothing of it;
 * false at the end.  The group, or NULL if its rows are in memory; and one of these rows.
 */
extern bool cursor_next_group(Cursor *cursor, uint32 *nrows);
extern RowGroup *cursor_group(const Cursor *cursor);
extern void cursor_row_in_memory(Cursor *cursor, uint32 index, TupleTableSlot *slot);

/* One row, if it is seen. */
extern bool cursor_row(Cursor *cursor, uint64 row, TupleTableSlot *slot);

/*
 * For a parallel scan: the function that hands out groups.  It moves a shared
 * position from "from" to "to", unless another worker moved it: then it
 * changes "from" to where it is now, and returns false.
 */
typedef bool (*ClaimGroup) (void *arg, uint64 *from, uint64 to);
extern void cursor_shares(Cursor *cursor, ClaimGroup claim, void *arg);

/* The numbers of groups read and skipped. */
extern void cursor_counts(const Cursor *cursor, uint64 *read, uint64 *skipped);

/* All rows that a table has numbers for. */
extern uint64 cursor_numbers(const Cursor *cursor);

#endif							/* PPREPUB_STORE_CURSOR_H */
