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

#include "catalog/pg_type.h"
#include "declare/publication.h"
#include "declare/work.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "history/element.h"
#include "history/fold.h"
#include "history/log.h"
#include "history/path_rebuild.h"
#include "history/replace.h"
#include "utils/builtins.h"

PG_FUNCTION_INFO_V1(pprepub_rebuild_history);

/*
 * What follows from the log, in which %1$s are the rows, %2$s and %3$s cast
 * keys and values that have no arrays.  Threads stand for keys and numbers for
 * values, since equal ones may look different.  A composite with a NULL in it
 * is not NULL, but "IS NOT NULL" would say so.
 */
#define FOLLOWING \
	"WITH log AS MATERIALIZED (SELECT coalesce(key, stands_for) AS k, invented AS i, release, class, sensitive AS v FROM %1$s)," \
	" thread AS MATERIALIZED (SELECT k, i, row_number() OVER () AS thread FROM log GROUP BY k, i)," \
	" value AS MATERIALIZED (SELECT v, row_number() OVER () AS value FROM log WHERE v IS DISTINCT FROM NULL GROUP BY v)," \
	" seen AS MATERIALIZED (" \
	"  SELECT thread, release, class, v, value FROM log JOIN thread USING (k) LEFT JOIN value USING (v) WHERE log.i IS NULL" \
	"  UNION ALL SELECT thread, release, class, v, value FROM log JOIN thread USING (i) LEFT JOIN value USING (v))," \
	" path AS (SELECT thread, array_agg(release ORDER BY release) AS releases," \
	"  array_agg(class ORDER BY release) AS classes FROM seen GROUP BY thread)," \
	" place AS MATERIALIZED (SELECT thread, n, row_number() OVER (PARTITION BY n ORDER BY thread) AS place" \
	"  FROM (SELECT thread, dense_rank() OVER (ORDER BY releases, classes) AS n FROM path) p)," \
	" shown AS MATERIALIZED (SELECT n, place, release, v, value FROM seen JOIN place USING (thread))," \
	" epoch AS (SELECT n, max(release) AS release FROM (" \
	"  SELECT n, release, array_agg(value ORDER BY place) AS shown FROM shown GROUP BY n, release) e GROUP BY n, shown)," \
	" rebuilt AS MATERIALIZED (SELECT n AS neighborhood," \
	"  keys, invented, sensitive" \
	"  FROM (SELECT n, array_agg(k%2$s ORDER BY place) AS keys," \
	"    CASE WHEN count(i) > 0 THEN array_agg(i ORDER BY place) END AS invented" \
	"    FROM place JOIN thread USING (thread) GROUP BY n) p" \
	"  JOIN (SELECT n, array_agg(v%3$s ORDER BY release, place) AS sensitive" \
	"    FROM shown JOIN epoch USING (n, release) GROUP BY n) v USING (n))"

/*
 * What does not depend on the order of members and epochs, for the rows of the
 * fold or of what it should be; %5$s and %6$s are the types of keys and values.
 */
#define CANONICAL(rows) \
	"SELECT members, epochs, coalesce(cardinality(invented), 0) FROM " rows " f JOIN (" \
	"  SELECT neighborhood, array_agg(thread ORDER BY thread) AS members FROM (" MEMBERS(rows) ") m GROUP BY 1) m USING (neighborhood)" \
	" JOIN (SELECT neighborhood, array_agg(DISTINCT shown ORDER BY shown) AS epochs FROM (" \
	"  SELECT neighborhood, epoch, array_agg(value ORDER BY thread) || array[]::bigint[] AS shown" \
	"  FROM (" VALUES_SHOWN(rows) ") v JOIN (" MEMBERS(rows) ") m USING (neighborhood, place) GROUP BY 1, 2) s GROUP BY 1) e USING (neighborhood)"

