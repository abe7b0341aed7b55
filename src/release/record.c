/*
 * record.c
 *		A release's number, and what the catalog notes of it and tells again.
 *
 * NOTES
 *		How much is written does not depend on what was withheld: counts and
 *		metrics are of fixed width, and there are always as many.
 */
#include "postgres.h"

#include "audit/metrics.h"
#include "catalog/pg_type.h"
#include "declare/warn_owner.h"
#include "history/witness.h"
#include "release/release.h"
#include "shared/progress.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"

/* The trees that the release is to be judged with for ever. */
static Datum
trees_of(const DeclaredPublication *publication)
{
	Datum	   *trees = palloc(sizeof(Datum) * publication->ncolumns);
	int			n = 0;

	for (int i = 0; i < publication->ncolumns; i++)
		if (publication->columns[i].role == ROLE_QUASI_IDENTIFIER && publication->columns[i].tree != 0)
			trees[n++] = Int32GetDatum(publication->columns[i].tree);
	return PointerGetDatum(construct_array(trees, n, INT4OID, 4, true, TYPALIGN_INT));
}

int
list_losses(const DeclaredPublication *publication, const Metrics *metrics, const bool *shown, NamedMetric *list)
{
	int			n = 0;

	for (int i = 0; i < publication->ncolumns; i++)
	{
		const DeclaredColumn *column = &publication->columns[i];

		if (column->role != ROLE_QUASI_IDENTIFIER)
			continue;
		if (shown != NULL && !shown[i])
			continue;			/* the frame does not have it */
		list[n] = (NamedMetric) {
			psprintf(LOSS_OF "%s", column->name),
			metrics->rows == 0 ? 0 : 100 * metrics->lm_by_qi[n] / metrics->rows
		};
		n++;
	}
	return n;
}

/* Writes all metrics of a release, in the order of their list; of one with a table, also losses of columns. */
static void
note_metrics(const DeclaredPublication *publication, const ReleaseNote *note)
{
	NamedMetric *list = palloc(sizeof(NamedMetric) * (NMETRICS + publication->ncolumns));
	Datum		(*rows)[5] = palloc(sizeof(Datum[5]) * (NMETRICS + publication->ncolumns));
	int			n = NMETRICS;

	list_metrics(note->metrics, list);
	if (OidIsValid(note->table))
		n += list_losses(publication, note->metrics, noted_columns(publication, note->columns), list + n);
	for (int i = 0; i < n; i++)
	{
		rows[i][0] = Int32GetDatum(publication->id);
		rows[i][1] = Int32GetDatum(note->number);
		rows[i][2] = Int32GetDatum(i + 1);
		rows[i][3] = CStringGetTextDatum(list[i].name);
		rows[i][4] = Float8GetDatum(list[i].value);
	}
	catalog_add("catalog_metric", &rows[0][0], n);
}

/* How long each phase of the command has taken so far, as an object; empty for an answer, of which nothing is told. */
static Datum
phases_so_far(void)
{
	PhaseTime	times[MOST_PHASES];
	int			n = progress_times(times);
	StringInfoData text;

	initStringInfo(&text);
	appendStringInfoChar(&text, '{');
	for (int i = 0; i < n; i++)
		appendStringInfo(&text, "%s\"%s\": %.6f", i > 0 ? ", " : "", times[i].phase, times[i].seconds);
	appendStringInfoChar(&text, '}');
	return DirectFunctionCall1(jsonb_in, CStringGetDatum(text.data));
}

/* One update a release, of a row that each release updates. */
static void
note_number(const DeclaredPublication *publication, const ReleaseNote *note, Datum witness)
{
	catalog_execute("UPDATE pprepub_internal.catalog_publication SET releases = $2, remembered = remembered + $3,"
					" witness = CASE WHEN $5 THEN witness ELSE $4 END WHERE publication = $1",
					CATALOG_PARAM(INT4OID, Int32GetDatum(publication->id)),
					CATALOG_PARAM(INT4OID, Int32GetDatum(note->number)),
					CATALOG_PARAM(INT8OID, Int64GetDatum((int64) note->newcomers)),
					CATALOG_PARAM(JSONBOID, witness),
					CATALOG_PARAM(BOOLOID, BoolGetDatum(note->keeps_witness)));
}

