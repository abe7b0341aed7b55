/*
 * gate.c
 *		Functions of schema pprepub that functions in SQL compute: as they are, and over all shards of a sharded publication.
 */
#include "declare/gate.h"

#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "declare/catalog.h"
#include "declare/publication.h"
#include "declare/work.h"
#include "executor/spi.h"
#include "executor/tstoreReceiver.h"
#include "funcapi.h"
#include "nodes/execnodes.h"
#include "nodes/params.h"
#include "parser/parse_func.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

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

/* A call of a function of the same arguments in pprepub_internal. */
static char *
internal_call(FunctionCallInfo fcinfo, const char *prefix)
{
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfo(&sql, "SELECT * FROM pprepub_internal.%s(",
					 quote_identifier(psprintf("%s%s", prefix, get_func_name(fcinfo->flinfo->fn_oid))));
	for (int i = 0; i < fcinfo->nargs; i++)
		appendStringInfo(&sql, "%s$%d", i > 0 ? ", " : "", i + 1);
	appendStringInfoChar(&sql, ')');
	return sql.data;
}

void
call_internal(FunctionCallInfo fcinfo, DestReceiver *receiver)
{
	run_with_arguments(fcinfo, internal_call(fcinfo, ""), true, receiver);
}

/* ---- Sharded publications ---- */

static bool
is_put_together(FunctionCallInfo fcinfo)
{
	char	   *name = psprintf("sharded_%s", get_func_name(fcinfo->flinfo->fn_oid));
	Oid		   *types;
	int			n;

	(void) get_func_signature(fcinfo->flinfo->fn_oid, &types, &n);
	return OidIsValid(LookupFuncName(list_make2(makeString("pprepub_internal"), makeString(name)), n, types, true));
}

/* The rows of all shards, each of which is asked with the same arguments. */
static char *
call_on_each(FunctionCallInfo fcinfo)
{
	TupleDesc	columns = ((ReturnSetInfo *) fcinfo->resultinfo)->expectedDesc;
	StringInfoData sql;
	Oid		   *types;
	int			n;

	(void) get_func_signature(fcinfo->flinfo->fn_oid, &types, &n);
	initStringInfo(&sql);
	appendStringInfo(&sql, "SELECT r.* FROM pprepub_internal.on_shards($1, pg_catalog.format('SELECT * FROM pprepub.%s({publication}",
					 get_func_name(fcinfo->flinfo->fn_oid));
	for (int i = 1; i < n; i++)
		appendStringInfo(&sql, ", %%L::%s", format_type_extended(types[i], -1, FORMAT_TYPE_FORCE_QUALIFY));
	appendStringInfoString(&sql, ")'");
	for (int i = 1; i < n; i++)
		appendStringInfo(&sql, ", $%d", i + 1);
	appendStringInfoString(&sql, ")) s CROSS JOIN LATERAL pg_catalog.jsonb_to_record(s.answer) r(");
	for (int i = 0; i < columns->natts; i++)
		appendStringInfo(&sql, "%s%s %s", i > 0 ? ", " : "", quote_identifier(NameStr(TupleDescAttr(columns, i)->attname)),
						 format_type_extended(TupleDescAttr(columns, i)->atttypid, -1, FORMAT_TYPE_FORCE_QUALIFY));
	appendStringInfoChar(&sql, ')');
	return sql.data;
}

static void
refuse_sharded(FunctionCallInfo fcinfo, const char *publication)
{
	CatalogAccess access;
	char	   *shards;

	catalog_enter(&access);
	catalog_read("SELECT string_agg(format('\"%s\" on server \"%s\"', publication, server), ', ' ORDER BY shard) AS shards"
				 " FROM pprepub_internal.catalog_shard WHERE name = $1", CATALOG_TEXT(publication));
	shards = catalog_text(&access, 0, "shards");
	catalog_leave(&access);
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("pprepub.%s() cannot be called for all shards of publication \"%s\"", get_func_name(fcinfo->flinfo->fn_oid), publication),
			 errhint("Call it for a shard: %s.", shards)));
}

