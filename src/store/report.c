/*
 * report.c
 *		What the view pprepub.storage shows of a table, and pprepub.verify_storage().
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "access/tableam.h"
#include "catalog/pg_class_d.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "store/handler.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/tuplestore.h"

/* ----------------------------------------------------------------
 * The view: a row for each group, and one for each of its columns
 * ----------------------------------------------------------------
 */

/* The size of a heap with the same rows is estimated from the first vectors of this many groups. */
#define SAMPLED_GROUPS 16

typedef enum StorageColumn
{
	STORAGE_ROWS,
	STORAGE_SAMPLED_ROWS,
	STORAGE_SAMPLED_BYTES,
	STORAGE_COLUMN,
	STORAGE_ENCODING,
	STORAGE_BYTES,
	STORAGE_COLUMNS
} StorageColumn;

/* Measures the rows of a group's first vector as heap tuples. */
static void
sample_rows(Cursor *cursor, TupleTableSlot *slot, const RowGroup *group, int64 *rows, int64 *bytes)
{
	uint32		n = Min(group->header.nrows, ENCODING_VECTOR);

	cursor_range(cursor, group->first, group->first + group->header.nrows);
	for (uint32 i = 0; i < n && cursor_next(cursor, ForwardScanDirection, slot); i++)
	{
		HeapTuple	tuple = ExecCopySlotHeapTuple(slot);

		CHECK_FOR_INTERRUPTS();
		++*rows;
		*bytes += MAXALIGN(tuple->t_len) + sizeof(ItemIdData);
		heap_freetuple(tuple);
	}
}

/* Puts the rows of a group. */
static void
describe_group(ReturnSetInfo *result, RowGroup *group, int64 sampled_rows, int64 sampled_bytes)
{
	Datum		values[STORAGE_COLUMNS] = {
		[STORAGE_ROWS] = Int64GetDatum(group->header.nrows),
		[STORAGE_SAMPLED_ROWS] = Int64GetDatum(sampled_rows),
		[STORAGE_SAMPLED_BYTES] = Int64GetDatum(sampled_bytes)
	};
	bool		nulls[STORAGE_COLUMNS] = {[STORAGE_COLUMN] = true,[STORAGE_ENCODING] = true,[STORAGE_BYTES] = true};

	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	for (int i = 0; i < STORAGE_COLUMNS; i++)
		nulls[i] = i < STORAGE_COLUMN;
	for (int i = 0; i < group->header.natts; i++)
	{
		EncodedColumn *encoded;

		/* pg_upgrade gives it another form. */
		if (TupleDescAttr(group->desc, i)->attisdropped)
			continue;
		encoded = group_column(group, i);
		values[STORAGE_COLUMN] = NameGetDatum(&TupleDescAttr(group->desc, i)->attname);
		values[STORAGE_ENCODING] = CStringGetTextDatum(encoded ? encoding_name(encoded) : "null");
		values[STORAGE_BYTES] = Int64GetDatum((int64) group->columns[i].length);
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
}

/* A role that may vacuum a table may see how it is stored. */
static Relation
open_own_table(Oid relid)
{
	Relation	rel;

	if (!object_ownercheck(RelationRelationId, relid, GetUserId()))
		aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_TABLE, get_rel_name(relid));
	rel = relation_open(relid, AccessShareLock);
	if (!is_stored(rel))
		ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
						errmsg("\"%s\" is not a table of the access method pprepub", RelationGetRelationName(rel)),
						errhint("CREATE TABLE ... USING pprepub makes one.")));
	if (RELATION_IS_OTHER_TEMP(rel))
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("\"%s\" is a temporary table of another session", RelationGetRelationName(rel))));
	return rel;
}

PG_FUNCTION_INFO_V1(pprepub_describe_storage);

