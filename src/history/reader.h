/*
 * reader.h
 *		Reading a table of the extension's own under the active snapshot.
 *
 * Rows come straight from the table's access method, so that no rule, policy or
 * view can change them.  The table is locked only while it is read: the lock on its
 * publication, or on the table that shows it, keeps it from being dropped.
 */
#ifndef PPREPUB_HISTORY_READER_H
#define PPREPUB_HISTORY_READER_H

#include "postgres.h"

#include "executor/tuptable.h"
#include "storage/itemptr.h"

typedef struct RowReader RowReader;

extern RowReader *reader_open(Oid table);

/* The columns of its table. */
extern TupleDesc reader_columns(const RowReader *reader);

/* The next row with all its columns, or NULL; it lives until the next call. */
extern TupleTableSlot *reader_next(RowReader *reader);

/* Has the row the first ncolumns columns, and a value in each of those listed? */
extern bool row_has_values(const TupleTableSlot *slot, int ncolumns, const int *columns, int n);

extern void reader_close(RowReader *reader);

/* Visits all rows, each in a context that is reset afterwards. */
extern void read_each(Oid table, void (*visit) (void *what, TupleTableSlot *slot), void *what);

/* Visits some rows, best in table order; stops and returns false if a row is missing or its visit returns false. */
extern bool read_some(Oid table, const ItemPointerData *tids, uint32 n,
					  bool (*visit) (void *what, TupleTableSlot *slot), void *what);

#endif							/* PPREPUB_HISTORY_READER_H */
