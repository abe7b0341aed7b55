/*
 * publish.c
 *		publish() and preview(): from a request to a release.
 */
#include "postgres.h"

#include <math.h>

#include "declare/gate.h"
#include "release/release.h"

#include "access/xact.h"
#include "audit/metrics.h"
#include "audit/smallest.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "declare/parameters.h"
#include "declare/publication.h"
#include "declare/shard.h"
#include "declare/warn_owner.h"
#include "declare/work.h"
#include "fmgr.h"
#include "funcapi.h"
#include "history/rebuild.h"
#include "history/witness.h"
#include "method/method.h"
#include "miscadmin.h"
#include "release/cohort/cohort.h"
#include "release/past_releases.h"
#include "shared/progress.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

PG_FUNCTION_INFO_V1(pprepub_publish);
PG_FUNCTION_INFO_V1(pprepub_preview);

/* ----------------------------------------------------------------
 * From a request to what it means for a publication: the arguments of
 * publish() and preview().
 * ----------------------------------------------------------------
 */

Request
session_request(const char *cohort, ArrayType *columns)
{
	return (Request) {
		.cohort = cohort,
		.columns = columns,
		.by = GetUserNameFromId(GetSessionUserId(), false),
		.by_role = GetUserNameFromId(GetOuterUserId(), false),
	};
}

char *
releasable_names(const DeclaredPublication *publication)
{
	StringInfoData list;

	initStringInfo(&list);
	for (int i = 0; i < publication->ncolumns; i++)
		if (publication->columns[i].role != ROLE_KEY)
			appendStringInfo(&list, "%s\"%s\"", list.len > 0 ? ", " : "", publication->columns[i].name);
	return list.data;
}

const bool *
noted_columns(const DeclaredPublication *publication, ArrayType *names, int32 number)
{
	bool	   *shown = palloc0(sizeof(bool) * publication->ncolumns);
	Datum	   *values;
	int			n;

	if (names == NULL)
	{
		for (int i = 0; i < publication->ncolumns; i++)
			shown[i] = publication->columns[i].role != ROLE_KEY && publication->columns[i].came <= number;
		return shown;
	}
	deconstruct_array(names, NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR, &values, NULL, &n);
	for (int c = 0; c < n; c++)
	{
		const char *name = NameStr(*DatumGetName(values[c]));
		int			i = column_index(publication, name, false);

		if (i < 0)
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_COLUMN),
					 errmsg("publication \"%s\" has no column \"%s\"", publication->name, name),
					 errhint("Its releases can show %s.", releasable_names(publication))));
		if (publication->columns[i].role == ROLE_KEY)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("column \"%s\" is the key of publication \"%s\" and never leaves", name, publication->name),
					 errhint("Its releases can show %s.", releasable_names(publication))));
		if (shown[i])
			ereport(ERROR,
					(errcode(ERRCODE_DUPLICATE_COLUMN),
					 errmsg("column \"%s\" is named twice", name)));
		shown[i] = true;
	}
	return shown;
}

/*
 * Resolves names of columns: a flag for each column of the publication. NULL stands
 * for all but the key, which never leaves. An error for names that are not declared
 * columns, or where the method publishes all or nothing.
 */
static const bool *
shown_columns(const DeclaredPublication *publication, ArrayType *names)
{
	const Method *method = find_method(publication->method);

	if (names != NULL && !method->declaration.columns)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("method \"%s\" publishes all columns", method->declaration.name),
				 errhint("Leave the argument out.")));
	if (names != NULL && ArrayGetNItems(ARR_NDIM(names), ARR_DIMS(names)) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a release must show a column"),
				 errhint("The releases of publication \"%s\" can show %s.",
						 publication->name, releasable_names(publication))));
	if (names != NULL && array_contains_nulls(names))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("the name of a column must not be null")));
	return noted_columns(publication, names, next_number(publication));
}

