/*
 * past_tables.c
 *		The tables in which the past of a publication is kept.
 */
#include "history/past_tables.h"

#include "access/table.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "declare/catalog.h"
#include "declare/parameters.h"
#include "declare/publication.h"
#include "frame/arrays.h"
#include "history/element.h"
#include "history/rows.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#define MOST_COLUMNS 16

typedef struct PastColumn
{
	const char *name;
	Oid			type;			/* or InvalidOid for an array of ... */
	ColumnRole	role;			/* ... values of the only column with this role, */
	bool		is_single;		/* or a single one */
} PastColumn;

typedef struct PastTableKind
{
	const char *name;			/* of the part, and behind that of the publication */
	const char *content;		/* as errors call it */
	HistoryStorage storage;
	int			ncolumns;
	PastColumn	columns[MOST_COLUMNS];
} PastTableKind;

static const char *const storage_sql[] = {
	[IN_HEAP] = "heap WITH (toast_tuple_target = 8160)",
	[IN_UPDATED_HEAP] = "heap WITH (toast_tuple_target = 8160, autovacuum_vacuum_scale_factor = 0.05)",
	[IN_GROUPS] = "pprepub",
};

#define LOG_KIND(part, where) \
	{ \
		.name = (part), .content = "members", .storage = (where), .ncolumns = LOG_COLUMNS, \
		.columns = { \
			[LOG_RELEASE] = {.name = "release", .type = INT4OID}, \
			[LOG_CLASS] = {.name = "class", .type = INT8OID}, \
			[LOG_KEYS] = {.name = "keys", .role = ROLE_KEY}, \
			[LOG_GROUP] = {.name = "group", .type = INT8OID}, \
			[LOG_PLACES] = {.name = "places", .type = INT4ARRAYOID}, \
			[LOG_SENSITIVE] = {.name = "sensitive", .role = ROLE_SENSITIVE}, \
			[LOG_FINGERPRINTS] = {.name = "fingerprints", .type = INT4ARRAYOID}, \
		}, \
	}

static const PastTableKind kinds[] = {
	[MEMBERS_TABLE] = LOG_KIND("members", IN_GROUPS),
	[ASKED_TABLE] = LOG_KIND("asked", IN_HEAP),
	[GROUPS_TABLE] = {
		.name = "groups", .content = "groups", .storage = IN_UPDATED_HEAP, .ncolumns = GROUPS_COLUMNS,
		.columns = {
			[GROUPS_GROUP] = {.name = "group", .type = INT8OID},
			[GROUPS_CREATED] = {.name = "created", .type = INT4OID},
			[GROUPS_KEYS] = {.name = "keys", .role = ROLE_KEY},
			[GROUPS_STATES] = {.name = "states", .type = INT4ARRAYOID},
			[GROUPS_FINGERPRINTS] = {.name = "fingerprints", .type = INT4ARRAYOID},
			[GROUPS_PARTS] = {.name = "parts", .type = INT4ARRAYOID},
			[GROUPS_EPOCHS] = {.name = "epochs", .type = INT4ARRAYOID},
			[GROUPS_SENSITIVE] = {.name = "sensitive", .role = ROLE_SENSITIVE},
		},
	},
	[PLACES_TABLE] = {
		.name = "places", .content = "places", .storage = IN_HEAP, .ncolumns = PLACES_COLUMNS,
		.columns = {
			[PLACES_KEY] = {.name = "key", .role = ROLE_KEY, .is_single = true},
			[PLACES_GROUP] = {.name = "group", .type = INT8OID},
			[PLACES_PLACE] = {.name = "place", .type = INT4OID},
			[PLACES_CAME] = {.name = "came", .type = INT4OID},
		},
	},
	[PEOPLE_TABLE] = {
		.name = "people", .content = "people", .storage = IN_HEAP, .ncolumns = PEOPLE_COLUMNS,
		.columns = {
			[PEOPLE_CAME] = {.name = "came", .type = INT4OID},
			[PEOPLE_KEYS] = {.name = "keys", .role = ROLE_KEY},
		},
	},
};

bool
keeps_past(const DeclaredPublication *publication, int what)
{
	return (method_declaration(publication->method)->past & what) != 0;
}

