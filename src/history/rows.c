/*
 * rows.c
 *		Sequential scans, rows by an index, and bulk insertion as COPY does it.
 *
 * NOTES
 *		A heap is given many rows at once, which are copied into slots until
 *		then.  Other access methods are given each row directly, without a copy.
 */
#include "history/rows.h"

#include "access/genam.h"
#include "access/heapam.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "catalog/pg_am.h"
#include "compat.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

/* ----------------------------------------------------------------
 * Reading
 * ----------------------------------------------------------------
 */

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

bool
read_backward(Oid table, bool (*visit) (void *what, TupleTableSlot *slot), void *what)
{
	RowReader  *reader = reader_open(table);
	MemoryContext row = AllocSetContextCreate(CurrentMemoryContext, "row", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(row);
	bool		go_on = true;

	while (go_on && table_scan_getnextslot(reader->scan, BackwardScanDirection, reader->slot))
	{
		CHECK_FOR_INTERRUPTS();
		slot_getallattrs(reader->slot);
		go_on = visit(what, reader->slot);
		MemoryContextReset(row);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(row);
	reader_close(reader);
	return go_on;
}

/* ----------------------------------------------------------------
 * Reading by an index
 * ----------------------------------------------------------------
 */

struct IndexReader
{
	Relation	table;
	Relation	index;
	IndexScanDesc scan;
	ScanKeyData key;
	TupleTableSlot *slot;
};

/* Opens an index of all rows by this column alone, or returns NULL. */
static Relation
open_index(Relation table, int column)
{
	List	   *indexes = RelationGetIndexList(table);
	ListCell   *cell;

	foreach(cell, indexes)
	{
		Relation	index = index_open(lfirst_oid(cell), AccessShareLock);
		const FormData_pg_index *form = index->rd_index;

		if (form->indisvalid && form->indnatts == 1 && form->indkey.values[0] == column + 1 &&
			RelationGetIndexPredicate(index) == NIL &&
			(index->rd_rel->relam == BTREE_AM_OID || index->rd_rel->relam == HASH_AM_OID))
			return index;
		index_close(index, AccessShareLock);
	}
	return NULL;
}

IndexReader *
index_reader_open(Oid relation, int column)
{
	IndexReader *reader = palloc0(sizeof(IndexReader));
	StrategyNumber equal;
	Oid			type;

	reader->table = table_open(relation, AccessShareLock);
	reader->index = open_index(reader->table, column);
	if (reader->index == NULL)
	{
		table_close(reader->table, AccessShareLock);
		return NULL;
	}
	equal = reader->index->rd_rel->relam == BTREE_AM_OID ? BTEqualStrategyNumber : HTEqualStrategyNumber;
	type = reader->index->rd_opcintype[0];
	ScanKeyEntryInitialize(&reader->key, 0, 1, equal, type, reader->index->rd_indcollation[0],
						   get_opcode(get_opfamily_member(reader->index->rd_opfamily[0], type, type, equal)), (Datum) 0);
	reader->slot = table_slot_create(reader->table, NULL);
	reader->scan = begin_index_scan(reader->table, reader->index, GetActiveSnapshot(), 1);
	return reader;
}

void
index_reader_find(IndexReader *reader, Datum value)
{
	CHECK_FOR_INTERRUPTS();
	reader->key.sk_argument = value;
	index_rescan(reader->scan, &reader->key, 1, NULL, 0);
}

TupleTableSlot *
index_reader_next(IndexReader *reader)
{
	if (!index_getnext_slot(reader->scan, ForwardScanDirection, reader->slot))
		return NULL;
	slot_getallattrs(reader->slot);
	return reader->slot;
}

void
index_reader_close(IndexReader *reader)
{
	index_endscan(reader->scan);
	ExecDropSingleTupleTableSlot(reader->slot);
	index_close(reader->index, AccessShareLock);
	table_close(reader->table, AccessShareLock);
	pfree(reader);
}

/* ----------------------------------------------------------------
 * Writing
 * ----------------------------------------------------------------
 */

#define BATCH 200				/* rows for some pages; larger batches only cost slots */

struct RowWriter
{
	Relation	table;
	MemoryContext context;		/* slots live as long as the writer */
	CommandId	command;
	BulkInsertState bulk;
	int			options;
	bool		one_by_one;		/* insert each row at once, without a copy */

	/* Rows not yet written */
	TupleTableSlot *slots[BATCH];
	int			nslots;

	/* Indexes */
	EState	   *estate;
	ResultRelInfo *result;
};

RowWriter *
writer_open(Oid table, bool reuse_space)
{
	RowWriter  *writer = palloc0(sizeof(RowWriter));

	writer->table = table_open(table, RowExclusiveLock);
	writer->context = CurrentMemoryContext;
	writer->command = GetCurrentCommandId(true);
	writer->bulk = GetBulkInsertState();
	writer->options = reuse_space ? 0 : TABLE_INSERT_SKIP_FSM;
	writer->one_by_one = writer->table->rd_tableam != GetHeapamTableAmRoutine();
	writer->estate = CreateExecutorState();
	writer->result = makeNode(ResultRelInfo);
	InitResultRelInfo(writer->result, writer->table, 1, NULL, 0);
	ExecOpenIndices(writer->result, false);
	return writer;
}

/* Inserts the index entries of a row that is in the table. */
static void
follow_up(RowWriter *writer, TupleTableSlot *slot)
{
	CHECK_FOR_INTERRUPTS();
	if (writer->result->ri_NumIndices > 0)
	{
		list_free(insert_index_entries(writer->result, writer->estate, slot));
		ResetPerTupleExprContext(writer->estate);
	}
	ExecClearTuple(slot);
}

static void
flush(RowWriter *writer)
{
	table_multi_insert(writer->table, writer->slots, writer->nslots,
					   writer->command, writer->options, writer->bulk);
	for (int i = 0; i < writer->nslots; i++)
		follow_up(writer, writer->slots[i]);
	writer->nslots = 0;
}

void
writer_add(RowWriter *writer, const Datum *values, const bool *nulls)
{
	TupleTableSlot *slot = writer->slots[writer->nslots];
	int			natts = RelationGetNumberOfAttributes(writer->table);

	if (slot == NULL)			/* slots are made when first needed, and used again for later batches */
	{
		MemoryContext old = MemoryContextSwitchTo(writer->context);

		slot = writer->slots[writer->nslots] = table_slot_create(writer->table, NULL);
		MemoryContextSwitchTo(old);
	}
	memcpy(slot->tts_values, values, sizeof(Datum) * natts);
	memcpy(slot->tts_isnull, nulls, sizeof(bool) * natts);
	ExecStoreVirtualTuple(slot);
	if (writer->one_by_one)
	{
		table_tuple_insert(writer->table, slot, writer->command, writer->options, writer->bulk);
		follow_up(writer, slot);
		return;
	}
	ExecMaterializeSlot(slot);	/* the values need not outlive the call */
	if (++writer->nslots == BATCH)
		flush(writer);
}

void
writer_close(RowWriter *writer)
{
	if (writer->nslots > 0)
		flush(writer);
	for (int i = 0; i < BATCH && writer->slots[i] != NULL; i++)
		ExecDropSingleTupleTableSlot(writer->slots[i]);
	ExecCloseIndices(writer->result);
	FreeExecutorState(writer->estate);
	FreeBulkInsertState(writer->bulk);
	table_finish_bulk_insert(writer->table, writer->options);
	table_close(writer->table, NoLock);
	CommandCounterIncrement();
}

void
delete_rows(Oid relation, const ItemPointerData *tids, uint64 n)
{
	Relation	table = table_open(relation, RowExclusiveLock);

	for (uint64 i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		simple_table_tuple_delete(table, unconstify(ItemPointerData *, &tids[i]), GetActiveSnapshot());
	}
	table_close(table, NoLock);
}