void
note_in_catalog(const DeclaredPublication *publication, const ReleaseNote *note)
{
	Metrics		none = {0};
	const Metrics *metrics = note->metrics == NULL ? &none : note->metrics;
	CatalogAccess access;
	Datum		now;

	catalog_enter(&access);
	now = witness_now();
	note_number(publication, note, now);
	catalog_execute("INSERT INTO pprepub_internal.catalog_release"
					" (publication, number, kind, published_at, published_by, published_as, method, params, relation, cohort, columns,"
					"  rows, classes, suppressed, dirty, counterfeits, seconds, history_seconds, phases,"
					"  trees, checksum_seed, checksum, witness, identified, format)"
					" VALUES ($1, $2, $3, now(), $4::text::name, $5::text::name, $6, $7, $8, $9, $10,"
					"  $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24)",
					CATALOG_PARAM(INT4OID, Int32GetDatum(publication->id)),
					CATALOG_PARAM(INT4OID, Int32GetDatum(note->number)),
					CATALOG_TEXT(note->kind),
					CATALOG_TEXT(note->by),
					CATALOG_TEXT(note->by_role),
					CATALOG_TEXT(publication->method),
					CATALOG_PARAM(JSONBOID, JsonbPGetDatum(publication->params)),
					OidIsValid(note->table) ? CATALOG_PARAM(REGCLASSOID, ObjectIdGetDatum(note->table)) : CATALOG_NULL(REGCLASSOID),
					CATALOG_TEXT(note->cohort),
					note->columns == NULL ? CATALOG_NULL(NAMEARRAYOID) :
					CATALOG_PARAM(NAMEARRAYOID, PointerGetDatum(note->columns)),
					CATALOG_PARAM(INT8OID, Int64GetDatum((int64) note->rows)),
					CATALOG_PARAM(INT8OID, Int64GetDatum((int64) note->classes)),
					CATALOG_PARAM(INT8OID, Int64GetDatum((int64) metrics->suppressed)),
					CATALOG_PARAM(INT8OID, Int64GetDatum((int64) metrics->dirty)),
					CATALOG_PARAM(INT8OID, Int64GetDatum((int64) metrics->counterfeits)),
					CATALOG_PARAM(FLOAT8OID, Float8GetDatum(note->seconds)),
					CATALOG_PARAM(FLOAT8OID, Float8GetDatum(note->history_seconds)),
					CATALOG_PARAM(JSONBOID, phases_so_far()),
					CATALOG_PARAM(INT4ARRAYOID, trees_of(publication)),
					CATALOG_PARAM(INT8OID, Int64GetDatum((int64) note->checksum_seed)),
					CATALOG_PARAM(UUIDOID, UUIDPGetDatum(note->checksum)),
					CATALOG_PARAM(JSONBOID, now),
					CATALOG_PARAM(BOOLOID, BoolGetDatum(note->identified)),
					CATALOG_PARAM(INT2OID, Int16GetDatum(RELEASE_FORMAT)));
	if (note->metrics != NULL)
		note_metrics(publication, note);
	catalog_leave(&access);
}

void
note_release(const ReleaseBuild *build, int32 number, const SentRelease *sent, double seconds)
{
	const Metrics *metrics = &build->metrics;

	note_in_catalog(build->publication, &(ReleaseNote) {
		.number = number,
		.kind = OidIsValid(sent->table) ? "stored" : "query",
		.by = build->request->by,
		.by_role = build->request->by_role,
		.table = sent->table,
		.cohort = build->request->cohort,
		.columns = build->request->columns,
		.identified = true,
		.metrics = metrics,
		.rows = metrics->rows + metrics->counterfeits,
		.classes = metrics->classes,
		.newcomers = sent->newcomers,
		.seconds = seconds,
		.history_seconds = build->history_seconds + sent->history_seconds,
		.checksum_seed = sent->checksum_seed,
		.checksum = sent->checksum,
	});
}

void
keep_warnings(const DeclaredPublication *publication, int32 number)
{
	ArrayType  *warnings = remembered_warnings(publication);
	CatalogAccess access;

	if (warnings == NULL)
		return;
	catalog_enter(&access);
	catalog_execute("UPDATE pprepub_internal.catalog_release SET warnings = $3, starves = $4 WHERE publication = $1 AND number = $2",
					CATALOG_PARAM(INT4OID, Int32GetDatum(publication->id)),
					CATALOG_PARAM(INT4OID, Int32GetDatum(number)),
					CATALOG_PARAM(TEXTARRAYOID, PointerGetDatum(warnings)),
					CATALOG_PARAM(BOOLOID, BoolGetDatum(remembers_starving(publication))));
	catalog_leave(&access);
}

Datum
release_row(const DeclaredPublication *publication, int32 number)
{
	CatalogAccess access;
	Datum		row;
	bool		isnull;

	catalog_enter(&access);
	catalog_read("SELECT r AS release FROM pprepub.release r WHERE r.publication = $1 AND r.number = $2",
				 CATALOG_TEXT(publication->name),
				 CATALOG_PARAM(INT4OID, Int32GetDatum(number)));
	row = SPI_datumTransfer(catalog_field(0, "release", &isnull), false, -1);
	catalog_leave(&access);
	return row;
}
