/*
 * writer.c
 *		Bulk insertion, as COPY does it.
 */
#include "history/writer.h"

#include "access/heapam.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/rel.h"

#define BATCH 200				/* some pages full: more only costs slots */

struct RowWriter
{
	Relation	table;
	MemoryContext context;		/* slots live as long as the writer */
	CommandId	command;
	BulkInsertState bulk;
	int			options;

	/* Rows not yet written */
	TupleTableSlot *slots[BATCH];
	int			nslots;

	/* Who looks on */
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

static void
flush(RowWriter *writer)
{
	table_multi_insert(writer->table, writer->slots, writer->nslots,
					   writer->command, writer->options, writer->bulk);
	for (int i = 0; i < writer->nslots; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (writer->result->ri_NumIndices > 0)
		{
			list_free(ExecInsertIndexTuples(writer->result, writer->slots[i],
											writer->estate, false, false, NULL, NIL));
			ResetPerTupleExprContext(writer->estate);
		}
		if (writer->written != NULL)
			writer->written(writer->what, writer->slots[i]);
		ExecClearTuple(writer->slots[i]);
	}
	writer->nslots = 0;
}

void
writer_add(RowWriter *writer, const Datum *values, const bool *nulls)
{
	TupleTableSlot *slot = writer->slots[writer->nslots];
	int			natts = RelationGetNumberOfAttributes(writer->table);

	if (slot == NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(writer->context);

		slot = writer->slots[writer->nslots] = table_slot_create(writer->table, NULL);
		MemoryContextSwitchTo(old);
	}
	memcpy(slot->tts_values, values, sizeof(Datum) * natts);
	memcpy(slot->tts_isnull, nulls, sizeof(bool) * natts);
	ExecStoreVirtualTuple(slot);
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