/* The type of a column: a single value, or an array of elements, which are text where there are no arrays of the type. */
static Oid
column_type(const DeclaredPublication *publication, const PastColumn *column)
{
	const DeclaredColumn *declared;

	if (OidIsValid(column->type))
		return column->type;
	declared = publication_column(publication, column->role);
	return column->is_single ? declared->type : get_array_type(element_of(declared).stored);
}

/* ----------------------------------------------------------------
 * Making a table
 * ----------------------------------------------------------------
 */

/* Arrays of keys hardly become smaller by compression, which costs more than all else. */
static void
keep_arrays_plain(Oid relation, const char *words)
{
	Relation	table = table_open(relation, AccessShareLock);
	TupleDesc	columns = RelationGetDescr(table);
	StringInfoData sql;

	initStringInfo(&sql);
	for (int i = 0; i < columns->natts; i++)
		if (OidIsValid(get_element_type(TupleDescAttr(columns, i)->atttypid)))
			appendStringInfo(&sql, "%s ALTER %s SET STORAGE EXTERNAL", sql.len > 0 ? "," : "",
							 quote_identifier(NameStr(TupleDescAttr(columns, i)->attname)));
	table_close(table, NoLock);
	if (sql.len > 0)
		execute_ddl(psprintf("ALTER TABLE %s%s", words, sql.data));
}

Oid
private_table_ensure(const DeclaredPublication *publication, const char *part, const char *columns, HistoryStorage storage)
{
	Oid			table = noted_relation(publication, part);
	char	   *name = psprintf("%s_%s", publication->name, part);
	char	   *words = quoted_private(publication, psprintf("_%s", part));

	if (OidIsValid(table))
		return table;
	verify_name_is_not_taken(publication, publication->private, name);
	execute_ddl(psprintf("CREATE TABLE %s (%s) USING %s", words, columns, storage_sql[storage]));
	table = get_relname_relid(name, get_namespace_oid(publication->private, false));
	if (storage != IN_GROUPS)
		keep_arrays_plain(table, words);
	reset_rights(RelationRelationId, table, psprintf("TABLE %s", words));
	seal_table(table);
	note_relation(publication, table, part);
	return table;
}

Oid
past_table(const DeclaredPublication *publication, PastTable which)
{
	return noted_relation(publication, kinds[which].name);
}

Oid
past_table_ensure(const DeclaredPublication *publication, PastTable which)
{
	const PastTableKind *kind = &kinds[which];
	StringInfoData columns;

	initStringInfo(&columns);
	for (int i = 0; i < kind->ncolumns; i++)
	{
		const PastColumn *column = &kind->columns[i];

		/* Without a length, which what stands for people who are forgotten may exceed, and a restored dump refuse. */
		DeclaredColumn plain = {.type = column_type(publication, column), .typmod = -1};

		if (column->is_single)
			plain.collation = publication_column(publication, column->role)->collation;
		appendStringInfo(&columns, "%s%s %s", i > 0 ? ", " : "", quote_identifier(column->name), column_type_sql(&plain));
	}
	return private_table_ensure(publication, kind->name, columns.data, kind->storage);
}

/* Makes an index of a column where there is none; keys may be too long for a tree. */
static void
index_ensure(Oid table, int column, bool is_unique, const char *by)
{
	IndexReader *reader = index_reader_open(table, column);

	if (reader != NULL)
		index_reader_close(reader);
	else
		execute_own_ddl(psprintf("CREATE %sINDEX ON %s %s", is_unique ? "UNIQUE " : "", quoted_relation(table), by));
}

void
past_indexes_ensure(const DeclaredPublication *publication)
{
	Oid			groups = past_table_ensure(publication, GROUPS_TABLE);
	Oid			places = past_table_ensure(publication, PLACES_TABLE);

	index_ensure(groups, GROUPS_GROUP, true, "USING btree (\"group\")");
	index_ensure(places, PLACES_GROUP, false, "USING btree (\"group\")");
	index_ensure(places, PLACES_KEY, false, "USING hash (key)");
}

/* ----------------------------------------------------------------
 * Columns
 * ----------------------------------------------------------------
 */

bool
has_columns(Oid table, const Oid *types, int n)
{
	Relation	relation = table_open(table, AccessShareLock);
	TupleDesc	columns = RelationGetDescr(relation);
	bool		result = columns->natts == n;

	for (int i = 0; i < n && result; i++)
		result = TupleDescAttr(columns, i)->atttypid == types[i];
	table_close(relation, NoLock);
	return result;
}

