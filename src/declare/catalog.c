/*
 * catalog.c
 *		Reading and writing the extension's own tables.
 *
 * SPI as the tables' owner, rather than direct heap access: the rows are few,
 * and what the server does for indexes, constraints and serialization then
 * needs no code of ours.
 */
#include "declare/catalog.h"

#include "access/htup_details.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

#define CATALOG_SCHEMA "pprepub"

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

uint64
catalog_run(const char *sql, bool writes, int nparams, const CatalogParam *params)
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
	plan = SPI_prepare(sql, nparams, types);
	if (plan == NULL)
		elog(ERROR, "could not prepare \"%s\": %s", sql, SPI_result_code_string(SPI_result));
	result = SPI_execute_snapshot(plan, values, nulls,
								  writes ? InvalidSnapshot : GetLatestSnapshot(),
								  InvalidSnapshot, false, true, 0);
	if (result < 0)
		elog(ERROR, "could not execute \"%s\": %s", sql, SPI_result_code_string(result));
	SPI_freeplan(plan);
	return SPI_processed;
}

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
