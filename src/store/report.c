/*
 * report.c
 *		What the view pprepub.storage shows of a table.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "access/relation.h"
#include "access/tableam.h"
#include "funcapi.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "store/cursor.h"
#include "store/group.h"
#include "store/lookup.h"
#include "store/maintain.h"
#include "utils/builtins.h"
#include "utils/json.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

/* The width of rows is estimated from the first vectors of this many groups. */
#define SAMPLED_GROUPS 16

typedef struct Encoding
{
	const char *name;
	uint64		groups;
} Encoding;

typedef struct ColumnReport
{
	List	   *encodings;		/* of Encoding */
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

/* Counts a group for the encoding of one of its columns. */
static void
count_encoding(ColumnReport *column, const char *name)
{
	Encoding   *encoding;
	ListCell   *cell;

	foreach(cell, column->encodings)
	{
		encoding = lfirst(cell);
		if (strcmp(encoding->name, name) == 0)
		{
			encoding->groups++;
			return;
		}
	}
	encoding = palloc(sizeof(Encoding));
	encoding->name = pstrdup(name);
	encoding->groups = 1;
	column->encodings = lappend(column->encodings, encoding);
}

/* Adds the sizes and encodings of a group's columns to the report. */
static void
add_columns(Report *report, RowGroup *group, MemoryContext context)
{
	for (int i = 0; i < group->header.natts; i++)
	{
		EncodedColumn *encoded;
		MemoryContext old;

		/* pg_upgrade gives it another form. */
		if (TupleDescAttr(group->desc, i)->attisdropped)
			continue;
		encoded = group_column(group, i);
		old = MemoryContextSwitchTo(context);
		count_encoding(&report->columns[i], encoded ? encoding_name(encoded) : "null");
		MemoryContextSwitchTo(old);
		report->columns[i].bytes += group->columns[i].length;
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
		ListCell   *cell;

		if (TupleDescAttr(desc, i)->attisdropped)
			continue;
		appendStringInfoString(&text, comma);
		escape_json(&text, NameStr(TupleDescAttr(desc, i)->attname));
		appendStringInfo(&text, ": {\"bytes\": " UINT64_FORMAT, report->columns[i].bytes);
		foreach(cell, report->columns[i].encodings)
		{
			const Encoding *encoding = lfirst(cell);

			appendStringInfoString(&text, ", ");
			escape_json(&text, encoding->name);
			appendStringInfo(&text, ": " UINT64_FORMAT, encoding->groups);
		}
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

/* Estimates the size of a heap with all rows from the sampled ones. */
static int64
heap_bytes(const Report *report)
{
	double		pages;

	if (report->sampled_rows == 0)
		return 0;
	pages = report->sampled_bytes / report->sampled_rows * report->rows / (BLCKSZ - SizeOfPageHeaderData);
	return (int64) ceil(pages) * BLCKSZ;
}

/* ----------------------------------------------------------------
 * The function
 * ----------------------------------------------------------------
 */

/* Counts all groups of the table that the snapshot sees. */
static void
look_at_groups(Report *report, Store *store)
{
	MemoryContext context = CurrentMemoryContext;
	MemoryContext of_group = AllocSetContextCreate(context, "a group", ALLOCSET_DEFAULT_SIZES);
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
		add_columns(report, group, context);
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
	Store	   *store = open_store(report.rel);
	TupleDesc	desc;
	Datum		values[4];
	bool		nulls[4] = {false};

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
	values[2] = Int64GetDatum(heap_bytes(&report));
	values[3] = encodings_as_jsonb(&report);
	relation_close(report.rel, AccessShareLock);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc), values, nulls)));
}
