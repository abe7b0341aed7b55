/*
 * publish.c
 *		publish() and preview().
 *
 * LOCKING
 *		The publication is locked first, then the release's number is taken by
 *		an update of its row: under REPEATABLE READ that update fails with a
 *		serialization failure if a release was committed after the caller's
 *		snapshot.  History and source are then read under one snapshot taken
 *		after the lock.
 */
#include "postgres.h"

#include "audit/metrics.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "declare/bases.h"
#include "declare/schemas.h"
#include "declare/warnings.h"
#include "fmgr.h"
#include "funcapi.h"
#include "history/witness.h"
#include "miscadmin.h"
#include "serve/columns.h"
#include "serve/invariant.h"
#include "serve/release.h"
#include "serve/stopwatch.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/tuplestore.h"

PG_FUNCTION_INFO_V1(pprepub_publish);
PG_FUNCTION_INFO_V1(pprepub_preview);

static Request
read_request(FunctionCallInfo fcinfo)
{
	return (Request) {
		.cohort = PG_ARGISNULL(1) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(1)),
		.columns = PG_ARGISNULL(2) ? NULL : PG_GETARG_ARRAYTYPE_P(2),
	};
}

/* The next number, which a rollback gives back. */
static int32
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

/* Writes the release's row and returns it as pprepub.release has it. */
static Datum
note_release(const Making *making, int32 number, const StoredRelease *stored, double seconds)
{
	const DeclaredPublication *publication = making->publication;
	const Request *request = making->request;
	const Metrics *metrics = &making->metrics;
	CatalogAccess access;
	Datum		row;
	bool		isnull;

	catalog_enter(&access);
	catalog_execute("INSERT INTO pprepub.catalog_release"
					" (publication, number, kind, published_at, published_by, method, params, relation, cohort, columns,"
					"  rows, classes, suppressed, dirty, counterfeits, seconds, history_seconds,"
					"  trees, checksum_seed, checksum)"
					" VALUES ($1, $2, 'stored', now(), session_user, $3, $4, $5, $6, $7,"
					"  $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)",
					CATALOG_PARAM(INT4OID, Int32GetDatum(publication->id)),
					CATALOG_PARAM(INT4OID, Int32GetDatum(number)),
					CATALOG_TEXT(publication->method),
					CATALOG_PARAM(JSONBOID, JsonbPGetDatum(publication->params)),
					CATALOG_PARAM(REGCLASSOID, ObjectIdGetDatum(stored->table)),
					CATALOG_TEXT(request->cohort),
					request->columns == NULL ? CATALOG_NULL(NAMEARRAYOID) :
					CATALOG_PARAM(NAMEARRAYOID, PointerGetDatum(request->columns)),
					CATALOG_PARAM(INT8OID, Int64GetDatum(metrics->rows + metrics->counterfeits)),
					CATALOG_PARAM(INT8OID, Int64GetDatum(metrics->classes)),
					CATALOG_PARAM(INT8OID, Int64GetDatum(metrics->suppressed)),
					CATALOG_PARAM(INT8OID, Int64GetDatum(metrics->dirty)),
					CATALOG_PARAM(INT8OID, Int64GetDatum(metrics->counterfeits)),
					CATALOG_PARAM(FLOAT8OID, Float8GetDatum(seconds)),
					CATALOG_PARAM(FLOAT8OID, Float8GetDatum(making->history_seconds + stored->history_seconds)),
					CATALOG_PARAM(INT4ARRAYOID, trees_of(publication)),
					CATALOG_PARAM(INT8OID, Int64GetDatum((int64) stored->checksum_seed)),
					CATALOG_PARAM(UUIDOID, UUIDPGetDatum(stored->checksum)));
	note_metrics(making, number);
	renew_witness(publication, number);
	catalog_read("SELECT r AS release FROM pprepub.release r WHERE r.publication = $1 AND r.number = $2",
					CATALOG_TEXT(publication->name),
					CATALOG_PARAM(INT4OID, Int32GetDatum(number)));
	row = SPI_datumTransfer(catalog_field(0, "release", &isnull), false, -1);
	catalog_leave(&access);
	return row;
}

