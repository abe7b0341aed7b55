/*
 * record.c
 *		What is noted and told of a release: in the catalog, to analysts, and to those who listen.
 */
#include "postgres.h"

#include "declare/gate.h"
#include "release/release.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "audit/metrics.h"
#include "catalog/pg_type.h"
#include "commands/async.h"
#include "declare/parameters.h"
#include "declare/target_objects.h"
#include "declare/warn_owner.h"
#include "fmgr.h"
#include "history/past_tables.h"
#include "history/rows.h"
#include "history/witness.h"
#include "lib/stringinfo.h"
#include "shared/progress.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/json.h"
#include "utils/memutils.h"

PG_FUNCTION_INFO_V1(pprepub_forget_releases);

/* ----------------------------------------------------------------
 * A release's number, and what the catalog notes of it and tells again.
 *
 * How much is written does not depend on what was withheld: counts and
 * metrics are of fixed width, and there are always as many.
 * ----------------------------------------------------------------
 */

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
	NamedMetric *list = palloc(sizeof(NamedMetric) * (NMETRICS + NROWFIGURES + NSIZES + publication->ncolumns));
	Datum		(*rows)[5] = palloc(sizeof(Datum[5]) * (NMETRICS + NROWFIGURES + NSIZES + publication->ncolumns));
	int			n = NMETRICS;

	list_metrics(note->metrics, list);
	if (has_several_rows(publication))
	{
		list_row_figures(note->metrics, list + n);
		n += NROWFIGURES;
	}
	if (OidIsValid(note->table))
	{
		list_count_errors(note->metrics, list + n);
		n += NSIZES;
		n += list_losses(publication, note->metrics, noted_columns(publication, note->columns, note->number), list + n);
	}
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

void
note_in_catalog(const DeclaredPublication *publication, const ReleaseNote *note)
{
	Metrics		none = {0};
	const Metrics *metrics = note->metrics == NULL ? &none : note->metrics;
	CatalogAccess access;
	Datum		now;

	catalog_enter(&access);
	now = witness_now();
	/* One update a release, of a row that each release updates. */
	catalog_execute("UPDATE pprepub_internal.catalog_publication SET releases = $2, remembered = remembered + $3,"
					" witness = CASE WHEN $5 THEN witness ELSE $4 END WHERE publication = $1",
					CATALOG_INT(publication->id), CATALOG_INT(note->number), CATALOG_PARAM(INT8OID, Int64GetDatum((int64) note->newcomers)),
					CATALOG_PARAM(JSONBOID, now), CATALOG_PARAM(BOOLOID, BoolGetDatum(note->keeps_witness)));
	catalog_execute("INSERT INTO pprepub_internal.catalog_release"
					" (publication, number, kind, published_at, published_by, published_as, method, params, relation, cohort, columns,"
					"  rows, people, classes, suppressed, dirty, counterfeits, stale, unrefreshed, seconds, history_seconds, phases,"
					"  trees, checksum_seed, checksum, witness, identified, format)"
					" VALUES ($1, $2, $3, now(), $4::text::name, $5::text::name, $6, $7, $8, $9, $10,"
					"  $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27)",
					CATALOG_INT(publication->id),
					CATALOG_INT(note->number),
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
					CATALOG_PARAM(INT8OID, Int64GetDatum((int64) note->people)),
					CATALOG_PARAM(INT8OID, Int64GetDatum((int64) note->classes)),
					CATALOG_PARAM(INT8OID, Int64GetDatum((int64) metrics->suppressed)),
					CATALOG_PARAM(INT8OID, Int64GetDatum((int64) metrics->dirty)),
					CATALOG_PARAM(INT8OID, Int64GetDatum((int64) metrics->counterfeits)),
					CATALOG_PARAM(INT8OID, Int64GetDatum((int64) metrics->stale)),
					CATALOG_PARAM(INT8OID, Int64GetDatum((int64) metrics->unrefreshed)),
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
		.rows = metrics->leaving,
		.people = metrics->rows + metrics->counterfeits,
		.classes = metrics->classes,
		.newcomers = sent->newcomers,
		.seconds = seconds,
		.history_seconds = build->history_seconds + sent->history_seconds,
		.checksum_seed = sent->checksum_seed,
		.checksum = sent->checksum,
	});
}

