/*
 * catalog.c
 *		Reading and writing the extension's own tables.
 *
 * SPI as the tables' owner, rather than direct heap access: the rows are few,
 * and the server then looks after indexes, constraints and serialization.  Only
 * some rows that each answer writes are inserted by hand: a new backend would
 * take many times as long to parse and plan an INSERT as to run it.
 */
#include "declare/catalog.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "catalog/indexing.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_extension.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/hsearch.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

#define CATALOG_SCHEMA "pprepub_internal"

Oid
catalog_relation(const char *name)
{
	Oid			schema = get_namespace_oid(CATALOG_SCHEMA, true);

	return OidIsValid(schema) ? get_relname_relid(name, schema) : InvalidOid;
}

Oid
catalog_owner(void)
{
	Oid			relation = catalog_relation("catalog_publication");

	return OidIsValid(relation) ? relation_owner(relation) : InvalidOid;
}

void
verify_format(const char *publication, int32 format, int32 known)
{
	if (format != known)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("the history of publication \"%s\" was written by a later version of pprepub", publication),
				 errdetail("Its format is %d, and this version reads %d.", format, known),
				 errhint("Install the version that wrote it.")));
}

/* The version of the extension's objects in this database, or NULL. */
static char *
installed_version(void)
{
	Relation	extensions = table_open(ExtensionRelationId, AccessShareLock);
	char	   *version = NULL;
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	row;
	bool		isnull;

	ScanKeyInit(&key, Anum_pg_extension_extname, BTEqualStrategyNumber, F_NAMEEQ, CStringGetDatum("pprepub"));
	scan = systable_beginscan(extensions, ExtensionNameIndexId, true, NULL, 1, &key);
	if ((row = systable_getnext(scan)) != NULL)
		version = TextDatumGetCString(heap_getattr(row, Anum_pg_extension_extversion, RelationGetDescr(extensions), &isnull));
	systable_endscan(scan);
	table_close(extensions, AccessShareLock);
	return version;
}

void
verify_version(void)
{
	char	   *version = installed_version();

	if (version != NULL && strcmp(version, PPREPUB_VERSION) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("extension \"pprepub\" has version %s in this database, but its library has version %s", version, PPREPUB_VERSION),
				 errhint("Run ALTER EXTENSION pprepub UPDATE in each database that has it, and connect anew.")));
}

void
catalog_enter(CatalogAccess *access)
{
	Oid			owner = catalog_owner();

	if (!OidIsValid(owner))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("extension \"pprepub\" is not installed in this database"),
				 errhint("Run CREATE EXTENSION pprepub.")));
	access->context = CurrentMemoryContext;
	act_as(&access->caller, owner);
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "could not connect to SPI");
}

void
catalog_leave(CatalogAccess *access)
{
	SPI_finish();
	act_as_before(&access->caller);
	MemoryContextSwitchTo(access->context);
}

/* ----------------------------------------------------------------
 * Plans, kept until the session ends
 * ----------------------------------------------------------------
 */

typedef struct SavedPlan
{
	uint32		hash;			/* of the statement: hash key */
	char	   *sql;
	int			nparams;
	Oid		   *types;
	SPIPlanPtr	plan;
} SavedPlan;

static HTAB *saved_plans = NULL;

/* Looks up the entry of a statement by its hash; the caller compares the text. */
static SavedPlan *
find_plan(const char *sql, HASHACTION action, bool *found)
{
	uint32		hash = hash_bytes((const unsigned char *) sql, strlen(sql));

	if (saved_plans == NULL)
	{
		HASHCTL		control = {.keysize = sizeof(uint32), .entrysize = sizeof(SavedPlan)};

		saved_plans = hash_create("pprepub catalog plans", 64, &control, HASH_ELEM | HASH_BLOBS);
	}
	return hash_search(saved_plans, &hash, action, found);
}

/* Does a plan stand for the statement with parameters of these types? */
static bool
is_plan_of(const SavedPlan *saved, const char *sql, int nparams, const Oid *types)
{
	return strcmp(saved->sql, sql) == 0 && saved->nparams == nparams &&
		memcmp(saved->types, types, sizeof(Oid) * nparams) == 0;
}

/*
 * Keeps a plan until the session ends.  The entry is made last, when nothing
 * can fail any more, since no abort would remove it.
 */
static void
save_plan(SPIPlanPtr plan, const char *sql, int nparams, const Oid *types)
{
	MemoryContext old = MemoryContextSwitchTo(TopMemoryContext);
	char	   *copy = pstrdup(sql);
	Oid		   *types_copy = memcpy(palloc(sizeof(Oid) * (nparams + 1)), types, sizeof(Oid) * nparams);
	SavedPlan  *saved;

	MemoryContextSwitchTo(old);
	if (SPI_keepplan(plan) != 0)
		elog(ERROR, "could not keep the plan of \"%s\"", sql);
	saved = find_plan(sql, HASH_ENTER, NULL);
	saved->sql = copy;
	saved->nparams = nparams;
	saved->types = types_copy;
	saved->plan = plan;
}

