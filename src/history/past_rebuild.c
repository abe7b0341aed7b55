/*
 * past_rebuild.c
 *		Neighborhoods and paths, made anew from the log: for rebuild_history(),
 *		and to be compared with what is kept.
 *
 * NOTES
 *		In SQL, so that it shares no code with what keeps these tables: two ways
 *		to the same past.  People and values have numbers here, since equal ones
 *		may look different; equal is what the type's own operator says.  A
 *		composite with a NULL in it is not NULL, but "IS NOT NULL" would say so.
 */
#include "history/past_rebuild.h"

#include "declare/work.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "history/element.h"
#include "history/log.h"
#include "history/path_blocks.h"
#include "history/protected.h"
#include "history/reader.h"
#include "history/writer.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

PG_FUNCTION_INFO_V1(pprepub_rebuild_history);

/*
 * Words in braces are filled in: see query_about().  Members are people by their
 * numbers, from 0 on, in the order that they were first published, and invented
 * rows by the negatives of theirs.
 */
#define FROM_LOG \
	"WITH log AS MATERIALIZED (SELECT coalesce(key, stands_for) AS k, invented AS i, release, class, sensitive AS v FROM {log})," \
	" person AS MATERIALIZED (SELECT k, min(release) AS first, row_number() OVER (ORDER BY min(release)) - 1 AS person" \
	"  FROM log WHERE i IS NULL GROUP BY k)," \
	" value AS MATERIALIZED (SELECT v, row_number() OVER () AS value FROM log WHERE v IS DISTINCT FROM NULL GROUP BY v)," \
	" seen AS MATERIALIZED (" \
	"  SELECT release, class, person AS member, value, log.v FROM log JOIN person ON person.k {key_equals} log.k" \
	"   LEFT JOIN value ON value.v {value_equals} log.v WHERE log.i IS NULL" \
	"  UNION ALL SELECT release, class, -i, value, log.v FROM log LEFT JOIN value ON value.v {value_equals} log.v WHERE log.i IS NOT NULL)"

/* ----------------------------------------------------------------
 * Neighborhoods
 * ----------------------------------------------------------------
 */

/* Members who were in the same class of each release, or in none of it. */
#define NEIGHBORHOODS FROM_LOG \
	", place AS MATERIALIZED (SELECT member, n, row_number() OVER (PARTITION BY n ORDER BY member) AS place" \
	"  FROM (SELECT member, dense_rank() OVER (ORDER BY releases, classes) AS n FROM (" \
	"   SELECT member, array_agg(release ORDER BY release) AS releases, array_agg(class ORDER BY release) AS classes" \
	"   FROM seen GROUP BY member) p) p)," \
	" shown AS MATERIALIZED (SELECT n, member, place, release, coalesce(value, 0) AS value, v FROM seen JOIN place USING (member))," \
	" epoch AS MATERIALIZED (SELECT n, max(release) AS release, shown FROM (" \
	"  SELECT n, release, array_agg(value ORDER BY member) AS shown FROM shown GROUP BY n, release) e GROUP BY n, shown)"

/* With numbers that no row has had, so that nothing is taken for a row that it knew. */
#define REBUILT_NEIGHBORHOODS NEIGHBORHOODS \
	" SELECT n + (SELECT coalesce(max(neighborhood), 0) FROM {table}), keys, invented, sensitive" \
	" FROM (SELECT n, array_agg(k{key_as_element} ORDER BY place) AS keys," \
	"   CASE WHEN min(member) < 0 THEN array_agg(CASE WHEN member < 0 THEN -member END ORDER BY place) END AS invented" \
	"   FROM place LEFT JOIN person ON person = member GROUP BY n) p" \
	" JOIN (SELECT n, array_agg(v{value_as_element} ORDER BY release, place) AS sensitive FROM shown JOIN epoch USING (n, release) GROUP BY n) v USING (n)"

/*
 * The order of members and epochs does not matter.  A row is alike if it has the
 * members of a neighborhood of the log; whether these showed the same values is
 * told beside.  Rows of which some epoch lacks values have no epochs here.
 */
