/*
 * pending.h
 *		Rows that were inserted and are not yet in a group.
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
 */
#ifndef PPREPUB_STORE_PENDING_H
#define PPREPUB_STORE_PENDING_H

#include "postgres.h"

#include "access/tupdesc.h"
#include "compat.h"
#include "executor/tuptable.h"
#include "nodes/pg_list.h"
#include "utils/rel.h"
#include "utils/snapshot.h"

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

/* Seals what a command of the current subtransaction has inserted, into any table. */
extern void seal_pending_of_command(CommandId cid);

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

/* Puts a pending row into a slot, with its TID; the caller stores it. */
extern void store_pending_row(const PendingGroup *group, uint32 index, TupleDesc desc,
							  TupleTableSlot *slot);

extern void start_pending(void);

#endif							/* PPREPUB_STORE_PENDING_H */