Scope
scope_of(const DeclaredPublication *publication, const Request *request, bool is_lenient)
{
	return (Scope) {
		.request = request,
		.shown = shown_columns(publication, request->columns),
		.condition = request->cohort == NULL ? NULL : cohort_condition(publication, request->cohort),
		.is_lenient = is_lenient,
	};
}

ArrayType *
column_names(const DeclaredPublication *publication, const bool *shown)
{
	Datum	   *names = palloc(sizeof(Datum) * publication->ncolumns);
	int			n = 0;

	for (int i = 0; i < publication->ncolumns; i++)
		if ((shown == NULL || shown[i]) && publication->columns[i].role != ROLE_KEY)
			names[n++] = DirectFunctionCall1(namein, CStringGetDatum(publication->columns[i].name));
	return construct_array(names, n, NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR);
}

/* ----------------------------------------------------------------
 * What must be true of a history after each release, in builds with
 * assertions.
 *
 * The fold is what the log tells, and every set of places or people
 * that releases tell apart satisfies the principle (paper 003, Analysis).
 * ----------------------------------------------------------------
 */

#ifdef USE_ASSERT_CHECKING

/* Up to so many logged rows, the fold is compared with the log: that is slow. */
#define MOST_ROWS_COMPARED 1000

/* Does every atom of the log keep the weakest principle that any release promised?  Imported ones need not keep any. */
static void
check_atoms(const DeclaredPublication *publication, const Recalled *recalled, const Atoms *atoms)
{
	const Seen *seen = &recalled->seen;
	Released   *released = read_released(publication);
	Principle	weakest;
	uint64		refused;

	for (int32 r = 0; r < publication->releases; r++)
		if (released[r].is_imported)
			return;
	bind_principles(released, seen, aspects_of_recalled(publication, recalled), NULL);
	weakest = released[0].principle;
	for (int32 r = 1; r < publication->releases; r++)
		weakest = principle_weaker(&weakest, &released[r].principle);
	refused = count_refused(seen, atoms, &weakest);
	if (refused > 0)
		elog(ERROR, "the releases of publication \"%s\" reveal " UINT64_FORMAT " people in sets that the principle does not allow",
			 publication->name, refused);
}

#endif

void
check_history(DeclaredPublication *publication)
{
#ifdef USE_ASSERT_CHECKING
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "check of a history", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(work);
	const Recalled *recalled;
	const Atoms *atoms;

	CommandCounterIncrement();
	PushActiveSnapshot(GetTransactionSnapshot());
	publication->releases++;
	recalled = recall(publication); /* an answer has no temporary files */
	atoms = atoms_of(&recalled->seen);
	if (keeps_fold(publication) && logged_rows(&recalled->seen) <= MOST_ROWS_COMPARED && fold_compare(publication).wrong > 0)
		elog(ERROR, "the fold of publication \"%s\" is not what its log tells", publication->name);
	check_atoms(publication, recalled, atoms);
	PopActiveSnapshot();
	MemoryContextSwitchTo(old);
	MemoryContextDelete(work);
#endif
}

