/*
 * heap_reader.c
 *		Rows as they stand in their pages.
 *
 * NOTES
 *		Most rows hardly cost more than the time that memory takes: so the next
 *		page is on its way while one is looked at.
 */
#include "history/heap_reader.h"

#include "access/heapam.h"
#include "access/table.h"
#include "access/xact.h"
#include "frame/heap_rows.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "storage/predicate.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

typedef struct HeapReader
{
	HeapScanDesc scan;			/* says how much there is to read, and by which buffers; reads nothing itself */
	TupleTableSlot *slot;
	MemoryContext row;			/* what a visit takes */
	bool		(*take) (void *what, HeapTupleHeader row, const ItemPointerData *tid);
	void		(*visit) (void *what, TupleTableSlot *slot);
	void	   *what;
	LoosePages *loose;
	TransactionId writer;		/* whose rows the snapshot shows, but for those that were deleted */
	Buffer		next;			/* holds the page to be looked at next, if there is one */
	int			nrows;			/* of the page at hand, that the snapshot shows */
	OffsetNumber row_at[MaxHeapTuplesPerPage];
} HeapReader;

static HeapTupleData
row_on_page(const HeapReader *reader, Buffer buffer, BlockNumber number, OffsetNumber offset)
{
	Page		page = BufferGetPage(buffer);
	ItemId		item = PageGetItemId(page, offset);
	HeapTupleData row = {
		.t_len = ItemIdGetLength(item),
		.t_tableOid = RelationGetRelid(reader->scan->rs_base.rs_rd),
		.t_data = (HeapTupleHeader) PageGetItem(page, item),
	};

	ItemPointerSet(&row.t_self, number, offset);
	return row;
}

/* Is it known who wrote the row, and that nobody has deleted it? */
static bool
is_settled(HeapTupleHeader row)
{
	const uint16 states = HEAP_XMIN_COMMITTED | HEAP_XMIN_INVALID | HEAP_XMAX_INVALID;

	return (row->t_infomask & states) == (HEAP_XMIN_COMMITTED | HEAP_XMAX_INVALID);
}

/* Most rows were written by whoever wrote the row before, and is asked after once. */
static bool
is_seen(HeapReader *reader, Buffer buffer, BlockNumber number, OffsetNumber offset, bool all_are)
{
	Snapshot	snapshot = reader->scan->rs_base.rs_snapshot;
	HeapTupleData row = row_on_page(reader, buffer, number, offset);
	TransactionId writer = is_settled(row.t_data) ? HeapTupleHeaderGetRawXmin(row.t_data) : InvalidTransactionId;
	bool		is_known = all_are || (TransactionIdIsValid(writer) && writer == reader->writer);
	bool		seen = is_known || HeapTupleSatisfiesVisibility(&row, snapshot, buffer);

	Assert(seen == HeapTupleSatisfiesVisibility(&row, snapshot, buffer));
	if (seen)
		reader->writer = writer;
	HeapCheckForSerializableConflictOut(seen, reader->scan->rs_base.rs_rd, &row, buffer, snapshot);
	return seen;
}

/* Finds out which rows of a page, whose buffer is pinned, the snapshot shows: all at once, under one lock. */
static void
find_rows(HeapReader *reader, Buffer buffer, BlockNumber number)
{
	Relation	table = reader->scan->rs_base.rs_rd;
	Snapshot	snapshot = reader->scan->rs_base.rs_snapshot;
	Page		page = BufferGetPage(buffer);
	bool		all_are;
	bool		is_obvious;		/* and nobody is to be told */

	heap_page_prune_opt(table, buffer);
	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	TestForOldSnapshot(snapshot, table, page);
	all_are = PageIsAllVisible(page) && !snapshot->takenDuringRecovery;
	is_obvious = all_are && !IsolationIsSerializable();
	reader->nrows = 0;
	for (OffsetNumber offset = FirstOffsetNumber; offset <= PageGetMaxOffsetNumber(page); offset++)
		if (ItemIdIsNormal(PageGetItemId(page, offset)) &&
			(is_obvious || is_seen(reader, buffer, number, offset, all_are)))
			reader->row_at[reader->nrows++] = offset;
	LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
}

