/*
 * sharded.c
 *		What a coordinator records of a publication over shards.  All else about these is in shards/.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "declare/catalog.h"
#include "declare/publication.h"
#include "declare/target_objects.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "tcop/utility.h"
#include "utils/builtins.h"

PG_FUNCTION_INFO_V1(pprepub_note_sharded);
PG_FUNCTION_INFO_V1(pprepub_lock_sharded);
PG_FUNCTION_INFO_V1(pprepub_make_schemas);

/* note_sharded(publication, target, key_decides, servers, shards): in the place of what is recorded; without servers, nothing. */
Datum
pprepub_note_sharded(PG_FUNCTION_ARGS)
{
	char	   *name = text_argument(fcinfo, 0, "the name of a publication");
	CatalogParam owner = CATALOG_PARAM(REGROLEOID, ObjectIdGetDatum(GetUserId()));
	CatalogAccess access;

	PreventCommandIfReadOnly("create_sharded_publication()");
	if (catalog_finds("SELECT FROM pprepub_internal.catalog_sharded WHERE name = $1 AND NOT pg_has_role($2::oid, owner, 'USAGE')",
					  CATALOG_TEXT(name), CATALOG_OID(GetUserId())))
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_OBJECT),
				 errmsg("publication \"%s\" already exists", name)));
	catalog_enter(&access);
	if (!PG_ARGISNULL(1))
	{
		catalog_read("SELECT CASE WHEN NOT EXISTS (SELECT FROM pprepub_internal.catalog_sharded WHERE name = $1 AND target = $2)"
					 " THEN pprepub_internal.name_in_the_way($1, $2::text, $2 || '_private') END AS wrong",
					 CATALOG_TEXT(name), CATALOG_PARAM(NAMEOID, PG_GETARG_DATUM(1)));
		catalog_raise();
	}
	catalog_execute("DELETE FROM pprepub_internal.catalog_shard WHERE name = $1", CATALOG_TEXT(name));
	catalog_execute("DELETE FROM pprepub_internal.catalog_sharded WHERE name = $1", CATALOG_TEXT(name));
	if (!PG_ARGISNULL(1) && !PG_ARGISNULL(2) && !PG_ARGISNULL(3) && !PG_ARGISNULL(4))
	{
		CatalogParam target = CATALOG_PARAM(NAMEOID, PG_GETARG_DATUM(1));

		catalog_execute("INSERT INTO pprepub_internal.catalog_sharded VALUES ($1, $2, $3, $4)", CATALOG_TEXT(name), owner,
						target, CATALOG_PARAM(BOOLOID, PG_GETARG_DATUM(2)));
		catalog_execute("INSERT INTO pprepub_internal.catalog_shard SELECT $1, i, s, p FROM unnest($2, $3) WITH ORDINALITY u(s, p, i)", CATALOG_TEXT(name),
						CATALOG_PARAM(NAMEARRAYOID, PG_GETARG_DATUM(3)), CATALOG_PARAM(TEXTARRAYOID, PG_GETARG_DATUM(4)));
	}
	catalog_leave(&access);
	PG_RETURN_VOID();
}

/* Keeps others from working on a sharded publication until the end of the transaction; nobody but its owner can. */
Datum
pprepub_lock_sharded(PG_FUNCTION_ARGS)
{
	char	   *name = text_argument(fcinfo, 0, "the name of a publication");
	Oid			caller = GetUserId();
	CatalogAccess access;

	PreventCommandIfReadOnly("a change of shards");
	catalog_enter(&access);
	if (catalog_execute("SELECT FROM pprepub_internal.catalog_sharded WHERE name = $1 AND pg_has_role($2::oid, owner, 'USAGE') FOR UPDATE",
						CATALOG_TEXT(name), CATALOG_OID(caller)) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("there is no sharded publication \"%s\" of yours", name)));
	catalog_leave(&access);
	PG_RETURN_VOID();
}

Datum
pprepub_make_schemas(PG_FUNCTION_ARGS)
{
	char	   *target = NameStr(*PG_GETARG_NAME(0));
	DeclaredPublication publication = {.target = target, .private = psprintf("%s_private", target), .owner = GetUserId()};
	Identity	caller;

	act_as(&caller, publication.owner);
	SPI_connect();
	ensure_schemas(&publication);
	SPI_finish();
	act_as_before(&caller);
	PG_RETURN_VOID();
}
