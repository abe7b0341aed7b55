/*
 * pending.c
 *		Collecting rows, and sealing them in time.  See rows.h.
 *
 * MEMORY
 *		store_memory bounds what a subtransaction has pending, however many tables
 *		(partitions) it inserts into, but for one row; a group is full when it has
 *		a quarter of that.  Rows of ancestors come on top: there are some only
 *		while their statement runs.  So does what sealing a group takes: about as
 *		much as the group, and the encoded group.
 */
#include "postgres.h"

#include "store/rows.h"

#include "access/detoast.h"
#include "access/relation.h"
#include "access/xact.h"
#include "executor/executor.h"
#include "lib/ilist.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/predicate.h"
#include "storage/sinval.h"
#include "store/handler.h"
#include "utils/datum.h"
#include "utils/inval.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

int			store_memory = 32 * 1024;

/* A table that few rows are inserted into shall not waste many numbers. */
#define FIRST_RESERVATION 32
#define RESERVATION_GROWTH 8

/* The size of the blocks that values by reference are put into. */
#define BLOCK_BYTES (32 * 1024)

typedef struct Pending
{
	List	   *groups;			/* of PendingGroup, in TopTransactionContext */
	PendingGroup *last;			/* the group inserted into last, or NULL */
	Oid			last_relid;		/* the table of the last reservation, and its size */
	uint32		last_reserved;
	Size		bytes;			/* of all groups */
} Pending;

static Pending pending;

static ExecutorEnd_hook_type previous_executor_end;

/* ----------------------------------------------------------------
 * Groups
 * ----------------------------------------------------------------
 */

static bool
is_ours(const PendingGroup *group)
{
	return !group->gone && group->subid == GetCurrentSubTransactionId();
}

static void
free_if_unused(PendingGroup *group)
{
	if (group->pins > 0 || !group->gone)
		return;
	pending.groups = list_delete_ptr(pending.groups, group);
	MemoryContextDelete(group->context);
}

/* Its rows are in the table now, or nowhere. */
static void
forget_group(PendingGroup *group)
{
	if (pending.last == group)
		pending.last = NULL;
	pending.bytes -= group->bytes;
	group->bytes = 0;
	group->gone = true;
	free_if_unused(group);
}

/*
 * Reserves row numbers.  The reservation is written before any of its rows is
 * in an index, so that other sessions' checks for duplicates find the
 * transaction to wait for.
 */
static uint64
reserve(Relation rel, uint32 rows, CommandId cid, int options)
{
	Store	   *store;
	uint64		first;

	/* Calls that take locks come before the reserving lock. */
	(void) GetCurrentTransactionId();
	CheckForSerializableConflictIn(rel, NULL, InvalidBlockNumber);
	store = open_store_to_write(rel);
	lock_reserving(rel);
	first = reserve_rows(rel, rows);
	write_reservation(store, first, rows, cid, options);
	unlock_reserving(rel);
	close_store(store);

	/*
	 * Plans with bitmap scans become invalid.  All backends must hear of it at once, since the indexes will have the
	 * rows' TIDs before they are committed.
	 */
	if (first / ROWS_PER_BLOCK < BITMAP_BLOCKS && (first + rows) / ROWS_PER_BLOCK >= BITMAP_BLOCKS)
	{
		SharedInvalidationMessage message;

		message.rc.id = SHAREDINVALRELCACHE_ID;
		message.rc.dbId = MyDatabaseId;
		message.rc.relId = RelationGetRelid(rel);
		SendSharedInvalidMessages(&message, 1);
		CacheInvalidateRelcache(rel);
	}
	return first;
}

/* Begins a group of pending rows, whose numbers it reserves. */
static PendingGroup *
begin_group(Relation rel, CommandId cid, int options, bool bulk)
{
	uint32		most = group_rows_at_most(RelationGetNumberOfAttributes(rel));
	uint32		reserved = FIRST_RESERVATION;
	uint64		first;
	MemoryContext context;
	PendingGroup *group;
	MemoryContext old;

	/*
	 * A bulk insertion gets a whole group's numbers at once.  Those not used are given back, unless others were
	 * reserved behind them.
	 */
	if (bulk)
		reserved = most;
	else if (pending.last_relid == RelationGetRelid(rel))
		reserved = pending.last_reserved * RESERVATION_GROWTH;
	reserved = Min(reserved, most);
	first = reserve(rel, reserved, cid, options);
	context = AllocSetContextCreate(TopTransactionContext, "pending rows", ALLOCSET_DEFAULT_SIZES);
	group = MemoryContextAllocZero(context, sizeof(PendingGroup));
	group->context = context;
	group->relid = RelationGetRelid(rel);
	group->node = rel->rd_locator;
	group->subid = GetCurrentSubTransactionId();
	group->cid = cid;
	group->options = options;
	group->first = first;
	group->reserved = reserved;
	group->natts = RelationGetNumberOfAttributes(rel);
	group->values = MemoryContextAllocZero(context, Max(group->natts, 1) * sizeof(Datum *));
	group->nulls = MemoryContextAllocZero(context, Max(group->natts, 1) * sizeof(bool *));

	old = MemoryContextSwitchTo(TopTransactionContext);
	pending.groups = lappend(pending.groups, group);
	MemoryContextSwitchTo(context);
	group->desc = CreateTupleDescCopy(RelationGetDescr(rel));
	MemoryContextSwitchTo(old);
	pending.last_relid = group->relid;
	pending.last_reserved = reserved;
	return group;
}

