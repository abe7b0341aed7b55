/*
 * log.c
 *		Making the log of a publication, and reading it: members().
 */
#include "history/log.h"

#include "catalog/pg_type.h"
#include "declare/work.h"
#include "fmgr.h"
#include "history/fold.h"
#include "history/reader.h"
#include "history/tables.h"
#include "utils/tuplestore.h"

PG_FUNCTION_INFO_V1(pprepub_members);

static const struct
{
	const char *noted;
	const char *suffix;
	HistoryStorage storage;
}			parts[LOG_PARTS] =
{
	[LOG_OF_TABLES] = {"log", "_members", IN_GROUPS},
	[LOG_OF_ANSWERS] = {"log of answers", "_asked", IN_HEAP},
};

Oid
log_of(const DeclaredPublication *publication, LogPart part)
{
	return noted_relation(publication, parts[part].noted);
}

void
log_ensure(const DeclaredPublication *publication)
{
	Element		key = element_of(publication_column(publication, ROLE_KEY));
	Element		sensitive = element_of(publication_column(publication, ROLE_SENSITIVE));
	char	   *columns = psprintf("release pg_catalog.int4, class pg_catalog.int8, keys %1$s,"
								   " stands_for %1$s, invented pg_catalog.int8[], sensitive %2$s,"
								   " fingerprints pg_catalog.int4[]",
								   element_array_words(&key), element_array_words(&sensitive));

	for (LogPart part = 0; part < LOG_PARTS; part++)
		(void) ensure_history_table(publication, parts[part].noted, parts[part].suffix, columns, parts[part].storage);
	log_verify(publication);
}

static void
verify_part(const DeclaredPublication *publication, Oid table)
{
	const Oid	types[LOG_COLUMNS] = {
		[LOG_RELEASE] = INT4OID,
		[LOG_CLASS] = INT8OID,
		[LOG_KEYS] = array_type_of(publication, ROLE_KEY),
		[LOG_STANDS_FOR] = array_type_of(publication, ROLE_KEY),
		[LOG_INVENTED] = INT8ARRAYOID,
		[LOG_SENSITIVE] = array_type_of(publication, ROLE_SENSITIVE),
		[LOG_FINGERPRINTS] = INT4ARRAYOID,
	};

	verify_columns(publication, "members", table, types, LOG_COLUMNS);
}

void
log_verify(const DeclaredPublication *publication)
{
	for (LogPart part = 0; part < LOG_PARTS; part++)
	{
		Oid			table = log_of(publication, part);

		if (!OidIsValid(table))
			ereport(ERROR,
					(errcode(ERRCODE_DATA_CORRUPTED),
					 errmsg("the log of publication \"%s\" is gone", publication->name),
					 errhint("Restore its table from a backup.")));
		verify_part(publication, table);
	}
}

void
log_read(const DeclaredPublication *publication, void (*visit) (void *what, TupleTableSlot *slot), void *what)
{
	log_verify(publication);
	for (LogPart part = 0; part < LOG_PARTS; part++)
		read_each(log_of(publication, part), visit, what);
}

/* The members of the classes of a part of the log. */
static char *
part_rows(const DeclaredPublication *publication, LogPart part)
{
	return psprintf("SELECT release, class, unnest(keys) AS key, unnest(stands_for) AS stands_for,"
					" unnest(invented) AS invented, unnest(sensitive) AS sensitive FROM %s",
					quoted_relation(log_of(publication, part)));
}

char *
log_rows(const DeclaredPublication *publication)
{
	const char *key = column_type_sql(publication_column(publication, ROLE_KEY));

	log_verify(publication);
	/* Not in FROM, where unnest() would take composite keys apart. */
	return psprintf("(SELECT release, class, key::%1$s AS key, stands_for::%1$s AS stands_for, invented, sensitive::%2$s AS sensitive"
					"  FROM (%3$s UNION ALL %4$s) u) log",
					key, column_type_sql(publication_column(publication, ROLE_SENSITIVE)),
					part_rows(publication, LOG_OF_TABLES), part_rows(publication, LOG_OF_ANSWERS));
}

/* The rows of a query as the result of a set-returning function. */
static void
put_query(const OwnersWork *work, const char *sql)
{
	Portal		portal = SPI_cursor_parse_open(NULL, sql, &(SPIParseOpenOptions) {.read_only = true});
	for (;;)
	{
		SPI_cursor_fetch(portal, true, 1000);
		if (SPI_processed == 0)
			break;
		for (uint64 i = 0; i < SPI_processed; i++)
			tuplestore_puttuple(work->result->setResult, SPI_tuptable->vals[i]);
		SPI_freetuptable(SPI_tuptable);
	}
	SPI_cursor_close(portal);
}

/* Composite keys "IS NOT NULL" only if no field is: here, and below, it is the key itself that counts. */
static void
put_members(const OwnersWork *work)
{
	put_query(work, psprintf("SELECT release, key::text, class FROM %s WHERE key IS DISTINCT FROM NULL",
							 log_rows(work->publication)));
}

Datum
pprepub_members(PG_FUNCTION_ARGS)
{
	OwnersWork	work;

	report_open(&work, fcinfo, AccessShareLock);
	if (report_begin(&work, fcinfo))
	{
		put_members(&work);
		work_close(&work);
	}
	return (Datum) 0;
}
