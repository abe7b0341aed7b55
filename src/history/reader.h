/*
 * reader.h
 *		Reading a table of ours from end to end, under the active snapshot.
 *
 * Rows come straight from the table's access method: no rule, policy or view
 * of anybody stands between.
 */
#ifndef PPREPUB_HISTORY_READER_H
#define PPREPUB_HISTORY_READER_H

#include "postgres.h"

#include "executor/tuptable.h"
#include "frame/heap_rows.h"

typedef struct RowReader RowReader;

extern RowReader *reader_open(Oid table);

/* The next row with all its columns, or NULL; it lives until the next call. */
extern TupleTableSlot *reader_next(RowReader *reader);

/* Has the row the first ncolumns columns, and a value in each of those listed? */
extern bool row_has_values(const TupleTableSlot *slot, int ncolumns, const int *columns, int n);

extern void reader_close(RowReader *reader);

/* The same for all rows: each is visited in a context that is reset afterwards. */
extern void read_each(Oid table, void (*visit) (void *what, TupleTableSlot *slot), void *what);

/* The same for some rows of a heap, until a visit says no or a row is not there: false then. */
extern bool read_some(Oid table, HeapPages *pages, const ItemPointerData *tids, uint32 n,
					  bool (*visit) (void *what, TupleTableSlot *slot), void *what);

#endif							/* PPREPUB_HISTORY_READER_H */
