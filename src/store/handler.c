/*
 * handler.c
 *		CREATE ACCESS METHOD pprepub TYPE TABLE: its callbacks for one row, and what it refuses.
 */
#include "postgres.h"

#include "store/handler.h"

#include "fmgr.h"
#include "store/plan.h"
#include "store/store.h"
#include "utils/guc.h"

/* ----------------------------------------------------------------
 * Refused
 * ----------------------------------------------------------------
 */

static const struct
{
	int			sqlerrcode;
	const char *message;		/* %s: the table */
	const char *detail;			/* or NULL */
	const char *hint;
}			refusals[] = {

	[REFUSE_UPDATE] = {
		ERRCODE_FEATURE_NOT_SUPPORTED, "rows of table \"%s\" cannot be updated",
		"Its access method pprepub only appends.",
		"Truncate it, or use ALTER TABLE ... SET ACCESS METHOD heap."
	},
	[REFUSE_DELETE] = {
		ERRCODE_FEATURE_NOT_SUPPORTED, "rows of table \"%s\" cannot be deleted",
		"Its access method pprepub only appends.",
		"Truncate it, or use ALTER TABLE ... SET ACCESS METHOD heap."
	},
	[REFUSE_LOCK] = {
		ERRCODE_FEATURE_NOT_SUPPORTED, "rows of table \"%s\" cannot be locked FOR UPDATE or FOR NO KEY UPDATE",
		"Its access method pprepub only appends.",
		"FOR SHARE and FOR KEY SHARE are possible."
	},
	[REFUSE_CONFLICT] = {
		ERRCODE_FEATURE_NOT_SUPPORTED, "INSERT ... ON CONFLICT is not possible for table \"%s\"",
		"Its access method pprepub only appends.",
		"Leave out the rows that conflict, or use ALTER TABLE ... SET ACCESS METHOD heap."
	},
	[REFUSE_CLUSTER] = {
		ERRCODE_FEATURE_NOT_SUPPORTED, "table \"%s\" cannot be clustered",
		"Rows of the access method pprepub keep the order in which they were inserted.",
		"Insert them, ordered, into a new table."
	},
	[REFUSE_BRIN] = {
		ERRCODE_FEATURE_NOT_SUPPORTED, "table \"%s\" cannot have a brin index",
		"The access method pprepub keeps the least and the greatest values of each group of rows by itself.",
		"Leave the index out, or use btree."
	},
	[REFUSE_BITMAP] = {
		ERRCODE_FEATURE_NOT_SUPPORTED, "table \"%s\" has become too big for a bitmap scan",
		NULL,
		"Run the query again: it will be planned without one."
	},
	[REFUSE_PARALLEL] = {
		ERRCODE_FEATURE_NOT_SUPPORTED, "parallel workers cannot read rows that are being inserted into table \"%s\"",
		"The statement that inserts them runs this one.",
		"Set max_parallel_workers_per_gather to 0."
	},
	[REFUSE_SYSTEM_COLUMN] = {
		ERRCODE_FEATURE_NOT_SUPPORTED, "rows of table \"%s\" have no system columns but ctid and tableoid",
		"Its access method is pprepub.",
		"Rows of such tables never change, so none has a version: name the columns that you want, or read a view of the table."
	},
	[REFUSE_MOVE_PENDING] = {
		ERRCODE_OBJECT_IN_USE, "table \"%s\" cannot be moved while rows are being inserted into it",
		NULL,
		"Move it when the statement that inserts them has ended."
	},
};

void
refuse(Relation rel, Refusal what)
{
	ereport(ERROR, (errcode(refusals[what].sqlerrcode),
					errmsg(refusals[what].message, RelationGetRelationName(rel)),
					refusals[what].detail ? errdetail("%s", refusals[what].detail) : 0,
					errhint("%s", refusals[what].hint)));
}

/* ----------------------------------------------------------------
 * Slots
 * ----------------------------------------------------------------
 */

/* ANALYZE puts what it drew in order by the places of its copies; those of a virtual slot have none. */
static HeapTuple
copy_with_place(TupleTableSlot *slot)
{
	HeapTuple	copy = TTSOpsVirtual.copy_heap_tuple(slot);

	copy->t_self = slot->tts_tid;
	return copy;
}

/* Virtual slots, but copies of their rows know where these stand. */
static const TupleTableSlotOps *
slot_callbacks(Relation rel)
{
	static TupleTableSlotOps ops;	/* made when first asked for: of what the server says of virtual ones */

	if (ops.copy_heap_tuple == NULL)
	{
		ops = TTSOpsVirtual;
		ops.copy_heap_tuple = copy_with_place;
	}
	return &ops;
}

/* ----------------------------------------------------------------
 * Through an index
 * ----------------------------------------------------------------
 */

/* A fetcher begins with what PostgreSQL wants to see of it. */
static struct IndexFetchTableData *
index_fetch_begin(Relation rel since_19(uint32 flags))
{
	return (struct IndexFetchTableData *) begin_fetcher(rel);
}

/* Relations stay open for the next scan. */
static void
index_fetch_reset(struct IndexFetchTableData *data)
{
}

static void
index_fetch_end(struct IndexFetchTableData *data)
{
	end_fetcher((Fetcher *) data);
}

/* No entry is marked as dead: one snapshot does not show that the row is dead to all others. */
static bool
index_fetch_tuple(struct IndexFetchTableData *data, ItemPointer tid, Snapshot snapshot,
				  TupleTableSlot *slot, bool *call_again, bool *all_dead)
{
	uint64		row;

	*call_again = false;
	if (all_dead)
		*all_dead = false;
	return row_of_tid(tid, &row) && fetch_row((Fetcher *) data, row, snapshot, slot);
}

