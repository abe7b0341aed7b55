/*
 * rebuild.c
 *		rebuild_history(): the fold made anew from the log, and compared.
 *
 * NOTES
 *		In SQL, so that it shares no code with what keeps the fold: two ways to
 *		the same neighborhoods.  Threads are people by their keys, under the
 *		type's own equality, and invented rows by their numbers.
 */
#include "postgres.h"

#include "access/heapam.h"
#include "access/table.h"
#include "catalog/pg_type.h"
#include "declare/publication.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "funcapi.h"
#include "history/element.h"
#include "history/fold.h"
#include "history/log.h"
#include "history/reader.h"
#include "history/writer.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/tuplestore.h"

PG_FUNCTION_INFO_V1(pprepub_rebuild_history);

/* Rows as the fold has them; %1$s is the log's rows, %2$s and %3$s cast keys and values that have no arrays. */
#define REBUILT \
	"WITH log AS MATERIALIZED (SELECT coalesce(key, stands_for) AS k, invented AS i, release, class, sensitive AS v FROM %1$s)," \
	" thread AS MATERIALIZED (SELECT k, i, row_number() OVER () AS thread FROM log GROUP BY k, i)," \
	" seen AS MATERIALIZED (" \
	"  SELECT thread, release, class, v FROM log JOIN thread USING (k) WHERE log.i IS NULL" \
	"  UNION ALL SELECT thread, release, class, v FROM log JOIN thread USING (i))," \
	" path AS (SELECT thread, array_agg(release ORDER BY release) AS releases," \
	"  array_agg(class ORDER BY release) AS classes FROM seen GROUP BY thread)," \
	" place AS MATERIALIZED (SELECT thread, releases, n, row_number() OVER (PARTITION BY n ORDER BY thread) AS place" \
	"  FROM (SELECT thread, releases, dense_rank() OVER (ORDER BY releases, classes) AS n FROM path) p)," \
	" shown AS MATERIALIZED (SELECT n, place, release, v, v::text AS word FROM seen JOIN place USING (thread))," \
	" epoch AS (SELECT n, min(release) AS release FROM (" \
	"  SELECT n, release, array_agg(word ORDER BY place) AS words FROM shown GROUP BY n, release) e GROUP BY n, words)" \
	" SELECT n AS neighborhood," \
	"  (SELECT string_agg(CASE WHEN r = ANY (releases) THEN '1' ELSE '0' END, '' ORDER BY r)" \
	"   FROM generate_series(1, releases[cardinality(releases)]) r)::varbit AS signature," \
	"  keys, invented, sensitive" \
	" FROM (SELECT n, min(releases) AS releases, array_agg(k%2$s ORDER BY place) AS keys," \
	"   CASE WHEN count(i) > 0 THEN array_agg(i ORDER BY place) END AS invented" \
	"   FROM place JOIN thread USING (thread) GROUP BY n) p" \
	" JOIN (SELECT n, array_agg(v%3$s ORDER BY release, place) AS sensitive" \
	"   FROM shown JOIN epoch USING (n, release) GROUP BY n) v USING (n)"

/* What does not depend on the order of members and epochs. */
#define CANONICAL(rows) \
	"SELECT signature," \
	"  (SELECT array_agg(who ORDER BY who) FROM (SELECT coalesce('k' || k, 'i' || i) AS who" \
	"   FROM unnest(keys::text[], invented) u (k, i)) w) AS members," \
	"  (SELECT array_agg(DISTINCT words ORDER BY words) FROM (" \
	"   SELECT string_agg(quote_nullable(v), ',' ORDER BY who) AS words" \
	"   FROM unnest(sensitive::text[]) WITH ORDINALITY s (v, o)" \
	"   JOIN (SELECT coalesce('k' || k, 'i' || i) AS who, place FROM unnest(keys::text[], invented) WITH ORDINALITY u (k, i, place)) w" \
	"    ON place = (o - 1) %% cardinality(keys) + 1 GROUP BY (o - 1) / cardinality(keys)) e) AS epochs" \
	" FROM " rows

static const char *
cast_of(const DeclaredColumn *column)
{
	Element		element = element_of(column);

	return element.stored == element.type ? "" : "::pg_catalog.text";
}

static char *
rebuilding_query(const DeclaredPublication *publication)
{
	return psprintf(REBUILT, log_rows(publication),
					cast_of(publication_column(publication, ROLE_KEY)),
					cast_of(publication_column(publication, ROLE_SENSITIVE)));
}

static bool
is_equal(const DeclaredPublication *publication, Oid fold, const char *rebuilt)
{
	char	   *sql = psprintf("WITH rebuilt AS MATERIALIZED (%s),"
							   " a AS MATERIALIZED (" CANONICAL("rebuilt") "),"
							   " b AS MATERIALIZED (" CANONICAL("%s") ")"
							   " SELECT (SELECT count(*) FROM a) = (SELECT count(*) FROM b)"
							   " AND NOT EXISTS (SELECT FROM (TABLE a EXCEPT ALL TABLE b) d)",
							   rebuilt, relation_words(fold));
	bool		isnull;

	if (SPI_execute(sql, true, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not compare the history");
	return DatumGetBool(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull));
}

static void
delete_rows(Oid fold)
{
	Relation	table = table_open(fold, RowExclusiveLock);
	RowReader  *reader = reader_open(fold);
	TupleTableSlot *slot;

	while ((slot = reader_next(reader)) != NULL)
		simple_heap_delete(table, &slot->tts_tid);
	reader_close(reader);
	table_close(table, NoLock);
}

static void
replace_rows(Oid fold, const char *rebuilt)
{
	RowWriter  *writer;
	int			natts;
	Datum	   *values;
	bool	   *nulls;

	if (SPI_execute(rebuilt, true, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not rebuild the history");
	delete_rows(fold);
	natts = SPI_tuptable->tupdesc->natts;
	values = palloc(sizeof(Datum) * natts);
	nulls = palloc(sizeof(bool) * natts);
	writer = writer_open(fold, true);
	for (uint64 row = 0; row < SPI_processed; row++)
	{
		CHECK_FOR_INTERRUPTS();
		heap_deform_tuple(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, values, nulls);
		writer_add(writer, values, nulls);
	}
	writer_close(writer);
}

Datum
pprepub_rebuild_history(PG_FUNCTION_ARGS)
{
	char	   *name = text_argument(fcinfo, 0, "the name of a publication");
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	DeclaredPublication *publication;
	Identity	caller;
	Oid			fold;
	Datum		values[2];
	bool		nulls[2] = {false, false};
	bool		equal;
	char	   *rebuilt;

	verify_may_change("rebuild_history()");
	publication = publication_open(name, ExclusiveLock);
	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	fold = noted_relation(publication, "fold");
	if (!OidIsValid(fold))
		return (Datum) 0;
	PushActiveSnapshot(GetTransactionSnapshot());
	act_as(&caller, publication->owner);
	SPI_connect();
	rebuilt = rebuilding_query(publication);
	equal = is_equal(publication, fold, rebuilt);
	if (!equal)
		replace_rows(fold, rebuilt);
	SPI_finish();
	act_as_before(&caller);
	PopActiveSnapshot();
	values[0] = CStringGetTextDatum("neighborhoods");
	values[1] = BoolGetDatum(equal);
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	return (Datum) 0;
}