/* Has the catalog keep the warnings that were remembered while the release was made. */
static void
keep_warnings(const DeclaredPublication *publication, int32 number)
{
	bool		starving;
	ArrayType  *warnings = remembered_warnings(publication, &starving);
	CatalogAccess access;

	if (warnings == NULL)
		return;
	catalog_enter(&access);
	catalog_execute("UPDATE pprepub_internal.catalog_release SET warnings = $3, starves = $4 WHERE publication = $1 AND number = $2",
					CATALOG_INT(publication->id), CATALOG_INT(number),
					CATALOG_PARAM(TEXTARRAYOID, PointerGetDatum(warnings)), CATALOG_PARAM(BOOLOID, BoolGetDatum(starving)));
	catalog_leave(&access);
}

/* The release as pprepub.release has it. */
static Datum
release_row(const DeclaredPublication *publication, int32 number)
{
	CatalogAccess access;
	Datum		row;
	bool		isnull;

	catalog_enter(&access);
	catalog_read("SELECT r AS release FROM pprepub.release r WHERE r.publication = $1 AND r.number = $2",
				 CATALOG_TEXT(publication->name), CATALOG_INT(number));
	row = SPI_datumTransfer(catalog_field(0, "release", &isnull), false, -1);
	catalog_leave(&access);
	return row;
}

/* Adds the release to TARGET.NAME_releases, the list that analysts may see. */
static void
list_release(const DeclaredPublication *publication, int32 number)
{
	Oid			table = noted_relation(publication, "releases");
	CatalogAccess access;
	TupleDesc	columns;
	HeapTuple	row;
	Oid		   *types;
	Datum	   *values;
	bool	   *nulls;
	RowWriter  *writer;

	catalog_enter(&access);
	catalog_read("SELECT release, published_at, relation, kind, columns, rows, people, withheld_percent, invented_percent, stale_percent, k, l,"
				 " $3 AS principle, repair"
				 " FROM pprepub_internal.catalog_listed_release WHERE publication = $1 AND release = $2",
				 CATALOG_INT(publication->id), CATALOG_INT(number), CATALOG_TEXT(further_principle(publication)));
	row = SPI_copytuple(SPI_tuptable->vals[0]);
	MemoryContextSwitchTo(access.context);
	columns = CreateTupleDescCopy(SPI_tuptable->tupdesc);
	catalog_leave(&access);
	types = palloc(sizeof(Oid) * columns->natts);
	values = palloc(sizeof(Datum) * columns->natts);
	nulls = palloc(sizeof(bool) * columns->natts);
	for (int i = 0; i < columns->natts; i++)
		types[i] = TupleDescAttr(columns, i)->atttypid;
	if (!OidIsValid(table) || !has_columns(table, types, columns->natts))
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("the list of releases of publication \"%s\" is damaged", publication->name),
				 errhint("Restore table %s from a backup.", quoted_target(publication, "_releases"))));
	heap_deform_tuple(row, columns, values, nulls);
	writer = writer_open(table, false);
	writer_add(writer, values, nulls);
	writer_close(writer);
}

/* ----------------------------------------------------------------
 * forget_releases(): the tables of old releases go.
 *
 * The history keeps the sets that they showed, by which later ones are judged.  The last one stays, and so do the last of
 * everybody, and what analysts see as the newest one.
 * ----------------------------------------------------------------
 */

/* PostgreSQL proposes DROP … CASCADE, which is refused. */
static void
name_way_out(void *all)
{
	if (geterrcode() == ERRCODE_DEPENDENT_OBJECTS_STILL_EXIST)
		errhint("Drop them first, or let them read %s, which has the releases that are left.", (char *) all);
}