/* Of entries that an index only hopes are dead, none is. */
static TransactionId
index_delete_tuples(Relation rel, TM_IndexDeleteOp *delstate)
{
	if (delstate->bottomup)
		delstate->ndeltids = 0;
	return InvalidTransactionId;
}

/* ----------------------------------------------------------------
 * By TID
 * ----------------------------------------------------------------
 */

/* Fetches a row by its TID. */
static bool
tuple_fetch_row_version(Relation rel, ItemPointer tid, Snapshot snapshot, TupleTableSlot *slot)
{
	Fetcher    *fetcher;
	uint64		row;
	bool		found;

	if (!row_of_tid(tid, &row))
		return false;
	fetcher = begin_fetcher(rel);
	found = fetch_row(fetcher, row, snapshot, slot);
	end_fetcher(fetcher);
	return found;
}

/* A row has only one version. */
static void
tuple_get_latest_tid(TableScanDesc scan, ItemPointer tid)
{
}

static bool
tuple_satisfies_snapshot(Relation rel, TupleTableSlot *slot, Snapshot snapshot)
{
	TupleTableSlot *other = table_slot_create(rel, NULL);
	bool		found = tuple_fetch_row_version(rel, &slot->tts_tid, snapshot, other);

	ExecDropSingleTupleTableSlot(other);
	return found;
}

/*
 * Rows are never changed or deleted, so a lock that only keeps others from
 * doing so is granted at once.
 */
static TM_Result
tuple_lock(Relation rel, ItemPointer tid, Snapshot snapshot, TupleTableSlot *slot,
		   CommandId cid, LockTupleMode mode, LockWaitPolicy wait_policy, uint8 flags,
		   TM_FailureData *tmfd)
{
	if (mode != LockTupleKeyShare && mode != LockTupleShare)
		refuse(rel, REFUSE_LOCK);
	tmfd->traversed = false;
	return tuple_fetch_row_version(rel, tid, snapshot, slot) ? TM_Ok : TM_Invisible;
}

/* ----------------------------------------------------------------
 * Inserting
 * ----------------------------------------------------------------
 */

static void
tuple_insert(Relation rel, TupleTableSlot *slot, CommandId cid, TableOptions options,
			 struct BulkInsertStateData *bistate)
{
	add_pending(rel, slot, cid, options, bistate != NULL);
}

static void
multi_insert(Relation rel, TupleTableSlot **slots, int nslots, CommandId cid, TableOptions options,
			 struct BulkInsertStateData *bistate)
{
	for (int i = 0; i < nslots; i++)
		add_pending(rel, slots[i], cid, options, nslots > 1);
}

static void
finish_bulk_insert(Relation rel, TableOptions options)
{
	seal_pending(rel);
}

/* ----------------------------------------------------------------
 * Refused callbacks
 * ----------------------------------------------------------------
 */

static void
tuple_insert_speculative(Relation rel, TupleTableSlot *slot, CommandId cid, TableOptions options,
						 struct BulkInsertStateData *bistate, uint32 token)
{
	refuse(rel, REFUSE_CONFLICT);
}

static void
tuple_complete_speculative(Relation rel, TupleTableSlot *slot, uint32 token, bool succeeded)
{
	refuse(rel, REFUSE_CONFLICT);
}

static TM_Result
tuple_delete(Relation rel, ItemPointer tid, CommandId cid since_19(TableOptions options), Snapshot snapshot,
			 Snapshot crosscheck, bool wait, TM_FailureData *tmfd until_18(bool changing_part))
{
	refuse(rel, REFUSE_DELETE);
}

static TM_Result
tuple_update(Relation rel, ItemPointer otid, TupleTableSlot *slot, CommandId cid since_19(TableOptions options),
			 Snapshot snapshot, Snapshot crosscheck, bool wait, TM_FailureData *tmfd,
			 LockTupleMode *lockmode, TU_UpdateIndexes *update_indexes)
{
	refuse(rel, REFUSE_UPDATE);
}

/* ----------------------------------------------------------------
 * The handler
 * ----------------------------------------------------------------
 */

static TableAmRoutine methods = {
	.type = T_TableAmRoutine,

	.slot_callbacks = slot_callbacks,

	.index_fetch_begin = index_fetch_begin,
	.index_fetch_reset = index_fetch_reset,
	.index_fetch_end = index_fetch_end,
	.index_fetch_tuple = index_fetch_tuple,

	.tuple_fetch_row_version = tuple_fetch_row_version,
	.tuple_get_latest_tid = tuple_get_latest_tid,
	.tuple_satisfies_snapshot = tuple_satisfies_snapshot,
	.index_delete_tuples = index_delete_tuples,

	.tuple_insert = tuple_insert,
	.tuple_insert_speculative = tuple_insert_speculative,
	.tuple_complete_speculative = tuple_complete_speculative,
	.multi_insert = multi_insert,
	.tuple_delete = tuple_delete,
	.tuple_update = tuple_update,
	.tuple_lock = tuple_lock,
	.finish_bulk_insert = finish_bulk_insert,
};

bool
is_stored(Relation rel)
{
	return rel->rd_tableam == &methods;
}

PG_FUNCTION_INFO_V1(pprepub_handler);

Datum
pprepub_handler(PG_FUNCTION_ARGS)
{
	PG_RETURN_POINTER(&methods);
}

void
start_store(void)
{
	DefineCustomIntVariable("pprepub.store_memory",
							"Sets how much memory unwritten rows of tables of access method pprepub may take.",
							NULL, &store_memory, 32 * 1024, 1024, MAX_KILOBYTES,
							PGC_USERSET, GUC_UNIT_KB, NULL, NULL, NULL);
	add_scan_callbacks(&methods);
	add_file_callbacks(&methods);
	start_pending();
	start_planning();
	start_aggregates();
}
