/*
 * forecast.c
 *		forecast(): playing the releases to come on the rows of today.
 */
#include "postgres.h"

#include "declare/gate.h"
#include "release/forecast/future.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "declare/work.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "release/release.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

PG_FUNCTION_INFO_V1(pprepub_forecast);

/* ----------------------------------------------------------------
 * forecast(): playing the releases to come on the rows of today.
 *
 * The source and the past are read once, as for a preview, and never again:
 * each release is drafted, judged and measured as it would be published,
 * then remembered in memory, and then people leave, come, come back, change and move.
 * So are the answers before it, about cohorts.  Nothing is written, and each release is
 * forgotten when the next one is there.
 *
 * Lots are drawn from a fixed seed.  So two forecasts under different
 * parameters are about the same departures, and the same question has the
 * same answer.  That tells nothing of releases, which draw their own.
 * ----------------------------------------------------------------
 */

#define FORECAST_SEED	1
#define MOST_RELEASES	1000
#define USUAL_LEAVE		0.05	/* of the people, from each release to the next */
#define USUAL_BACK_CHANGED 0.5
#define MOST_ANSWERS	100		/* between two releases */

/* A table may grow to so many times its people, or to so many people where that is more. */
#define MOST_GROWTH		10.0
#define MOST_PEOPLE		1000000.0

/* ---- What is supposed ---- */

static const char *const rates[NRATES] = {"leave", "come", "change", "move", "come_back", "quiet", "back_changed"};

#define LOGGED_RATES	BACK_CHANGED
#define ARG_ANSWERS		(2 + NRATES)
#define ARG_PARAMS		(ARG_ANSWERS + 1)

/* A share, or NaN where none is given. */
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
				 errmsg("\"%s\" is a share, from 0 to 1", name),
				 errhint("Five in a hundred are 0.05.")));
	return share;
}

/* Fills in what was not given, by the log where it tells, and says so.  Returns how many people were ever shown, as far as it is known. */
static uint64
suppose_churn(const DeclaredPublication *publication, Churn *churn)
{
	Churn		usual = {{0}};
	int64		intervals = 0;
	uint64		known = 0;
	Datum	   *came = new_array(Datum, publication->ncolumns);
	StringInfoData supposed;

	for (int i = 0; i < publication->ncolumns; i++)
		came[i] = Int32GetDatum(publication->columns[i].came);
	usual.rate[LEAVE] = usual.rate[COME] = USUAL_LEAVE;
	usual.rate[BACK_CHANGED] = USUAL_BACK_CHANGED;
	if (publication->releases > 0 && catalog_look("SELECT * FROM pprepub_internal.life_of_log($1, $2)", CATALOG_TEXT(publication->name),
												  CATALOG_PARAM(INT4ARRAYOID, PointerGetDatum(construct_array(came, publication->ncolumns, INT4OID, 4, true, TYPALIGN_INT)))) == 1)
	{
		bool		isnull;

		known = catalog_int(0, "known");
		intervals = catalog_int(0, "intervals");
		for (int i = 0; i < LOGGED_RATES && intervals > 0; i++)
			usual.rate[i] = DatumGetFloat8(catalog_field(0, rates[i], &isnull));
	}
	if (isnan(churn->rate[COME]))
		churn->rate[COME] = churn->rate[LEAVE];
	initStringInfo(&supposed);
	for (int i = 0; i < NRATES; i++)
	{
		if (!isnan(churn->rate[i]))
			continue;
		churn->rate[i] = usual.rate[i];
		if (usual.rate[i] > 0 && i < LOGGED_RATES)
			appendStringInfo(&supposed, "%s%s => %.3f", supposed.len > 0 ? ", " : "", rates[i], usual.rate[i]);
	}
	if (supposed.len > 0)
		ereport(NOTICE,
				(errmsg("it is supposed from each release to the next: %s", supposed.data),
				 intervals > 0 ? errdetail("So it was on the average of the last " INT64_FORMAT " interval(s) between releases, as far as these show it.", intervals) : 0,
				 errhint("These arguments suppose something else.")));
	return known;
}

/* Drafting takes memory for everybody, which should not run out; people who may come back are kept, too. */
static void
verify_growth(uint64 people, const Churn *churn, int32 releases)
{
	double		in_the_end = people * pow(1 - churn->rate[LEAVE] + churn->rate[COME], releases - 1);
	double		away = churn->rate[COME_BACK] > 0 ? Max(people, in_the_end) * Min(churn->rate[LEAVE] / churn->rate[COME_BACK], churn->rate[LEAVE] * releases) : 0;
	double		most = Min(Max(people * MOST_GROWTH, MOST_PEOPLE), MAX_FRAME_ROWS / 2);

	if ((in_the_end > people && in_the_end > most) || away > most)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("the last of %d releases would have too many people to be forecast", releases),
				 errhint("Ask for fewer releases, or let fewer people come.")));
}

/* ---- Releases ---- */

static double
metric_named(const NamedMetric *list, int n, const char *name)
{
	for (int i = 0; i < n; i++)
		if (strcmp(list[i].name, name) == 0)
			return list[i].value;
	elog(ERROR, "there is no metric \"%s\"", name);
}

