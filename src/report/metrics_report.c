/*
 * metrics_report.c
 *		metrics(): what a release lost, and what it says still.
 */
#include "postgres.h"

#include "audit/metrics.h"
#include "catalog/pg_type.h"
#include "declare/work.h"
#include "fmgr.h"
#include "funcapi.h"
#include "release/past_releases.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

PG_FUNCTION_INFO_V1(pprepub_metrics);

/* The number of a release; an error if there is no such release. */
static int32
release_argument(FunctionCallInfo fcinfo, const DeclaredPublication *publication)
{
	int32		number;

	if (PG_ARGISNULL(1))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("the number of a release must not be null")));
	number = PG_GETARG_INT32(1);
	verify_release_number(publication, number);
	return number;
}

static int
count_shown_qis(const DeclaredPublication *publication, const Released *released)
{
	int			n = 0;

	for (int i = 0; i < publication->ncolumns; i++)
		n += publication->columns[i].role == ROLE_QUASI_IDENTIFIER && released->shown[i];
	return n;
}

static uint64
noted_count(const char *column)
{
	bool		isnull;

	return (uint64) DatumGetInt64(catalog_field(0, column, &isnull));
}

/* Puts what is made of other figures; nothing, if a release was not measured. */
static void
put_summary(ReturnSetInfo *result, const DeclaredPublication *publication, int32 number, int columns)
{
	NamedMetric list[NSUMMARY];
	Metrics		metrics = {.columns = columns};
	bool		isnull;

	catalog_read("SELECT r.rows, r.classes, r.suppressed, r.dirty, r.counterfeits, m.value AS lm"
				 " FROM pprepub_internal.catalog_release r JOIN pprepub_internal.catalog_metric m ON m.publication = r.publication AND m.release = r.number"
				 " WHERE r.publication = $1 AND r.number = $2 AND m.metric = 'lm'",
				 CATALOG_PARAM(INT4OID, Int32GetDatum(publication->id)),
				 CATALOG_PARAM(INT4OID, Int32GetDatum(number)));
	if (SPI_processed == 0)
		return;
	metrics.lm = DatumGetFloat8(catalog_field(0, "lm", &isnull));
	metrics.counterfeits = noted_count("counterfeits");
	metrics.rows = noted_count("rows") - metrics.counterfeits;
	metrics.classes = noted_count("classes");
	metrics.suppressed = noted_count("suppressed");
	metrics.dirty = noted_count("dirty");
	list_summary(&metrics, list);
	for (int i = 0; i < NSUMMARY; i++)
	{
		Datum		values[] = {CStringGetTextDatum(list[i].name), Float8GetDatum(list[i].value)};
		bool		nulls[] = {false, false};

		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
}

/* The rows of metrics(). */
static Datum
report_metrics(FunctionCallInfo fcinfo)
{
	char	   *name = text_argument(fcinfo, 0, "the name of a publication");
	DeclaredPublication *publication = publication_look(name, true);
	int32		number = release_argument(fcinfo, publication);
	int			columns = count_shown_qis(publication, read_one_released(publication, number));
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	CatalogAccess access;

	verify_may_see_figures(publication, number);
	begin_rows(fcinfo);
	catalog_enter(&access);
	put_summary(result, publication, number, columns);
	catalog_read("SELECT metric, value FROM pprepub_internal.catalog_metric"
				 " WHERE publication = $1 AND release = $2 ORDER BY position",
				 CATALOG_PARAM(INT4OID, Int32GetDatum(publication->id)),
				 CATALOG_PARAM(INT4OID, Int32GetDatum(number)));
	for (uint64 i = 0; i < SPI_processed; i++)
		tuplestore_puttuple(result->setResult, SPI_tuptable->vals[i]);
	catalog_leave(&access);
	return (Datum) 0;
}

Datum
pprepub_metrics(PG_FUNCTION_ARGS)
{
	return for_auditors(fcinfo, report_metrics);
}