bool
past_table_has_columns(const DeclaredPublication *publication, PastTable which)
{
	const PastTableKind *kind = &kinds[which];
	Oid			types[MOST_COLUMNS] = {InvalidOid};

	for (int i = 0; i < kind->ncolumns; i++)
		types[i] = column_type(publication, &kind->columns[i]);
	return has_columns(past_table(publication, which), types, kind->ncolumns);
}

void
past_table_verify(const DeclaredPublication *publication, PastTable which)
{
	if (!past_table_has_columns(publication, which))
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("the table of %s of publication \"%s\" is malformed", kinds[which].content, publication->name),
				 errdetail("It has other columns than it was made with."),
				 errhint("Restore it from a backup.")));
}

/* ----------------------------------------------------------------
 * Rows
 * ----------------------------------------------------------------
 */

void
past_refuse(const DeclaredPublication *publication, uint64 members)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATA_CORRUPTED),
			 errmsg("the history of publication \"%s\" is not whole", publication->name),
			 errdetail("It tells of " UINT64_FORMAT " instead of " INT64_FORMAT " people, places or invented rows.",
					   members, publication->remembered),
			 errhint(REBUILD_HINT)));
}

void
refuse_group(const DeclaredPublication *publication, int64 number)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATA_CORRUPTED),
			 errmsg("group " INT64_FORMAT " of publication \"%s\" is malformed", number, publication->name),
			 errhint(REBUILD_HINT)));
}

void
refuse_class(const DeclaredPublication *publication)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATA_CORRUPTED),
			 errmsg("the log of publication \"%s\" has a malformed class", publication->name),
			 errhint("Restore its table from a backup.")));
}

/* ----------------------------------------------------------------
 * The log
 * ----------------------------------------------------------------
 */

void
log_ensure(const DeclaredPublication *publication)
{
	(void) past_table_ensure(publication, MEMBERS_TABLE);
	(void) past_table_ensure(publication, ASKED_TABLE);
	log_verify(publication);
}

void
log_verify(const DeclaredPublication *publication)
{
	for (PastTable part = MEMBERS_TABLE; part <= ASKED_TABLE; part++)
	{
		if (!OidIsValid(past_table(publication, part)))
			ereport(ERROR,
					(errcode(ERRCODE_DATA_CORRUPTED),
					 errmsg("the log of publication \"%s\" is gone", publication->name),
					 errhint("Restore its table from a backup.")));
		past_table_verify(publication, part);	/* columns are read by their types */
	}
}

void
log_read(const DeclaredPublication *publication, void (*visit) (void *what, TupleTableSlot *slot), void *what)
{
	log_verify(publication);
	read_each(past_table(publication, MEMBERS_TABLE), visit, what);
	read_each(past_table(publication, ASKED_TABLE), visit, what);
}

bool
log_read_backward(const DeclaredPublication *publication, bool (*visit) (void *what, TupleTableSlot *slot), void *what)
{
	log_verify(publication);
	return read_backward(past_table(publication, ASKED_TABLE), visit, what) &&
		read_backward(past_table(publication, MEMBERS_TABLE), visit, what);
}

void
refuse_log(const DeclaredPublication *publication, const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATA_CORRUPTED),
			 errmsg("the log of publication \"%s\" is not whole", publication->name),
			 errdetail("%s", detail),
			 errhint("Nothing was changed. Restore the table of its log from a backup.")));
}

void
log_verify_rows(const DeclaredPublication *publication, const uint64 *logged, int32 first)
{
	CatalogAccess access;
	uint64		n;

	catalog_enter(&access);
	n = catalog_read("SELECT number, people FROM pprepub_internal.catalog_release WHERE publication = $1 AND identified AND number BETWEEN $2 AND $3",
					 CATALOG_INT(publication->id), CATALOG_INT(first), CATALOG_INT(publication->releases));
	for (uint64 i = 0; i < n; i++)
	{
		int32		number = catalog_int(i, "number");
		int64		people = catalog_int(i, "people");

		CHECK_FOR_INTERRUPTS();
		if (logged[number - 1] != (uint64) people)
			refuse_log(publication, psprintf("It tells of " UINT64_FORMAT " instead of " INT64_FORMAT " rows of release %d.",
											 logged[number - 1], people, number));
	}
	catalog_leave(&access);
}

