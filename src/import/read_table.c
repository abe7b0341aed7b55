/*
 * read_table.c
 *		Which column of the table is which of the publication's, by their names; reading them into columns of numbers;
 *		and the source beside them: who of the table is in it, and what cells cover there.
 *
 * NOTES
 *		A column that the publication does not release is refused, not ignored: observers have seen it, or it is a
 *		declared one whose name is written in another way, and would pass for withheld.  So is one of keys that was
 *		not named: it would pass for unknown whose the rows are.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "catalog/pg_class.h"
#include "executor/spi.h"
#include "frame/arrays.h"
#include "frame/key_table.h"
#include "frame/print.h"
#include "import/import.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "release/past_releases.h"
#include "release/release.h"
#include "shared/progress.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/typcache.h"

/* ----------------------------------------------------------------
 * Columns
 * ----------------------------------------------------------------
 */

/* Said first: without its key, a table would be refused for other columns. */
static void
verify_key_is_there(const Import *import, const char *key, TupleDesc columns)
{
	StringInfoData known;

	initStringInfo(&known);
	for (int i = 0; i < columns->natts; i++)
	{
		const char *name = NameStr(TupleDescAttr(columns, i)->attname);

		if (TupleDescAttr(columns, i)->attisdropped)
			continue;
		if (strcmp(name, key) == 0)
			return;
		appendStringInfo(&known, "%s\"%s\"", known.len > 0 ? ", " : "", name);
	}
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_COLUMN),
			 errmsg("column \"%s\" of relation \"%s\" does not exist", key, import->table_name),
			 known.len == 0 ? 0 : errhint("Its columns are %s.", known.data)));
}

/* Finds what a column of the table is, or raises an error. */
static void
match_column(Import *import, ImportColumn *column, const char *key)
{
	const DeclaredPublication *publication = import->publication;
	int			i = publication->ncolumns - 1;

	while (i >= 0 && (publication->columns[i].role == ROLE_KEY || strcmp(publication->columns[i].name, column->name) != 0))
		i--;
	if (key != NULL && strcmp(column->name, key) == 0)
	{
		if (i >= 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_COLUMN_DEFINITION),
					 errmsg("column \"%s\" cannot be the key", column->name),
					 errdetail("Releases of publication \"%s\" show it.", publication->name),
					 errhint("The key tells whose a row is, and is never published.")));
		column->column = publication_column(publication, ROLE_KEY);
		import->key = column;
	}
	else if (i >= 0)
	{
		column->column = &publication->columns[i];
		import->declared[i] = column;
		import->shown[i] = true;
	}
	else if (strcmp(column->name, "class") == 0 && has_class_column(publication))
		import->class = column;
	else
	{
		const char *name = column->name;
		bool		is_key = strcmp(name, publication_column(publication, ROLE_KEY)->name) == 0;

		ereport(ERROR,
				(errcode(ERRCODE_INVALID_COLUMN_REFERENCE),
				 errmsg("publication \"%s\" does not release column \"%s\" of \"%s\"",
						publication->name, name, import->table_name),
				 errdetail("The values that observers saw in it would not be taken into account."),
				 is_key
				 ? errhint("If it tells whose the rows are, say so: key => %s. If it was published, nobody can be protected any more.",
						   quote_literal_cstr(name))
				 : errhint("Releases have %s. Import a view that gives the column its name there, or leaves it out if nobody saw it.",
						   releasable_names(publication))));
	}
}

void
match_columns(Import *import, const char *key)
{
	const DeclaredPublication *publication = import->publication;
	Relation	table;
	TupleDesc	columns;
	Oid			owner = import->publication->owner;
	bool		shows_sensitive = false;

	/* Checked before the table is locked: a role must not block tables that it may not read. */
	verify_source_kind(import->table);
	if (pg_class_aclcheck(import->table, owner, ACL_SELECT) != ACLCHECK_OK &&
		pg_attribute_aclcheck_all(import->table, owner, ACL_SELECT, ACLMASK_ANY) != ACLCHECK_OK)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("role \"%s\" may not read \"%s\"",
						GetUserNameFromId(owner, false), get_rel_name(import->table)),
				 errhint("An import is read as the owner of the publication: grant that role SELECT on it.")));
	table = relation_open(import->table, AccessShareLock);
	columns = RelationGetDescr(table);
	import->table_name = pstrdup(RelationGetRelationName(table));
	import->columns = palloc0(sizeof(ImportColumn) * (columns->natts + 1));
	import->declared = palloc0(sizeof(ImportColumn *) * publication->ncolumns);
	import->shown = palloc0(sizeof(bool) * publication->ncolumns);
	if (key != NULL)
		verify_key_is_there(import, key, columns);
	for (int i = 0; i < columns->natts; i++)
	{
		Form_pg_attribute attribute = TupleDescAttr(columns, i);
		ImportColumn *column = &import->columns[import->ncolumns];
		int16		length;
		bool		byval;

		if (attribute->attisdropped)
			continue;
		import->ncolumns++;
		column->name = pstrdup(NameStr(attribute->attname));
		column->typmod = attribute->atttypmod;
		column->type = getBaseTypeAndTypmod(attribute->atttypid, &column->typmod);
		get_typlenbyval(column->type, &length, &byval);
		column->word = byval ? length : 0;
		match_column(import, column, key);
		shows_sensitive |= column->column != NULL && is_sensitive(column->column);
	}
	relation_close(table, NoLock);
	if (has_several_rows(publication) && !shows_sensitive)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("\"%s\" has no sensitive column", import->table_name),
				 errdetail("A person of publication \"%s\" may have several rows, and is remembered by what they show.", publication->name),
				 errhint("Import it into a publication of a view that has one row for each person.")));
}

