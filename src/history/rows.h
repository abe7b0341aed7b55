/*
 * rows.h
 *		Reading and writing a table of the extension's own.
 *
 * Rows are read under the active snapshot, straight from the table's access method, so that no rule, policy or
 * view can change them.  A table is locked only while it is read: the lock on its
 * publication, or on the table that shows it, keeps it from being dropped.
 *
 * Rows are written past the table's seal, many at a time, so that neither it nor any trigger or rule sees them.
 * Indexes that the owner may have made are maintained.
 */
#ifndef PPREPUB_HISTORY_ROWS_H
#define PPREPUB_HISTORY_ROWS_H

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

/* Likewise, from the last row on, until a visit returns false; returns whether none did. */
extern bool read_backward(Oid table, bool (*visit) (void *what, TupleTableSlot *slot), void *what);

/* Rows by the value of a column, for which the table has an index; NULL where it has none that is of use. */
typedef struct IndexReader IndexReader;

extern IndexReader *index_reader_open(Oid table, int column);

/* The next rows are those with this value; of a hash index, also others. */
extern void index_reader_find(IndexReader *reader, Datum value);
extern TupleTableSlot *index_reader_next(IndexReader *reader);
extern void index_reader_close(IndexReader *reader);

typedef struct RowWriter RowWriter;

/*
 * Opens a table for writing.  Callers act as the owner, since index expressions run.  reuse_space is of use only if
 * rows are deleted: otherwise the free space map would only send short rows back to pages that are almost full.
 */
extern RowWriter *writer_open(Oid table, bool reuse_space);
extern void writer_add(RowWriter *writer, const Datum *values, const bool *nulls);
extern void writer_close(RowWriter *writer);

/* Deletes rows of a table that no other transaction writes to. */
extern void delete_rows(Oid table, const ItemPointerData *tids, uint64 n);

#endif							/* PPREPUB_HISTORY_ROWS_H */
