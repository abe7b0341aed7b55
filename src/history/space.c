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

/* False where deleted rows are left that somebody may see still. */
static bool
look_at_page(Relation table, BlockNumber number, BufferAccessStrategy strategy)
{
	Buffer		buffer = ReadBufferExtended(table, MAIN_FORKNUM, number, RBM_NORMAL, strategy);
	Page		page = BufferGetPage(buffer);
	Size		space;
	bool		is_clear;

	CHECK_FOR_INTERRUPTS();
	heap_page_prune_opt(table, buffer);
	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	space = PageGetHeapFreeSpace(page);
	is_clear = !TransactionIdIsValid(((PageHeader) page)->pd_prune_xid);
	UnlockReleaseBuffer(buffer);
	RecordPageWithFreeSpace(table, number, space);
	return is_clear;
}

void
find_space(Oid relation)
{
	Relation	table = table_open(relation, RowExclusiveLock);
	BlockNumber npages = RelationGetNumberOfBlocks(table);
	BufferAccessStrategy strategy = GetAccessStrategy(BAS_BULKREAD);

	for (BlockNumber page = 0; page < npages; page++)
		(void) look_at_page(table, page, strategy);
	FreeSpaceMapVacuum(table);
	FreeAccessStrategy(strategy);
	table_close(table, NoLock);
}

uint64
find_space_in(Oid relation, BlockNumber *pages, uint64 n)
{
	Relation	table = table_open(relation, RowExclusiveLock);
	BlockNumber npages = RelationGetNumberOfBlocks(table);
	uint64		kept = 0;

	for (uint64 i = 0; i < n; i++)
		if (pages[i] < npages && !look_at_page(table, pages[i], NULL))
			pages[kept++] = pages[i];
	if (n > kept)
		FreeSpaceMapVacuum(table);
	table_close(table, NoLock);
	return kept;
}

BlockNumber *
loose_pages(Oid relation, uint64 *n)
{
	Relation	table = table_open(relation, AccessShareLock);
	BlockNumber npages = RelationGetNumberOfBlocks(table);
	BlockNumber *pages = palloc_extended(sizeof(BlockNumber) * ((Size) npages + 1), MCXT_ALLOC_HUGE);

	*n = 0;
	for (BlockNumber number = 0; number < npages; number++)
	{
		Buffer		buffer = ReadBuffer(table, number);

		CHECK_FOR_INTERRUPTS();
		LockBuffer(buffer, BUFFER_LOCK_SHARE);
		if (TransactionIdIsValid(((PageHeader) BufferGetPage(buffer))->pd_prune_xid))
			pages[(*n)++] = number;
		UnlockReleaseBuffer(buffer);
	}
	table_close(table, NoLock);
	return pages;
}