/* ----------------------------------------------------------------
 * Rows
 * ----------------------------------------------------------------
 */

void
read_table(Import *import)
{
	Datum	   *values = palloc(sizeof(Datum) * (import->ncolumns + 1));
	bool	   *nulls = palloc(sizeof(bool) * (import->ncolumns + 1));
	StringInfoData sql;
	Portal		portal;

	initStringInfo(&sql);
	for (int i = 0; i < import->ncolumns; i++)
	{
		appendStringInfo(&sql, "%s%s", i > 0 ? ", " : "", quote_identifier(import->columns[i].name));
		import->columns[i].values = dictionary_create(import->columns[i].type);
		array_reserve(import->columns[i].number, import->columns[i].room, 1024);
	}
	/* Only reads, and so under the active snapshot. */
	portal = SPI_cursor_parse_open(NULL, psprintf("SELECT %s FROM %s", sql.data, quoted_relation(import->table)),
								   &(SPIParseOpenOptions) {.read_only = true});
	for (SPI_cursor_fetch(portal, true, 1000); SPI_processed > 0; SPI_cursor_fetch(portal, true, 1000))
	{
		for (uint64 row = 0; row < SPI_processed; row++)
		{
			heap_deform_tuple(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, values, nulls);
			if (import->nrows >= MAX_FRAME_ROWS)
				ereport(ERROR,
						(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						 errmsg("\"%s\" has more than " UINT64_FORMAT " rows", import->table_name, MAX_FRAME_ROWS),
						 errhint("Divide it among several tables, and import these one after the other.")));
			for (int i = 0; i < import->ncolumns; i++)
			{
				ImportColumn *column = &import->columns[i];

				array_reserve(column->number, column->room, import->nrows + 1);
				column->number[import->nrows] =
					dictionary_number(column->values, nulls[i] ? (Datum) 0 : as_stored(values[i], column->word), nulls[i]);
			}
			import->nrows++;
			progress_step(1);
		}
		SPI_freetuptable(SPI_tuptable);
	}
	SPI_cursor_close(portal);
	fix_settings();				/* the table's code may have changed them */
	if (import->nrows == 0)
		ereport(ERROR,
				(errcode(ERRCODE_NO_DATA_FOUND),
				 errmsg("\"%s\" has no rows", import->table_name)));
}

/* ----------------------------------------------------------------
 * People
 * ----------------------------------------------------------------
 */

/* Tells of people with more rows than releases show, all of which are remembered; an error where the key is hardly right. */
static void
count_rows_each(const Import *import)
{
	uint32	   *rows = new_zeros(uint32, import->people->size);
	int			most = import->publication->max_rows;
	uint64		people = 0;

	for (uint64 row = 0; row < import->nrows; row++)
	{
		uint32		own = ++rows[import->person[row]];

		people += own == (uint32) most + 1;
		if (own > MOST_ROWS_EACH)
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("somebody has more than %d rows in \"%s\"", MOST_ROWS_EACH, import->table_name),
					 errhint("Is \"%s\" the right key?", import->key->name)));
	}
	pfree(rows);
	if (people > 0)
		ereport(NOTICE,
				(errmsg(UINT64_FORMAT " people of \"%s\" have more than %d rows", people, import->table_name, most),
				 errdetail("They are remembered with all rows that were published, and are shown with them again until their class shows new ones.")));
}

