/*
 * note.c
 *		A release's number, and what the catalog notes of it.
 *
 * NOTES
 *		How much is written does not depend on what was withheld: counts and
 *		metrics are of fixed width, and there are always as many.
 */
#include "postgres.h"

#include "audit/metrics.h"
#include "catalog/pg_type.h"
#include "history/witness.h"
#include "serve/invariant.h"
#include "serve/release.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/snapmgr.h"

/* The trees that the release is to be judged with for ever. */
static Datum
trees_of(const DeclaredPublication *publication)
{
	Datum	   *trees = palloc(sizeof(Datum) * publication->ncolumns);
	int			n = 0;

	for (int i = 0; i < publication->ncolumns; i++)
		if (publication->columns[i].tree != 0)
			trees[n++] = Int32GetDatum(publication->columns[i].tree);
	return PointerGetDatum(construct_array(trees, n, INT4OID, 4, true, TYPALIGN_INT));
}

static void
note_metrics(const Making *making, int32 number)
{
	NamedMetric list[NMETRICS];
	Datum		names[NMETRICS];
	Datum		values[NMETRICS];

	list_metrics(&making->metrics, list);
	for (int i = 0; i < NMETRICS; i++)
	{
		names[i] = CStringGetTextDatum(list[i].name);
		values[i] = Float8GetDatum(list[i].value);
	}
	catalog_execute("INSERT INTO pprepub.catalog_metric (publication, release, position, metric, value)"
					" SELECT $1, $2, n, m, v FROM ROWS FROM (unnest($3), unnest($4)) WITH ORDINALITY u(m, v, n)",
					CATALOG_PARAM(INT4OID, Int32GetDatum(making->publication->id)),
					CATALOG_PARAM(INT4OID, Int32GetDatum(number)),
					CATALOG_PARAM(TEXTARRAYOID, PointerGetDatum(construct_array(names, NMETRICS, TEXTOID, -1, false, TYPALIGN_INT))),
					CATALOG_PARAM(FLOAT8ARRAYOID, PointerGetDatum(construct_array(values, NMETRICS, FLOAT8OID, 8, FLOAT8PASSBYVAL, TYPALIGN_DOUBLE))));
}

/* One update a release, of a row that each release updates. */
static void
note_number(const DeclaredPublication *publication, int32 number, uint64 newcomers, Datum witness)
{
	catalog_execute("UPDATE pprepub.catalog_publication SET releases = $2, remembered = remembered + $3, witness = $4"
					" WHERE publication = $1",
					CATALOG_PARAM(INT4OID, Int32GetDatum(publication->id)),
					CATALOG_PARAM(INT4OID, Int32GetDatum(number)),
					CATALOG_PARAM(INT8OID, Int64GetDatum((int64) newcomers)),
					CATALOG_PARAM(JSONBOID, witness));
}

void
note_release(const Making *making, int32 number, const SentRelease *sent, double seconds)
{
	const DeclaredPublication *publication = making->publication;
	const Request *request = making->request;
	const Metrics *metrics = &making->metrics;
	bool		is_stored = OidIsValid(sent->table);
	CatalogAccess access;
	Datum		now;

	catalog_enter(&access);
	now = witness_now();
	note_number(publication, number, sent->newcomers, now);
	catalog_execute("INSERT INTO pprepub.catalog_release"
					" (publication, number, kind, published_at, published_by, method, params, relation, cohort, columns,"
					"  rows, classes, suppressed, dirty, counterfeits, seconds, history_seconds,"
					"  trees, checksum_seed, checksum, witness)"
					" VALUES ($1, $2, $3, now(), $4::text::name, $5, $6, $7, $8, $9,"
					"  $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)",
					CATALOG_PARAM(INT4OID, Int32GetDatum(publication->id)),
					CATALOG_PARAM(INT4OID, Int32GetDatum(number)),
					CATALOG_TEXT(is_stored ? "stored" : "query"),
					CATALOG_TEXT(request->by),
					CATALOG_TEXT(publication->method),
					CATALOG_PARAM(JSONBOID, JsonbPGetDatum(publication->params)),
					is_stored ? CATALOG_PARAM(REGCLASSOID, ObjectIdGetDatum(sent->table)) : CATALOG_NULL(REGCLASSOID),
					CATALOG_TEXT(request->cohort),
					request->columns == NULL ? CATALOG_NULL(NAMEARRAYOID) :
					CATALOG_PARAM(NAMEARRAYOID, PointerGetDatum(request->columns)),
					CATALOG_PARAM(INT8OID, Int64GetDatum(metrics->rows + metrics->counterfeits)),
					CATALOG_PARAM(INT8OID, Int64GetDatum(metrics->classes)),
					CATALOG_PARAM(INT8OID, Int64GetDatum(metrics->suppressed)),
					CATALOG_PARAM(INT8OID, Int64GetDatum(metrics->dirty)),
					CATALOG_PARAM(INT8OID, Int64GetDatum(metrics->counterfeits)),
					CATALOG_PARAM(FLOAT8OID, Float8GetDatum(seconds)),
					CATALOG_PARAM(FLOAT8OID, Float8GetDatum(making->history_seconds + sent->history_seconds)),
					CATALOG_PARAM(INT4ARRAYOID, trees_of(publication)),
					CATALOG_PARAM(INT8OID, Int64GetDatum((int64) sent->checksum_seed)),
					CATALOG_PARAM(UUIDOID, UUIDPGetDatum(sent->checksum)),
					CATALOG_PARAM(JSONBOID, now));
	note_metrics(making, number);
	catalog_leave(&access);
}

void
check_history(DeclaredPublication *publication)
{
#ifdef USE_ASSERT_CHECKING
	CommandCounterIncrement();
	PushActiveSnapshot(GetTransactionSnapshot());
	publication->releases++;
	verify_invariant(publication);
	PopActiveSnapshot();
#endif
}
