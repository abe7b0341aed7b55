/*
 * merge.c
 *		pprepub.compact_storage(): small groups become big ones; rows keep their numbers.
 *
 * The chunks of the groups are deleted and those of one group inserted, by the
 * ordinary heap: every snapshot sees either the ones or the other.
 *
 * NOTES
 *		A merged group spans the numbers of all that it was made of, so no other
 *		group may ever have a row between them (lookup.c): a group in progress, or
 *		pending rows, end a run of groups that can be merged.  The reserving lock
 *		makes sure that we see every reservation below the counter.
 *
 * LOCKING
 *		One merger at a time, to the end of its transaction: until then the
 *		groups that it has deleted are there for all other transactions.
 */
#include "postgres.h"

#include "access/heapam.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "catalog/namespace.h"
#include "catalog/pg_class_d.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "store/handler.h"
#include "utils/acl.h"
#include "utils/combocid.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

/* The most encoded bytes of groups that are merged at once. */
#define MERGE_BYTES ((uint64) 4 * 1024 * 1024)

typedef struct Candidate
{
	uint64		first;
	uint32		nrows;
	uint32		span;
	uint64		length;
} Candidate;

typedef struct Merge
{
	Store	   *store;
	ChunkReader *reader;
	SnapshotData dirty;
	uint32		most;			/* rows of a group */

	/* A run of groups */
	List	   *run;			/* of Candidate */
	uint64		rows;
	uint64		length;
	uint64		merged;			/* groups, in all */
} Merge;

/* ----------------------------------------------------------------
 * Choosing groups
 * ----------------------------------------------------------------
 */

/* May the chunk's transaction still be undone, or is it too new to be deleted by this command? */
static bool
is_settled(const Merge *merge, const Chunk *chunk)
{
	HeapTupleHeader tuple = chunk->tuple->t_data;

	if (TransactionIdIsValid(merge->dirty.xmin) || TransactionIdIsValid(merge->dirty.xmax))
		return false;
	if (HeapTupleHeaderXminFrozen(tuple) || !TransactionIdIsCurrentTransactionId(HeapTupleHeaderGetXmin(tuple)))
		return true;
	return HeapTupleHeaderGetCmin(tuple) < GetCurrentCommandId(false);
}

/* Takes the group that has a row; false if it cannot be merged. */
static bool
take_candidate(Merge *merge, uint64 row, Candidate *candidate)
{
	Chunk		chunk;
	GroupHeader header;

	if (!chunk_upto(merge->reader, row, PART_MAX, &chunk))
		return false;
	if (chunk.damage != NULL)
		chunk_damaged(merge->store->rel, chunk.first, chunk.damage);
	if (chunk.part != PART_HEADER || !is_settled(merge, &chunk))
		return false;
	read_header(merge->store->rel, &chunk, &header);
	*candidate = (Candidate) {chunk.first, header.nrows, header.span, header.length};
	return true;
}

/* Can the run take in one more group, within its limits of rows, bytes and row numbers spanned? */
static bool
fits(const Merge *merge, const Candidate *candidate)
{
	uint64		first = merge->run != NIL ? ((const Candidate *) linitial(merge->run))->first : candidate->first;

	return merge->rows + candidate->nrows <= merge->most && merge->length + candidate->length <= MERGE_BYTES &&
		candidate->first + candidate->span - first <= PG_INT32_MAX;
}

/* ----------------------------------------------------------------
 * Merging a run
 * ----------------------------------------------------------------
 */

/* Allocates room for the values of all rows of the run. */
static void
begin_merged(const Merge *merge, Rows *rows)
{
	int			natts = RelationGetNumberOfAttributes(merge->store->rel);

	rows->first = ((const Candidate *) linitial(merge->run))->first;
	rows->nrows = 0;
	rows->natts = natts;
	rows->values = palloc(Max(natts, 1) * sizeof(Datum *));
	rows->nulls = palloc(Max(natts, 1) * sizeof(bool *));
	for (int i = 0; i < natts; i++)
	{
		rows->values[i] = palloc(merge->rows * sizeof(Datum));
		rows->nulls[i] = palloc(merge->rows);
	}
}

/*
 * Decodes a group behind those before.  The values stay in memory, and so do
 * the bytes that they may point into.
 */
static void
append_group(Merge *merge, const Candidate *candidate, Rows *rows, uint32 *numbers)
{
	Chunk		header;
	RowGroup   *group;

	if (!chunk_upto(merge->reader, candidate->first, PART_HEADER, &header) || header.first != candidate->first)
		chunk_damaged(merge->store->rel, candidate->first, "Its header is missing.");
	group = open_group(merge->reader, &header, CurrentMemoryContext);
	for (int i = 0; i < rows->natts; i++)
		read_column(group, i, rows->values[i] + rows->nrows, rows->nulls[i] + rows->nrows);
	for (uint32 i = 0; i < group->header.nrows; i++)
		numbers[rows->nrows + i] = (uint32) (group_number(group, i) - rows->first);
	rows->nrows += group->header.nrows;
}