/* All groups that the snapshot sees. */
Datum
pprepub_describe_storage(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	Relation	rel;
	Store	   *store;

	InitMaterializedSRF(fcinfo, 0);
	rel = open_own_table(PG_GETARG_OID(0));
	store = open_store(rel, false);
	if (store != NULL)
	{
		MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "a group", ALLOCSET_DEFAULT_SIZES);
		ChunkReader *reader = begin_chunks(store, GetActiveSnapshot());
		Cursor	   *cursor = begin_cursor(rel, GetActiveSnapshot());
		TupleTableSlot *slot = table_slot_create(rel, NULL);
		uint64		from = 0;
		Chunk		header;

		for (uint64 n = 0; find_header_from(reader, from, &header); n++)
		{
			MemoryContext old = MemoryContextSwitchTo(context);
			RowGroup   *group = open_group(reader, &header, context);
			int64		rows = 0;
			int64		bytes = 0;

			CHECK_FOR_INTERRUPTS();
			if (n < SAMPLED_GROUPS)
				sample_rows(cursor, slot, group, &rows, &bytes);
			describe_group(result, group, rows, bytes);
			from = group->first + 1;
			MemoryContextSwitchTo(old);
			MemoryContextReset(context);
		}
		ExecDropSingleTupleTableSlot(slot);
		end_cursor(cursor);
		end_chunks(reader);
		close_store(store);
	}
	relation_close(rel, AccessShareLock);
	return (Datum) 0;
}

/* ----------------------------------------------------------------
 * Verification: everything is read, and what is wrong is a row
 *
 * Chunks are looked for by the TOAST relation's index; whether that and the
 * heap agree is a matter for amcheck.
 * ----------------------------------------------------------------
 */

typedef struct Verification
{
	Relation	rel;			/* borrowed */
	Store	   *store;			/* owned */
	ChunkReader *reader;		/* owned */
	ReturnSetInfo *result;		/* borrowed */
	uint64		end;			/* of the rows of the group before */
	uint64		first;			/* the current group */
	MemoryContext context;		/* owned: reset for each group */
} Verification;

/* Adds the outcome of one check of the group at hand to the result. */
static void
report(Verification *verification, const char *check, bool holds, const char *detail)
{
	Datum		values[4];
	bool		nulls[4] = {false, false, false, detail == NULL};

	values[0] = Int64GetDatum((int64) verification->first);
	values[1] = CStringGetTextDatum(check);
	values[2] = BoolGetDatum(holds);
	values[3] = detail ? CStringGetTextDatum(detail) : (Datum) 0;
	tuplestore_putvalues(verification->result->setResult, verification->result->setDesc, values, nulls);
}

/* Are its NULLs as many, and its values between the bounds, as the directory says? */
static const char *
check_values(RowGroup *group, int column, EncodedColumn *encoded, MemoryContext context)
{
	const ColumnEntry *entry = &group->columns[column];

	/* Bounds in another order are those of another type, which the column had. */
	Order		order = order_of_type(TupleDescAttr(group->desc, column)->atttypid);
	Datum		least;
	Datum		greatest;
	bool		bounded = group_bounds(group, column, order, &least, &greatest);
	uint32		count = 0;

	for (uint32 row = 0; row < group->header.nrows; row += ENCODING_VECTOR)
	{
		Datum		values[ENCODING_VECTOR];
		bool		nulls[ENCODING_VECTOR];
		uint32		n = Min(group->header.nrows - row, ENCODING_VECTOR);
		const char *wrong = decode_vector(encoded, row / ENCODING_VECTOR, context, values, nulls);

		CHECK_FOR_INTERRUPTS();
		if (wrong != NULL)
			return wrong;
		for (uint32 i = 0; i < n; i++)
		{
			count += nulls[i];
			if (bounded && !nulls[i] &&
				(compare_in_order(order, values[i], least) < 0 ||
				 compare_in_order(order, values[i], greatest) > 0))
				return "A value lies outside of its bounds.";
		}
		MemoryContextReset(context);
	}
	return count == entry->nulls ? NULL : "It has not as many NULLs as the directory says.";
}

/* Do its rows have numbers that count, and that no other group has? */
static const char *
check_place(const Verification *verification, const RowGroup *group)
{
	if (group->first < verification->store->counters.valid)
		return "Its rows have numbers that do not count any more.";
	if (group->first < verification->end)
		return "Its rows have numbers of the group before.";
	if (group_last(group) >= verification->store->counters.next)
		return "Its rows have numbers that were never given.";
	return NULL;
}