/* In assert builds, after each release; pprepub.audit() does it whenever it is asked. */
static void
check_invariant(DeclaredPublication *publication)
{
#ifdef USE_ASSERT_CHECKING
	CommandCounterIncrement();
	PushActiveSnapshot(GetTransactionSnapshot());
	publication->releases++;
	verify_invariant(publication);
	PopActiveSnapshot();
#endif
}

Datum
pprepub_publish(PG_FUNCTION_ARGS)
{
	char	   *name = text_argument(fcinfo, 0, "the name of a publication");
	Request		request = read_request(fcinfo);
	Stopwatch	watch = stopwatch_start();
	DeclaredPublication *publication;
	const bool *shown;
	MemoryContext context;
	Identity	caller;
	Making	   *making;
	StoredRelease stored;
	int32		number;
	Datum		row;

	verify_may_change("publish()");
	publication = publication_open(name, ExclusiveLock);
	shown = shown_columns(publication, request.columns);
	verify_schemas(publication, publication->owner);
	verify_witness(publication);
	verify_judged_alone(publication->source, publication->owner, publication->id,
						publication->beside, publication->nbeside);
	number = take_number(publication);
	warn_of_unique_insensitive(publication);

	context = AllocSetContextCreate(CurrentMemoryContext, "release", ALLOCSET_DEFAULT_SIZES);
	PushActiveSnapshot(GetTransactionSnapshot());
	act_as(&caller, publication->owner);
	SPI_connect();
	making = make_release(publication, &request, shown, context);
	verify_something(making);
	warn_of_suppression(making);
	stored = store_release(making, number);
	row = note_release(making, number, &stored, stopwatch_seconds(&watch));
	row = SPI_datumTransfer(row, false, -1);
	check_invariant(publication);
	SPI_finish();
	act_as_before(&caller);
	PopActiveSnapshot();
	MemoryContextDelete(context);
	PG_RETURN_DATUM(row);
}

static void
put_metric(ReturnSetInfo *result, const char *name, double value)
{
	Datum		values[] = {CStringGetTextDatum(name), Float8GetDatum(value)};
	bool		nulls[] = {false, false};

	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

static void
put_making(ReturnSetInfo *result, const Making *making)
{
	NamedMetric list[NMETRICS];
	double		nrows = making->loaded->frame.nrows;

	list_metrics(&making->metrics, list);
	put_metric(result, "rows", making->metrics.rows + making->metrics.counterfeits);
	put_metric(result, "classes", making->metrics.classes);
	for (int i = 0; i < NMETRICS; i++)
		put_metric(result, list[i].name, list[i].value);
	put_metric(result, "load_seconds", making->load_seconds);
	put_metric(result, "history_seconds", making->history_seconds);
	put_metric(result, "partition_seconds", making->partition_seconds);
	put_metric(result, "bytes_per_row", making->memory / nrows);
}

Datum
pprepub_preview(PG_FUNCTION_ARGS)
{
	char	   *name = text_argument(fcinfo, 0, "the name of a publication");
	Request		request = read_request(fcinfo);
	DeclaredPublication *publication;
	MemoryContext context;
	Identity	caller;
	Making	   *making;
	const bool *shown;

	publication = publication_open(name, AccessShareLock);
	shown = shown_columns(publication, request.columns);
	verify_releases_are_seen(publication);
	verify_judged_alone(publication->source, publication->owner, publication->id,
						publication->beside, publication->nbeside);
	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	warn_of_unique_insensitive(publication);

	context = AllocSetContextCreate(CurrentMemoryContext, "preview", ALLOCSET_DEFAULT_SIZES);
	PushActiveSnapshot(GetTransactionSnapshot());
	act_as(&caller, publication->owner);
	SPI_connect();
	making = make_release(publication, &request, shown, context);
	verify_something(making);
	warn_of_suppression(making);
	SPI_finish();
	act_as_before(&caller);
	PopActiveSnapshot();
	put_making((ReturnSetInfo *) fcinfo->resultinfo, making);
	MemoryContextDelete(context);
	return (Datum) 0;
}