/*
 * Returns the statement's plan.  A generic plan will do, since no parameter
 * changes how a statement is best run.
 */
static SPIPlanPtr
plan_for(const char *sql, int nparams, Oid *types)
{
	SavedPlan  *saved = find_plan(sql, HASH_FIND, NULL);
	SPIPlanPtr	plan;

	if (saved != NULL && is_plan_of(saved, sql, nparams, types))
		return saved->plan;
	plan = SPI_prepare_cursor(sql, nparams, types, CURSOR_OPT_GENERIC_PLAN);
	if (plan == NULL)
		elog(ERROR, "could not prepare \"%s\": %s", sql, SPI_result_code_string(SPI_result));
	if (saved == NULL)
		save_plan(plan, sql, nparams, types);
	return plan;
}

/*
 * The latest, since the lock on a publication keeps its rows and its history as they are.  On a standby no lock does, so
 * there it is that of the statement, by which the history is read.
 */
static Snapshot
read_snapshot(void)
{
	return RecoveryInProgress() && ActiveSnapshotSet() ? GetActiveSnapshot() : GetLatestSnapshot();
}

uint64
catalog_run(const char *sql, CatalogMode mode, int nparams, const CatalogParam *params)
{
	Oid		   *types = palloc(sizeof(Oid) * (nparams + 1));
	Datum	   *values = palloc(sizeof(Datum) * (nparams + 1));
	char	   *nulls = palloc(nparams + 1);
	SPIPlanPtr	plan;
	int			result;

	for (int i = 0; i < nparams; i++)
	{
		types[i] = params[i].type;
		values[i] = params[i].value;
		nulls[i] = params[i].isnull ? 'n' : ' ';
	}
	plan = plan_for(sql, nparams, types);	/* before the snapshot is taken: nothing holds that until it is used */
	result = SPI_execute_snapshot(plan, values, nulls,
								  mode == CATALOG_WRITE ? InvalidSnapshot :
								  mode == CATALOG_LOOK ? GetActiveSnapshot() : read_snapshot(),
								  InvalidSnapshot, mode == CATALOG_LOOK, true, 0);
	if (result < 0)
		elog(ERROR, "could not execute \"%s\": %s", sql, SPI_result_code_string(result));
	return SPI_processed;
}

/* ----------------------------------------------------------------
 * Rows inserted without SPI
 * ----------------------------------------------------------------
 */

void
catalog_add(const char *table, const Datum *values, int nrows)
{
	Relation	relation = table_open(catalog_relation(table), RowExclusiveLock);
	CatalogIndexState indexes = CatalogOpenIndexes(relation);
	TupleDesc	columns = RelationGetDescr(relation);
	bool	   *nulls = palloc0(sizeof(bool) * columns->natts);

	for (int row = 0; row < nrows; row++)
		CatalogTupleInsertWithInfo(relation, heap_form_tuple(columns, unconstify(Datum *, values) + row * columns->natts, nulls),
								   indexes);
	CatalogCloseIndexes(indexes);
	table_close(relation, NoLock);
	CommandCounterIncrement();
}

/* ----------------------------------------------------------------
 * Results
 * ----------------------------------------------------------------
 */

/* The number of a column of the last result, which must have the row. */
static int
result_column(uint64 row, const char *name)
{
	int			column;

	if (row >= SPI_processed)
		elog(ERROR, "catalog query returned no row " UINT64_FORMAT, row);
	column = SPI_fnumber(SPI_tuptable->tupdesc, name);
	if (column <= 0)
		elog(ERROR, "catalog query returned no column \"%s\"", name);
	return column;
}

Datum
catalog_field(uint64 row, const char *name, bool *isnull)
{
	int			column = result_column(row, name);

	return SPI_getbinval(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, column, isnull);
}

const int32 *
catalog_numbers(uint64 row, const char *name, int *n)
{
	bool		isnull;
	ArrayType  *array = DatumGetArrayTypeP(catalog_field(row, name, &isnull));

	*n = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	return (const int32 *) ARR_DATA_PTR(array);
}

char *
catalog_text(CatalogAccess *access, uint64 row, const char *name)
{
	int			column = result_column(row, name);
	char	   *value = SPI_getvalue(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, column);

	return value == NULL ? NULL : MemoryContextStrdup(access->context, value);
}

int32
catalog_int(uint64 row, const char *name)
{
	bool		isnull;
	Datum		value = catalog_field(row, name, &isnull);

	return isnull ? 0 : DatumGetInt32(value);
}

Oid
catalog_oid(uint64 row, const char *name)
{
	bool		isnull;
	Datum		value = catalog_field(row, name, &isnull);

	return isnull ? InvalidOid : DatumGetObjectId(value);
}