/* ----------------------------------------------------------------
 * Regions of answers
 * ----------------------------------------------------------------
 */

Oid
answered_ensure(const DeclaredPublication *publication)
{
	StringInfoData columns;

	initStringInfo(&columns);
	appendStringInfo(&columns, "%s pg_catalog.int4, class pg_catalog.int8, %s pg_catalog.int8",
					 free_column_name(publication, "release"), free_column_name(publication, "rows"));
	for (int i = 0; i < publication->ncolumns; i++)
		if (publication->columns[i].role == ROLE_QUASI_IDENTIFIER)
			appendStringInfo(&columns, ", %s %s", quote_identifier(publication->columns[i].name),
							 printed_type_sql(&publication->columns[i]));
	return private_table_ensure(publication, "regions", columns.data, IN_HEAP);
}

/* ----------------------------------------------------------------
 * Reading
 * ----------------------------------------------------------------
 */

/* NULL in a column that always has a value becomes 0, which is no class and no number of rows. */
static int64
number_in(const TupleTableSlot *slot, int column)
{
	return slot->tts_isnull[column] ? 0 : DatumGetInt64(slot->tts_values[column]);
}

/* Adds a class to its release; rows of later releases, or of none, are skipped. */
static void
read_class(void *what, TupleTableSlot *slot)
{
	Answered   *answered = what;
	int32		number = slot->tts_isnull[ANSWERED_RELEASE] ? 0 : DatumGetInt32(slot->tts_values[ANSWERED_RELEASE]);
	AnsweredRelease *release;
	uint32		c;

	if (number < 1 || number > answered->nreleases)
		return;
	release = &answered->release[number - 1];
	if (release->nclasses == release->allocated)
	{
		MemoryContext old = MemoryContextSwitchTo(answered->context);

		release->allocated = array_room(release->allocated, 16);
		array_resize(release->number, release->allocated);
		array_resize(release->rows, release->allocated);
		array_resize(release->cell, (Size) release->allocated * answered->nqis);
		MemoryContextSwitchTo(old);
	}
	c = release->nclasses++;
	release->number[c] = number_in(slot, ANSWERED_CLASS);
	release->rows[c] = number_in(slot, ANSWERED_ROWS);
	for (int q = 0; q < answered->nqis; q++)
		release->cell[(Size) c * answered->nqis + q] =
			cells_number(answered->cells[q], slot->tts_values[ANSWERED_CELLS + q], slot->tts_isnull[ANSWERED_CELLS + q]);
}

Answered *
answered_read(const DeclaredPublication *publication, Cells **cells, int32 nreleases)
{
	Oid			table = answered_of(publication);
	Oid		   *types = palloc(sizeof(Oid) * (ANSWERED_CELLS + publication->ncolumns));
	Answered   *answered = palloc0(sizeof(Answered));

	types[ANSWERED_RELEASE] = INT4OID;
	types[ANSWERED_CLASS] = INT8OID;
	types[ANSWERED_ROWS] = INT8OID;
	for (int i = 0; i < publication->ncolumns; i++)
		if (publication->columns[i].role == ROLE_QUASI_IDENTIFIER)
			types[ANSWERED_CELLS + answered->nqis++] = printed_type(publication->columns[i].kind, publication->columns[i].type);
	/* To read a value as another type could crash the server. */
	if (!OidIsValid(table) || get_rel_relkind(table) != RELKIND_RELATION || !has_columns(table, types, ANSWERED_CELLS + answered->nqis))
		return NULL;
	answered->cells = cells;
	answered->nreleases = nreleases;
	answered->release = palloc0(sizeof(AnsweredRelease) * (nreleases + 1));
	answered->context = CurrentMemoryContext;
	read_each(table, read_class, answered);
	return answered;
}

/* ----------------------------------------------------------------
 * Counterfeits
 * ----------------------------------------------------------------
 */

Oid
counterfeits_ensure(const DeclaredPublication *publication)
{
	return private_table_ensure(publication, "counterfeits",
								"release pg_catalog.int4, class pg_catalog.int8, counterfeits pg_catalog.int8", IN_HEAP);
}

bool
tells_counterfeits(const DeclaredPublication *publication)
{
	return method_declaration(publication->method)->counterfeits;
}