#define COMPARED_NEIGHBORHOODS NEIGHBORHOODS \
	", kept AS MATERIALIZED (SELECT *, cardinality(keys) AS size, row_number() OVER () AS id FROM {table})," \
	" located AS MATERIALIZED (SELECT id, place, CASE WHEN u.k IS NOT DISTINCT FROM NULL THEN -i WHEN i IS NULL THEN person END AS member FROM (" \
	"   SELECT id, k::{key_type} AS k, i, place FROM (SELECT id, unnest(keys) AS k, unnest(invented) AS i, generate_series(1, size) AS place FROM kept) u) u" \
	"  LEFT JOIN person ON person.k {key_equals} u.k)," \
	" published AS (SELECT id, (o - 1) % size + 1 AS place, (o - 1) / size AS epoch," \
	"   coalesce(value, CASE WHEN u.v IS NOT DISTINCT FROM NULL THEN 0 ELSE -1 END) AS value FROM (" \
	"   SELECT id, v::{value_type} AS v, o, size FROM (SELECT id, unnest(sensitive) AS v, generate_series(1, cardinality(sensitive)) AS o, size" \
	"    FROM kept WHERE cardinality(sensitive) % nullif(size, 0) = 0) u) u LEFT JOIN value ON value.v {value_equals} u.v)," \
	" a AS MATERIALIZED (SELECT * FROM (SELECT n, array_agg(member ORDER BY member) AS members," \
	"   CASE WHEN min(member) < 0 THEN count(*) ELSE 0 END AS numbers FROM place GROUP BY n) m" \
	"  JOIN (SELECT n, array_agg(shown ORDER BY shown) AS epochs FROM epoch GROUP BY n) e USING (n))," \
	" b AS MATERIALIZED (SELECT id, members, coalesce(cardinality(invented), 0)::bigint AS numbers, epochs FROM kept" \
	"  JOIN (SELECT id, array_agg(member ORDER BY member) AS members FROM located GROUP BY id) m USING (id)" \
	"  LEFT JOIN (SELECT id, array_agg(DISTINCT shown ORDER BY shown) AS epochs FROM (" \
	"   SELECT id, epoch, array_agg(value ORDER BY member) AS shown FROM published JOIN located USING (id, place) GROUP BY 1, 2) s GROUP BY id) e USING (id)" \
	"  WHERE neighborhood IS NOT NULL AND sensitive IS NOT NULL)," \
	" alike AS MATERIALIZED (SELECT n, min(id) AS id, bool_or(a.epochs = b.epochs) IS TRUE AS equal" \
	"  FROM a JOIN b USING (members, numbers) GROUP BY n)" \
	" SELECT (SELECT count(*) FROM kept)," \
	"  (SELECT count(*) FROM kept) + (SELECT count(*) FROM a) - 2 * (SELECT count(*) FROM alike)," \
	"  (SELECT coalesce(min(neighborhood), 0) FROM kept WHERE NOT EXISTS (SELECT FROM alike WHERE alike.id = kept.id))," \
	"  (SELECT coalesce(bool_and(equal), true) FROM alike)"

/* ----------------------------------------------------------------
 * Paths
 * ----------------------------------------------------------------
 */

/*
 * Each member's row in each class, with the sum of what the member's classes had
 * disclosed up to that release, in units of 2^-24 (see disclosure.h); {protected}
 * are the numbers of values that are protected.
 */
#define STEPS \
	"size AS (SELECT release, class, count(*) AS size FROM seen GROUP BY release, class)," \
	" most AS (SELECT release, class, max(n) AS most FROM (SELECT release, class, count(*) AS n FROM seen" \
	"  WHERE value IN ({protected}) GROUP BY release, class, value) v GROUP BY release, class)," \
	" class AS MATERIALIZED (SELECT release, class, CASE WHEN most IS NULL THEN 0 WHEN most = size THEN 2147483647" \
	"  ELSE (8388608 * most + size - 1) / size + (8388608 * most + size - most - 1) / (size - most) END AS discloses" \
	"  FROM size LEFT JOIN most USING (release, class))," \
	" step AS MATERIALIZED (SELECT release, class, member, value, CASE WHEN member < 0 THEN 0" \
	"  ELSE least(sum(discloses) OVER (PARTITION BY member ORDER BY release), 2147483647) END::int4 AS disclosed" \
	"  FROM seen JOIN class USING (release, class))"

