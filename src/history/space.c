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
#include "storage/procarray.h"
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

void
note_loose(LoosePages *loose, BlockNumber page, TransactionId by)
{
	if (page >= loose->npages)
	{
		BlockNumber npages = Max(1024, page + page / 4 + 1);
		Size		size = sizeof(TransactionId) * npages;

		loose->since = loose->since == NULL ?
			MemoryContextAllocHuge(loose->context, size) : repalloc_huge(loose->since, size);
		memset(loose->since + loose->npages, 0, size - sizeof(TransactionId) * loose->npages);
		loose->npages = npages;
	}
	if (!TransactionIdIsValid(loose->since[page]))
		loose->since[page] = by;
}

/* Returns who deleted the first of the rows that somebody may still see, if there are any. */
static TransactionId
look_at_page(Relation table, BlockNumber number)
{
	Buffer		buffer = ReadBuffer(table, number);
	Page		page = BufferGetPage(buffer);
	TransactionId since;
	Size		space;

	CHECK_FOR_INTERRUPTS();
	heap_page_prune_opt(table, buffer);
	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	space = PageGetHeapFreeSpace(page);
	since = ((PageHeader) page)->pd_prune_xid;
	UnlockReleaseBuffer(buffer);
	RecordPageWithFreeSpace(table, number, space);
	return since;
}

/* How long the table is, is asked once, and not by Min(): somebody may extend it beyond what is noted between two answers. */
void
find_space(Oid relation, LoosePages *loose)
{
	Relation	table = table_open(relation, RowExclusiveLock);
	BlockNumber blocks = RelationGetNumberOfBlocks(table);
	BlockNumber npages = Min(loose->npages, blocks);
	bool		found = false;

	for (BlockNumber page = 0; page < npages; page++)
	{
		if (!TransactionIdIsValid(loose->since[page]) || !GlobalVisCheckRemovableXid(table, loose->since[page]))
			continue;
		loose->since[page] = look_at_page(table, page);
		found |= !TransactionIdIsValid(loose->since[page]);
	}
	if (found)
		FreeSpaceMapVacuum(table);
	table_close(table, NoLock);
}