static bool
row_is_taken(const HeapReader *reader, Page page, BlockNumber number, OffsetNumber offset)
{
	ItemPointerData tid;

	ItemPointerSet(&tid, number, offset);
	return reader->take != NULL &&
		reader->take(reader->what, (HeapTupleHeader) PageGetItem(page, PageGetItemId(page, offset)), &tid);
}

static void
visit_row(HeapReader *reader, Buffer buffer, BlockNumber number, OffsetNumber offset)
{
	HeapTupleData row = row_on_page(reader, buffer, number, offset);

	ExecStoreBufferHeapTuple(&row, reader->slot, buffer);
	slot_getallattrs(reader->slot);
	reader->visit(reader->what, reader->slot);
	ExecClearTuple(reader->slot);	/* the row does not outlive the call */
	MemoryContextReset(reader->row);
}

/* What is read here without a lock are hints: the page is pinned, and others may be changing it. */
static void
approach_page(HeapReader *reader, BlockNumber number)
{
	HeapScanDesc scan = reader->scan;
	Page		page;
	TransactionId deleted_by;

	if (number >= scan->rs_nblocks)
		return;
	reader->next = ReadBufferExtended(scan->rs_base.rs_rd, MAIN_FORKNUM, number, RBM_NORMAL, scan->rs_strategy);
	page = BufferGetPage(reader->next);
	deleted_by = ((PageHeader) page)->pd_prune_xid;
	if (TransactionIdIsValid(deleted_by))
		note_loose(reader->loose, number, deleted_by);
	for (OffsetNumber offset = FirstOffsetNumber; offset <= PageGetMaxOffsetNumber(page); offset++)
	{
		const char *row = page + ItemIdGetOffset(PageGetItemId(page, offset));

		__builtin_prefetch(row);
		__builtin_prefetch(row + PG_CACHE_LINE_SIZE / 2);
	}
}

static void
look_at_page(HeapReader *reader, BlockNumber number)
{
	Buffer		buffer = reader->next;

	find_rows(reader, buffer, number);
	approach_page(reader, number + 1);
	for (int i = 0; i < reader->nrows; i++)
		if (!row_is_taken(reader, BufferGetPage(buffer), number, reader->row_at[i]))
			visit_row(reader, buffer, number, reader->row_at[i]);
	ReleaseBuffer(buffer);
	MemoryContextReset(reader->row);	/* of rows that were taken */
}

static Relation
open_heap(Oid relation)
{
	Relation	table = table_open(relation, AccessShareLock);

	verify_heap(table);
	return table;
}

void
read_heap(Oid relation, bool (*take) (void *what, HeapTupleHeader row, const ItemPointerData *tid),
		  void (*visit) (void *what, TupleTableSlot *slot), void *what, LoosePages *loose)
{
	Relation	table = open_heap(relation);
	HeapReader	reader = {
		.scan = (HeapScanDesc) table_beginscan(table, GetActiveSnapshot(), 0, NULL),
		.slot = table_slot_create(table, NULL),
		.row = AllocSetContextCreate(CurrentMemoryContext, "row", ALLOCSET_DEFAULT_SIZES),
		.take = take,.visit = visit,.what = what,.loose = loose,
	};
	MemoryContext old = MemoryContextSwitchTo(reader.row);

	approach_page(&reader, 0);
	for (BlockNumber page = 0; page < reader.scan->rs_nblocks; page++)
	{
		CHECK_FOR_INTERRUPTS();
		look_at_page(&reader, page);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(reader.row);
	ExecDropSingleTupleTableSlot(reader.slot);
	table_endscan(&reader.scan->rs_base);
	table_close(table, NoLock);
}