/* The classes, and how much there was up to each release. */
#define PATHS FROM_LOG ", {steps}," \
	" counts AS MATERIALIZED (SELECT r::int4 AS release," \
	"  (SELECT count(*) FROM person WHERE first <= r) AS people," \
	"  (SELECT coalesce(max(-member), 0) FROM seen WHERE member < 0 AND release <= r)::int8 AS invented," \
	"  (SELECT count(*) FROM seen WHERE release <= r) AS rows" \
	"  FROM generate_series(1, {releases}) r)"

/* Each release is a block. */
#define REBUILT_PATHS PATHS \
	", place AS (SELECT release, value, row_number() OVER (PARTITION BY release ORDER BY value) - 1 AS place" \
	"  FROM seen WHERE value IS NOT NULL GROUP BY release, value)" \
	" SELECT r, people, invented, rows," \
	"  coalesce((SELECT array_agg(k{key_as_element} ORDER BY person) FROM person WHERE first = r), '{}')," \
	"  coalesce((SELECT array_agg(size ORDER BY class)" \
	"   FROM (SELECT class, count(*)::int4 AS size FROM seen WHERE release = r GROUP BY class) s), '{}')," \
	"  coalesce((SELECT array_agg(member::int4 ORDER BY class, member) FROM seen WHERE release = r), '{}')," \
	"  coalesce((SELECT array_agg(coalesce(place, -1)::int4 ORDER BY class, member)" \
	"   FROM seen LEFT JOIN place USING (release, value) WHERE release = r), '{}')," \
	"  coalesce((SELECT array_agg(v{value_as_element} ORDER BY place) FROM place JOIN value USING (value) WHERE release = r), '{}')," \
	"  {disclosed} FROM counts c(r)"

#define REBUILT_DISCLOSED \
	"coalesce((SELECT array_agg(disclosed ORDER BY class, member) FROM step WHERE release = r), '{}')"

#define CLASSES(rows, number) \
	"SELECT release, array_agg(member ORDER BY member) AS members, array_agg(value ORDER BY member) AS shown," \
	" array_agg(disclosed ORDER BY member) AS disclosed" \
	" FROM " rows " GROUP BY release, " number

#define LAST_COUNTS \
	"SELECT release, max(people), max(invented), max(rows) FROM block GROUP BY release"

/*
 * The classes of the table, in the numbers of the log: NULL stands for who and
 * what the log does not know.  A class that both have, but with other values, is
 * one that is wrong.
 */
