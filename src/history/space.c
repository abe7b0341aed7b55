/*
 * space.c
 *		Pages with room for rows.
 *
 * NOTES
 *		Deleted rows go when their page is pruned, which whoever reads it by an
 *		index or from end to end does in passing, but nobody who fetches single
 *		rows.
 */
#include "history/space.h"

#include "access/heapam.h"
#include "access/table.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "storage/freespace.h"
#include "utils/rel.h"

/* A page that is said to be full is pruned by whoever reads it next; otherwise only one that is nearly so. */
static void
say_full(Relation table, BlockNumber page)
{
	Buffer		buffer = ReadBuffer(table, page);

	LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
	PageSetFull(BufferGetPage(buffer));
	MarkBufferDirtyHint(buffer, true);
	UnlockReleaseBuffer(buffer);
}

void
delete_rows(Oid relation, const ItemPointerData *tids, uint64 n)
{
	Relation	table = table_open(relation, RowExclusiveLock);

	for (uint64 i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		simple_heap_delete(table, unconstify(ItemPointerData *, &tids[i]));
		if (i + 1 == n || ItemPointerGetBlockNumber(&tids[i]) != ItemPointerGetBlockNumber(&tids[i + 1]))
			say_full(table, ItemPointerGetBlockNumber(&tids[i]));
	}
	table_close(table, NoLock);
}

static void
look_at_page(Relation table, BlockNumber page, BufferAccessStrategy strategy)
{
	Buffer		buffer = ReadBufferExtended(table, MAIN_FORKNUM, page, RBM_NORMAL, strategy);
	Size		space;

	CHECK_FOR_INTERRUPTS();
	heap_page_prune_opt(table, buffer);
	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	space = PageGetHeapFreeSpace(BufferGetPage(buffer));
	UnlockReleaseBuffer(buffer);
	RecordPageWithFreeSpace(table, page, space);
}

void
find_space(Oid relation)
{
	Relation	table = table_open(relation, RowExclusiveLock);
	BlockNumber npages = RelationGetNumberOfBlocks(table);
	BufferAccessStrategy strategy = GetAccessStrategy(BAS_BULKREAD);

	for (BlockNumber page = 0; page < npages; page++)
		look_at_page(table, page, strategy);
	FreeSpaceMapVacuum(table);
	FreeAccessStrategy(strategy);
	table_close(table, NoLock);
}

void
find_space_in(Oid relation, const BlockNumber *pages, uint64 n)
{
	Relation	table = table_open(relation, RowExclusiveLock);
	BlockNumber npages = RelationGetNumberOfBlocks(table);

	for (uint64 i = 0; i < n; i++)
		if (pages[i] < npages)
			look_at_page(table, pages[i], NULL);
	if (n > 0)
		FreeSpaceMapVacuum(table);
	table_close(table, NoLock);
}