/* ----------------------------------------------------------------
 * Sealing
 * ----------------------------------------------------------------
 */

/*
 * A table that was dropped, truncated or rewritten since has no use for the rows:
 * if that is rolled back, so is the subtransaction that we are in.
 */
static void
seal_group(PendingGroup *group)
{
	Relation	rel;

	/* However this ends, it is not tried again. */
	if (pending.last == group)
		pending.last = NULL;
	rel = try_relation_open(group->relid, NoLock);
	if (rel != NULL)
	{
		if (group->nrows > 0 && RelFileLocatorEquals(rel->rd_locator, group->node))
		{
			Store	   *store = open_store_to_write(rel);
			Rows		rows = {group->first, group->nrows, group->natts, group->values, group->nulls};

			write_rows(store, group->desc, &rows, group->cid, group->options);
			return_rows(rel, group->first + group->nrows, group->first + group->reserved);
			close_store(store);
		}
		relation_close(rel, NoLock);
	}
	forget_group(group);
}

/* Groups whose sealing may seal others' meanwhile are found anew each time. */
static PendingGroup *
next_to_seal(Oid relid, bool of_command, CommandId cid)
{
	ListCell   *cell;

	foreach(cell, pending.groups)
	{
		PendingGroup *group = lfirst(cell);

		if (is_ours(group) && (!OidIsValid(relid) || group->relid == relid) && (!of_command || group->cid == cid))
			return group;
	}
	return NULL;
}

static void
seal_all(Oid relid, bool of_command, CommandId cid)
{
	PendingGroup *group;

	while ((group = next_to_seal(relid, of_command, cid)) != NULL)
		seal_group(group);
}

void
seal_pending(Relation rel)
{
	seal_all(RelationGetRelid(rel), false, 0);
}

/* ----------------------------------------------------------------
 * Rows in
 * ----------------------------------------------------------------
 */

/* Room for a value by reference, from a block of the group; a large value gets a block of its own. */
static char *
room_for_value(PendingGroup *group, Size length)
{
	char	   *at;

	length = MAXALIGN(length);
	if (length > group->block_left)
	{
		Size		block = Max(length, BLOCK_BYTES);

		at = MemoryContextAllocHuge(group->context, block);
		group->bytes += block;
		pending.bytes += block;
		/* The rest of the old block may still be larger than that of a block for one big value. */
		if (block - length > group->block_left || group->block == NULL)
		{
			group->block = at + length;
			group->block_left = block - length;
		}
		return at;
	}
	at = group->block;
	group->block += length;
	group->block_left -= length;
	return at;
}

/*
 * With a short header where there can be one, as a heap has it: equal values have equal bytes then.  One that equals the
 * last row's, if that is not 0, is kept once.
 */
static Datum
keep_varlena(PendingGroup *group, Form_pg_attribute att, Datum value, Datum last)
{
	struct varlena *original = (struct varlena *) DatumGetPointer(value);

	/* A short header is no obstacle; but what is external looks as if it had one. */
	struct varlena *flat = VARATT_IS_EXTERNAL(original) || VARATT_IS_COMPRESSED(original) ?
		detoast_attr(original) : original;
	bool		shorten = att->attstorage != TYPSTORAGE_PLAIN && VARATT_CAN_MAKE_SHORT(flat);
	Size		length = shorten ? VARATT_CONVERTED_SHORT_SIZE(flat) : VARSIZE_ANY(flat);
	char	   *kept = DatumGetPointer(last);

	/* Sorted rows repeat themselves. */
	if (kept == NULL || VARSIZE_ANY(kept) != length || VARSIZE_ANY_EXHDR(kept) != VARSIZE_ANY_EXHDR(flat) ||
		memcmp(VARDATA_ANY(kept), VARDATA_ANY(flat), VARSIZE_ANY_EXHDR(kept)) != 0)
		kept = room_for_value(group, length);
	if (shorten)
	{
		SET_VARSIZE_SHORT(kept, length);
		memcpy(kept + VARHDRSZ_SHORT, VARDATA(flat), length - VARHDRSZ_SHORT);
	}
	else
		memcpy(kept, flat, length);
	if (flat != original)
		pfree(flat);
	return PointerGetDatum(kept);
}

