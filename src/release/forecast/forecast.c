/*
 * forecast.c
 *		forecast(): playing the releases to come on the rows of today.
 */
#include "postgres.h"

#include "release/forecast/future.h"

#include <math.h>

#include "declare/work.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "release/release.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

PG_FUNCTION_INFO_V1(pprepub_forecast);

/* ----------------------------------------------------------------
 * forecast(): playing the releases to come on the rows of today.
 *
 * The source and the past are read once, as for a preview, and never again:
 * each release is drafted, judged and measured as it would be published,
 * then remembered in memory, and then some people leave and others come.
 * Nothing is written, and each release is forgotten when the next one is there.
 *
 * Lots are drawn from a fixed seed.  So two forecasts under different
 * parameters are about the same departures, and the same question has the
 * same answer.  That tells nothing of releases, which draw their own.
 * ----------------------------------------------------------------
 */

#define FORECAST_SEED	1
#define MOST_RELEASES	1000
#define USUAL_LEAVE		0.05	/* of the people, from each release to the next */

/* A table may grow to so many times its people, or to so many people where that is more. */
#define MOST_GROWTH		10.0
#define MOST_PEOPLE		1000000.0

/* A share of the people, or NaN where none is given. */
static double
share_argument(FunctionCallInfo fcinfo, int n, const char *name)
{
	double		share;

	if (PG_ARGISNULL(n))
		return NAN;
	share = PG_GETARG_FLOAT8(n);
	if (!(share >= 0 && share <= 1))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("\"%s\" is a share of the people, from 0 to 1", name),
				 errhint("Five in a hundred are 0.05.")));
	return share;
}

/* Fills in what was not given, and says so: as many come as leave. */
static void
suppose_churn(Churn *churn)
{
	if (isnan(churn->leave))
	{
		churn->leave = USUAL_LEAVE;
		ereport(NOTICE,
				(errmsg("it is supposed that %.1f %% of the people leave from each release to the next", 100 * churn->leave),
				 errhint("Argument \"leave\" supposes something else.")));
	}
	if (isnan(churn->come))
		churn->come = churn->leave;
}

/* Drafting takes memory for everybody, which should not run out. */
static void
verify_growth(uint64 people, const Churn *churn, int32 releases)
{
	double		in_the_end = people * pow(1 - churn->leave + churn->come, releases - 1);
	double		most = Max(people * MOST_GROWTH, MOST_PEOPLE);

	if (in_the_end > people && in_the_end > Min(most, MAX_FRAME_ROWS / 2))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("the last of %d releases would have too many people to be forecast", releases),
				 errhint("Ask for fewer releases, or let fewer people come.")));
}

static double
metric_named(const NamedMetric *list, int n, const char *name)
{
	for (int i = 0; i < n; i++)
		if (strcmp(list[i].name, name) == 0)
			return list[i].value;
	elog(ERROR, "there is no metric \"%s\"", name);
}

/* Puts a row of the result, whose columns but the first two are called like metrics. */
static void
put_release(const OwnersWork *work, const ReleaseBuild *build, int32 number)
{
	const Metrics *metrics = &build->metrics;
	TupleDesc	columns = work->result->setDesc;
	NamedMetric summary[NSUMMARY];
	Datum		values[NSUMMARY + 2] = {Int32GetDatum(number), Int64GetDatum(metrics->rows + metrics->counterfeits)};
	bool		nulls[NSUMMARY + 2] = {false};

	list_summary(metrics, summary);
	for (int i = 2; i < columns->natts; i++)
		values[i] = Float8GetDatum(metric_named(summary, NSUMMARY, NameStr(TupleDescAttr(columns, i)->attname)));
	report_row(work, values, nulls);
}

/* Each release has its own memory, which also holds the frame and the past that it is drafted of. */
static void
play(const OwnersWork *work, ReleaseBuild *build, const Churn *churn, int32 releases)
{
	Frame	   *frame = &build->loaded->frame;
	const Frame real = *frame;
	Past		past = build->fold->past;
	MemoryContext context = AllocSetContextCreate(work->context, "forecast", ALLOCSET_DEFAULT_SIZES);
	pg_prng_state random;

	pg_prng_seed(&random, FORECAST_SEED);
	for (int32 i = 0; i < releases; i++)
	{
		MemoryContext next = AllocSetContextCreate(work->context, "forecast", ALLOCSET_DEFAULT_SIZES);
		MemoryContext old = MemoryContextSwitchTo(context);
		Code	   *own = frame->sensitive;

		CHECK_FOR_INTERRUPTS();
		draft_and_measure(build, &past, pg_prng_uint64(&random));
		if (i == 0)
			verify_something(build);
		put_release(work, build, next_number(build->publication) + i);
		if (i + 1 < releases)
		{
			/*
			 * Time passes, for people with values of their own, whatever this one shows; one that shows nothing is not
			 * made.
			 */
			MemoryContextSwitchTo(next);
			past = *past_after(&past, frame, places_shown(build->draft), past.releases + (build->draft->classes->nclasses > 0));
			frame->sensitive = own;
			*frame = frame_after(frame, &real, churn, &random, &past);
		}
		MemoryContextSwitchTo(old);
		MemoryContextDelete(context);
		context = next;
	}
}

Datum
pprepub_forecast(PG_FUNCTION_ARGS)
{
	char	   *name = text_argument(fcinfo, 0, "the name of a publication");
	int32		releases = PG_ARGISNULL(1) ? 0 : PG_GETARG_INT32(1);
	Churn		churn;
	DeclaredPublication *publication;
	OwnersWork	work = {.result = (ReturnSetInfo *) fcinfo->resultinfo};
	Request		request = session_request(NULL, NULL);
	Scope		scope;
	ReleaseBuild *build;

	verify_not_null(fcinfo, 1, "the number of releases");
	if (releases < 1 || releases > MOST_RELEASES)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a forecast is of 1 to %d releases, not of %d", MOST_RELEASES, releases)));
	churn.leave = share_argument(fcinfo, 2, "leave");
	churn.come = share_argument(fcinfo, 3, "come");
	churn.change = share_argument(fcinfo, 4, "change");
	if (isnan(churn.change))
		churn.change = 0;		/* nobody's value changes unless that is said */
	publication = open_for_preview(name, PG_ARGISNULL(5) ? NULL : PG_GETARG_JSONB_P(5));
	if (!find_method(publication->method)->can_be_foreseen)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("releases of method \"%s\" cannot be forecast", publication->method),
				 errhint("pprepub.preview() tells what the next release would lose.")));
	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);

	work_begin(&work, publication->owner, GetTransactionSnapshot());
	scope = scope_of(publication, &request, false);
	build = load_release(publication, &scope, work.context);
	verify_alone(publication);	/* the source was not locked before */
	suppose_churn(&churn);
	verify_growth(build->loaded->frame.nrows, &churn, releases);
	play(&work, build, &churn, releases);
	work_close(&work);
	return (Datum) 0;
}
