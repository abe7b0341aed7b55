/*
 * publish.c
 *		publish() and preview().
 *
 * LOCKING
 *		The publication is locked first, and so is its row: under REPEATABLE
 *		READ that fails with a serialization failure if a release was committed
 *		after the caller's snapshot.  History and source are then read under one
 *		snapshot taken after the lock.
 */
#include "postgres.h"

#include "audit/metrics.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "declare/parameters.h"
#include "declare/publication.h"
#include "declare/warn_owner.h"
#include "declare/work.h"
#include "fmgr.h"
#include "funcapi.h"
#include "history/witness.h"
#include "method/method.h"
#include "miscadmin.h"
#include "release/release.h"
#include "release/stopwatch.h"
#include "shared/progress.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/snapmgr.h"

PG_FUNCTION_INFO_V1(pprepub_publish);
PG_FUNCTION_INFO_V1(pprepub_preview);

static Request
read_request(FunctionCallInfo fcinfo)
{
	return session_request(PG_ARGISNULL(1) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(1)),
						   PG_ARGISNULL(2) ? NULL : PG_GETARG_ARRAYTYPE_P(2));
}

void
verify_alone(const DeclaredPublication *publication)
{
	verify_shares_no_data(publication);
}

void
verify_may_release(const DeclaredPublication *publication)
{
	verify_schemas(publication, publication->owner);
	verify_witness(publication);
	verify_identified(publication);
	verify_alone(publication);
}

/* Inside the owner's work: all but storing it. */
static ReleaseBuild *
build_requested(DeclaredPublication *publication, const Request *request, MemoryContext context)
{
	Scope		scope = scope_of(publication, request, false);
	ReleaseBuild *build = build_release(publication, &scope, NULL, context);

	verify_alone(publication);	/* the source was not locked before */
	verify_something(build);
	measure_against_source(build);
	warn_of_suppression(build);
	return build;
}

Datum
pprepub_publish(PG_FUNCTION_ARGS)
{
	char	   *name = text_argument(fcinfo, 0, "the name of a publication");
	Request		request = read_request(fcinfo);
	Stopwatch	watch = stopwatch_start();
	DeclaredPublication *publication;
	OwnersWork	work;
	ReleaseBuild *build;
	SentRelease stored;
	int32		number;
	Datum		row;

	verify_may_change("publish()");
	publication = publication_open(name, ExclusiveLock);
	remember_warnings(publication);
	verify_may_release(publication);
	number = next_number(publication);
	warn_of_unique_insensitive(publication, false);

	progress_begin("publish", publication->owner, publication->name);
	work_begin(&work, publication->owner, GetTransactionSnapshot());
	build = build_requested(publication, &request, work.context);
	notice_of_empty_columns(build);
	if (number == 1 && request.cohort == NULL)	/* the source may have been empty when it was declared */
	{
		warn_of_several_rows(publication);
		warn_of_unique_sensitive(publication);
	}
	stored = store_release(build, number);
	note_release(build, number, &stored, stopwatch_seconds(&watch));
	announce_release(publication, number, "stored");
	keep_warnings(publication, number);
	row = SPI_datumTransfer(release_row(publication, number), false, -1);
	check_foreseen(build, stored.newcomers);
	check_history(publication);
	work_close(&work);
	progress_end();
	PG_RETURN_DATUM(row);
}

static void
put_metric(const OwnersWork *work, const char *name, double value)
{
	Datum		values[] = {CStringGetTextDatum(name), Float8GetDatum(value)};
	bool		nulls[] = {false, false};

	report_row(work, values, nulls);
}

/* Puts the rows of preview(). */
static void
put_metrics(const OwnersWork *work, const ReleaseBuild *build)
{
	NamedMetric summary[NSUMMARY];
	NamedMetric list[NMETRICS];
	NamedMetric *losses = palloc(sizeof(NamedMetric) * build->publication->ncolumns);
	int			nlosses = list_losses(build->publication, &build->metrics, shown_columns(build->publication, build->request->columns), losses);
	PhaseTime	phases[MOST_PHASES];
	int			nphases = progress_times(phases);
	double		nrows = build->loaded->frame.nrows;

	list_summary(&build->metrics, summary);
	list_metrics(&build->metrics, list);
	put_metric(work, "rows", build->metrics.rows + build->metrics.counterfeits);
	put_metric(work, "classes", build->metrics.classes);
	for (int i = 0; i < NSUMMARY; i++)
		put_metric(work, summary[i].name, summary[i].value);
	for (int i = 0; i < NMETRICS; i++)
		put_metric(work, list[i].name, list[i].value);
	for (int i = 0; i < nlosses; i++)
		put_metric(work, losses[i].name, losses[i].value);
	for (int i = 0; i < nphases; i++)
		put_metric(work, psprintf("seconds of %s", phases[i].phase), phases[i].seconds);
	put_metric(work, "load_seconds", build->load_seconds);
	put_metric(work, "history_seconds", build->history_seconds);
	put_metric(work, "partition_seconds", build->partition_seconds);
	put_metric(work, "bytes_per_row", build->memory / nrows);
}

/*
 * Lets other parameters take the place of those of a publication that is
 * opened for a preview alone.  As nothing is published, they may promise less.
 */
static void
try_parameters(DeclaredPublication *publication, Jsonb *given)
{
	const MethodDeclaration *method = method_declaration(publication->method);
	Jsonb	   *declared = publication->params;
	bool		accepted;

	refuse_arguments(given, publication->name);
	given = take_flag(given, "accept_weakening", &accepted);
	given = take_flag(given, "accept_lockout", &accepted);
	given = resolve_layout_columns(publication, given, false);
	publication->params = check_parameters(method, given, declared);
	set_bands(publication, publication->params);
	refuse_tables(method, given);
	warn_of_stand_ins(publication, declared);
}

DeclaredPublication *
open_for_preview(const char *name, Jsonb *params)
{
	DeclaredPublication *publication = publication_open(name, AccessShareLock);

	verify_releases_are_seen(publication);
	verify_alone(publication);
	if (params != NULL)
		try_parameters(publication, params);
	return publication;
}

Datum
pprepub_preview(PG_FUNCTION_ARGS)
{
	char	   *name = text_argument(fcinfo, 0, "the name of a publication");
	Request		request = read_request(fcinfo);
	DeclaredPublication *publication = open_for_preview(name, PG_ARGISNULL(3) ? NULL : PG_GETARG_JSONB_P(3));
	OwnersWork	work = {.result = (ReturnSetInfo *) fcinfo->resultinfo};

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	warn_of_unique_insensitive(publication, false);

	progress_begin("preview", publication->owner, publication->name);
	work_begin(&work, publication->owner, GetTransactionSnapshot());
	put_metrics(&work, build_requested(publication, &request, work.context));
	work_close(&work);
	progress_end();
	return (Datum) 0;
}