/* Copies a value into the group's memory; the last row's is 0 if it has none. */
static Datum
keep_value(PendingGroup *group, Form_pg_attribute att, Datum value, Datum last)
{
	Size		length;
	char	   *kept;

	if (att->attbyval)
	{
		/* A Datum of a type by value may have anything above its bytes; ours do not. */
		switch (att->attlen)
		{
			case 1:
				return CharGetDatum(DatumGetChar(value));
			case 2:
				return Int16GetDatum(DatumGetInt16(value));
			case 4:
				return Int32GetDatum(DatumGetInt32(value));
			default:
				return value;
		}
	}
	if (att->attlen == -1)
		return keep_varlena(group, att, value, last);
	length = datumGetSize(value, false, att->attlen);
	kept = room_for_value(group, length);
	memcpy(kept, DatumGetPointer(value), length);
	return PointerGetDatum(kept);
}

static bool
takes_row_of(const PendingGroup *group, Relation rel, CommandId cid, int options)
{
	return group->relid == RelationGetRelid(rel) && group->cid == cid && group->options == options &&
		group->natts == RelationGetNumberOfAttributes(rel) &&
		RelFileLocatorEquals(group->node, rel->rd_locator) && is_ours(group);
}

static bool
is_full(const PendingGroup *group)
{
	return group->nrows == group->reserved || group->bytes > (Size) store_memory * 1024 / 4;
}

/* Ancestors' groups cannot be sealed, so they do not count. */
static bool
takes_too_much(void)
{
	Size		bytes = 0;
	ListCell   *cell;

	if (pending.bytes <= (Size) store_memory * 1024)
		return false;
	foreach(cell, pending.groups)
	{
		if (is_ours(lfirst(cell)))
			bytes += ((const PendingGroup *) lfirst(cell))->bytes;
	}
	return bytes > (Size) store_memory * 1024;
}

/* The group that takes the next row; if a new one is needed, the table's others are sealed first. */
static PendingGroup *
group_to_insert_into(Relation rel, CommandId cid, int options, bool bulk)
{
	PendingGroup *found = NULL;
	ListCell   *cell;

	foreach(cell, pending.groups)
	{
		if (takes_row_of(lfirst(cell), rel, cid, options))
			found = lfirst(cell);
	}
	if (found != NULL && !is_full(found))
		return found;
	seal_pending(rel);
	if (takes_too_much())
		seal_all(InvalidOid, false, 0);
	return begin_group(rel, cid, options, bulk);
}

void
add_pending(Relation rel, TupleTableSlot *slot, CommandId cid, int options, bool bulk)
{
	PendingGroup *group = pending.last;
	TupleDesc	desc;
	uint32		row;

	if (group == NULL || !takes_row_of(group, rel, cid, options) || is_full(group) || takes_too_much())
		group = group_to_insert_into(rel, cid, options, bulk);
	pending.last = group;
	/* The row counts only when all of it is there: a value that cannot be fetched raises an error. */
	desc = RelationGetDescr(rel);
	row = group->nrows;
	if (row == group->room)
	{
		uint32		room = group->room == 0 ? Min(group->reserved, 16) : Min(group->room * 4, group->reserved);
		MemoryContext old = MemoryContextSwitchTo(group->context);
		Size		more = (Size) (room - group->room) * group->natts * (sizeof(Datum) + sizeof(bool));

		/* Enlarges the arrays of a group's values, up to the rows reserved. */
		for (int i = 0; i < group->natts; i++)
		{
			group->values[i] = group->room == 0 ? palloc(room * sizeof(Datum)) :
				repalloc(group->values[i], room * sizeof(Datum));
			group->nulls[i] = group->room == 0 ? palloc(room) : repalloc(group->nulls[i], room);
		}
		MemoryContextSwitchTo(old);
		group->room = room;
		group->bytes += more;
		pending.bytes += more;
	}
	slot_getallattrs(slot);
	for (int i = 0; i < group->natts; i++)
	{
		Form_pg_attribute att = TupleDescAttr(desc, i);
		bool		isnull = slot->tts_isnull[i] || att->attisdropped;

		group->nulls[i][row] = isnull;
		group->values[i][row] = isnull ? (Datum) 0 : keep_value(group, att, slot->tts_values[i], row == 0 ? (Datum) 0 : group->values[i][row - 1]);
	}
	group->nrows++;
	tid_of_row(group->first + group->nrows - 1, &slot->tts_tid);
	slot->tts_tableOid = RelationGetRelid(rel);
	pgstat_count_heap_insert(rel, 1);
}