/* Drops tables, as the publication's owner, and takes releases off the list.  Tables may be missing: a dump can leave them out. */
static void
drop_tables(const DeclaredPublication *publication, const char *tables, const char *numbers)
{
	ErrorContextCallback callback = {.previous = error_context_stack, .callback = name_way_out, .arg = quoted_target(publication, "_all")};
	Identity	caller;

	act_as(&caller, publication->owner);
	SPI_connect();
	error_context_stack = &callback;
	if (tables != NULL)
		execute_own_ddl(psprintf("DROP TABLE %s", tables));
	error_context_stack = callback.previous;
	if (OidIsValid(noted_relation(publication, "releases")))
		execute_past_seal(noted_relation(publication, "releases"), psprintf("UPDATE %%s SET relation = NULL WHERE release = ANY ('%s')", numbers), InvalidOid, (Datum) 0);
	SPI_finish();
	act_as_before(&caller);
}

Datum
pprepub_forget_releases(PG_FUNCTION_ARGS)
{
	const char *name = text_argument(fcinfo, 0, "the name of a publication");
	DeclaredPublication *publication;
	CatalogAccess access;
	char	   *tables;
	char	   *words;
	Datum		numbers;

	PASS_TO_SHARDS(SHARDED_CHANGE);
	verify_not_null(fcinfo, 1, "the time before which releases are forgotten");
	verify_may_change("forget_releases()");
	publication = publication_open(name, AccessExclusiveLock);
	if (method_declaration(publication->method)->reads_tables)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("releases of method \"%s\" cannot be forgotten", publication->method),
				 errdetail("Later ones are judged by the tables of all earlier ones."),
				 errhint("pprepub.drop_publication(%s, forget_history => true) drops all of them, and no release can follow.", quote_literal_cstr(name))));
	catalog_enter(&access);
	catalog_read("SELECT string_agg(c.oid::regclass::text, ', ') AS tables, coalesce(array_agg(r.number ORDER BY r.number), '{}')::text AS numbers"
				 " FROM pprepub_internal.catalog_release r LEFT JOIN pg_class c ON c.oid = r.relation::oid"
				 " WHERE r.publication = $1 AND r.published_at < $2 AND r.relation IS NOT NULL"
				 "  AND r.number <> ALL (SELECT unnest(array_remove(ARRAY[max(n.number), max(n.number) FILTER (WHERE n.cohort IS NULL), max(f.number)], NULL))"
				 "   FROM pprepub_internal.catalog_release n LEFT JOIN pprepub_internal.catalog_full_release f ON f.relation = n.relation"
				 "   WHERE n.publication = $1 AND n.relation IS NOT NULL)",
				 CATALOG_INT(publication->id), CATALOG_PARAM(TIMESTAMPTZOID, PG_GETARG_DATUM(1)));
	tables = catalog_text(&access, 0, "tables");
	words = catalog_text(&access, 0, "numbers");
	catalog_leave(&access);
	numbers = OidInputFunctionCall(F_ARRAY_IN, words, INT4OID, -1);
	if (ARR_NDIM(DatumGetArrayTypeP(numbers)) == 0)
		PG_RETURN_DATUM(numbers);
	drop_tables(publication, tables, words);
	catalog_enter(&access);
	catalog_execute("DELETE FROM pprepub_internal.catalog_relation c USING pprepub_internal.catalog_release r"
					" WHERE r.publication = $1 AND r.number = ANY ($2) AND c.relation = r.relation AND c.publication = $1 AND c.part = 'release'",
					CATALOG_INT(publication->id), CATALOG_PARAM(INT4ARRAYOID, numbers));
	catalog_execute("UPDATE pprepub_internal.catalog_release SET relation = NULL WHERE publication = $1 AND number = ANY ($2)",
					CATALOG_INT(publication->id), CATALOG_PARAM(INT4ARRAYOID, numbers));
	catalog_leave(&access);
	note_erasure(publication, CATALOG_NULL(INT8OID), CATALOG_PARAM(INT4ARRAYOID, numbers));
	PG_RETURN_DATUM(numbers);
}

