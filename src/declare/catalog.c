/*
 * catalog.c
 *		Acting as another role; reading and writing the extension's own tables; work that may fail.
 *
 * IDENTITY
 *		With either flag of the security context, the server refuses to set role or session_authorization; with
 *		SECURITY_RESTRICTED_OPERATION, also everything that would outlast the operation.  Neither stops hostile code from
 *		changing the search path or other plain settings.  Therefore each act_as() opens a settings level of its own and
 *		sets everything that matters, also inside another act_as().
 *
 * CATALOG
 *		SPI as the tables' owner, rather than direct heap access: the rows are few, and the server then looks after
 *		indexes, constraints and serialization.  Only some rows that each answer writes are inserted by hand: a new
 *		backend would take many times as long to parse and plan an INSERT as to run it.
 */
#include "declare/catalog.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "catalog/indexing.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/hsearch.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/resowner.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"
#include "utils/varlena.h"

PG_FUNCTION_INFO_V1(pprepub_relation_name_in);

/* ---- Identity and rights ---- */

static const struct
{
	const char *name;
	const char *value;
}			fixed_settings[] =
{
	{"search_path", "pg_catalog, pg_temp"},
	{"row_security", "off"},	/* an error beats silent filtering */
	{"jit", "off"},				/* costs are often overestimated, and compiling takes seconds */
	{"default_table_access_method", "heap"},
	{"quote_all_identifiers", "off"},
	{"DateStyle", "ISO, YMD"},
	{"IntervalStyle", "postgres"},
	{"TimeZone", "UTC"},
	{"timezone_abbreviations", "Default"},
	{"extra_float_digits", "1"},
	{"bytea_output", "hex"},
	{"xmlbinary", "base64"},
	{"lc_monetary", "C"},
	{"array_nulls", "on"},
	{"standard_conforming_strings", "on"},
	{"backslash_quote", "safe_encoding"},
	{"escape_string_warning", "off"},
	{"transform_null_equals", "off"},
	{"citus.enable_ddl_propagation", "off"},	/* what stands beside a history is nothing without it */
};

/*
 * Most settings have the right value already, and asking is cheaper than setting. A setting that hostile code has SET at
 * this level cannot be saved any more, as a server with assertions insists; either way the value from before comes back.
 */
void
fix_settings(void)
{
	for (int i = 0; i < (int) lengthof(fixed_settings); i++)
	{
		const char *value = GetConfigOption(fixed_settings[i].name, true, false);

		if (value != NULL && strcmp(value, fixed_settings[i].value) != 0)	/* NULL: this server has no such setting */
			(void) set_config_option(fixed_settings[i].name, fixed_settings[i].value, PGC_USERSET, PGC_S_SESSION, GUC_ACTION_LOCAL, true, 0, false);
	}
}

void
act_as(Identity *before, Oid role)
{
	GetUserIdAndSecContext(&before->userid, &before->security_context);
	SetUserIdAndSecContext(role, before->security_context |
						   SECURITY_LOCAL_USERID_CHANGE | SECURITY_RESTRICTED_OPERATION);
	before->guc_level = NewGUCNestLevel();
	fix_settings();
}

void
act_as_before(const Identity *before)
{
	AtEOXact_GUC(false, before->guc_level);
	SetUserIdAndSecContext(before->userid, before->security_context);
}

void
verify_may_change(const char *command)
{
	PreventCommandIfReadOnly(command);
	PreventCommandDuringRecovery(command);
	verify_version();
	if (InSecurityRestrictedOperation())
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("cannot execute %s within a security-restricted operation", command),
				 errdetail("Code that a source brings along, for one, runs in such an operation.")));
}

bool
is_read_like_table(Oid relation)
{
	return strchr("rvmpf", get_rel_relkind(relation)) != NULL && get_rel_relkind(relation) != '\0';
}

void
verify_source_kind(Oid relation)
{
	if (get_rel_relkind(relation) == '\0')
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("relation with OID %u does not exist", relation)));
	if (!is_read_like_table(relation))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is not a source", get_rel_name(relation)),
				 errdetail("A source is a table, a view, a materialized view or a foreign table.")));
}

Oid
relation_owner(Oid relation)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));
	Oid			owner;

	if (!HeapTupleIsValid(tuple))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("relation with OID %u does not exist", relation)));
	owner = ((Form_pg_class) GETSTRUCT(tuple))->relowner;
	ReleaseSysCache(tuple);
	return owner;
}