/* ----------------------------------------------------------------
 * Rows out
 * ----------------------------------------------------------------
 */

static bool
is_seen(const PendingGroup *group, Relation rel, Snapshot snapshot)
{
	if (group->gone || group->relid != RelationGetRelid(rel) || group->nrows == 0 ||
		!RelFileLocatorEquals(group->node, rel->rd_locator))
		return false;
	return snapshot == NULL || !IsMVCCSnapshot(snapshot) || group->cid < snapshot->curcid;
}

bool
has_pending(Relation rel, Snapshot snapshot)
{
	ListCell   *cell;

	foreach(cell, pending.groups)
	{
		if (is_seen(lfirst(cell), rel, snapshot))
			return true;
	}
	return false;
}

static int
compare_first(const ListCell *a, const ListCell *b)
{
	uint64		x = ((const PendingGroup *) lfirst(a))->first;
	uint64		y = ((const PendingGroup *) lfirst(b))->first;

	return x < y ? -1 : x > y;
}

List *
pin_pending(Relation rel, Snapshot snapshot)
{
	List	   *seen = NIL;
	ListCell   *cell;

	foreach(cell, pending.groups)
	{
		PendingGroup *group = lfirst(cell);

		if (!is_seen(group, rel, snapshot))
			continue;
		group->pins++;
		seen = lappend(seen, group);
	}
	list_sort(seen, compare_first);
	return seen;
}

void
unpin_pending(List *groups)
{
	ListCell   *cell;

	foreach(cell, groups)
	{
		PendingGroup *group = lfirst(cell);

		group->pins--;
		free_if_unused(group);
	}
	list_free(groups);
}

PendingGroup *
pending_group_of(Relation rel, uint64 row, Snapshot snapshot)
{
	ListCell   *cell;

	foreach(cell, pending.groups)
	{
		PendingGroup *group = lfirst(cell);

		if (row >= group->first && row - group->first < group->nrows && is_seen(group, rel, snapshot))
			return group;
	}
	return NULL;
}

/* ----------------------------------------------------------------
 * Ends of statements and transactions
 * ----------------------------------------------------------------
 */

/*
 * Seals the rows that a statement inserted when it ends, so that few rows are
 * pending, and not for long.
 */
static void
executor_end(QueryDesc *query)
{
	if (pending.groups != NIL && query->estate != NULL &&
		(query->operation != CMD_SELECT || query->plannedstmt->hasModifyingCTE))
		seal_all(InvalidOid, true, query->estate->es_output_cid);
	if (previous_executor_end)
		previous_executor_end(query);
	else
		standard_ExecutorEnd(query);
}

/* Seals before commit, and forgets all groups at the end of the transaction. */
static void
transaction_ends(XactEvent event, void *arg)
{
	switch (event)
	{
		case XACT_EVENT_PRE_COMMIT:
		case XACT_EVENT_PRE_PREPARE:
			seal_all(InvalidOid, false, 0);
			break;
		case XACT_EVENT_COMMIT:
		case XACT_EVENT_PREPARE:
		case XACT_EVENT_ABORT:
		case XACT_EVENT_PARALLEL_COMMIT:
		case XACT_EVENT_PARALLEL_ABORT:
			/* The memory goes with the transaction. */
			memset(&pending, 0, sizeof(pending));
			break;
		case XACT_EVENT_PARALLEL_PRE_COMMIT:
			break;
	}
}

/* Seals pending groups before a subtransaction commits, and drops its own where it aborts. */
static void
subtransaction_ends(SubXactEvent event, SubTransactionId subid, SubTransactionId parent, void *arg)
{
	if (pending.groups == NIL)
		return;
	if (event == SUBXACT_EVENT_PRE_COMMIT_SUB)
		seal_all(InvalidOid, false, 0);
	else if (event == SUBXACT_EVENT_ABORT_SUB)
	{
		List	   *groups = list_copy(pending.groups);
		ListCell   *cell;

		foreach(cell, groups)
		{
			PendingGroup *group = lfirst(cell);

			if (group->subid == subid && !group->gone)
				forget_group(group);
		}
		list_free(groups);
	}
}

void
start_pending(void)
{
	RegisterXactCallback(transaction_ends, NULL);
	RegisterSubXactCallback(subtransaction_ends, NULL);
	previous_executor_end = ExecutorEnd_hook;
	ExecutorEnd_hook = executor_end;
}