/* ----------------------------------------------------------------
 * A NOTIFY for each release that has a table.
 *
 * PRIVACY
 * Every role may listen to every channel.  So a notification says what the
 * name of the release's table tells everybody at the same moment, when it
 * is committed, and whether it was imported; of answers nobody is told.
 *
 * It is handed over just before the commit: a transaction that has notified
 * cannot be prepared, and a release can.  Of one that is committed by COMMIT
 * PREPARED nobody is told.
 *
 * Anybody can fill the server's queue of notifications, and a transaction
 * that notifies then fails.  A release does without before that.
 * ----------------------------------------------------------------
 */

#define CHANNEL "pprepub_release"

/* Filled further than this, the queue is left to others. */
#define FULL_QUEUE 0.9

/* A release that was made in this transaction. */
typedef struct Announcement
{
	SubTransactionId subtransaction;
	char	   *payload;
} Announcement;

static List *announcements = NIL;	/* in TopTransactionContext */

/* A release that is rolled back is forgotten; all that were made since the subtransaction began were made in it. */
static void
subtransaction_ends(SubXactEvent event, SubTransactionId mine, SubTransactionId parent, void *arg)
{
	if (event != SUBXACT_EVENT_ABORT_SUB)
		return;
	while (announcements != NIL && ((Announcement *) llast(announcements))->subtransaction >= mine)
		announcements = list_delete_last(announcements);
}

/* Hands the notifications over where a commit is certain to follow, or an error; a preparation drops them. */
static void
transaction_ends(XactEvent event, void *arg)
{
	ListCell   *cell;

	if (event == XACT_EVENT_PRE_COMMIT)
		foreach(cell, announcements)
			Async_Notify(CHANNEL, ((Announcement *) lfirst(cell))->payload);
	announcements = NIL;
}

/* Tells all who listen of the release, when it is committed. */
static void
announce_release(const DeclaredPublication *publication, int32 number, const char *kind)
{
	static bool is_registered = false;
	MemoryContext old;
	Announcement *announcement;
	StringInfoData payload;

	if (DatumGetFloat8(OidFunctionCall0(F_PG_NOTIFICATION_QUEUE_USAGE)) > FULL_QUEUE)
	{
		warn_owner(publication, &(OwnerWarning) {
			.message = psprintf("nobody is notified of release %d of publication \"%s\"", number, publication->name),
			.detail = "The server's queue of notifications is nearly full.",
			.hint = "A session that listens has been in one transaction for too long: see pg_stat_activity.",
		});
		return;
	}
	if (!is_registered)
	{
		RegisterXactCallback(transaction_ends, NULL);
		RegisterSubXactCallback(subtransaction_ends, NULL);
		is_registered = true;
	}
	old = MemoryContextSwitchTo(TopTransactionContext);
	announcement = palloc(sizeof(Announcement));
	announcement->subtransaction = GetCurrentSubTransactionId();
	/* JSON, whatever the publication is called. */
	initStringInfo(&payload);
	appendStringInfoString(&payload, "{\"publication\": ");
	escape_json(&payload, publication->name);
	appendStringInfo(&payload, ", \"number\": %d, \"kind\": \"%s\"}", number, kind);
	announcement->payload = payload.data;
	announcements = lappend(announcements, announcement);
	MemoryContextSwitchTo(old);
}

Datum
tell_release(const DeclaredPublication *publication, int32 number, const char *kind)
{
	list_release(publication, number);
	announce_release(publication, number, kind);
	keep_warnings(publication, number);
	return SPI_datumTransfer(release_row(publication, number), false, -1);
}
