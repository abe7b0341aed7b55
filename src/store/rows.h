/*
 * rows.h
 *		Rows in, and rows out: those that are pending, those that a scan walks over, those that are asked for.
 */
#ifndef PPREPUB_STORE_ROWS_H
#define PPREPUB_STORE_ROWS_H

#include "postgres.h"

#include "access/sdir.h"
#include "compat.h"
#include "executor/tuptable.h"
#include "nodes/bitmapset.h"
#include "nodes/pg_list.h"
#include "store/group.h"
#include "utils/rel.h"
#include "utils/snapshot.h"

/* ----------------------------------------------------------------
 * Rows that were inserted and are not yet in a group (pending.c)
 *
 * Rows are collected in memory, a group at a time, for each table, subtransaction
 * and command: a group's chunks carry one transaction id and one command id.
 *
 * WHEN A GROUP IS SEALED
 *	- when it is full;
 *	- when the same subtransaction inserts into the same table by another command,
 *	  and when the statement that inserted ends (ExecutorEnd);
 *	- when a bulk insertion ends (COPY, CREATE TABLE AS, rewriting ALTER TABLE);
 *	- before a parallel scan of the table, whose workers do not have our memory;
 *	- before the table gets other files, or is vacuumed;
 *	- before the transaction commits, or is prepared; before the subtransaction
 *	  becomes its parent's;
 *	- when pending rows take more memory than pprepub.store_memory.
 *
 * Only groups of the current subtransaction can be sealed: chunks written now
 * carry its id, and a rollback of it would take an ancestor's rows away.  All
 * others are served from memory, to those whose snapshot sees them.
 *
 * What can fail because of the rows themselves (fetching toasted values, sizes)
 * is done when a row is inserted: an error when a savepoint is released would
 * abort the whole transaction.
 * ----------------------------------------------------------------
 */

/* The setting pprepub.store_memory, in kB. */
extern int	store_memory;

typedef struct PendingGroup
{
	/* Owner */
	Oid			relid;
	RelFileLocator node;		/* the table's main fork, when the group was begun */
	SubTransactionId subid;
	CommandId	cid;
	int			options;		/* of heap_insert */

	/* Row numbers */
	uint64		first;
	uint32		reserved;
	uint32		nrows;
	TupleDesc	desc;			/* of the time of insertion: ALTER TABLE may change the table's */
	int			natts;
	Datum	  **values;
	bool	  **nulls;

	/* Memory */
	MemoryContext context;		/* owned: all of this is in it */
	uint32		room;			/* rows that the arrays have room for */
	char	   *block;			/* room for the next value by reference */
	Size		block_left;
	Size		bytes;

	/* Readers */
	int			pins;
	bool		gone;			/* sealed, or rolled back: freed when no cursor pins it */
} PendingGroup;

/* Takes a row, and gives the slot its TID. */
extern void add_pending(Relation rel, TupleTableSlot *slot, CommandId cid, int options, bool bulk);

/* Seals what the current subtransaction has for a table. */
extern void seal_pending(Relation rel);

/* Is there anything of ours pending for the table that a snapshot sees, or, if NULL, anything at all? */
extern bool has_pending(Relation rel, Snapshot snapshot);

/*
 * The table's pending groups that a snapshot sees, by row number; each is
 * pinned: its first nrows, as of now, stay as they are until unpinned.
 */
extern List *pin_pending(Relation rel, Snapshot snapshot);
extern void unpin_pending(List *groups);

/* The group that a pending row is in, if the snapshot sees it. */
extern PendingGroup *pending_group_of(Relation rel, uint64 row, Snapshot snapshot);

/* A column of a pending row; one that was added since has the value that it has in the description. */
static inline Datum
pending_value(const PendingGroup *group, uint32 index, int column, TupleDesc desc, bool *isnull)
{
	if (column >= group->natts)
		return getmissingattr(desc, column + 1, isnull);
	*isnull = group->nulls[column][index];
	return group->values[column][index];
}

extern void start_pending(void);

/* ----------------------------------------------------------------
 * Walking over the rows of a table that a snapshot sees, in both directions (cursor.c)
 *
 * What is pending in memory and visible when the cursor starts is walked over in
 * its place among the groups; later on it stays as it was then.  Rows by
 * reference live until the cursor moves into another vector of rows.
 * ----------------------------------------------------------------
 */

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

/* Only these columns (attribute number less 1) are needed, rather than all: others come as NULL. */
extern void cursor_wants(Cursor *cursor, const Bitmapset *columns);

extern void cursor_skips(Cursor *cursor, SkipGroup skip, void *arg);

/* Rows that are not chosen are passed over by cursor_next(); those in memory are not looked at. */
extern void cursor_chooses(Cursor *cursor, ChooseRows choose, void *arg);

/* Only rows from .. upto - 1 are wanted.  The cursor stands before them. */
extern void cursor_range(Cursor *cursor, uint64 from, uint64 upto);

/* The next row, or the previous one; false at the end.  An empty slot is left there. */
extern bool cursor_next(Cursor *cursor, ScanDirection direction, TupleTableSlot *slot);

/*
 * Goes on to the next group that is not skipped, forward, and decodes nothing of it;
 * false at the end.  The group, or NULL if its rows are in memory: then these.
 */
extern bool cursor_next_group(Cursor *cursor, uint32 *nrows);
extern RowGroup *cursor_group(const Cursor *cursor);
extern const PendingGroup *cursor_pending(const Cursor *cursor);

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

/* ----------------------------------------------------------------
 * One row at a time, by its number: for indexes, triggers, TIDs (fetch.c)
 *
 * Big groups that were opened stay in memory (group.h), so that the next fetch
 * only decodes a row.
 * ----------------------------------------------------------------
 */

typedef struct Fetcher Fetcher;

/* Makes a fetcher; relations are opened when the first row is fetched. */
extern Fetcher *begin_fetcher(Relation rel);
extern void end_fetcher(Fetcher *fetcher);

/* The row goes into the slot, which has all of it: nothing else need stay. */
extern bool fetch_row(Fetcher *fetcher, uint64 row, Snapshot snapshot, TupleTableSlot *slot);

#endif							/* PPREPUB_STORE_ROWS_H */
