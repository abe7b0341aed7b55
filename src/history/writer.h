/*
 * writer.h
 *		Writing rows of a table of ours, past its seal.
 *
 * They go straight to the table's access method, many at a time: neither the
 * seal nor anybody's trigger or rule sees them.  Indexes that the owner may
 * have made are kept up.
 */
#ifndef PPREPUB_HISTORY_WRITER_H
#define PPREPUB_HISTORY_WRITER_H

#include "postgres.h"

#include "executor/tuptable.h"
#include "storage/itemptr.h"

typedef struct RowWriter RowWriter;

/*
 * To be used as the owner: expressions of indexes run then and there.  A table
 * of which rows are never deleted has no space to reuse: the free space map would
 * only send short rows back to pages that have a little room left.
 */
extern RowWriter *writer_open(Oid table, bool reuse_space);
extern void writer_add(RowWriter *writer, const Datum *values, const bool *nulls);
extern void writer_close(RowWriter *writer);

/* Deletes rows of a table that no other transaction writes to. */
extern void delete_rows(Oid table, const ItemPointerData *tids, uint64 n);

/* Has every row shown once it is in the table, where its slot says. */
extern void writer_watch(RowWriter *writer, void (*written) (void *what, TupleTableSlot *slot), void *what);

#endif							/* PPREPUB_HISTORY_WRITER_H */
