/*
 * rebuild.c
 *		rebuild_history(): groups and places, or people, made anew from the log.
 *
 * NOTES
 *		What is kept is compared first, and stays where it is as the log tells.  It stays, too, where the log has not all
 *		that the catalog remembers: a good table is not replaced by what a damaged log tells.
 *
 *		They follow from the log by SQL (history.sql), which shares no code with what keeps them.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "declare/catalog.h"
#include "declare/gate.h"
#include "declare/work.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "frame/arrays.h"
#include "funcapi.h"
#include "history/element.h"
#include "history/rebuild.h"
#include "history/rows.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/ruleutils.h"
#include "utils/snapmgr.h"

PG_FUNCTION_INFO_V1(pprepub_rebuild_history);

/* ----------------------------------------------------------------
 * Groups and places, in SQL
 * ----------------------------------------------------------------
 */

/*
 * The words in SQL before and behind an element of a column, to compare it as its type does: arrays are compared so,
 * whatever operators there are.  Then a cast that makes it a value of the type.
 */
static char *
comparable_sql(const DeclaredColumn *column)
{
	Element		element = element_of(column);
	char	   *cast = psprintf("::%s", format_type_be_qualified(column->type));
	char	   *behind = "]";

	if (element.stored != element.type)
		return psprintf("ARRAY['', %s, %s]", quote_literal_cstr(cast), quote_literal_cstr(cast));
	if (OidIsValid(column->collation))
		behind = psprintf(" COLLATE %s]", generate_collation_name(column->collation));
	return psprintf("ARRAY['ARRAY[', %s, '']", quote_literal_cstr(behind));
}

/* Releases as an array in SQL: those that do not show all quasi-identifiers, whose fingerprints are of fewer, and of cohorts. */
static char *
releases_sql(const DeclaredPublication *publication)
{
	CatalogAccess access;
	char	   *releases;

	catalog_enter(&access);
	catalog_read("SELECT ARRAY(SELECT number FROM pprepub_internal.catalog_release r WHERE publication = $1 AND EXISTS ("
				 "SELECT FROM pprepub_internal.catalog_column c WHERE c.publication = $1 AND c.role = 'quasi-identifier'"
				 " AND (c.came > r.number OR c.name <> ALL (r.columns))))::text AS bare,"
				 " ARRAY(SELECT number FROM pprepub_internal.catalog_release WHERE publication = $1 AND cohort IS NOT NULL)::text AS partial",
				 CATALOG_INT(publication->id));
	releases = psprintf("'%s', '%s'", catalog_text(&access, 0, "bare"), catalog_text(&access, 0, "partial"));
	catalog_leave(&access);
	return releases;
}

/* The arguments of people_of_log(), with which those of fold_of_log() begin. */
static char *
log_and_key(const DeclaredPublication *publication)
{
	char	   *log = psprintf("TABLE %s UNION ALL TABLE %s", quoted_relation(past_table(publication, MEMBERS_TABLE)),
							   quoted_relation(past_table(publication, ASKED_TABLE)));

	log_verify(publication);
	return psprintf("%s, %s", quote_literal_cstr(log), comparable_sql(publication_column(publication, ROLE_KEY)));
}

/* The arguments of fold_of_log(). */
static char *
log_arguments(const DeclaredPublication *publication)
{
	return psprintf("%s, %s, %s", log_and_key(publication), comparable_sql(publication_column(publication, ROLE_SENSITIVE)),
					releases_sql(publication));
}

/* Runs a query that returns a row, which stays in SPI_tuptable. */
static void
run_query(const char *sql)
{
	if (SPI_execute(sql, true, 1) != SPI_OK_SELECT || SPI_processed != 1)
		elog(ERROR, "could not read the log");
}

static int64
integer_of_row(int column)
{
	bool		isnull;

	return DatumGetInt64(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, column, &isnull));
}

/* A table of a fold as a literal. */
static char *
kept_table(const DeclaredPublication *publication, PastTable which)
{
	Oid			table = past_table(publication, which);

	if (!OidIsValid(table))
		past_refuse(publication, 0);
	past_table_verify(publication, which);
	return quote_literal_cstr(quoted_relation(table));
}

