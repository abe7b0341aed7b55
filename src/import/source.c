/*
 * source.c
 *		The source beside the table: who is in it, and what cells cover there.
 */
#include "postgres.h"

#include "fmgr.h"
#include "frame/arrays.h"
#include "frame/key_table.h"
#include "frame/print.h"
#include "import/import.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

/* ----------------------------------------------------------------
 * People
 * ----------------------------------------------------------------
 */

/* An error if rows have no key. */
static void
verify_no_null(const Import *import)
{
	uint64		nulls = 0;

	for (uint64 row = 0; row < import->nrows; row++)
		nulls += import->key->number[row] == DICTIONARY_NULL;
	if (nulls > 0)
		ereport(ERROR,
				(errcode(ERRCODE_NOT_NULL_VIOLATION),
				 errmsg("key \"%s\" of \"%s\" is NULL in " UINT64_FORMAT " row(s)",
						import->key->name, import->table_name, nulls),
				 errhint("With a key each row is somebody's. Without, give no key.")));
}

/* Reads the keys of the table; an error if one is NULL or repeated. */
static void
read_people(Import *import)
{
	const DeclaredColumn *key = import->key->column;
	uint64		repeated;

	verify_no_null(import);
	import->people = keys_create(key->type, key->collation);
	for (uint64 row = 0; row < import->nrows; row++)
		keys_append(import->people, dictionary_value(import->key->values, import->key->number[row]));
	repeated = keys_index(import->people);
	if (repeated > 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNIQUE_VIOLATION),
				 errmsg("key \"%s\" of \"%s\" is repeated in " UINT64_FORMAT " row(s)",
						import->key->name, import->table_name, repeated),
				 errhint("A person has one row in a release.")));
}

/* Finds the people of the table in the source. */
static void
find_people(Import *import, const KeyTable *present)
{
	import->row_of_person = new_array(RowId, import->nrows);
	for (uint64 row = 0; row < import->nrows; row++)
	{
		CHECK_FOR_INTERRUPTS();
		import->row_of_person[row] = keys_find(present, import->people->keys[row]);
		import->left += import->row_of_person[row] == NO_ROW;
	}
}

/* ----------------------------------------------------------------
 * Cells
 * ----------------------------------------------------------------
 */

char *
imported_text(const ImportColumn *column, uint32 number)
{
	Oid			type = column->column->role == ROLE_QUASI_IDENTIFIER ?
		printed_type(column->column->kind, column->column->type) : column->column->type;
	Oid			output;
	bool		varlena;

	if (number == DICTIONARY_NULL)
		return pstrdup("NULL");
	getTypeOutputInfo(type, &output, &varlena);
	return psprintf("\"%s\"", OidOutputFunctionCall(output, dictionary_value(column->values, number)));
}

static bool
is_nothing(Span codes)
{
	return codes.lo > codes.hi;
}

/* The only cells of a taxonomy that cover nothing. */
static void
refuse_unknown_nodes(const Import *import, const ImportColumn *column)
{
	uint64		rows = 0;
	StringInfoData examples;
	int			nexamples = 0;

	for (uint64 row = 0; row < import->nrows; row++)
		rows += column->number[row] != DICTIONARY_NULL && is_nothing(column->codes[column->number[row]]);
	if (rows == 0)
		return;
	initStringInfo(&examples);
	for (uint32 i = 1; i < dictionary_size(column->values) && nexamples < 3; i++)
		if (is_nothing(column->codes[i]))
			appendStringInfo(&examples, "%s%s", nexamples++ > 0 ? ", " : "", imported_text(column, i));
	ereport(ERROR,
			(errcode(ERRCODE_DATA_EXCEPTION),
			 errmsg("column \"%s\" of \"%s\" has " UINT64_FORMAT " row(s) with nodes that taxonomy \"%s\" lacks",
					column->name, import->table_name, rows, column->column->taxonomy),
			 errdetail("For example: %s.", examples.data),
			 errdetail_log("Its values are told to the owner only."),
			 errhint("Add them with pprepub.extend_taxonomy() and adopt the extension with pprepub.alter_publication(), or import a view that names nodes of the taxonomy, or * where it was withheld.")));
}

