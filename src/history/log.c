/*
 * log.c
 *		Reading the log of a publication: class_members().
 */
#include "history/log.h"

#include "declare/work.h"
#include "fmgr.h"
#include "history/reader.h"
#include "utils/tuplestore.h"

PG_FUNCTION_INFO_V1(pprepub_class_members);

void
log_ensure(const DeclaredPublication *publication)
{
	(void) past_table_ensure(publication, MEMBERS_TABLE);
	(void) past_table_ensure(publication, ASKED_TABLE);
	log_verify(publication);
}

/* Verifies a part's columns, which are read by their types. */
static void
verify_part(const DeclaredPublication *publication, PastTable part)
{
	if (!OidIsValid(past_table(publication, part)))
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("the log of publication \"%s\" is gone", publication->name),
				 errhint("Restore its table from a backup.")));
	past_table_verify(publication, part);
}

void
log_verify(const DeclaredPublication *publication)
{
	verify_part(publication, MEMBERS_TABLE);
	verify_part(publication, ASKED_TABLE);
}

void
log_read(const DeclaredPublication *publication, void (*visit) (void *what, TupleTableSlot *slot), void *what)
{
	log_verify(publication);
	read_each(past_table(publication, MEMBERS_TABLE), visit, what);
	read_each(past_table(publication, ASKED_TABLE), visit, what);
}

/* Builds the query for the members of all classes in a part of the log. */
static char *
part_rows(const DeclaredPublication *publication, PastTable part)
{
	return psprintf("SELECT release, class, unnest(keys) AS key, unnest(stands_for) AS stands_for,"
					" unnest(invented) AS invented, unnest(sensitive) AS sensitive FROM %s",
					quoted_relation(past_table(publication, part)));
}

char *
log_rows(const DeclaredPublication *publication)
{
	const char *key = column_type_sql(publication_column(publication, ROLE_KEY));

	log_verify(publication);
	/* unnest() is not used in FROM, where it would take composite keys apart. */
	return psprintf("(SELECT release, class, key::%1$s AS key, stands_for::%1$s AS stands_for, invented, sensitive::%2$s AS sensitive"
					"  FROM (%3$s UNION ALL %4$s) u) log",
					key, column_type_sql(publication_column(publication, ROLE_SENSITIVE)),
					part_rows(publication, MEMBERS_TABLE), part_rows(publication, ASKED_TABLE));
}

/* Returns the rows of a query as the result of a set-returning function. */
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

/* Uses IS DISTINCT FROM NULL, since IS NOT NULL is false for a composite key with a NULL field. */
static void
put_members(const OwnersWork *work)
{
	put_query(work, psprintf("SELECT release, key::text, class FROM %s WHERE key IS DISTINCT FROM NULL",
							 log_rows(work->publication)));
}

Datum
pprepub_class_members(PG_FUNCTION_ARGS)
{
	return report(fcinfo, put_members);
}
