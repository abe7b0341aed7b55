/*
 * read_table.c
 *		Which column of the table is which of the publication's, by their names; and
 *		reading them into columns of numbers.
 *
 * NOTES
 *		A column that the publication does not release is refused, not ignored:
 *		observers have seen it, or it is a declared one whose name is written in
 *		another way, and would pass for withheld.  So is one of keys that was not
 *		named: it would pass for unknown whose the rows are.
 */
#include "postgres.h"

#include "access/relation.h"
#include "catalog/pg_class.h"
#include "executor/spi.h"
#include "executor/tuptable.h"
#include "import/import.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "release/past_releases.h"
#include "release/release.h"
#include "shared/progress.h"
#include "tcop/dest.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"

/* ----------------------------------------------------------------
 * Columns
 * ----------------------------------------------------------------
 */

/* Checked before the table is locked: a role must not block tables that it may not read. */
static void
verify_may_read(const Import *import)
{
	Oid			owner = import->publication->owner;

	verify_source_kind(import->table);
	if (pg_class_aclcheck(import->table, owner, ACL_SELECT) != ACLCHECK_OK &&
		pg_attribute_aclcheck_all(import->table, owner, ACL_SELECT, ACLMASK_ANY) != ACLCHECK_OK)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("role \"%s\" may not read \"%s\"",
						GetUserNameFromId(owner, false), get_rel_name(import->table)),
				 errhint("An import is read as the owner of the publication: grant that role SELECT on it.")));
}

/* An error for a column that is none of the publication's. */
static void
refuse_column(const Import *import, const char *name)
{
	const DeclaredPublication *publication = import->publication;
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

static int
find_released(const DeclaredPublication *publication, const char *name)
{
	for (int i = 0; i < publication->ncolumns; i++)
		if (publication->columns[i].role != ROLE_KEY && strcmp(publication->columns[i].name, name) == 0)
			return i;
	return -1;
}

/* Takes a column as the key, which no release may show. */
static void
match_key(Import *import, ImportColumn *column)
{
	const DeclaredPublication *publication = import->publication;

	if (find_released(publication, column->name) >= 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_COLUMN_DEFINITION),
				 errmsg("column \"%s\" cannot be the key", column->name),
				 errdetail("Releases of publication \"%s\" show it.", publication->name),
				 errhint("The key tells whose a row is, and is never published.")));
	column->column = publication_column(publication, ROLE_KEY);
	import->key = column;
}

/* Finds what a column of the table is, or raises an error. */
static void
match_column(Import *import, ImportColumn *column, const char *key)
{
	const DeclaredPublication *publication = import->publication;
	int			i;

	if (key != NULL && strcmp(column->name, key) == 0)
		match_key(import, column);
	else if ((i = find_released(publication, column->name)) >= 0)
	{
		column->column = &publication->columns[i];
		import->declared[i] = column;
		import->shown[i] = true;
	}
	else if (strcmp(column->name, "class") == 0 && has_class_column(publication))
		import->class = column;
	else
		refuse_column(import, column->name);
}

void
match_columns(Import *import, const char *key)
{
	const DeclaredPublication *publication = import->publication;
	Relation	table;
	TupleDesc	columns;

	verify_may_read(import);
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
	}
	relation_close(table, NoLock);
}

/* ----------------------------------------------------------------
 * Rows
 * ----------------------------------------------------------------
 */

#define FIRST_CAPACITY	1024

/* The executor hands its rows over one by one. */
typedef struct TableReceiver
{
	DestReceiver receiver;		/* must be first */
	Import	   *import;
	uint64		capacity;
} TableReceiver;

/* Makes room for more rows, a quarter at a time. */
static void
make_room(TableReceiver *state)
{
	Import	   *import = state->import;

	if (import->nrows >= MAX_FRAME_ROWS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("\"%s\" has more than " UINT64_FORMAT " rows", import->table_name, MAX_FRAME_ROWS),
				 errhint("Divide it among several tables, and import these one after the other.")));
	state->capacity = Min(state->capacity + state->capacity / 4, MAX_FRAME_ROWS);
	for (int i = 0; i < import->ncolumns; i++)
		import->columns[i].number = repalloc_huge(import->columns[i].number, sizeof(uint32) * state->capacity);
}

/* Numbers the values of a row. */
static bool
receive_row(TupleTableSlot *slot, DestReceiver *self)
{
	TableReceiver *state = (TableReceiver *) self;
	Import	   *import = state->import;

	slot_getallattrs(slot);
	if (import->nrows == state->capacity)
		make_room(state);
	for (int i = 0; i < import->ncolumns; i++)
	{
		ImportColumn *column = &import->columns[i];
		bool		isnull = slot->tts_isnull[i];

		column->number[import->nrows] =
			dictionary_number(column->values, isnull ? (Datum) 0 : as_stored(slot->tts_values[i], column->word), isnull);
	}
	import->nrows++;
	progress_step(1);
	return true;
}

/* Does nothing: the columns were looked up before, and the receiver is ready when it is made. */
static void
receiver_startup(DestReceiver *self, int operation, TupleDesc typeinfo)
{
}

/* Does nothing: rows are kept by the import, and the receiver lies on the stack. */
static void
receiver_end(DestReceiver *self)
{
}

/* Builds the query that reads the table's columns, in the order that the import has them. */
static char *
table_query(const Import *import)
{
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "SELECT");
	for (int i = 0; i < import->ncolumns; i++)
		appendStringInfo(&sql, "%s%s", i == 0 ? " " : ", ", quote_identifier(import->columns[i].name));
	appendStringInfo(&sql, " FROM %s", quoted_relation(import->table));
	return sql.data;
}

void
read_table(Import *import)
{
	TableReceiver state = {.import = import, .capacity = FIRST_CAPACITY};
	SPIExecuteOptions options = {0};
	int			result;

	state.receiver.receiveSlot = receive_row;
	state.receiver.rStartup = receiver_startup;
	state.receiver.rShutdown = receiver_end;
	state.receiver.rDestroy = receiver_end;
	state.receiver.mydest = DestTuplestore; /* any that is not SPI's own */
	for (int i = 0; i < import->ncolumns; i++)
	{
		import->columns[i].values = dictionary_create(import->columns[i].type);
		import->columns[i].number = palloc(sizeof(uint32) * FIRST_CAPACITY);
	}
	options.read_only = true;	/* and so under the active snapshot */
	options.must_return_tuples = true;
	options.dest = &state.receiver;
	result = SPI_execute_extended(table_query(import), &options);
	if (result < 0)
		elog(ERROR, "could not read the table: %s", SPI_result_code_string(result));
	fix_settings();				/* the table's code may have changed them */
	if (import->nrows == 0)
		ereport(ERROR,
				(errcode(ERRCODE_NO_DATA_FOUND),
				 errmsg("\"%s\" has no rows", import->table_name)));
}
