/*
 * picked.h
 *		Running a query of a source.
 *
 * Where the query is for no more than rows that an index tells, these are
 * fetched in the order of the table, many at a time on their way from memory.
 */
#ifndef PPREPUB_FRAME_PICKED_H
#define PPREPUB_FRAME_PICKED_H

#include "postgres.h"

#include "frame/heap_rows.h"
#include "nodes/params.h"
#include "tcop/dest.h"

/*
 * To be called inside SPI; under the active snapshot, and with no right to
 * change anything.  pages: where the table's pages were, if anybody knows.  at:
 * set to where a row that was fetched by us stands, before it is received.
 */
extern void run_query(const char *sql, ParamListInfo params, HeapPages *pages, ItemPointer at, DestReceiver *receiver);

#endif							/* PPREPUB_FRAME_PICKED_H */