/* The reservation goes, too: the header of the merged group says what it said. */
static void
delete_group(Merge *merge, uint64 first)
{
	List	   *tids = NIL;
	ListCell   *cell;
	Chunk		chunk;
	bool		found;

	for (found = chunk_from(merge->reader, first, 0, &chunk);
		 found && chunk.damage == NULL && chunk.first == first;
		 found = next_chunk(merge->reader, &chunk))
	{
		ItemPointer tid = palloc(sizeof(ItemPointerData));

		*tid = chunk.tuple->t_self;
		tids = lappend(tids, tid);
	}
	foreach(cell, tids)
		simple_heap_delete(merge->store->toast, lfirst(cell));
}

/* Merges the groups of the run into one, if they are more than one, and begins another run. */
static void
merge_run(Merge *merge)
{
	if (list_length(merge->run) > 1)
	{
		MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "merging groups", ALLOCSET_DEFAULT_SIZES);
		MemoryContext old = MemoryContextSwitchTo(context);
		uint32	   *numbers = palloc(merge->rows * sizeof(uint32));
		Rows		rows;
		ListCell   *cell;

		begin_merged(merge, &rows);
		foreach(cell, merge->run)
		{
			CHECK_FOR_INTERRUPTS();
			append_group(merge, lfirst(cell), &rows, numbers);
		}
		rows.numbers = numbers[rows.nrows - 1] == rows.nrows - 1 ? NULL : numbers;
		foreach(cell, merge->run)
			delete_group(merge, ((const Candidate *) lfirst(cell))->first);
		write_rows(merge->store, RelationGetDescr(merge->store->rel), &rows, GetCurrentCommandId(true), 0);
		merge->merged += list_length(merge->run);
		MemoryContextSwitchTo(old);
		MemoryContextDelete(context);
	}
	list_free_deep(merge->run);
	merge->run = NIL;
	merge->rows = 0;
	merge->length = 0;
}

/* Merges all small groups that stand side by side; returns how many there were. */
static uint64
merge_all(Relation rel)
{
	Merge		merge = {.most = group_rows_at_most(RelationGetNumberOfAttributes(rel))};
	Counters	counters;
	bool		any;
	Chunk		chunk;

	lock_reserving(rel);
	any = read_counters(rel, &counters);
	unlock_reserving(rel);
	if (!any || counters.next == counters.valid)
		return 0;
	InitDirtySnapshot(merge.dirty);
	merge.store = open_store_to_write(rel);
	merge.store->counters = counters;
	merge.reader = begin_chunks(merge.store, &merge.dirty);
	for (uint64 row = counters.valid; row < counters.next && chunk_from(merge.reader, row, 0, &chunk) && chunk.first < counters.next;)
	{
		Candidate	candidate = {.first = chunk.first};

		CHECK_FOR_INTERRUPTS();
		if (chunk.damage != NULL)
			chunk_damaged(rel, chunk.first, chunk.damage);
		if (!take_candidate(&merge, chunk.first, &candidate))
			merge_run(&merge);
		else
		{
			if (!fits(&merge, &candidate))
				merge_run(&merge);
			if (fits(&merge, &candidate))
			{
				Candidate  *kept = palloc(sizeof(Candidate));

				*kept = candidate;
				merge.run = lappend(merge.run, kept);
				merge.rows += candidate.nrows;
				merge.length += candidate.length;
			}
		}
		row = candidate.first + 1;
	}
	merge_run(&merge);
	end_chunks(merge.reader);
	close_store(merge.store);
	return merge.merged;
}

/* ----------------------------------------------------------------
 * Functions about a table of ours
 * ----------------------------------------------------------------
 */

/* A role that may vacuum a table may see and change how it is stored. */
Relation
open_own_table(Oid relid, LOCKMODE lockmode)
{
	Relation	rel;

	if (!object_ownercheck(RelationRelationId, relid, GetUserId()))
		aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_TABLE, get_rel_name(relid));
	rel = relation_open(relid, lockmode);
	if (!is_stored(rel))
		ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
						errmsg("\"%s\" is not a table of the access method pprepub", RelationGetRelationName(rel)),
						errhint("CREATE TABLE ... USING pprepub makes one.")));
	if (RELATION_IS_OTHER_TEMP(rel))
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("\"%s\" is a temporary table of another session", RelationGetRelationName(rel))));
	return rel;
}

PG_FUNCTION_INFO_V1(pprepub_compact_storage);

Datum
pprepub_compact_storage(PG_FUNCTION_ARGS)
{
	Relation	rel;
	uint64		merged;

	PreventCommandDuringRecovery("pprepub.compact_storage()");
	PreventCommandIfReadOnly("pprepub.compact_storage()");
	/* The lock of VACUUM keeps other mergers away, and those who build indexes, but no writers. */
	rel = open_own_table(PG_GETARG_OID(0), ShareUpdateExclusiveLock);
	merged = merge_all(rel);
	relation_close(rel, NoLock);
	PG_RETURN_INT64((int64) merged);
}