#define COMPARED_PATHS PATHS \
	", block AS MATERIALIZED (SELECT *, row_number() OVER () AS block FROM {table})," \
	" numbered AS (SELECT n, person FROM (SELECT k::{key_type} AS k, n FROM (SELECT unnest(keys) AS k," \
	"   people - generate_series(cardinality(keys), 1, -1) AS n FROM block) u) u LEFT JOIN person ON person.k {key_equals} u.k)," \
	" meant AS (SELECT block, place, value FROM (SELECT block, v::{value_type} AS v, place FROM (SELECT block, unnest(sensitive) AS v," \
	"   generate_series(0, cardinality(sensitive) - 1) AS place FROM block) u) u LEFT JOIN value ON value.v {value_equals} u.v)," \
	" located AS (SELECT block, class, row_number() OVER (PARTITION BY block ORDER BY class, i) AS o" \
	"  FROM (SELECT block, unnest(sizes) AS size, generate_series(1, cardinality(sizes)) AS class FROM block) s, generate_series(1, size) i)," \
	" member AS (SELECT block, release, unnest(members) AS n, unnest(shown) AS place, unnest(disclosed) AS disclosed," \
	"  generate_series(1, cardinality(members)) AS o FROM block)," \
	" kept AS MATERIALIZED (SELECT release, m.block, class, CASE WHEN m.n < 0 THEN m.n ELSE person END AS member," \
	"  CASE WHEN m.place < 0 THEN NULL ELSE coalesce(value, -1) END AS value, disclosed" \
	"  FROM member m JOIN located USING (block, o) LEFT JOIN numbered ON numbered.n = m.n" \
	"  LEFT JOIN meant ON meant.block = m.block AND meant.place = m.place)," \
	" a AS MATERIALIZED (" CLASSES("step", "class") ")," \
	" b AS MATERIALIZED (" CLASSES("kept", "block, class") ")," \
	" other AS MATERIALIZED (SELECT DISTINCT release, members[1] AS member FROM (" \
	"   (TABLE a EXCEPT ALL TABLE b) UNION ALL (TABLE b EXCEPT ALL TABLE a)) d)," \
	" wrong AS (TABLE other UNION SELECT release, NULL FROM (" \
	"   (TABLE counts EXCEPT (" LAST_COUNTS ")) UNION ALL ((" LAST_COUNTS ") EXCEPT TABLE counts)) c" \
	"   WHERE NOT EXISTS (SELECT FROM other WHERE other.release = c.release)" \
	"  UNION SELECT release, NULL FROM block WHERE cardinality(shown) <> cardinality(members)" \
	"   OR cardinality(disclosed) IS DISTINCT FROM CASE WHEN {keeps_disclosures} THEN cardinality(members) END)" \
	" SELECT (SELECT count(*) FROM a), count(*), coalesce(min(release), 0)::int8, count(*) = 0 FROM wrong"

/* ----------------------------------------------------------------
 * What both have in common
 * ----------------------------------------------------------------
 */

static const struct
{
	int			kept_for;		/* PAST_… */
	const char *name;
	const char *rebuilt;
	const char *compared;
}			folds[] =
{
	[NEIGHBORHOODS_TABLE] = {PAST_NEIGHBORHOODS, "neighborhoods", REBUILT_NEIGHBORHOODS, COMPARED_NEIGHBORHOODS},
	[PATHS_TABLE] = {PAST_LAST | PAST_PATHS, "paths", REBUILT_PATHS, COMPARED_PATHS},
};

typedef struct Blank
{
	const char *name;
	const char *words;
} Blank;

/* Other braces stay as they are. */
static char *
fill_in(const char *query, const Blank *blanks, int n)
{
	StringInfoData sql;

	initStringInfo(&sql);
	for (const char *at = query; *at != '\0'; at++)
	{
		const Blank *blank = NULL;
		Size		length = *at == '{' ? strcspn(at + 1, "}") : 0;

		for (int i = 0; i < n && length > 0 && blank == NULL; i++)
			if (strlen(blanks[i].name) == length && strncmp(blanks[i].name, at + 1, length) == 0)
				blank = &blanks[i];
		if (blank == NULL)
			appendStringInfoChar(&sql, *at);
		else
		{
			appendStringInfoString(&sql, blank->words);
			at += length + 1;
		}
	}
	return sql.data;
}

/* The steps of the paths: what was disclosed is kept of them where it is asked. */
static const char *
steps(const DeclaredPublication *publication)
{
	const DeclaredColumn *sensitive = publication_column(publication, ROLE_SENSITIVE);
	Oid			list = protected_list(publication);
	const char *protected = "SELECT value FROM value";

	if (!keeps_disclosures(publication))
		return "step AS (SELECT *, NULL::pg_catalog.int4 AS disclosed FROM seen)";
	if (OidIsValid(list))
		protected = psprintf("SELECT value FROM value JOIN %s list ON value.v %s list.%s",
							 quoted_relation(list), equality_sql(sensitive->type), quote_identifier(sensitive->name));
	return fill_in(STEPS, &(Blank) {"protected", protected}, 1);
}