/* Reads the keys of the table; an error if one is NULL, or repeated where each person has one row. */
static void
read_people(Import *import)
{
	const DeclaredColumn *key = import->key->column;
	uint64		nulls = 0;
	uint64		repeated;

	for (uint64 row = 0; row < import->nrows; row++)
		nulls += import->key->number[row] == DICTIONARY_NULL;
	if (nulls > 0)
		ereport(ERROR,
				(errcode(ERRCODE_NOT_NULL_VIOLATION),
				 errmsg("key \"%s\" of \"%s\" is NULL in " UINT64_FORMAT " row(s)",
						import->key->name, import->table_name, nulls),
				 errhint("With a key each row is somebody's. Without, give no key.")));
	import->people = keys_create(key->type, key->collation);
	import->person = new_array(uint32, import->nrows);
	for (uint64 row = 0; row < import->nrows; row++)
	{
		if (row % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		import->person[row] = keys_add(import->people, dictionary_value(import->key->values, import->key->number[row]));
	}
	repeated = import->nrows - import->people->size;
	if (has_several_rows(import->publication))
		count_rows_each(import);
	else if (repeated > 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNIQUE_VIOLATION),
				 errmsg("key \"%s\" of \"%s\" is repeated in " UINT64_FORMAT " row(s)",
						import->key->name, import->table_name, repeated),
				 errhint("A person has one row in a release.")));
}

/* ----------------------------------------------------------------
 * Cells
 * ----------------------------------------------------------------
 */

uint64
find_bad_rows(const Import *import, const ImportColumn *column, const bool *is_bad, char *const *texts, char **examples)
{
	uint64		rows = 0;
	StringInfoData list;
	int			n = 0;

	for (uint64 row = 0; row < import->nrows; row++)
		rows += is_bad[column->number[row]];
	initStringInfo(&list);
	for (uint32 i = 1; i < dictionary_size(column->values) && n < 3 && rows > 0; i++)
		if (is_bad[i])
			appendStringInfo(&list, "%s\"%s\"", n++ > 0 ? ", " : "", texts[i]);
	*examples = list.data;
	return rows;
}

/* Finds the codes of the source that each cell of a column covers. */
static void
find_codes(const Import *import, ImportColumn *column, const Coding *coding)
{
	uint32		n = dictionary_size(column->values);
	MemoryContext context = CurrentMemoryContext;
	MemoryContext work = AllocSetContextCreate(context, "cells", ALLOCSET_DEFAULT_SIZES);
	CellReader *reader;
	bool	   *is_nothing = new_zeros(bool, n);
	char	   *examples;
	uint64		rows;

	column->codes = new_array(Span, n);
	MemoryContextSwitchTo(work);
	reader = cell_reader(coding);
	for (uint32 i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (!cell_codes(reader, i == DICTIONARY_NULL ? (Datum) 0 : dictionary_value(column->values, i),
						i == DICTIONARY_NULL, &column->codes[i]))
		{
			column->codes[i] = (Span) {1, 0};
			is_nothing[i] = i != DICTIONARY_NULL;
		}
	}
	MemoryContextSwitchTo(context);
	MemoryContextDelete(work);
	if (column->column->kind != KIND_TAXONOMY)
		return;
	/* No cells of a taxonomy cover nothing but those that it lacks. */
	rows = find_bad_rows(import, column, is_nothing, dictionary_texts(column->values), &examples);
	if (rows > 0)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("column \"%s\" of \"%s\" has " UINT64_FORMAT " row(s) with nodes that taxonomy \"%s\" lacks",
						column->name, import->table_name, rows, column->column->taxonomy),
				 errdetail("For example: %s.", examples),
				 errdetail_log("Its values are told to the owner only."),
				 errhint("Add them with pprepub.extend_taxonomy() and adopt the extension with pprepub.alter_publication(), or import a view that names nodes of the taxonomy, or * where it was withheld.")));
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
	DeclaredPublication *unsampled = memcpy(palloc(sizeof(DeclaredPublication)), publication, sizeof(DeclaredPublication));
	uint64		npeople = 0;
	FrameLoad  *load;

	if (import->key != NULL)
	{
		read_people(import);
		npeople = import->people->size;
		import->row_of_person = new_array(RowId, npeople);
	}
	/* Which of somebody's rows were shown elsewhere is not known. */
	if (has_several_rows(publication))
		unsampled->max_rows = PG_INT32_MAX;
	load = load_rows(unsampled, NULL, import->shown, false, import->context);
	for (uint64 person = 0; person < npeople; person++)
	{
		CHECK_FOR_INTERRUPTS();
		import->row_of_person[person] = keys_find(load_keys(load), import->people->keys[person]);
		import->left += import->row_of_person[person] == NO_ROW;
	}
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