/* All that this snapshot sees must be of one group. */
static const char *
check_chunks(Verification *verification, const RowGroup *group)
{
	Chunk		chunk;
	bool		found;

	for (found = chunk_between(verification->reader, group->first, 0, PART_RESERVATION, &chunk);
		 found; found = next_chunk(verification->reader, &chunk))
	{
		if (chunk.damage != NULL)
			return chunk.damage;
		if (chunk.part == PART_RESERVATION)
			continue;
		if (chunk.stamp != group->stamp || chunk.part >= group->nparts)
			return "It has a chunk that does not belong to it.";
	}
	return NULL;
}

/* The name of the first check that fails, or NULL. */
static const char *
check_group(Verification *verification, const Chunk *header, const char **detail)
{
	MemoryContext context = verification->context;
	MemoryContext scratch = AllocSetContextCreate(context, "a vector", ALLOCSET_DEFAULT_SIZES);
	RowGroup   *group;

	if ((*detail = try_group(verification->reader, header, context, &group)) != NULL)
		return "header";
	if ((*detail = check_chunks(verification, group)) != NULL ||
		(*detail = load_bytes(group, 0, group->header.length)) != NULL)
		return "chunks";
	if ((*detail = check_place(verification, group)) != NULL)
		return "numbers";
	verification->end = group_last(group) + 1;
	for (int i = 0; i < group->header.natts; i++)
	{
		EncodedColumn *encoded;
		const char *wrong;

		if (TupleDescAttr(group->desc, i)->attisdropped ||
			((wrong = try_column(group, i, &encoded)) == NULL && encoded == NULL))
			continue;
		if (wrong == NULL && (wrong = verify_column(encoded, scratch)) == NULL)
			wrong = check_values(group, i, encoded, scratch);
		if (wrong != NULL)
		{
			*detail = psprintf("Column \"%s\": %s", NameStr(TupleDescAttr(group->desc, i)->attname), wrong);
			return "columns";
		}
	}
	return NULL;
}

/* Checks the group at a number, or the reservation whose rows never came. */
static void
verify_at(Verification *verification, Chunk *chunk)
{
	const char *detail = NULL;
	const char *failed = "header";
	bool		is_reservation = chunk->part == PART_RESERVATION && chunk->damage == NULL;

	verification->first = chunk->first;
	if (chunk_between(verification->reader, chunk->first, PART_HEADER, PART_HEADER, chunk))
		failed = check_group(verification, chunk, &detail);
	else if (is_reservation)
		return;
	else
		detail = "Its header is missing.";
	report(verification, failed ? failed : "all", failed == NULL, detail);
}

/* Checks all groups in turn, and reports lost headers between them. */
static void
verify_groups(Verification *verification)
{
	uint64		from = 0;
	uint64		next;
	Chunk		chunk;
	GroupFound	found;

	while ((found = find_group_from(verification->reader, from, &chunk, &next)) != GROUP_NONE)
	{
		MemoryContext old = MemoryContextSwitchTo(verification->context);

		CHECK_FOR_INTERRUPTS();
		if (found == GROUP_FOUND)
		{
			from = chunk.first + 1;
			verify_at(verification, &chunk);
		}
		else
		{
			from = next;
			verification->first = chunk.first;
			report(verification, "header", false, chunk.damage);
		}
		MemoryContextSwitchTo(old);
		MemoryContextReset(verification->context);
	}
}

PG_FUNCTION_INFO_V1(pprepub_verify_storage);

Datum
pprepub_verify_storage(PG_FUNCTION_ARGS)
{
	Verification verification = {.result = (ReturnSetInfo *) fcinfo->resultinfo};

	InitMaterializedSRF(fcinfo, 0);
	verification.rel = open_own_table(PG_GETARG_OID(0));
	verification.store = open_store(verification.rel, true);
	if (verification.store != NULL)
	{
		verification.context = AllocSetContextCreate(CurrentMemoryContext, "verifying a group", ALLOCSET_DEFAULT_SIZES);
		verification.reader = begin_chunks(verification.store, GetActiveSnapshot());
		verify_groups(&verification);
		end_chunks(verification.reader);
		close_store(verification.store);
	}
	relation_close(verification.rel, AccessShareLock);
	return (Datum) 0;
}