PastComparison
fold_compare(const DeclaredPublication *publication)
{
	PastComparison comparison;

	if (keeps_past(publication, PAST_PLACES))
		run_query(psprintf("SELECT items, wrong, first_wrong FROM pprepub_internal.compare_fold(%s, %s, %s)", log_arguments(publication),
						   kept_table(publication, GROUPS_TABLE), kept_table(publication, PLACES_TABLE)));
	else
		run_query(psprintf("SELECT items, wrong, first_wrong FROM pprepub_internal.compare_people(%s, %s)", log_and_key(publication),
						   kept_table(publication, PEOPLE_TABLE)));
	comparison = (PastComparison) {integer_of_row(1), integer_of_row(2), integer_of_row(3)};
	SPI_freetuptable(SPI_tuptable);
	return comparison;
}

/* Writes the rows of a query into a table of our own. */
static void
write_rows(Oid table, const char *sql)
{
	RowWriter  *writer = writer_open(table, true);
	SPIPlanPtr	plan = SPI_prepare(sql, 0, NULL);
	Portal		portal;

	if (plan == NULL)
		elog(ERROR, "could not read the log");
	portal = SPI_cursor_open(NULL, plan, NULL, NULL, true);
	for (SPI_cursor_fetch(portal, true, 1000); SPI_processed > 0; SPI_cursor_fetch(portal, true, 1000))
	{
		int			ncolumns = SPI_tuptable->tupdesc->natts;
		Datum	   *values = palloc(sizeof(Datum) * ncolumns);
		bool	   *nulls = palloc(sizeof(bool) * ncolumns);

		for (uint64 i = 0; i < SPI_processed; i++)
		{
			heap_deform_tuple(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, values, nulls);
			writer_add(writer, values, nulls);
		}
		pfree(values);
		pfree(nulls);
		SPI_freetuptable(SPI_tuptable);
	}
	SPI_cursor_close(portal);
	writer_close(writer);
}

/* Deletes all rows of a table that the active snapshot sees. */
static void
delete_all(Oid table)
{
	RowReader  *reader = reader_open(table);
	ItemPointerData tids[1024];
	int			n = 0;
	TupleTableSlot *slot;

	while ((slot = reader_next(reader)) != NULL)
	{
		if (n == lengthof(tids))
		{
			delete_rows(table, tids, n);
			n = 0;
		}
		tids[n++] = slot->tts_tid;
	}
	if (n > 0)
		delete_rows(table, tids, n);
	reader_close(reader);
}

/* The tables that a publication keeps beside the log, which its fold has parts of the same names for. */
static const PastTable *
kept_tables(const DeclaredPublication *publication, int *n)
{
	static const PastTable tables[] = {GROUPS_TABLE, PLACES_TABLE, PEOPLE_TABLE};
	bool		has_places = keeps_past(publication, PAST_PLACES);

	*n = has_places ? 2 : 1;
	return has_places ? tables : tables + 2;
}

/* Replaces all that is kept by what the log tells. */
static void
replace_fold(const DeclaredPublication *publication)
{
	static const char *const parts[] = {[GROUPS_TABLE] = "groups",[PLACES_TABLE] = "places",[PEOPLE_TABLE] = "people"};
	int			n;
	const PastTable *tables = kept_tables(publication, &n);
	char	   *query;

	run_query(keeps_past(publication, PAST_PLACES) ? psprintf("SELECT pprepub_internal.fold_of_log(%s)", log_arguments(publication)) :
			  psprintf("SELECT pprepub_internal.people_of_log(%s)", log_and_key(publication)));
	query = SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1);
	SPI_freetuptable(SPI_tuptable);
	for (int i = 0; i < n; i++)
		delete_all(past_table(publication, tables[i]));
	for (int i = 0; i < n; i++)
		write_rows(past_table(publication, tables[i]), psprintf("%s SELECT * FROM %s", query, parts[tables[i]]));
}