/* ----------------------------------------------------------------
 * publish() and preview().
 *
 * LOCKING
 * The publication is locked first, and so is its row: under REPEATABLE
 * READ that fails with a serialization failure if a release was committed
 * after the caller's snapshot.  History and source are then read under one
 * snapshot taken after the lock.
 * ----------------------------------------------------------------
 */

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
	ReleaseBuild *build;

	verify_in_shard(publication);
	build = build_release(publication, &scope, context);
	verify_alone(publication);	/* the source was not locked before */
	verify_something(build);
	measure_against_source(build);
	progress_phase("measure counts", NO_TOTAL);
	measure_counts(&build->loaded->frame, build->draft->classes, &build->metrics);
	notice_of_rows_kept_back(build);
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
	const Frame *frame;
	SentRelease stored;
	int32		number;
	Datum		row;

	PASS_TO_SHARDS(SHARDED_CHANGE);
	verify_may_change("publish()");
	publication = publication_open(name, ExclusiveLock);
	verify_begun(publication);
	remember_warnings(publication);
	verify_may_release(publication);
	number = next_number(publication);
	warn_of_unique_insensitive(publication, false);
	if (number == 1)			/* later than it was declared: its coordinator has set a guard by now */
		warn_of_moves(publication);

	progress_begin("publish", publication->owner, publication->name);
	work_begin(&work, publication->owner, GetTransactionSnapshot());
	build = build_requested(publication, &request, work.context);
	frame = &build->loaded->frame;
	notice_of_empty_columns(build);
	if (number == 1 && request.cohort == NULL)	/* the source may have been empty when it was declared */
	{
		warn_of_several_rows(publication);
		/* To count values takes as long as to read the source once more: where they are few, few are unique. */
		if (build->loaded->columns->n > 1 ||
			(uint64) frame->nsensitive * FEWEST_UNIQUE > frame->nrows - count_without_value(frame))
			warn_of_unique_sensitive(publication);
	}
	stored = store_release(build, number);
	note_release(build, number, &stored, stopwatch_seconds(&watch));
	row = tell_release(publication, number, "stored");
	check_history(publication);
	work_close(&work);
	progress_end();
	PG_RETURN_DATUM(row);
}

static void
put_metric(const OwnersWork *work, const char *name, double value)
{
	Datum		values[] = {CStringGetTextDatum(name), Float8GetDatum(value)};
	bool		nulls[] = {false, isnan(value)};

	report_row(work, values, nulls);
}

/* Puts the rows of preview(). */
static void
put_metrics(const OwnersWork *work, const ReleaseBuild *build)
{
	NamedMetric summary[NSUMMARY];
	NamedMetric list[NMETRICS];
	NamedMetric errors[NSIZES];
	NamedMetric figures[NROWFIGURES];
	NamedMetric *losses = palloc(sizeof(NamedMetric) * build->publication->ncolumns);
	int			nlosses = list_losses(build->publication, &build->metrics, shown_columns(build->publication, build->request->columns), losses);
	PhaseTime	phases[MOST_PHASES];
	int			nphases = progress_times(phases);
	double		nrows = build->loaded->frame.nrows;

	list_summary(&build->metrics, summary);
	list_metrics(&build->metrics, list);
	put_metric(work, "rows", build->metrics.leaving);
	if (has_several_rows(build->publication))
	{
		put_metric(work, "people", build->metrics.rows + build->metrics.counterfeits);
		list_row_figures(&build->metrics, figures);
		for (int i = 0; i < NROWFIGURES; i++)
			put_metric(work, figures[i].name, figures[i].value);
	}
	put_metric(work, "classes", build->metrics.classes);
	put_metric(work, "smallest_class", build->metrics.smallest);
	put_metric(work, "largest_class", build->metrics.largest);
	for (int i = 0; i < NSUMMARY; i++)
		put_metric(work, summary[i].name, summary[i].value);
	for (int i = 0; i < NMETRICS; i++)
		put_metric(work, list[i].name, list[i].value);
	list_count_errors(&build->metrics, errors);
	for (int i = 0; i < NSIZES; i++)
		put_metric(work, errors[i].name, errors[i].value);
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
	DeclaredPublication *publication;
	OwnersWork	work = {.result = (ReturnSetInfo *) fcinfo->resultinfo};

	PASS_TO_SHARDS(SHARDED_WHOLE);
	publication = open_for_preview(name, PG_ARGISNULL(3) ? NULL : PG_GETARG_JSONB_P(3));
	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	warn_of_unique_insensitive(publication, false);

	progress_begin("preview", publication->owner, publication->name);
	work_begin(&work, publication->owner, GetTransactionSnapshot());
	put_metrics(&work, build_requested(publication, &request, work.context));
	work_close(&work);
	progress_end();
	return (Datum) 0;
}
