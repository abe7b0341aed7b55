/*
 * gate.c
 *		Functions of schema pprepub that functions in SQL compute: as they are, and over all shards of a sharded publication.
 */
#include "declare/gate.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_type.h"
#include "declare/catalog.h"
#include "declare/publication.h"
#include "declare/work.h"
#include "executor/spi.h"
#include "executor/tstoreReceiver.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "nodes/execnodes.h"
#include "nodes/params.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

PG_FUNCTION_INFO_V1(pprepub_on_sharded);
PG_FUNCTION_INFO_V1(pprepub_sharded_health);

/* Runs a statement whose parameters are the arguments of the call. */
static void
run_with_arguments(FunctionCallInfo fcinfo, const char *sql, bool is_read_only, DestReceiver *receiver)
{
	SPIExecuteOptions options = {.read_only = is_read_only, .must_return_tuples = true, .dest = receiver};
	Oid		   *types;
	int			n;

	(void) get_func_signature(fcinfo->flinfo->fn_oid, &types, &n);
	options.params = makeParamList(n);
	for (int i = 0; i < n; i++)
		options.params->params[i] = (ParamExternData) {fcinfo->args[i].value, fcinfo->args[i].isnull, PARAM_FLAG_CONST, types[i]};
	if (SPI_execute_extended(sql, &options) < 0)
		elog(ERROR, "could not compute figures");
}

void
call_internal(FunctionCallInfo fcinfo, DestReceiver *receiver)
{
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfo(&sql, "SELECT * FROM pprepub_internal.%s(", quote_identifier(get_func_name(fcinfo->flinfo->fn_oid)));
	for (int i = 0; i < fcinfo->nargs; i++)
		appendStringInfo(&sql, "%s$%d", i > 0 ? ", " : "", i + 1);
	appendStringInfoChar(&sql, ')');
	run_with_arguments(fcinfo, sql.data, true, receiver);
}

/* ---- Sharded publications ---- */

/* The one row that a statement has returned, as what the call returns, in the context of before SPI. */
static Datum
returned_row(FunctionCallInfo fcinfo)
{
	TupleDesc	columns;
	Form_pg_attribute first = TupleDescAttr(SPI_tuptable->tupdesc, 0);
	Datum		value;

	if (SPI_processed != 1)
		elog(ERROR, UINT64_FORMAT " rows instead of one", SPI_processed);
	if (get_call_result_type(fcinfo, NULL, &columns) == TYPEFUNC_COMPOSITE)
		return PointerGetDatum(SPI_returntuple(SPI_tuptable->vals[0], BlessTupleDesc(columns)));
	value = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &fcinfo->isnull);
	return fcinfo->isnull || first->atttypid == VOIDOID ? (Datum) 0 : SPI_datumTransfer(value, first->attbyval, first->attlen);
}

/* Runs a statement, and returns what it returns. */
static Datum
pass_on(FunctionCallInfo fcinfo, const char *sql, bool is_read_only)
{
	DestReceiver *receiver = NULL;
	Datum		result = (Datum) 0;

	if (fcinfo->flinfo->fn_retset)
	{
		begin_rows(fcinfo);
		receiver = CreateDestReceiver(DestTuplestore);
		SetTuplestoreDestReceiverParams(receiver, ((ReturnSetInfo *) fcinfo->resultinfo)->setResult, CurrentMemoryContext, false, NULL, NULL);
	}
	SPI_connect();
	run_with_arguments(fcinfo, sql, is_read_only, receiver);
	if (receiver == NULL)
		result = returned_row(fcinfo);
	SPI_finish();
	return result;
}

/* The statement that does what the call does, for all shards; an error if there is none. */
static char *
sharded_call(FunctionCallInfo fcinfo, const char *publication, ShardedCall how)
{
	CatalogAccess access;
	char	   *call;
	char	   *shards;

	catalog_enter(&access);
	catalog_read("SELECT pprepub_internal.sharded_call($2, $3) AS call,"
				 " string_agg(format('\"%s\" on server \"%s\"', publication, server), ', ' ORDER BY shard) AS shards"
				 " FROM pprepub_internal.catalog_shard WHERE name = $1",
				 CATALOG_TEXT(publication), CATALOG_OID(fcinfo->flinfo->fn_oid), CATALOG_PARAM(BOOLOID, BoolGetDatum(how == SHARDED_ROWS)));
	call = catalog_text(&access, 0, "call");
	shards = catalog_text(&access, 0, "shards");
	catalog_leave(&access);
	if (call == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("pprepub.%s() cannot be called for all shards of publication \"%s\"", get_func_name(fcinfo->flinfo->fn_oid), publication),
				 how == SHARDED_CHANGE ? errdetail("All its shards are changed, or none: %s.", shards)
				 : errhint("Call it for a shard: %s.", shards)));
	return call;
}

/*
 * The owner of a sharded publication, or InvalidOid if it is none.  This is asked of every publication, which SPI would make slower;
 * the table has few rows, if any.
 */
static Oid
owner_of_sharded(Datum name)
{
	Oid			catalog = catalog_relation("catalog_sharded");
	Oid			owner = InvalidOid;
	Relation	relation;
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	row;
	bool		isnull;

	if (!OidIsValid(catalog))
		return InvalidOid;		/* objects of an older version */
	relation = table_open(catalog, AccessShareLock);
	ScanKeyInit(&key, 1, BTEqualStrategyNumber, F_TEXTEQ, name);
	scan = systable_beginscan(relation, InvalidOid, false, NULL, 1, &key);
	row = systable_getnext(scan);
	if (HeapTupleIsValid(row))
		owner = DatumGetObjectId(heap_getattr(row, 2, RelationGetDescr(relation), &isnull));
	systable_endscan(scan);
	table_close(relation, AccessShareLock);
	return owner;
}

bool
done_by_shards(FunctionCallInfo fcinfo, ShardedCall how, Datum *result)
{
	Oid			owner = PG_ARGISNULL(0) ? InvalidOid : owner_of_sharded(PG_GETARG_DATUM(0));
	char	   *name = PG_ARGISNULL(0) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(0));
	bool		is_owners = how >= SHARDED_OWNERS || superuser();
	Identity	caller;

	if (!OidIsValid(owner))
		return false;
	if (how == SHARDED_CHANGE)
		verify_may_change(psprintf("%s()", get_func_name(fcinfo->flinfo->fn_oid)));
	if (is_owners)
		verify_rights_of(owner, name);
	/* A superuser's links need no password, and an owner's servers lead where the owner likes. */
	if (is_owners)
		act_as(&caller, owner);
	*result = pass_on(fcinfo, sharded_call(fcinfo, name, how), how != SHARDED_CHANGE);
	if (is_owners)
		act_as_before(&caller);
	return true;
}

/* Does what is for sharded publications alone. */
static Datum
only_sharded(FunctionCallInfo fcinfo, ShardedCall how)
{
	PASS_TO_SHARDS(how);
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_OBJECT),
			 errmsg("sharded publication \"%s\" does not exist", text_argument(fcinfo, 0, "the name of a publication")),
			 errhint("View pprepub.shard lists those that are declared.")));
}

Datum
pprepub_on_sharded(PG_FUNCTION_ARGS)
{
	return only_sharded(fcinfo, SHARDED_CHANGE);
}

Datum
pprepub_sharded_health(PG_FUNCTION_ARGS)
{
	return only_sharded(fcinfo, SHARDED_OWNERS);
}
