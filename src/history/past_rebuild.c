/*
 * past_rebuild.c
 *		rebuild_history(): neighborhoods and paths, made anew from the log.
 *
 * NOTES
 *		In SQL, so that it shares no code with what keeps these tables, nor with
 *		what compares them: two ways to the same past.  People and values have numbers here, since equal ones
 *		may look different; equal is what the type's own operator says.  A
 *		composite with a NULL in it is not NULL, but "IS NOT NULL" would say so.
 */
#include "postgres.h"

#include "declare/subtransaction.h"
#include "declare/work.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "history/element.h"
#include "history/log.h"
#include "history/past_compare.h"
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

/*
 * Members who were in the same class of each release, or in none of it; with numbers
 * that no row has had, so that nothing is taken for a row that it knew.
 */
#define REBUILT_NEIGHBORHOODS FROM_LOG \
	", place AS MATERIALIZED (SELECT member, n, row_number() OVER (PARTITION BY n ORDER BY member) AS place" \
	"  FROM (SELECT member, dense_rank() OVER (ORDER BY releases, classes) AS n FROM (" \
	"   SELECT member, array_agg(release ORDER BY release) AS releases, array_agg(class ORDER BY release) AS classes" \
	"   FROM seen GROUP BY member) p) p)," \
	" shown AS MATERIALIZED (SELECT n, member, place, release, coalesce(value, 0) AS value, v FROM seen JOIN place USING (member))," \
	" epoch AS MATERIALIZED (SELECT n, max(release) AS release, shown FROM (" \
	"  SELECT n, release, array_agg(value ORDER BY member) AS shown FROM shown GROUP BY n, release) e GROUP BY n, shown)" \
	" SELECT n + (SELECT coalesce(max(neighborhood), 0) FROM {table}), keys, invented, sensitive" \
	" FROM (SELECT n, array_agg(k{key_as_element} ORDER BY place) AS keys," \
	"   CASE WHEN min(member) < 0 THEN array_agg(CASE WHEN member < 0 THEN -member END ORDER BY place) END AS invented" \
	"   FROM place LEFT JOIN person ON person = member GROUP BY n) p" \
	" JOIN (SELECT n, array_agg(v{value_as_element} ORDER BY release, place) AS sensitive FROM shown JOIN epoch USING (n, release) GROUP BY n) v USING (n)"

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

/* Each release is a block, with how much there was up to it. */
#define REBUILT_PATHS FROM_LOG ", {steps}," \
	" counts AS MATERIALIZED (SELECT r::int4 AS release," \
	"  (SELECT count(*) FROM person WHERE first <= r) AS people," \
	"  (SELECT coalesce(max(-member), 0) FROM seen WHERE member < 0 AND release <= r)::int8 AS invented," \
	"  (SELECT count(*) FROM seen WHERE release <= r) AS rows" \
	"  FROM generate_series(1, {releases}) r)," \
	" place AS (SELECT release, value, row_number() OVER (PARTITION BY release ORDER BY value) - 1 AS place" \
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

/* ----------------------------------------------------------------
 * What both have in common
 * ----------------------------------------------------------------
 */

static const struct
{
	int			kept_for;		/* PAST_… */
	const char *name;
	const char *rebuilt;
}			folds[] =
{
	[NEIGHBORHOODS_TABLE] = {PAST_NEIGHBORHOODS, "neighborhoods", REBUILT_NEIGHBORHOODS},
	[PATHS_TABLE] = {PAST_LAST | PAST_PATHS, "paths", REBUILT_PATHS},
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
	const Blank blanks[] = {
		{"log", log_rows(publication)}, /* a FROM item */
		{"table", quoted_relation(past_table(publication, which))},
		{"key_equals", equality_sql(key->type)},	/* operators */
		{"value_equals", equality_sql(sensitive->type)},
		{"key_as_element", element_cast_words(key)},	/* "" or a cast: of keys that have no arrays */
		{"value_as_element", element_cast_words(sensitive)},
		{"steps", steps(publication)},
		{"releases", psprintf("%d", publication->releases)},
		{"disclosed", keeps_disclosures(publication) ? REBUILT_DISCLOSED : "NULL::pg_catalog.int4[]"},
	};

	return fill_in(query, blanks, lengthof(blanks));
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

typedef struct Comparing
{
	const DeclaredPublication *publication;
	const Recalled *recalled;
	PastTable	which;
	bool		is_equal;
} Comparing;

/* The work of a subtransaction: compares the table with the log. */
static void
compare(void *what)
{
	Comparing  *comparing = what;
	const Recalled *recalled = comparing->recalled;
	PastComparison comparison = comparing->which == NEIGHBORHOODS_TABLE
		? neighborhoods_compare(comparing->publication, recalled, atoms_of(&recalled->seen))
		: paths_compare(comparing->publication, recalled);

	comparing->is_equal = comparison.wrong == 0;
}

/* A table that is malformed is not; an error of the log, or another, is thrown. */
static bool
is_as_log_tells(const DeclaredPublication *publication, PastTable which)
{
	Comparing	comparing = {.publication = publication, .recalled = recall(publication), .which = which};
	ErrorData  *error = look_in_subtransaction(compare, &comparing);

	if (error != NULL && error->sqlerrcode != ERRCODE_DATA_CORRUPTED)
		ReThrowError(error);
	return error == NULL && comparing.is_equal;
}

/* Is the table what follows from the log?  If not, it is replaced. */
static bool
rebuild(const DeclaredPublication *publication, PastTable which)
{
	Oid			table = past_table_ensure(publication, which);

	past_table_verify(publication, which);
	if (is_as_log_tells(publication, which))
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
