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
catalog_run(const char *sql, int nparams, const CatalogParam *params)
{
	Oid		   *types = palloc(sizeof(Oid) * nparams);
	Datum	   *values = palloc(sizeof(Datum) * nparams);
	char	   *nulls = palloc(nparams + 1);
	int			result;

	for (int i = 0; i < nparams; i++)
	{
		types[i] = params[i].type;
		values[i] = params[i].value;
		nulls[i] = params[i].isnull ? 'n' : ' ';
	}
	result = SPI_execute_with_args(sql, nparams, types, values, nulls, false, 0);
	if (result < 0)
		elog(ERROR, "could not execute \"%s\": %s", sql, SPI_result_code_string(result));
	return SPI_processed;
}

Datum
catalog_field(uint64 row, const char *name, bool *isnull)
{
	int			column = SPI_fnumber(SPI_tuptable->tupdesc, name);

	if (column <= 0)
		elog(ERROR, "catalog query returned no column \"%s\"", name);
	return SPI_getbinval(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, column, isnull);
}

char *
catalog_text(CatalogAccess *access, uint64 row, const char *name)
{
	char	   *value = SPI_getvalue(SPI_tuptable->vals[row], SPI_tuptable->tupdesc,
									 SPI_fnumber(SPI_tuptable->tupdesc, name));

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
