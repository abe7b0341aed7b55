/*
 * reader.c
 *		Sequential scans, and rows by where they stand.
 */
#include "history/reader.h"

#include "access/table.h"
#include "access/tableam.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

struct RowReader
{
	Relation	table;
	TableScanDesc scan;
	TupleTableSlot *slot;
};

RowReader *
reader_open(Oid table)
{
	RowReader  *reader = palloc(sizeof(RowReader));

	reader->table = table_open(table, AccessShareLock);
	reader->slot = table_slot_create(reader->table, NULL);
	/* A scan that is not synchronized with others returns rows in the same order each time. */
	reader->scan = table_beginscan_strat(reader->table, GetActiveSnapshot(), 0, NULL, true, false);
	return reader;
}

TupleDesc
reader_columns(const RowReader *reader)
{
	return RelationGetDescr(reader->table);
}

TupleTableSlot *
reader_next(RowReader *reader)
{
	CHECK_FOR_INTERRUPTS();
	if (!table_scan_getnextslot(reader->scan, ForwardScanDirection, reader->slot))
		return NULL;
	slot_getallattrs(reader->slot);
	return reader->slot;
}

bool
row_has_values(const TupleTableSlot *slot, int ncolumns, const int *columns, int n)
{
	if (slot->tts_tupleDescriptor->natts < ncolumns)
		return false;
	for (int i = 0; i < n; i++)
		if (slot->tts_isnull[columns[i]])
			return false;
	return true;
}

void
reader_close(RowReader *reader)
{
	table_endscan(reader->scan);
	ExecDropSingleTupleTableSlot(reader->slot);
	table_close(reader->table, AccessShareLock);
	pfree(reader);
}

void
read_each(Oid table, void (*visit) (void *what, TupleTableSlot *slot), void *what)
{
	RowReader  *reader = reader_open(table);
	MemoryContext row = AllocSetContextCreate(CurrentMemoryContext, "row", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(row);
	TupleTableSlot *slot;

	while ((slot = reader_next(reader)) != NULL)
	{
		visit(what, slot);
		MemoryContextReset(row);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(row);
	reader_close(reader);
}

/* Fetches a row by its tid; false if it is not there, even where the table has become shorter. */
static bool
fetch_row(TableScanDesc scan, ItemPointerData tid, TupleTableSlot *slot)
{
	if (!table_tuple_tid_valid(scan, &tid) ||
		!table_tuple_fetch_row_version(scan->rs_rd, &tid, scan->rs_snapshot, slot))
		return false;
	slot_getallattrs(slot);
	return true;
}

bool
read_some(Oid relation, const ItemPointerData *tids, uint32 n,
		  bool (*visit) (void *what, TupleTableSlot *slot), void *what)
{
	Relation	table = table_open(relation, AccessShareLock);
	TableScanDesc scan = table_beginscan_tid(table, GetActiveSnapshot());
	TupleTableSlot *slot = table_slot_create(table, NULL);
	MemoryContext row = AllocSetContextCreate(CurrentMemoryContext, "row", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(row);
	bool		found = true;

	for (uint32 i = 0; i < n && found; i++)
	{
		CHECK_FOR_INTERRUPTS();
		found = fetch_row(scan, tids[i], slot) && visit(what, slot);
		MemoryContextReset(row);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(row);
	ExecDropSingleTupleTableSlot(slot);
	table_endscan(scan);
	table_close(table, AccessShareLock);
	return found;
}