#define MEMBERS(rows) \
	"SELECT neighborhood, place, thread.thread FROM (" \
	"  SELECT neighborhood, k::%5$s AS k, i, place FROM (SELECT neighborhood, unnest(keys) AS k, unnest(invented) AS i," \
	"   generate_series(1, cardinality(keys)) AS place FROM " rows ") u) u" \
	" JOIN thread ON (u.k = thread.k AND u.i IS NULL)" \
	" UNION ALL SELECT neighborhood, place, thread.thread FROM (" \
	"  SELECT neighborhood, unnest(invented) AS i, generate_series(1, cardinality(invented)) AS place FROM " rows ") u" \
	" JOIN thread USING (i)"

#define VALUES_SHOWN(rows) \
	"SELECT neighborhood, (o - 1) %% size + 1 AS place, (o - 1) / size AS epoch," \
	"  coalesce(value, CASE WHEN v IS NOT DISTINCT FROM NULL THEN 0 ELSE -1 END) AS value FROM (" \
	"  SELECT neighborhood, v::%6$s AS v, o, size FROM (SELECT neighborhood, unnest(sensitive) AS v," \
	"   generate_series(1, cardinality(sensitive)) AS o, cardinality(keys) AS size FROM " rows ") u) u LEFT JOIN value USING (v)"

/* A query about what follows from the log, and about the fold, which is %4$s in it. */
static char *
query_about(const DeclaredPublication *publication, const char *query)
{
	const DeclaredColumn *key = publication_column(publication, ROLE_KEY);
	const DeclaredColumn *sensitive = publication_column(publication, ROLE_SENSITIVE);

	return psprintf(query, log_rows(publication), element_cast_words(key), element_cast_words(sensitive),
					quoted_relation(fold_of(publication)),
					column_type_sql(key), column_type_sql(sensitive));
}

static bool
is_equal(const DeclaredPublication *publication)
{
	char	   *sql = query_about(publication, FOLLOWING
								  ", a AS MATERIALIZED (" CANONICAL("rebuilt") "),"
								  " b AS MATERIALIZED (" CANONICAL("%4$s") ")"
								  " SELECT (SELECT count(*) FROM a) = (SELECT count(*) FROM %4$s)"
								  " AND (SELECT count(*) FROM a) = (SELECT count(*) FROM b)"
								  " AND NOT EXISTS (SELECT FROM (TABLE a EXCEPT ALL TABLE b) d)");
	bool		isnull;

	if (SPI_execute(sql, true, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not compare the history");
	return DatumGetBool(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull));
}

/* With numbers that no row has had, so that nobody takes one for a row that it knew. */
static bool
neighborhoods_rebuild(const DeclaredPublication *publication)
{
	verify_fold(publication, fold_ensure(publication));
	if (is_equal(publication))
		return true;
	if (SPI_execute(query_about(publication, FOLLOWING
								" SELECT neighborhood + (SELECT coalesce(max(neighborhood), 0) FROM %4$s),"
								" keys, invented, sensitive, NULL::bytea FROM rebuilt"), true, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not rebuild the history");
	replace_all_rows(fold_of(publication));
	return false;
}

static void
put_fold(const OwnersWork *work, const char *fold, bool equal)
{
	Datum		values[2] = {CStringGetTextDatum(fold), BoolGetDatum(equal)};
	bool		nulls[2] = {false, false};

	report_row(work, values, nulls);
}

Datum
pprepub_rebuild_history(PG_FUNCTION_ARGS)
{
	OwnersWork	work;

	(void) text_argument(fcinfo, 0, "the name of a publication");
	verify_may_change("rebuild_history()");
	report_open(&work, fcinfo, ExclusiveLock);
	if (!report_begin(&work, fcinfo))
		return (Datum) 0;
	if (keeps_past(work.publication, PAST_NEIGHBORHOODS))
		put_fold(&work, "neighborhoods", neighborhoods_rebuild(work.publication));
	if (keeps_past(work.publication, PAST_LAST | PAST_PATHS))
		put_fold(&work, "paths", paths_rebuild(work.publication));
	work_close(&work);
	return (Datum) 0;
}
