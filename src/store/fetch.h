/*
 * fetch.h
 *		One row at a time, by its number: for indexes, triggers, TIDs.
 *
 * Big groups that were opened stay in memory (cache.h), so that the next fetch
 * only decodes a row.
 */
#ifndef PPREPUB_STORE_FETCH_H
#define PPREPUB_STORE_FETCH_H

#include "postgres.h"

#include "executor/tuptable.h"
#include "utils/rel.h"
#include "utils/snapshot.h"

typedef struct Fetcher Fetcher;

/*
 * Makes a fetcher; relations are opened when the first row is fetched.  For rows of an index, begun before that is read:
 * then a row that it has, and no group, is an error, if VACUUM had removed the index's dead rows so far.
 */
extern Fetcher *begin_fetcher(Relation rel, bool for_index);
extern void end_fetcher(Fetcher *fetcher);

/* The row goes into the slot, which has all of it: nothing else need stay. */
extern bool fetch_row(Fetcher *fetcher, uint64 row, Snapshot snapshot, TupleTableSlot *slot);

#endif							/* PPREPUB_STORE_FETCH_H */