const PlainColumn *
plain_column(const Import *import, const DeclaredColumn *column)
{
	int			i = 0;

	if (column->role == ROLE_SENSITIVE)
		return &import->present->sensitive;
	if (column->role == ROLE_SENSITIVE_PART)
	{
		const LoadedFrame *present = import->present;
		const SensitiveColumn *part = present->columns->column;
		PlainColumn *plain = palloc(sizeof(PlainColumn));

		/* One of several sensitive columns, with the codes of its own values. */
		while (part->column != column)
			part++;
		*plain = (PlainColumn) {
			.column = column, .code = new_array(Code, present->frame.nrows),
			.ncodes = part->ncodes, .values = unconstify(Datum *, part->values)
		};
		for (uint64 row = 0; row < present->frame.nrows && !has_several_rows(import->publication); row++)
			plain->code[row] = code_in_column(part, present->frame.sensitive[row]);
		return plain;
	}
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

/* ----------------------------------------------------------------
 * Which of a person's rows in the source each row is
 * ----------------------------------------------------------------
 */

/* A plain column of the table, beside the source's. */
typedef struct PlainPair
{
	const uint32 *number;		/* [rows of the table] */
	CommonCodes common;
	const SensitiveColumn *sensitive;	/* or NULL */
	const Code *own;			/* [own rows] of an insensitive column */
} PlainPair;

/* Pairs all plain columns that the table has, since a row is another one if any of them says something else. */
static PlainPair *
pair_columns(const Import *import, int *n)
{
	const DeclaredPublication *publication = import->publication;
	const SensitiveColumn *sensitive = import->present->columns->column;
	PlainPair  *pairs = palloc(sizeof(PlainPair) * (publication->ncolumns + 1));

	*n = 0;
	for (int i = 0; i < publication->ncolumns; i++)
	{
		const DeclaredColumn *column = &publication->columns[i];
		const PlainColumn *plain;

		sensitive += is_sensitive(column);
		if (!import->shown[i] || column->role == ROLE_QUASI_IDENTIFIER)
			continue;
		plain = plain_column(import, column);
		pairs[(*n)++] = (PlainPair) {
			.number = import->declared[i]->number, .common = common_codes(import->declared[i], plain),
			.sensitive = is_sensitive(column) ? sensitive - 1 : NULL, .own = plain->own
		};
	}
	return pairs;
}

/* Rows of people who may have several: each is another one of the person's that says the same in all plain columns. */
static void
match_rows(Import *import)
{
	const LoadedFrame *present = import->present;
	int			n;
	const PlainPair *pairs = pair_columns(import, &n);
	TupleNumbers *said = tuple_numbers_create(n + 1);	/* by a person */
	uint32	   *words = palloc(sizeof(uint32) * (n + 1));
	RowId	   *last = new_array(RowId, import->nrows); /* [said] a row that says so */
	RowId	   *before = new_array(RowId, import->nrows);	/* another one, or NO_ROW */

	for (uint64 row = 0; row < import->nrows; row++)
	{
		uint32		known = said->n;
		uint32		number;

		if (row % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		import->row_of_value[row] = NO_CODE;
		words[0] = import->person[row];
		for (int c = 0; c < n; c++)
			words[c + 1] = pairs[c].common.of_value[pairs[c].number[row]];
		number = tuple_number(said, words, n + 1);
		before[row] = number == known ? NO_ROW : last[number];
		last[number] = row;
	}
	for (uint64 person = 0; person < import->people->size; person++)
	{
		RowId		found = import->row_of_person[person];
		const uint64 *first;

		CHECK_FOR_INTERRUPTS();
		if (found == NO_ROW)
			continue;
		first = present->first_own == NULL ? &present->columns->first[present->sensitive.code[found]] : &present->first_own[found];
		words[0] = person;
		for (uint64 own = first[0]; own < first[1]; own++)
		{
			uint64		row = present->first_own == NULL ? own : present->columns->first[present->sensitive.own[own]];
			uint32		number;

			for (int c = 0; c < n; c++)
				words[c + 1] = pairs[c].common.of_code[(Code) ((pairs[c].sensitive == NULL ? pairs[c].own[own] : code_in_column(pairs[c].sensitive, row)) + 1)];
			number = tuple_find(said, words, n + 1);
			if (number == NO_NUMBER || last[number] == NO_ROW)
				continue;
			import->row_of_value[last[number]] = row;
			last[number] = before[last[number]];
		}
	}
}

void
find_own_rows(Import *import)
{
	import->row_of_value = new_array(uint64, import->nrows);
	if (has_several_rows(import->publication))
	{
		match_rows(import);
		return;
	}
	for (uint64 row = 0; row < import->nrows; row++)
	{
		RowId		found = import->row_of_person[import->person[row]];

		import->row_of_value[row] = found == NO_ROW ? NO_CODE : import->present->sensitive.code[found];
	}
}
