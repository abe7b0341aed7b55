/*
 * log.c
 *		Making the log of a publication, and reading it: members().
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

Datum
pprepub_members(PG_FUNCTION_ARGS)
{
	char	   *name = text_argument(fcinfo, 0, "the name of a publication");
	DeclaredPublication *publication = publication_open(name, AccessShareLock);
	Oid			log = log_of(publication);
	Identity	caller;

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	if (!OidIsValid(log))
		return (Datum) 0;
	act_as(&caller, publication->owner);
	SPI_connect();
	return_rows(fcinfo, psprintf("SELECT release, key::pg_catalog.text, class FROM %s WHERE key IS NOT NULL",
								 relation_words(log)));
	SPI_finish();
	act_as_before(&caller);
	return (Datum) 0;
}
