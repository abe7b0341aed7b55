/*
 * writer.h
 *		Appending rows to a table of ours, past its seal.
 *
 * Rows go straight to the table's access method, many at a time: neither the
 * seal nor anybody's trigger or rule sees them.  Indexes that the owner may
 * have made are kept up.
 */
#ifndef PPREPUB_HISTORY_WRITER_H
#define PPREPUB_HISTORY_WRITER_H

#include "postgres.h"

typedef struct RowWriter RowWriter;

/* To be used as the owner: expressions of indexes run then and there. */
extern RowWriter *writer_open(Oid table);
extern void writer_add(RowWriter *writer, const Datum *values, const bool *nulls);
extern void writer_close(RowWriter *writer);

#endif							/* PPREPUB_HISTORY_WRITER_H */