/* Fills in a query's blanks for a publication: its tables, the types of its columns, and their operators. */
static char *
query_about(const DeclaredPublication *publication, PastTable which, const char *query)
{
	const DeclaredColumn *key = publication_column(publication, ROLE_KEY);
	const DeclaredColumn *sensitive = publication_column(publication, ROLE_SENSITIVE);
	bool		disclosed = keeps_disclosures(publication);
	const Blank blanks[] = {
		{"log", log_rows(publication)},	/* a FROM item */
		{"table", quoted_relation(past_table(publication, which))},
		{"key_type", column_type_sql(key)},
		{"value_type", column_type_sql(sensitive)},
		{"key_equals", equality_sql(key->type)},	/* operators */
		{"value_equals", equality_sql(sensitive->type)},
		{"key_as_element", element_cast_words(key)},	/* "" or a cast: of keys that have no arrays */
		{"value_as_element", element_cast_words(sensitive)},
		{"steps", steps(publication)},
		{"releases", psprintf("%d", publication->releases)},
		{"disclosed", disclosed ? REBUILT_DISCLOSED : "NULL::pg_catalog.int4[]"},
		{"keeps_disclosures", disclosed ? "true" : "false"},
	};

	return fill_in(query, blanks, lengthof(blanks));
}

/* The figures that the query asks for, as the owner, inside SPI. */
static PastComparison
compare(const DeclaredPublication *publication, PastTable which)
{
	Datum		found[4];
	bool		isnull;

	fix_settings();				/* code of a key's type may have changed them */
	if (SPI_execute(query_about(publication, which, folds[which].compared), true, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not compare the history");
	for (int i = 0; i < (int) lengthof(found); i++)
		found[i] = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, i + 1, &isnull);
	return (PastComparison) {
		.items = DatumGetInt64(found[0]),
		.wrong = DatumGetInt64(found[1]),
		.first_wrong = DatumGetInt64(found[2]),
		.is_equal = DatumGetInt64(found[1]) == 0 && DatumGetBool(found[3]),
	};
}

PastComparison
past_compare(const DeclaredPublication *publication, PastTable which)
{
	PastComparison comparison;

	if (!OidIsValid(past_table(publication, which)))
		past_refuse(publication, 0);
	past_table_verify(publication, which);
	if (which == PATHS_TABLE)
		path_blocks_verify(publication);
	SPI_connect();
	comparison = compare(publication, which);
	SPI_finish();
	return comparison;
}

/* ----------------------------------------------------------------
 * rebuild_history()
 * ----------------------------------------------------------------
 */

/* Deletes all rows of the table that the active snapshot sees. */
static void
delete_all(Oid table)
{
	RowReader  *reader = reader_open(table);
	TupleTableSlot *slot;

	while ((slot = reader_next(reader)) != NULL)
		delete_rows(table, &slot->tts_tid, 1);
	reader_close(reader);
}

/* The rows that SPI has found stand for all rows of the table. */
static void
replace_all_rows(Oid table)
{
	int			natts = SPI_tuptable->tupdesc->natts;
	Datum	   *values = palloc(sizeof(Datum) * natts);
	bool	   *nulls = palloc(sizeof(bool) * natts);
	RowWriter  *writer;

	delete_all(table);
	writer = writer_open(table, true);
	for (uint64 row = 0; row < SPI_processed; row++)
	{
		CHECK_FOR_INTERRUPTS();
		heap_deform_tuple(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, values, nulls);
		writer_add(writer, values, nulls);
	}
	writer_close(writer);
}

/* Is the table what follows from the log?  If not, it is replaced. */
static bool
rebuild(const DeclaredPublication *publication, PastTable which)
{
	Oid			table = past_table_ensure(publication, which);

	past_table_verify(publication, which);
	if (compare(publication, which).is_equal)
		return true;
	fix_settings();
	if (SPI_execute(query_about(publication, which, folds[which].rebuilt), true, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not rebuild the history");
	replace_all_rows(table);
	return false;
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
	for (PastTable which = NEIGHBORHOODS_TABLE; which <= PATHS_TABLE; which++)
		if (keeps_past(work.publication, folds[which].kept_for))
		{
			bool		is_equal = rebuild(work.publication, which);

			report_row(&work, (Datum[]) {CStringGetTextDatum(folds[which].name), BoolGetDatum(is_equal)},
					   (bool[]) {false, false});
		}
	work_close(&work);
	return (Datum) 0;
}