/* The one row that a statement has returned, as what the call returns, in the context of before SPI. */
static Datum
returned_row(FunctionCallInfo fcinfo)
{
	TupleDesc	columns;
	Datum		value;
	TypeFuncClass class = get_call_result_type(fcinfo, NULL, &columns);
	HeapTuple	row = SPI_processed == 1 ? SPI_tuptable->vals[0] : NULL;

	if (row == NULL)
		elog(ERROR, "%lu rows instead of one", (unsigned long) SPI_processed);
	if (class == TYPEFUNC_COMPOSITE)
		return PointerGetDatum(SPI_returntuple(row, BlessTupleDesc(columns)));
	value = SPI_getbinval(row, SPI_tuptable->tupdesc, 1, &fcinfo->isnull);
	if (fcinfo->isnull || SPI_gettypeid(SPI_tuptable->tupdesc, 1) == VOIDOID)
		return (Datum) 0;
	return SPI_datumTransfer(value, TupleDescAttr(SPI_tuptable->tupdesc, 0)->attbyval, TupleDescAttr(SPI_tuptable->tupdesc, 0)->attlen);
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

/* The owner of a sharded publication, or InvalidOid if it is none. */
static Oid
owner_of_sharded(const char *name)
{
	CatalogAccess access;
	Oid			owner = InvalidOid;

	catalog_enter(&access);
	if (catalog_read("SELECT owner::oid AS owner FROM pprepub_internal.catalog_sharded WHERE name = $1", CATALOG_TEXT(name)) > 0)
		owner = catalog_oid(0, "owner");
	catalog_leave(&access);
	return owner;
}

bool
done_by_shards(FunctionCallInfo fcinfo, ShardedCall how, Datum *result)
{
	char	   *name = PG_ARGISNULL(0) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(0));
	Oid			owner = name != NULL && OidIsValid(catalog_relation("catalog_sharded")) ? owner_of_sharded(name) : InvalidOid;
	Identity	caller;

	if (!OidIsValid(owner))
		return false;
	if (how == SHARDED_CHANGE)
		verify_may_change(psprintf("%s()", get_func_name(fcinfo->flinfo->fn_oid)));
	if (how == SHARDED_CHANGE || how == SHARDED_OWNERS)
		verify_rights_of(owner, name);
	if (is_put_together(fcinfo))
	{
		bool		is_owners = how == SHARDED_CHANGE || how == SHARDED_OWNERS;

		if (is_owners)
			act_as(&caller, owner);
		*result = pass_on(fcinfo, internal_call(fcinfo, "sharded_"), how != SHARDED_CHANGE);
		if (is_owners)
			act_as_before(&caller);
	}
	else if (how == SHARDED_ROWS && fcinfo->flinfo->fn_retset)
		*result = pass_on(fcinfo, call_on_each(fcinfo), true);
	else
		refuse_sharded(fcinfo, name);
	return true;
}

static void
refuse_unsharded(FunctionCallInfo fcinfo)
{
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_OBJECT),
			 errmsg("sharded publication \"%s\" does not exist", text_argument(fcinfo, 0, "the name of a publication")),
			 errhint("View pprepub.shard lists those that are declared.")));
}

/* A function of sharded publications alone, that changes something. */
Datum
pprepub_on_sharded(PG_FUNCTION_ARGS)
{
	PASS_TO_SHARDS(SHARDED_CHANGE);
	refuse_unsharded(fcinfo);
	PG_RETURN_VOID();
}

Datum
pprepub_sharded_health(PG_FUNCTION_ARGS)
{
	PASS_TO_SHARDS(SHARDED_OWNERS);
	refuse_unsharded(fcinfo);
	PG_RETURN_VOID();
}
