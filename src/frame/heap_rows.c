/*
 * heap_rows.c
 *		Fetching rows while the next ones are on their way from memory.
 *
 * NOTES
 *		Rows that are wanted stand far from each other: what takes time is waiting
 *		for memory, four times a row, when the server is asked for one after the
 *		other: for the shared table that tells which buffer has the page, for the
 *		buffer's header, for the page and for the row.  The first is remembered,
 *		where anybody asks again and again, and the others of some rows ahead are
 *		asked for early.
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

/*
 * So many rows at a time are approached, in four steps.  One by one, each would wait for where its page
 * is mapped to be found out; together, they wait for that once.
 */
#define AT_ONCE			8
#define ROW_AHEAD		AT_ONCE
#define PAGE_AHEAD		(2 * AT_ONCE)
#define BUFFER_AHEAD	(3 * AT_ONCE)

StaticAssertDecl(BUFFER_AHEAD + AT_ONCE < ROWS_AHEAD, "rows ahead would be forgotten");

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
	if (pages != NULL)
		make_room(pages, npages);
	return (HeapRows) {.table = table,.npages = npages,.pages = pages,.tids = tids,.n = n};
}

/* ----------------------------------------------------------------
 * Rows that are wanted soon
 * ----------------------------------------------------------------
 */

static inline Buffer *
buffer_of(HeapRows *rows, uint64 i)
{
	return &rows->ahead[i % ROWS_AHEAD];
}

/*
 * Where the page was that a row is on, if anybody remembers.  The server tells it otherwise, or
 * begins to read the page if it has it nowhere.
 */
static Buffer
find_page(HeapRows *rows, uint64 i)
{
	BlockNumber page = ItemPointerGetBlockNumber(&rows->tids[i]);

	if (page >= rows->npages)
		return InvalidBuffer;
	if (rows->pages != NULL && BufferIsValid(rows->pages->buffer[page]))
		return rows->pages->buffer[page];
	if (i > 0 && page == ItemPointerGetBlockNumber(&rows->tids[i - 1]))
		return *buffer_of(rows, i - 1);
	return PrefetchBuffer(rows->table, MAIN_FORKNUM, page).recent_buffer;
}

/* The page may be that of the row. */
static inline bool
is_found(HeapRows *rows, uint64 i, Page *page, OffsetNumber *line)
{
	if (i >= rows->found || *buffer_of(rows, i) <= 0)
		return false;
	*page = BufferGetPage(*buffer_of(rows, i));
	*line = ItemPointerGetOffsetNumber(&rows->tids[i]);
	return true;
}

/*
 * Nothing here is locked, or known to be the page that it is taken for: nothing comes of it but that
 * memory is fetched.  A compiler may take that for nothing at all, and drop calls of a function that does no more.
 */
static pg_attribute_always_inline void
approach_rows(HeapRows *rows, uint64 i)
{
	Page		page;
	OffsetNumber line;

	for (; rows->found < rows->n && rows->found < i + BUFFER_AHEAD + AT_ONCE; rows->found++)
	{
		Buffer		buffer = *buffer_of(rows, rows->found) = find_page(rows, rows->found);

		if (buffer > 0)
			__builtin_prefetch(GetBufferDescriptor(buffer - 1), 1);
	}
	for (uint64 j = i == 0 ? 0 : i + PAGE_AHEAD; j < i + PAGE_AHEAD + AT_ONCE; j++)
		if (is_found(rows, j, &page, &line))
		{
			__builtin_prefetch(page);
			__builtin_prefetch(PageGetItemId(page, line));
		}
	for (uint64 j = i == 0 ? 0 : i + ROW_AHEAD; j < i + ROW_AHEAD + AT_ONCE; j++)
		if (is_found(rows, j, &page, &line))
			__builtin_prefetch(page + ItemIdGetOffset(PageGetItemId(page, line)));
}

/* ----------------------------------------------------------------
 * A row
 * ----------------------------------------------------------------
 */

/*
 * The server does not count what is found without its help as a use of the page, so it is asked
 * every now and then, lest it take pages that are in use for such as nobody needs.
 */
static bool
is_to_be_looked_up(HeapRows *rows)
{
	return rows->pages != NULL && ++rows->pages->found % LOOKED_UP == 0;
}

static Buffer
pin_page(HeapRows *rows, uint64 i)
{
	BlockNumber page = ItemPointerGetBlockNumber(&rows->tids[i]);
	Buffer		buffer = *buffer_of(rows, i);

	/* fetch() takes no row beyond the pages that there were when heap_rows() made room for them. */
	Assert(rows->pages == NULL || page < rows->pages->npages);
	if (is_to_be_looked_up(rows) || !BufferIsValid(buffer) ||
		!ReadRecentBuffer(rows->table->rd_node, MAIN_FORKNUM, page, buffer))
		buffer = ReadBuffer(rows->table, page);
	if (rows->pages != NULL)
		rows->pages->buffer[page] = buffer;
	return buffer;
}

/* The buffer is locked. */
static bool
find_row(HeapRows *rows, Buffer buffer, HeapTuple row)
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

/* The same of what an index tells. */
static bool
follow_row(HeapRows *rows, Buffer buffer, HeapTuple row)
{
	return heap_hot_search_buffer(&row->t_self, rows->table, buffer, GetActiveSnapshot(), row, NULL, true);
}

static pg_attribute_always_inline bool
fetch(HeapRows *rows, uint64 i, TupleTableSlot *slot, bool (*find) (HeapRows *rows, Buffer buffer, HeapTuple row))
{
	HeapTuple	row = &((BufferHeapTupleTableSlot *) slot)->base.tupdata;
	Buffer		buffer;
	bool		found;

	if (i % AT_ONCE == 0)
		approach_rows(rows, i);
	if (ItemPointerGetBlockNumber(&rows->tids[i]) >= rows->npages)
		return false;
	ExecClearTuple(slot);
	row->t_self = rows->tids[i];
	buffer = pin_page(rows, i);
	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	found = find(rows, buffer, row);
	LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
	if (found)
		ExecStorePinnedBufferHeapTuple(row, slot, buffer);
	else
		ReleaseBuffer(buffer);
	return found;
}

bool
heap_row_fetch(HeapRows *rows, uint64 i, TupleTableSlot *slot)
{
	return fetch(rows, i, slot, find_row);
}

bool
heap_row_follow(HeapRows *rows, uint64 i, TupleTableSlot *slot)
{
	return fetch(rows, i, slot, follow_row);
}
