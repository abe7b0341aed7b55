/*
 * path_rebuild.c
 *		Comparing the table of paths with the log, and making it anew.
 *
 * NOTES
 *		In SQL, so that it shares no code with what keeps the table.  People are
 *		known by their keys, under the type's own equality, invented rows by
 *		their numbers, and classes by who is in them and what was shown.
 */
#include "history/path_rebuild.h"

#include "executor/spi.h"
#include "history/element.h"
#include "history/log.h"
#include "history/path_blocks.h"
#include "history/protected.h"
#include "history/replace.h"
#include "utils/builtins.h"

/*
 * What follows from the log: %1$s are its rows, %2$s and %3$s cast keys and
 * values that have no arrays, %4$d is the last release; %5$s and %6$s are about
 * what was told.  A composite with a NULL in it is not NULL, but "IS NOT NULL"
 * would say so.
 */
#define FOLLOWING \
	"WITH log AS MATERIALIZED (SELECT coalesce(key, stands_for) AS k, invented AS i, release, class, sensitive AS v FROM %1$s)," \
	" person AS MATERIALIZED (SELECT k, min(release) AS first, row_number() OVER (ORDER BY min(release)) - 1 AS person" \
	"  FROM log WHERE i IS NULL GROUP BY k)," \
	" value AS MATERIALIZED (SELECT v, row_number() OVER () AS value FROM log WHERE v IS DISTINCT FROM NULL GROUP BY v)," \
	" seen AS MATERIALIZED (" \
	"  SELECT release, class, person AS member, value FROM log JOIN person USING (k) LEFT JOIN value USING (v) WHERE log.i IS NULL" \
	"  UNION ALL SELECT release, class, -i, value FROM log LEFT JOIN value USING (v) WHERE log.i IS NOT NULL)," \
	" %5$s," \
	" place AS (SELECT release, value, row_number() OVER (PARTITION BY release ORDER BY value) - 1 AS place" \
	"  FROM seen WHERE value IS NOT NULL GROUP BY release, value)," \
	" rebuilt AS MATERIALIZED (SELECT r::int4 AS release," \
	"  (SELECT count(*) FROM person WHERE first <= r) AS people," \
	"  (SELECT coalesce(max(-member), 0) FROM seen WHERE member < 0 AND release <= r)::int8 AS invented," \
	"  (SELECT count(*) FROM seen WHERE release <= r) AS rows," \
	"  (SELECT array_agg(k%2$s ORDER BY person) FROM person WHERE first = r) AS keys," \
	"  (SELECT array_agg(size ORDER BY class) FROM (SELECT class, count(*)::int4 AS size FROM seen WHERE release = r GROUP BY class) s) AS sizes," \
	"  (SELECT array_agg(member::int4 ORDER BY class, member) FROM seen WHERE release = r) AS members," \
	"  (SELECT array_agg(coalesce(place, -1)::int4 ORDER BY class, member)" \
	"   FROM seen LEFT JOIN place USING (release, value) WHERE release = r) AS shown," \
	"  (SELECT array_agg(v%3$s ORDER BY place) FROM place JOIN value USING (value) WHERE release = r) AS sensitive," \
	"  %6$s AS told" \
	"  FROM generate_series(1, %4$d) r)"

/*
 * The classes of the table, %7$s, in the numbers of the log: NULL stands for who
 * and what the log does not know; %8$s and %9$s are the types of keys and values.
 */
#define KEPT \
	", block AS MATERIALIZED (SELECT *, row_number() OVER () AS block FROM %7$s)," \
	" numbered AS (SELECT n, person FROM (SELECT k::%8$s AS k, n FROM (SELECT unnest(keys) AS k," \
	"   people - generate_series(cardinality(keys), 1, -1) AS n FROM block) u) u LEFT JOIN person USING (k))," \
	" meant AS (SELECT block, place, value FROM (SELECT block, v::%9$s AS v, place FROM (SELECT block, unnest(sensitive) AS v," \
	"   generate_series(0, cardinality(sensitive) - 1) AS place FROM block) u) u LEFT JOIN value USING (v))," \
	" located AS (SELECT block, class, row_number() OVER (PARTITION BY block ORDER BY class, i) AS o" \
	"  FROM (SELECT block, unnest(sizes) AS size, generate_series(1, cardinality(sizes)) AS class FROM block) s, generate_series(1, size) i)," \
	" member AS (SELECT block, release, unnest(members) AS n, unnest(shown) AS place, unnest(told) AS told," \
	"  generate_series(1, cardinality(members)) AS o FROM block)," \
	" kept AS MATERIALIZED (SELECT release, m.block, class, CASE WHEN m.n < 0 THEN m.n ELSE person END AS member," \
	"  CASE WHEN m.place < 0 THEN NULL ELSE coalesce(value, -1) END AS value, told" \
	"  FROM member m JOIN located USING (block, o) LEFT JOIN numbered ON numbered.n = m.n" \
	"  LEFT JOIN meant ON meant.block = m.block AND meant.place = m.place)"

