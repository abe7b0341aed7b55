/*
 * writer.h
 *		Writing rows of a table of the extension's own, past its seal.
 *
 * Rows go straight to the table's access method, many at a time, so that neither
 * the seal nor any trigger or rule sees them.  Indexes that the owner may have
 * made are maintained.
 */
#ifndef PPREPUB_HISTORY_WRITER_H
#define PPREPUB_HISTORY_WRITER_H

#include "postgres.h"

#include "executor/tuptable.h"
#include "storage/itemptr.h"

typedef struct RowWriter RowWriter;

/*
 * Opens a table for writing.  Callers act as the owner, since index expressions
 * run.  reuse_space is of use only if rows are deleted: otherwise the free space
 * map would only send short rows back to pages that are almost full.
 */
extern RowWriter *writer_open(Oid table, bool reuse_space);
extern void writer_add(RowWriter *writer, const Datum *values, const bool *nulls);
extern void writer_close(RowWriter *writer);

/* Deletes rows of a table that no other transaction writes to. */
extern void delete_rows(Oid table, const ItemPointerData *tids, uint64 n);

/* Sets a callback for each row once it is in the table; the slot has its tid. */
extern void writer_watch(RowWriter *writer, void (*written) (void *what, TupleTableSlot *slot), void *what);

#endif							/* PPREPUB_HISTORY_WRITER_H */