/* Finds the codes of the source that each cell of a column covers. */
static void
find_codes(const Import *import, ImportColumn *column, const Coding *coding)
{
	uint32		n = dictionary_size(column->values);
	MemoryContext context = CurrentMemoryContext;
	MemoryContext work = AllocSetContextCreate(context, "cells", ALLOCSET_DEFAULT_SIZES);
	CellReader *reader;

	column->codes = new_array(Span, n);
	MemoryContextSwitchTo(work);
	reader = cell_reader(coding);
	for (uint32 i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (!cell_codes(reader, i == DICTIONARY_NULL ? (Datum) 0 : dictionary_value(column->values, i),
						i == DICTIONARY_NULL, &column->codes[i]))
			column->codes[i] = (Span) {1, 0};
	}
	MemoryContextSwitchTo(context);
	MemoryContextDelete(work);
	if (column->column->kind == KIND_TAXONOMY)
		refuse_unknown_nodes(import, column);
}

int
coded_column(const Import *import, const DeclaredColumn *column)
{
	int			q = 0;

	while (import->present->codings[q]->column != column)
		q++;
	return q;
}

void
read_present(Import *import)
{
	const DeclaredPublication *publication = import->publication;
	FrameLoad  *load;

	if (import->key != NULL)
		read_people(import);
	load = load_rows(publication, NULL, import->shown, false, import->context);
	if (import->key != NULL)
		find_people(import, load_keys(load));
	import->present = load_finish_exact(load);
	for (int i = 0; i < publication->ncolumns; i++)
		if (import->shown[i] && publication->columns[i].role == ROLE_QUASI_IDENTIFIER)
			find_codes(import, import->declared[i],
					   import->present->codings[coded_column(import, &publication->columns[i])]);
}

/* ----------------------------------------------------------------
 * Plain values
 * ----------------------------------------------------------------
 */

/* One of several sensitive columns, with the codes of its own values. */
static const PlainColumn *
plain_part(const Import *import, const DeclaredColumn *column)
{
	const LoadedFrame *present = import->present;
	const SensitiveColumn *part = present->columns->column;
	PlainColumn *plain = palloc(sizeof(PlainColumn));

	while (part->column != column)
		part++;
	*plain = (PlainColumn) {
		.column = column, .code = new_array(Code, present->frame.nrows),
		.ncodes = part->ncodes, .values = unconstify(Datum *, part->values)
	};
	for (uint64 row = 0; row < present->frame.nrows; row++)
		plain->code[row] = code_in_column(part, present->frame.sensitive[row]);
	return plain;
}

const PlainColumn *
plain_column(const Import *import, const DeclaredColumn *column)
{
	int			i = 0;

	if (column->role == ROLE_SENSITIVE)
		return &import->present->sensitive;
	if (column->role == ROLE_SENSITIVE_PART)
		return plain_part(import, column);
	while (import->present->insensitive[i].column != column)
		i++;
	return &import->present->insensitive[i];
}

/* By the type's own equality, where it has one: insensitive columns may be of any type.  NULL's is the last. */
static Code *
codes_of(const Dictionary *all, const DeclaredColumn *column, Code *ncodes)
{
	TypeCacheEntry *type = lookup_type_cache(column->type, TYPECACHE_HASH_PROC | TYPECACHE_EQ_OPR);
	Datum	   *values;
	Code	   *code;

	if (OidIsValid(type->hash_proc) && OidIsValid(type->eq_opr))
		code = dictionary_merge_equal(all, column->collation, ncodes, &values);
	else
	{
		*ncodes = dictionary_size(all) - 1;
		code = new_array(Code, dictionary_size(all));
		for (uint32 i = 1; i < dictionary_size(all); i++)
			code[i] = i - 1;
	}
	code[DICTIONARY_NULL] = (*ncodes)++;
	return code;
}

CommonCodes
common_codes(const ImportColumn *column, const PlainColumn *plain)
{
	uint32		n = dictionary_size(column->values);
	Dictionary *all = dictionary_create(column->column->type);
	CommonCodes common = {
		.of_value = new_array(Code, n),
		.of_code = new_array(Code, plain->ncodes),
	};
	Code	   *code;

	for (uint32 i = 0; i < n; i++)
		common.of_value[i] = dictionary_number(all, i == DICTIONARY_NULL ? (Datum) 0 : dictionary_value(column->values, i),
											   i == DICTIONARY_NULL);
	for (Code i = 0; i <= plain->ncodes; i++)
		common.of_code[i] = dictionary_number(all, i == 0 ? (Datum) 0 : plain->values[i - 1], i == 0);
	code = codes_of(all, column->column, &common.ncodes);
	for (uint32 i = 0; i < n; i++)
		common.of_value[i] = code[common.of_value[i]];
	for (Code i = 0; i <= plain->ncodes; i++)
		common.of_code[i] = code[common.of_code[i]];
	return common;
}