#define CLASSES(rows, number) \
	"SELECT release, array_agg(member ORDER BY member) AS members, array_agg(value ORDER BY member) AS shown," \
	" array_agg(told ORDER BY member) AS told" \
	" FROM " rows " GROUP BY release, " number

#define COUNTS(rows) \
	"SELECT release, max(people), max(invented), max(rows) FROM " rows " GROUP BY release"

/*
 * What classes had told of whom by then, in units of 2^-24 (see told.h); %1$s are
 * the numbers of values that are protected.
 */
#define STEPS \
	"size AS (SELECT release, class, count(*) AS size FROM seen GROUP BY release, class)," \
	" most AS (SELECT release, class, max(n) AS most FROM (SELECT release, class, count(*) AS n FROM seen" \
	"  WHERE value IN (%1$s) GROUP BY release, class, value) v GROUP BY release, class)," \
	" class AS MATERIALIZED (SELECT release, class, CASE WHEN most IS NULL THEN 0 WHEN most = size THEN 2147483647" \
	"  ELSE (8388608 * most + size - 1) / size + (8388608 * most + size - most - 1) / (size - most) END AS tells" \
	"  FROM size LEFT JOIN most USING (release, class))," \
	" step AS MATERIALIZED (SELECT release, class, member, value, CASE WHEN member < 0 THEN 0" \
	"  ELSE least(sum(tells) OVER (PARTITION BY member ORDER BY release), 2147483647) END::int4 AS told" \
	"  FROM seen JOIN class USING (release, class))," \
	" telling AS (SELECT true AS keeps)"

#define TOLD \
	"coalesce((SELECT array_agg(told ORDER BY class, member) FROM step WHERE release = r), '{}')"

static char *
steps(const DeclaredPublication *publication)
{
	Oid			list = protected_list(publication);
	const char *name = quote_identifier(publication_column(publication, ROLE_SENSITIVE)->name);

	if (!keeps_told(publication))
		return "step AS (SELECT *, NULL::pg_catalog.int4 AS told FROM seen), telling AS (SELECT false AS keeps)";
	return psprintf(STEPS, OidIsValid(list)
					? psprintf("SELECT value FROM value JOIN (SELECT %s AS v FROM %s) list USING (v)", name, quoted_relation(list))
					: "SELECT value FROM value");
}

static char *
query_about(const DeclaredPublication *publication, const char *query)
{
	const DeclaredColumn *key = publication_column(publication, ROLE_KEY);
	const DeclaredColumn *sensitive = publication_column(publication, ROLE_SENSITIVE);

	return psprintf(query, log_rows(publication), element_cast_words(key), element_cast_words(sensitive), publication->releases,
					steps(publication), keeps_told(publication) ? TOLD : "NULL::pg_catalog.int4[]",
					quoted_relation(path_table_of(publication)), column_type_sql(key), column_type_sql(sensitive));
}

static bool
is_equal(const DeclaredPublication *publication)
{
	char	   *sql = query_about(publication, FOLLOWING KEPT
								  ", a AS MATERIALIZED (" CLASSES("step", "class") "),"
								  " b AS MATERIALIZED (" CLASSES("kept", "block, class") ")"
								  " SELECT (SELECT count(*) FROM a) = (SELECT count(*) FROM b)"
								  " AND NOT EXISTS (SELECT FROM (TABLE a EXCEPT ALL TABLE b) d)"
								  " AND NOT EXISTS (SELECT FROM (" COUNTS("rebuilt") " EXCEPT " COUNTS("block") ") d)"
								  " AND NOT EXISTS (SELECT FROM block, telling WHERE cardinality(shown) <> cardinality(members)"
								  "  OR cardinality(told) IS DISTINCT FROM CASE WHEN keeps THEN cardinality(members) END)"
								  " AND (SELECT count(DISTINCT release) = %4$d FROM block)");
	bool		isnull;

	if (SPI_execute(sql, true, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not compare the history");
	return DatumGetBool(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull));
}

bool
paths_rebuild(const DeclaredPublication *publication)
{
	path_table_ensure(publication);
	if (is_equal(publication))
		return true;
	if (SPI_execute(query_about(publication, FOLLOWING
								" SELECT release, people, invented, rows, coalesce(keys, '{}'), coalesce(sizes, '{}'),"
								" coalesce(members, '{}'), coalesce(shown, '{}'), coalesce(sensitive, '{}'), told FROM rebuilt"),
					true, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not rebuild the history");
	replace_all_rows(path_table_of(publication));
	return false;
}
