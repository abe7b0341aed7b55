/*
 * heap_rows.c
 *		Fetching rows while the next ones are on their way from memory.
 *
 * NOTES
 *		Rows that are wanted stand far from each other: what takes time is waiting
 *		for memory, four times a row, when the server is asked for one after the
 *		other: for the shared table that tells which buffer has the page, for the
 *		buffer's header, for the page and for the row.  The first is remembered,
 *		and the others of some rows ahead are asked for early.
 */
#include "frame/heap_rows.h"

#include "access/heapam.h"
#include "access/htup_details.h"
#include "access/tableam.h"
#include "storage/buf_internals.h"
#include "storage/bufmgr.h"
#include "storage/predicate.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

/* So many rows ahead. */
#define BUFFER_AHEAD	24
#define PAGE_AHEAD		16
#define ROW_AHEAD		8

/* One of so many pages is looked up although it is known where it is. */
#define LOOKED_UP		16

static void
make_room(HeapPages *pages, BlockNumber npages)
{
	Size		size = sizeof(Buffer) * npages;

	if (npages <= pages->npages)
		return;
	pages->buffer = pages->buffer == NULL ? MemoryContextAllocExtended(pages->context, size, MCXT_ALLOC_HUGE) :
		repalloc_huge(pages->buffer, size);
	memset(pages->buffer + pages->npages, 0, sizeof(Buffer) * (npages - pages->npages));
	pages->npages = npages;
}

void
verify_heap(Relation table)
{
	if (table->rd_tableam != GetHeapamTableAmRoutine())
		elog(ERROR, "table \"%s\" is not a heap", RelationGetRelationName(table));
}

HeapRows
heap_rows(HeapPages *pages, Relation table, const ItemPointerData *tids, uint64 n)
{
	BlockNumber npages;

	verify_heap(table);
	npages = RelationGetNumberOfBlocks(table);
	make_room(pages, npages);
	return (HeapRows) {.table = table,.npages = npages,.pages = pages,.tids = tids,.n = n};
}

/* ----------------------------------------------------------------
 * Rows that are wanted soon
 * ----------------------------------------------------------------
 */

/* Where the page may be of the row that comes so many later. */
static Buffer
buffer_ahead(const HeapRows *rows, uint64 i, uint64 ahead)
{
	BlockNumber page = i + ahead < rows->n ? ItemPointerGetBlockNumber(&rows->tids[i + ahead]) : InvalidBlockNumber;

	return page < rows->npages ? rows->pages->buffer[page] : InvalidBuffer;
}

/*
 * Nothing here is locked, or known to be the page that it is taken for: nothing comes of it but that
 * memory is fetched.  A compiler may take that for nothing at all, and drop calls of a function that does no more.
 */
static pg_attribute_always_inline void
approach_rows(const HeapRows *rows, uint64 i)
{
	Buffer		buffer = buffer_ahead(rows, i, BUFFER_AHEAD);

	if (buffer > 0)
		__builtin_prefetch(GetBufferDescriptor(buffer - 1), 1);
	buffer = buffer_ahead(rows, i, PAGE_AHEAD);
	if (buffer > 0)
	{
		Page		page = BufferGetPage(buffer);

		__builtin_prefetch(page);
		__builtin_prefetch(PageGetItemId(page, ItemPointerGetOffsetNumber(&rows->tids[i + PAGE_AHEAD])));
	}
	buffer = buffer_ahead(rows, i, ROW_AHEAD);
	if (buffer > 0)
	{
		Page		page = BufferGetPage(buffer);

		__builtin_prefetch(page + ItemIdGetOffset(PageGetItemId(page, ItemPointerGetOffsetNumber(&rows->tids[i + ROW_AHEAD]))));
	}
}

/* ----------------------------------------------------------------
 * A row
 * ----------------------------------------------------------------
 */

/*
 * The server does not count what is found without its help as a use of the page, so it is asked
 * every now and then, lest it take pages that are in use for such as nobody needs.
 */
static Buffer
pin_page(const HeapRows *rows, BlockNumber page)
{
	HeapPages  *pages = rows->pages;
	Buffer	   *buffer = &pages->buffer[page];

	if (!BufferIsValid(*buffer) || ++pages->found % LOOKED_UP == 0 ||
		!ReadRecentBuffer(rows->table->rd_node, MAIN_FORKNUM, page, *buffer))
		*buffer = ReadBuffer(rows->table, page);
	return *buffer;
}

/* The buffer is locked. */
static bool
find_row(const HeapRows *rows, Buffer buffer, HeapTuple row)
{
	Snapshot	snapshot = GetActiveSnapshot();
	Page		page = BufferGetPage(buffer);
	OffsetNumber line = ItemPointerGetOffsetNumber(&row->t_self);
	ItemId		item;
	bool		is_seen;

	TestForOldSnapshot(snapshot, rows->table, page);
	if (line < FirstOffsetNumber || line > PageGetMaxOffsetNumber(page))
		return false;
	item = PageGetItemId(page, line);
	if (!ItemIdIsNormal(item))
		return false;
	row->t_data = (HeapTupleHeader) PageGetItem(page, item);
	row->t_len = ItemIdGetLength(item);
	row->t_tableOid = RelationGetRelid(rows->table);
	is_seen = HeapTupleSatisfiesVisibility(row, snapshot, buffer);
	if (is_seen)
		PredicateLockTID(rows->table, &row->t_self, snapshot, HeapTupleHeaderGetXmin(row->t_data));
	HeapCheckForSerializableConflictOut(is_seen, rows->table, row, buffer, snapshot);
	return is_seen;
}

bool
heap_row_fetch(const HeapRows *rows, uint64 i, TupleTableSlot *slot)
{
	HeapTuple	row = &((BufferHeapTupleTableSlot *) slot)->base.tupdata;
	BlockNumber page = ItemPointerGetBlockNumber(&rows->tids[i]);
	Buffer		buffer;
	bool		found;

	approach_rows(rows, i);
	if (page >= rows->npages)
		return false;
	ExecClearTuple(slot);
	row->t_self = rows->tids[i];
	buffer = pin_page(rows, page);
	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	found = find_row(rows, buffer, row);
	LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
	if (found)
		ExecStorePinnedBufferHeapTuple(row, slot, buffer);
	else
		ReleaseBuffer(buffer);
	return found;
}
