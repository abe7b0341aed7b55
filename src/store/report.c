/*
 * report.c
 *		What the view pprepub.storage shows of a table, and pprepub.verify_storage().
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "access/relation.h"
#include "access/tableam.h"
#include "funcapi.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "store/handler.h"
#include "utils/builtins.h"
#include "utils/json.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

/* The width of rows is estimated from the first vectors of this many groups. */
#define SAMPLED_GROUPS 16

/* There are not as many encodings. */
#define MOST_ENCODINGS 20

typedef struct ColumnReport
{
	const char *encodings[MOST_ENCODINGS];
	uint64		groups[MOST_ENCODINGS]; /* of each */
	uint64		bytes;
} ColumnReport;

typedef struct Report
{
	Relation	rel;			/* borrowed */
	uint64		groups;
	uint64		rows;
	ColumnReport *columns;

	/* The sample of rows */
	uint64		sampled_groups;
	uint64		sampled_rows;
	double		sampled_bytes;
} Report;

/* ----------------------------------------------------------------
 * Encodings
 * ----------------------------------------------------------------
 */

/* Adds the sizes and encodings of a group's columns to the report. */
static void
add_columns(Report *report, RowGroup *group)
{
	for (int i = 0; i < group->header.natts; i++)
	{
		ColumnReport *column = &report->columns[i];
		EncodedColumn *encoded;
		const char *name;
		int			place = 0;

		/* pg_upgrade gives it another form. */
		if (TupleDescAttr(group->desc, i)->attisdropped)
			continue;
		encoded = group_column(group, i);
		name = encoded ? encoding_name(encoded) : "null";
		while (column->encodings[place] != NULL && strcmp(column->encodings[place], name) != 0)
			place++;
		column->encodings[place] = name;
		column->groups[place]++;
		column->bytes += group->columns[i].length;
	}
}

/* {"column": {"bytes": 123, "runs": 2, ...}, ...} */
static Datum
encodings_as_jsonb(const Report *report)
{
	TupleDesc	desc = RelationGetDescr(report->rel);
	StringInfoData text;
	const char *comma = "";

	initStringInfo(&text);
	appendStringInfoChar(&text, '{');
	for (int i = 0; i < desc->natts; i++)
	{
		const ColumnReport *column = &report->columns[i];

		if (TupleDescAttr(desc, i)->attisdropped)
			continue;
		appendStringInfoString(&text, comma);
		escape_json(&text, NameStr(TupleDescAttr(desc, i)->attname));
		appendStringInfo(&text, ": {\"bytes\": " UINT64_FORMAT, column->bytes);
		for (int place = 0; column->encodings[place] != NULL; place++)
			appendStringInfo(&text, ", \"%s\": " UINT64_FORMAT, column->encodings[place], column->groups[place]);
		appendStringInfoChar(&text, '}');
		comma = ", ";
	}
	appendStringInfoChar(&text, '}');
	return DirectFunctionCall1(jsonb_in, CStringGetDatum(text.data));
}

/* ----------------------------------------------------------------
 * The size of a heap with the same rows
 * ----------------------------------------------------------------
 */

/* Measures the rows of a group's first vector as heap tuples, for the first groups only. */
static void
sample_rows(Report *report, Cursor *cursor, TupleTableSlot *slot, const RowGroup *group)
{
	uint32		n = Min(group->header.nrows, ENCODING_VECTOR);

	if (report->sampled_groups++ >= SAMPLED_GROUPS)
		return;
	cursor_range(cursor, group->first, group->first + group->header.span);
	for (uint32 i = 0; i < n && cursor_next(cursor, ForwardScanDirection, slot); i++)
	{
		HeapTuple	tuple = ExecCopySlotHeapTuple(slot);

		CHECK_FOR_INTERRUPTS();
		report->sampled_rows++;
		report->sampled_bytes += MAXALIGN(tuple->t_len) + sizeof(ItemIdData);
		heap_freetuple(tuple);
	}
}

/* ----------------------------------------------------------------
 * The view's function
 * ----------------------------------------------------------------
 */

/* Counts all groups of the table that the snapshot sees. */
static void
look_at_groups(Report *report, Store *store)
{
	MemoryContext of_group = AllocSetContextCreate(CurrentMemoryContext, "a group", ALLOCSET_DEFAULT_SIZES);
	ChunkReader *reader = begin_chunks(store, GetActiveSnapshot());
	Cursor	   *cursor = begin_cursor(report->rel, GetActiveSnapshot());
	TupleTableSlot *slot = table_slot_create(report->rel, NULL);
	uint64		from = 0;
	Chunk		header;

	while (find_header_from(reader, from, &header))
	{
		RowGroup   *group;

		CHECK_FOR_INTERRUPTS();
		group = open_group(reader, &header, of_group);
		report->groups++;
		report->rows += group->header.nrows;
		add_columns(report, group);
		sample_rows(report, cursor, slot, group);
		from = group->first + 1;
		MemoryContextReset(of_group);
	}
	ExecDropSingleTupleTableSlot(slot);
	end_cursor(cursor);
	end_chunks(reader);
	MemoryContextDelete(of_group);
}

PG_FUNCTION_INFO_V1(pprepub_describe_storage);

Datum
pprepub_describe_storage(PG_FUNCTION_ARGS)
{
	Report		report = {.rel = open_own_table(PG_GETARG_OID(0), AccessShareLock)};
	Store	   *store = open_store(report.rel, false);
	TupleDesc	desc;
	Datum		values[4];
	bool		nulls[4] = {false};
	double		pages = 0;

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	report.columns = palloc0(Max(RelationGetNumberOfAttributes(report.rel), 1) * sizeof(ColumnReport));
	if (store != NULL)
	{
		look_at_groups(&report, store);
		close_store(store);
	}
	values[0] = Int64GetDatum((int64) report.groups);
	values[1] = Int64GetDatum((int64) report.rows);
	/* The size of a heap with all rows is estimated from the sampled ones. */
	if (report.sampled_rows > 0)
		pages = ceil(report.sampled_bytes / report.sampled_rows * report.rows / (BLCKSZ - SizeOfPageHeaderData));
	values[2] = Int64GetDatum((int64) pages * BLCKSZ);
	values[3] = encodings_as_jsonb(&report);
	relation_close(report.rel, AccessShareLock);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc), values, nulls)));
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

/* The parts of other versions are not ours; but what this snapshot sees must all be of one. */
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
	if ((*detail = try_numbers(group)) != NULL || (*detail = check_place(verification, group)) != NULL)
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
	verification.rel = open_own_table(PG_GETARG_OID(0), AccessShareLock);
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