/* The active snapshot goes on seeing the rows that are deleted. */
void
forget_fingerprints(const DeclaredPublication *publication)
{
	Oid			groups = past_table(publication, GROUPS_TABLE);

	past_table_verify(publication, GROUPS_TABLE);
	delete_all(groups);
	write_rows(groups, psprintf("SELECT \"group\", created, keys, states, array_fill(0, ARRAY[cardinality(fingerprints)]), parts, epochs, sensitive FROM %s",
								quoted_relation(groups)));
}

/* ----------------------------------------------------------------
 * Comparing
 * ----------------------------------------------------------------
 */

typedef struct Comparing
{
	const DeclaredPublication *publication;
	bool		is_equal;
} Comparing;

/* The work of a subtransaction: compares the table with the log. */
static void
compare(void *what)
{
	Comparing  *comparing = what;

	comparing->is_equal = fold_compare(comparing->publication).wrong == 0;
}

/* A table that is malformed is not; an error of the log, or another, is thrown. */
static bool
is_as_log_tells(const DeclaredPublication *publication)
{
	Comparing	comparing = {.publication = publication};
	ErrorData  *error = look_in_subtransaction(compare, &comparing);

	if (error != NULL && error->sqlerrcode != ERRCODE_DATA_CORRUPTED)
		ReThrowError(error);
	return error == NULL && comparing.is_equal;
}

/* Raises an error unless the log has as many people or places, and rows of each release, as the catalog remembers. */
static void
verify_log_is_whole(const DeclaredPublication *publication, const Seen *seen)
{
	uint64	   *logged = new_zeros(uint64, seen->nreleases);

	if (seen->nindividuals != (uint64) publication->remembered)
		refuse_log(publication, psprintf("It tells of " UINT64_FORMAT " instead of " INT64_FORMAT " %s.",
										 seen->nindividuals, publication->remembered,
										 keeps_past(publication, PAST_PLACES) ? "places" : "people and invented rows"));
	for (int32 r = 0; r < seen->nreleases; r++)
	{
		const SeenRelease *release = seen_release(seen, r);

		/* People who are only counted in have no row. */
		CHECK_FOR_INTERRUPTS();
		for (uint64 i = 0; i < release->first[release->nclasses]; i++)
			logged[r] += !seen_is_counted(release, i);
	}
	log_verify_rows(publication, logged, 1);
}

/* Is what is kept as the log tells?  If not, it is replaced. */
static bool
rebuild(const DeclaredPublication *publication)
{
	const Recalled *recalled;
	bool		is_equal;
	int			n;
	const PastTable *tables = kept_tables(publication, &n);

	for (int i = 0; i < n; i++)
	{
		(void) past_table_ensure(publication, tables[i]);
		past_table_verify(publication, tables[i]);
	}
	recalled = recall_in_parts(publication);
	verify_log_is_whole(publication, &recalled->seen);
	is_equal = is_as_log_tells(publication);
	if (!is_equal)
		replace_fold(publication);
	recalled_close(recalled);
	return is_equal;
}

Datum
pprepub_rebuild_history(PG_FUNCTION_ARGS)
{
	const char *name = text_argument(fcinfo, 0, "the name of a publication");
	OwnersWork	work = {.result = (ReturnSetInfo *) fcinfo->resultinfo};

	PASS_TO_SHARDS(SHARDED_CHANGE);
	verify_may_change("rebuild_history()");
	work.publication = publication_open(name, ExclusiveLock);
	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	if (work.publication->releases == 0)
		return (Datum) 0;
	work_begin(&work, work.publication->owner, GetTransactionSnapshot());
	if (keeps_fold(work.publication))
	{
		const char *fold = keeps_past(work.publication, PAST_PLACES) ? "groups" : "people";

		report_row(&work, (Datum[]) {CStringGetTextDatum(fold), BoolGetDatum(rebuild(work.publication))}, (bool[]) {false, false});
	}
	work_close(&work);
	return (Datum) 0;
}