bool
has_rights_of(Oid role)
{
	return has_privs_of_role(GetUserId(), role);
}

char *
quoted_relation(Oid relation)
{
	return quote_qualified_identifier(get_namespace_name(get_rel_namespace(relation)),
									  get_rel_name(relation));
}

void
execute_ddl(const char *sql)
{
	int			result = SPI_execute(sql, false, 0);

	if (result < 0)
		elog(ERROR, "could not execute \"%s\": %s", sql, SPI_result_code_string(result));
}

void
reset_rights(Oid classid, Oid object, const char *named)
{
	CatalogAccess access;
	char	   *statements;

	catalog_enter(&access);
	catalog_read("SELECT string_agg(statement, '; ') AS statements FROM pprepub_internal.rights_to_reset($1, $2, $3) statement",
				 CATALOG_OID(classid), CATALOG_OID(object), CATALOG_TEXT(named));
	statements = catalog_text(&access, 0, "statements");
	catalog_leave(&access);
	if (statements != NULL)
		execute_ddl(statements);
}

/* ---- The catalog ---- */

#define CATALOG_SCHEMA "pprepub_internal"

/* A relation that was gone when it was dumped reads as gone: "-" and numbers name none in a restore's search path. */
Datum
pprepub_relation_name_in(PG_FUNCTION_ARGS)
{
	List	   *names = textToQualifiedNameList(cstring_to_text(PG_GETARG_CSTRING(0)));

	PG_RETURN_OID(RangeVarGetRelid(makeRangeVarFromNameList(names), NoLock, true));
}

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

