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

int32
take_number(const DeclaredPublication *publication)
{
	CatalogAccess access;
	int32		number;

	catalog_enter(&access);
	catalog_execute("UPDATE pprepub.catalog_publication SET releases = releases + 1"
					" WHERE publication = $1 RETURNING releases",
					CATALOG_PARAM(INT4OID, Int32GetDatum(publication->id)));
	number = catalog_int(0, "releases");
	catalog_leave(&access);
	return number;
}

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

	list_metrics(&making->metrics, list);
	for (int i = 0; i < NMETRICS; i++)
		catalog_execute("INSERT INTO pprepub.catalog_metric (publication, release, position, metric, value)"
						" VALUES ($1, $2, $3, $4, $5)",
						CATALOG_PARAM(INT4OID, Int32GetDatum(making->publication->id)),
						CATALOG_PARAM(INT4OID, Int32GetDatum(number)),
						CATALOG_PARAM(INT4OID, Int32GetDatum(i + 1)),
						CATALOG_TEXT(list[i].name),
						CATALOG_PARAM(FLOAT8OID, Float8GetDatum(list[i].value)));
}

void
note_release(const Making *making, int32 number, const SentRelease *sent, double seconds)
{
	const DeclaredPublication *publication = making->publication;
	const Request *request = making->request;
	const Metrics *metrics = &making->metrics;
	bool		is_stored = OidIsValid(sent->table);
	CatalogAccess access;

	catalog_enter(&access);
	catalog_execute("INSERT INTO pprepub.catalog_release"
					" (publication, number, kind, published_at, published_by, method, params, relation, cohort, columns,"
					"  rows, classes, suppressed, dirty, counterfeits, seconds, history_seconds,"
					"  trees, checksum_seed, checksum)"
					" VALUES ($1, $2, $3, now(), $4::text::name, $5, $6, $7, $8, $9,"
					"  $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)",
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
					CATALOG_PARAM(UUIDOID, UUIDPGetDatum(sent->checksum)));
	note_metrics(making, number);
	renew_witness(publication, number);
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
