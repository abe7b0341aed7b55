/*
 * log.c
 *		Making the log of a publication, and reading history: members(),
 *		signatures().
 */
#include "history/log.h"

#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "declare/protection.h"
#include "fmgr.h"
#include "funcapi.h"
#include "history/fold.h"
#include "history/writer.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/tuplestore.h"

#define LOG_SUFFIX "_members"

PG_FUNCTION_INFO_V1(pprepub_members);
PG_FUNCTION_INFO_V1(pprepub_signatures);

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
	Element		key = element_of(publication_column(publication, ROLE_KEY));
	Element		sensitive = element_of(publication_column(publication, ROLE_SENSITIVE));

	if (OidIsValid(log))
		return log;
	verify_name_is_not_taken(publication, publication->private, name);
	execute_ddl(psprintf("CREATE TABLE %1$s (release pg_catalog.int4, class pg_catalog.int8, keys %2$s,"
						 " stands_for %2$s, invented pg_catalog.int8[], sensitive %3$s,"
						 " fingerprints pg_catalog.int4[]) " WIDE_ROWS,
						 words, element_array_words(&key), element_array_words(&sensitive)));
	execute_ddl(psprintf("ALTER TABLE %s ALTER keys SET STORAGE EXTERNAL, ALTER stands_for SET STORAGE EXTERNAL,"
						 " ALTER sensitive SET STORAGE EXTERNAL, ALTER fingerprints SET STORAGE EXTERNAL", words));
	log = get_relname_relid(name, get_namespace_oid(publication->private, false));
	reset_rights(RelationRelationId, log, psprintf("TABLE %s", words));
	seal_table(log);
	note_relation(publication, log, "log");
	return log;
}

Oid
log_verified(const DeclaredPublication *publication)
{
	Oid			log = log_of(publication);

	if (!OidIsValid(log))
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("the log of publication \"%s\" is gone", publication->name),
				 errhint("Restore its table from a backup.")));
	return log;
}

char *
log_rows(const DeclaredPublication *publication)
{
	const char *key = column_type_words(publication_column(publication, ROLE_KEY));

	/* Not in FROM, where unnest() would take composite keys apart. */
	return psprintf("(SELECT release, class, key::%1$s AS key, stands_for::%1$s AS stands_for, invented, sensitive::%2$s AS sensitive"
					"  FROM (SELECT release, class, unnest(keys) AS key, unnest(stands_for) AS stands_for,"
					"  unnest(invented) AS invented, unnest(sensitive) AS sensitive FROM %3$s) u) log",
					key, column_type_words(publication_column(publication, ROLE_SENSITIVE)),
					relation_words(log_verified(publication)));
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

/* What a query about the history gives, asked as the owner; no rows while there is no history. */
static void
return_history(FunctionCallInfo fcinfo, char *(*query) (const DeclaredPublication *publication))
{
	DeclaredPublication *publication =
		publication_open(text_argument(fcinfo, 0, "the name of a publication"), AccessShareLock);
	Identity	caller;

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	publication->releases = releases_seen(publication);
	if (publication->releases == 0)
		return;
	act_as(&caller, publication->owner);
	SPI_connect();
	return_rows(fcinfo, query(publication));
	SPI_finish();
	act_as_before(&caller);
}

/* Composite keys "IS NOT NULL" only if no field is: here, and below, it is the key itself that counts. */
static char *
members_query(const DeclaredPublication *publication)
{
	return psprintf("SELECT release, key::text, class FROM %s WHERE key IS DISTINCT FROM NULL", log_rows(publication));
}

Datum
pprepub_members(PG_FUNCTION_ARGS)
{
	return_history(fcinfo, members_query);
	return (Datum) 0;
}

static char *
signatures_query(const DeclaredPublication *publication)
{
	Oid			fold = fold_of(publication);

	if (!OidIsValid(fold))
		fold_refuse(publication, 0);
	/* Not in FROM, where unnest() would take composite keys apart. */
	return psprintf("SELECT k::text, signature || repeat('0', %d - length(signature))::varbit"
					" FROM (SELECT signature, unnest(keys)::%s AS k FROM %s) u WHERE k IS DISTINCT FROM NULL",
					publication->releases, column_type_words(publication_column(publication, ROLE_KEY)),
					relation_words(fold));
}

Datum
pprepub_signatures(PG_FUNCTION_ARGS)
{
	return_history(fcinfo, signatures_query);
	return (Datum) 0;
}