void
verify_version(void)
{
	CatalogAccess access;
	char	   *version;

	catalog_enter(&access);
	version = catalog_run("SELECT extversion FROM pg_extension WHERE extname = 'pprepub'", CATALOG_READ, 0, NULL) == 0 ? NULL :
		catalog_text(&access, 0, "extversion");
	catalog_leave(&access);
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

/* ---- Plans, kept until the session ends ---- */

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

/*
 * Returns the statement's plan, which is kept until the session ends, unless another statement has its hash.  A generic plan
 * will do, since no parameter changes how a statement is best run.
 */
static SPIPlanPtr
plan_for(const char *sql, int nparams, Oid *types)
{
	SavedPlan  *saved = find_plan(sql, HASH_FIND, NULL);
	SPIPlanPtr	plan;
	char	   *kept_sql;
	Oid		   *kept_types;

	if (saved != NULL && strcmp(saved->sql, sql) == 0 && saved->nparams == nparams &&
		memcmp(saved->types, types, sizeof(Oid) * nparams) == 0)
		return saved->plan;
	plan = SPI_prepare_cursor(sql, nparams, types, CURSOR_OPT_GENERIC_PLAN);
	if (plan == NULL)
		elog(ERROR, "could not prepare \"%s\": %s", sql, SPI_result_code_string(SPI_result));
	if (saved != NULL)
		return plan;
	kept_sql = MemoryContextStrdup(TopMemoryContext, sql);
	kept_types = memcpy(MemoryContextAlloc(TopMemoryContext, sizeof(Oid) * (nparams + 1)), types, sizeof(Oid) * nparams);
	if (SPI_keepplan(plan) != 0)
		elog(ERROR, "could not keep the plan of \"%s\"", sql);
	/* The entry is made last, when nothing can fail any more, since no abort would remove it. */
	saved = find_plan(sql, HASH_ENTER, NULL);
	saved->sql = kept_sql;
	saved->nparams = nparams;
	saved->types = kept_types;
	saved->plan = plan;
	return plan;
}

uint64
catalog_run(const char *sql, CatalogMode mode, int nparams, const CatalogParam *params)
{
	Oid		   *types = palloc(sizeof(Oid) * (nparams + 1));
	Datum	   *values = palloc(sizeof(Datum) * (nparams + 1));
	char	   *nulls = palloc(nparams + 1);
	SPIPlanPtr	plan;
	Snapshot	snapshot = InvalidSnapshot;
	int			result;

	for (int i = 0; i < nparams; i++)
	{
		types[i] = params[i].type;
		values[i] = params[i].value;
		nulls[i] = params[i].isnull ? 'n' : ' ';
	}
	plan = plan_for(sql, nparams, types);	/* before the snapshot is taken: nothing holds that until it is used */

	/*
	 * A read has the latest, since the lock on a publication keeps its rows and its history as they are.  On a standby
	 * no lock does, so there it is that of the statement, by which the history is read.
	 */
	if (mode == CATALOG_LOOK || (mode == CATALOG_READ && RecoveryInProgress() && ActiveSnapshotSet()))
		snapshot = GetActiveSnapshot();
	else if (mode == CATALOG_READ)
		snapshot = GetLatestSnapshot();
	result = SPI_execute_snapshot(plan, values, nulls, snapshot, InvalidSnapshot, mode == CATALOG_LOOK, true, 0);
	if (result < 0)
		elog(ERROR, "could not execute \"%s\": %s", sql, SPI_result_code_string(result));
	return SPI_processed;
}

bool
catalog_has(const char *sql, int nparams, const CatalogParam *params)
{
	CatalogAccess access;
	bool		found;

	catalog_enter(&access);
	found = catalog_run(sql, CATALOG_READ, nparams, params) > 0;
	catalog_leave(&access);
	return found;
}

/* ---- Rows inserted without SPI ---- */

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

/* ---- Results ---- */

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

int64
catalog_int(uint64 row, const char *name)
{
	int			column = result_column(row, name);
	bool		isnull;
	Datum		value = SPI_getbinval(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, column, &isnull);

	if (isnull)
		return 0;
	switch (SPI_gettypeid(SPI_tuptable->tupdesc, column))
	{
		case INT4OID:
			return DatumGetInt32(value);
		case INT8OID:
			return DatumGetInt64(value);
		case BOOLOID:
			return DatumGetBool(value);
		default:
			elog(ERROR, "column \"%s\" of the catalog is no integer", name);
	}
}

Oid
catalog_oid(uint64 row, const char *name)
{
	bool		isnull;
	Datum		value = catalog_field(row, name, &isnull);

	return isnull ? InvalidOid : DatumGetObjectId(value);
}

/* ---- Work that may fail ---- */

/* Runs the work as PL/pgSQL runs a block with an exception handler. */
ErrorData *
work_in_subtransaction(void (*work) (void *what), void *what, bool is_kept)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	int			level = GetCurrentTransactionNestLevel();
	ErrorData  *volatile error = NULL;

	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(context);
	PG_TRY();
	{
		int			settings = NewGUCNestLevel();

		/* A parallel worker would write its errors to the server's log, also those that are caught. */
		(void) set_config_option("max_parallel_workers_per_gather", "0", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
		work(what);
		AtEOXact_GUC(true, settings);
		if (is_kept)
			ReleaseCurrentSubTransaction();
		else
			RollbackAndReleaseCurrentSubTransaction();
	}
	PG_CATCH();
	{
		/*
		 * First back to where we were: there may be no memory for a copy of the error, which is another error, of our
		 * caller.
		 */
		while (GetCurrentTransactionNestLevel() > level)
			RollbackAndReleaseCurrentSubTransaction();
		MemoryContextSwitchTo(context);
		CurrentResourceOwner = owner;
		error = CopyErrorData();
		FlushErrorState();
	}
	PG_END_TRY();
	MemoryContextSwitchTo(context);
	CurrentResourceOwner = owner;
	return error;
}

bool
is_transient(int sqlerrcode)
{
	int			category = ERRCODE_TO_CATEGORY(sqlerrcode);

	return category == ERRCODE_OPERATOR_INTERVENTION || category == ERRCODE_TRANSACTION_ROLLBACK ||
		category == ERRCODE_INSUFFICIENT_RESOURCES || sqlerrcode == ERRCODE_LOCK_NOT_AVAILABLE;
}

void
catalog_raise(void)
{
	bool		isnull;
	Datum		wrong = catalog_field(0, "wrong", &isnull);
	char	   *part[4];
	Datum	   *values;
	bool	   *nulls;
	int			n;

	if (isnull)
		return;
	deconstruct_array(DatumGetArrayTypeP(wrong), TEXTOID, -1, false, TYPALIGN_INT, &values, &nulls, &n);
	for (int i = 0; i < 4; i++)
		part[i] = i < n && !nulls[i] ? TextDatumGetCString(values[i]) : NULL;
	ereport(ERROR,
			(errcode(MAKE_SQLSTATE(part[0][0], part[0][1], part[0][2], part[0][3], part[0][4])),
			 errmsg_internal("%s", part[1]),
			 part[2] == NULL ? 0 : errdetail_internal("%s", part[2]),
			 part[3] == NULL ? 0 : errhint("%s", part[3])));
}
