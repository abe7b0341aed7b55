/*
 * log.c
 *		Making the log of a publication, and reading history: members(),
 *		signatures(), statistics().
 */
#include "history/log.h"

#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "declare/protection.h"
#include "fmgr.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/tuplestore.h"

#define LOG_SUFFIX "_members"

PG_FUNCTION_INFO_V1(pprepub_members);
PG_FUNCTION_INFO_V1(pprepub_signatures);
PG_FUNCTION_INFO_V1(pprepub_statistics);

Oid
log_of(const DeclaredPublication *publication)
{
	return noted_relation(publication, "log");
}

Oid
log_ensure(const DeclaredPublication *publication)
{
	Oid			log = log_of(publication);
	char	   *name = psprintf("%s" LOG_SUFFIX, publication->name);
	char	   *words = private_words(publication, LOG_SUFFIX);
	char	   *key;
	Oid			schema = get_namespace_oid(publication->private, false);

	if (OidIsValid(log))
		return log;
	verify_name_is_not_taken(publication, publication->private, name);
	key = column_type_words(publication_column(publication, ROLE_KEY));
	execute_ddl(psprintf("CREATE TABLE %s (release pg_catalog.int4, key %s, class pg_catalog.int8, sensitive %s,"
						 " stands_for %s, invented pg_catalog.int8)",
						 words, key, column_type_words(publication_column(publication, ROLE_SENSITIVE)), key));
	log = get_relname_relid(name, schema);
	reset_rights(RelationRelationId, log, psprintf("TABLE %s", words));
	seal_table(log);
	note_relation(publication, log, "log");
	return log;
}

/* The rows of a query as the result of a set-returning function. */
static void
return_rows(FunctionCallInfo fcinfo, const char *sql)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	Portal		portal = SPI_cursor_parse_open(NULL, sql, &(SPIParseOpenOptions) {.read_only = true});

	for (;;)
	{
		SPI_cursor_fetch(portal, true, 1000);
		if (SPI_processed == 0)
			break;
		for (uint64 i = 0; i < SPI_processed; i++)
			tuplestore_puttuple(result->setResult, SPI_tuptable->vals[i]);
		SPI_freetuptable(SPI_tuptable);
	}
	SPI_cursor_close(portal);
}

/* Answers an owner's question about a relation of the history; no rows while there is none. */
static void
return_history(FunctionCallInfo fcinfo, const DeclaredPublication *publication, Oid relation, const char *format)
{
	Identity	caller;

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	if (!OidIsValid(relation))
		return;
	act_as(&caller, publication->owner);
	SPI_connect();
	return_rows(fcinfo, psprintf(format, relation_words(relation), publication->releases));
	SPI_finish();
	act_as_before(&caller);
}

Datum
pprepub_members(PG_FUNCTION_ARGS)
{
	DeclaredPublication *publication =
		publication_open(text_argument(fcinfo, 0, "the name of a publication"), AccessShareLock);

	return_history(fcinfo, publication, log_of(publication),
				   "SELECT release, key::text, class FROM %s WHERE key IS NOT NULL");
	return (Datum) 0;
}

Datum
pprepub_signatures(PG_FUNCTION_ARGS)
{
	DeclaredPublication *publication =
		publication_open(text_argument(fcinfo, 0, "the name of a publication"), AccessShareLock);

	return_history(fcinfo, publication, noted_relation(publication, "fold"),
				   "SELECT k::text, signature || repeat('0', %2$d - length(signature))::varbit"
				   " FROM %1$s, unnest(keys) k WHERE k IS NOT NULL");
	return (Datum) 0;
}

/* A class links everybody in it, and whoever an invented row of it stands for, to its values. */
Datum
pprepub_statistics(PG_FUNCTION_ARGS)
{
	DeclaredPublication *publication =
		publication_open(text_argument(fcinfo, 0, "the name of a publication"), AccessShareLock);

	return_history(fcinfo, publication, log_of(publication),
				   "WITH count AS (SELECT release, class, sensitive, count(*)::int AS n FROM %1$s GROUP BY 1, 2, 3),"
				   " size AS (SELECT release, class, count(*)::int AS n FROM %1$s GROUP BY 1, 2),"
				   " linked AS (SELECT coalesce(key, stands_for) AS key, release, class FROM %1$s"
				   "  WHERE key IS NOT NULL OR stands_for IS NOT NULL)"
				   " SELECT linked.key::text, count.sensitive::text,"
				   "  array_agg(size.n ORDER BY release), array_agg(count.n ORDER BY release)"
				   " FROM linked JOIN count USING (release, class) JOIN size USING (release, class)"
				   " WHERE count.sensitive IS NOT NULL GROUP BY linked.key, count.sensitive");
	return (Datum) 0;
}