/* How many percent of the people who have come back or moved are withheld?  NaN if there are none. */
static double
unsteady_withheld(const Crowd *crowd, const Draft *draft)
{
	uint64		unsteady = 0;
	uint64		shown = 0;

	for (uint64 row = 0; row < crowd->npresent; row++)
		unsteady += crowd->is_unsteady[row];
	for (uint64 i = 0; i < draft->classes->first[draft->classes->nclasses]; i++)
		shown += crowd->is_unsteady[draft->classes->rows[i]];
	return unsteady == 0 ? NAN : 100.0 * (unsteady - shown) / unsteady;
}

/* Puts a row of the result, whose columns but the first three and the last are called like metrics. */
static void
put_release(const OwnersWork *work, const ReleaseBuild *build, const Crowd *crowd, int32 number)
{
	const Metrics *metrics = &build->metrics;
	TupleDesc	columns = work->result->setDesc;
	int			last = columns->natts - 1;
	NamedMetric summary[NSUMMARY];
	Datum		values[NSUMMARY + 4] = {Int32GetDatum(number), Int64GetDatum(metrics->leaving), Int64GetDatum(metrics->rows + metrics->counterfeits)};
	bool		nulls[NSUMMARY + 4] = {false};
	double		unsteady = unsteady_withheld(crowd, build->draft);

	list_summary(metrics, summary);
	for (int i = 3; i < last; i++)
		values[i] = Float8GetDatum(metric_named(summary, NSUMMARY, NameStr(TupleDescAttr(columns, i)->attname)));
	values[last] = Float8GetDatum(unsteady);
	nulls[last] = isnan(unsteady);
	report_row(work, values, nulls);
}

/* A draft was published; one that shows nothing is not made. */
static void
remember(ReleaseBuild *build, Crowd *crowd, bool is_whole)
{
	Past	   *past = &crowd->past;

	past->is_whole = is_whole;
	*past = *past_after(past, &crowd->frame, places_shown(build->draft), past->releases + (build->draft->classes->nclasses > 0));
}

/* Each release has its own memory, which also holds the crowd that it is drafted of. */
static void
play(const OwnersWork *work, ReleaseBuild *build, const Churn *churn, uint64 known, int32 releases, int32 answers)
{
	Frame	   *frame = &build->loaded->frame;
	const Frame real = *frame;
	MemoryContext context = AllocSetContextCreate(work->context, "forecast", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	pg_prng_state random;
	Crowd		crowd;
	Past		past;

	pg_prng_seed(&random, FORECAST_SEED);
	crowd = crowd_begin(&real, &build->fold->past, churn, known, &random);
	for (int32 i = 0; i < releases; i++)
	{
		MemoryContext next = AllocSetContextCreate(work->context, "forecast", ALLOCSET_DEFAULT_SIZES);

		CHECK_FOR_INTERRUPTS();
		for (int32 j = 0; j < answers && i > 0 && crowd.npresent > 0 && real.nqis > 0; j++)
		{
			past = crowd_past(&crowd, frame, crowd_cohort(&crowd, &random));
			draft_and_measure(build, &past, pg_prng_uint64(&random));
			remember(build, &crowd, false);
		}
		past = crowd_past(&crowd, frame, NULL);
		draft_and_measure(build, &past, pg_prng_uint64(&random));
		if (i == 0)
			verify_something(build);
		put_release(work, build, &crowd, next_number(build->publication) + i);
		MemoryContextSwitchTo(next);
		if (i + 1 < releases)
		{
			/* Time passes, for people with values of their own, whatever the release shows. */
			remember(build, &crowd, true);
			crowd = crowd_after(&crowd, &real, churn, &random);
		}
		MemoryContextDelete(context);
		context = next;
	}
	MemoryContextSwitchTo(old);
}

Datum
pprepub_forecast(PG_FUNCTION_ARGS)
{
	char	   *name = text_argument(fcinfo, 0, "the name of a publication");
	int32		releases = PG_ARGISNULL(1) ? 0 : PG_GETARG_INT32(1);
	int32		answers;
	uint64		known;
	Churn		churn;
	DeclaredPublication *publication;
	OwnersWork	work = {.result = (ReturnSetInfo *) fcinfo->resultinfo};
	Request		request = session_request(NULL, NULL);
	Scope		scope;
	ReleaseBuild *build;

	PASS_TO_SHARDS(SHARDED_WHOLE);
	verify_not_null(fcinfo, 1, "the number of releases");
	if (releases < 1 || releases > MOST_RELEASES)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a forecast is of 1 to %d releases, not of %d", MOST_RELEASES, releases)));
	for (int i = 0; i < NRATES; i++)
		churn.rate[i] = share_argument(fcinfo, 2 + i, rates[i]);
	answers = PG_ARGISNULL(ARG_ANSWERS) ? 0 : PG_GETARG_INT32(ARG_ANSWERS);
	if (answers < 0 || answers > MOST_ANSWERS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("\"answers\" is from 0 to %d between two releases, not %d", MOST_ANSWERS, answers)));
	publication = open_for_preview(name, PG_ARGISNULL(ARG_PARAMS) ? NULL : PG_GETARG_JSONB_P(ARG_PARAMS));
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
	known = suppose_churn(publication, &churn);
	verify_growth(build->loaded->frame.nrows, &churn, releases);
	play(&work, build, &churn, known, releases, answers);
	work_close(&work);
	return (Datum) 0;
}
