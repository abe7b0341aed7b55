/*
 * writer.c
 *		Bulk insertion, as COPY does it.
 *
 * NOTES
 *		A heap is given many rows at once, which are copied into slots until
 *		then.  Other access methods are given each row directly, without a copy.
 */
#include "history/writer.h"

#include "access/heapam.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "compat.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

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

	/* Callback for each row written, or NULL */
	void		(*written) (void *what, TupleTableSlot *slot);
	void	   *what;

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

void
writer_watch(RowWriter *writer, void (*written) (void *what, TupleTableSlot *slot), void *what)
{
	writer->written = written;
	writer->what = what;
}

/* Inserts the index entries of a row that is in the table, and calls the callback. */
static void
follow_up(RowWriter *writer, TupleTableSlot *slot)
{
	CHECK_FOR_INTERRUPTS();
	if (writer->result->ri_NumIndices > 0)
	{
		list_free(ExecInsertIndexTuples(writer->result, slot, writer->estate, false, false, NULL, NIL, false));
		ResetPerTupleExprContext(writer->estate);
	}
	if (writer->written != NULL)
		writer->written(writer->what, slot);
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

/* Returns a free slot; slots are made when first needed and reused for later batches. */
static TupleTableSlot *
next_slot(RowWriter *writer)
{
	TupleTableSlot **slot = &writer->slots[writer->nslots];

	if (*slot == NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(writer->context);

		*slot = table_slot_create(writer->table, NULL);
		MemoryContextSwitchTo(old);
	}
	return *slot;
}

void
writer_add(RowWriter *writer, const Datum *values, const bool *nulls)
{
	TupleTableSlot *slot = next_slot(writer);
	int			natts = RelationGetNumberOfAttributes(writer->table);

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
