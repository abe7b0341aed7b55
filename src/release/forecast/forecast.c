/*
 * forecast.c
 *		forecast(): playing the releases to come on the rows of today.
 */
#include "postgres.h"

#include "release/forecast/future.h"

#include <math.h>

#include "access/xact.h"
#include "common/hashfn.h"
#include "declare/parameters.h"
#include "declare/work.h"
#include "fmgr.h"
#include "frame/arrays.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "release/past_releases.h"
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

/*
 * Of the people of the last release, those who have left since, as far as it is known: among the
 * people of today whom no release has shown there may be some who were withheld then.
 */
static uint64
count_left_lately(const ReleaseBuild *build, uint64 people, uint64 withheld)
{
	const Past *past = &build->fold->past;
	uint64		nrows = build->loaded->frame.nrows;
	uint64		new = 0;
	uint64		there;

	for (uint64 row = 0; row < nrows; row++)
		new += past->member[row] == NO_MEMBER;
	there = nrows - new + Min(new, withheld);
	return people > there ? Min(people - there, past->departed) : 0;
}

/*
 * The past up to the last release, if there was one before it.  The time since then has not passed
 * yet: whoever asks right after a release would be told of a period in which nobody left.
 */
static Past
whole_periods(const ReleaseBuild *build)
{
	Past		past = build->fold->past;
	ReleasedPeople people = count_released_people(build->publication);
	uint64		left = count_left_lately(build, people.last, people.withheld);

	if (left == 0 || past.exposed > people.last)
	{
		past.departed -= left;
		past.exposed -= Min(people.last, past.exposed);
	}
	return past;
}

/* Fills in what was not given, and says so: as many come as leave. */
static void
suppose_churn(const ReleaseBuild *build, Churn *churn)
{
	const DeclaredPublication *publication = build->publication;
	const Method *method = find_method(publication->method);

	if (isnan(churn->leave))
	{
		Past		past = whole_periods(build);

		churn->leave = method->churn(&past, param_values(&method->declaration, publication->params));
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
			if (build->draft->classes->nclasses > 0)
				past = past_after(&past, frame, build->draft);
			frame->sensitive = own;
			MemoryContextSwitchTo(next);
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
	if (find_method(publication->method)->churn == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("releases of method \"%s\" cannot be forecast", publication->method),
				 errhint("pprepub.preview() tells what the next release would lose.")));
	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);

	work_begin(&work, publication->owner, GetTransactionSnapshot());
	scope = scope_of(publication, &request, false);
	build = load_release(publication, &scope, work.context);
	verify_alone(publication);	/* the source was not locked before */
	suppose_churn(build, &churn);
	verify_growth(build->loaded->frame.nrows, &churn, releases);
	play(&work, build, &churn, releases);
	work_close(&work);
	return (Datum) 0;
}

/* ----------------------------------------------------------------
 * Is the past that a release leaves the one that a forecast of it takes for
 * granted?  Asked after each stored release, in builds with assertions.
 * ----------------------------------------------------------------
 */

#ifdef USE_ASSERT_CHECKING

/* The rows of a build once more, for the past to be read; a code and one more is the number of its value. */
static FrameLoad *
load_again(const ReleaseBuild *build, const DeclaredPublication *publication, MemoryContext context)
{
	const DeclaredColumn *key = publication_column(publication, ROLE_KEY);
	const PlainColumn *sensitive = &build->loaded->sensitive;
	uint64		nrows = build->loaded->frame.nrows;
	KeyTable   *keys = keys_create(key->type, key->collation);
	Dictionary *values = dictionary_create(sensitive->column->type);
	uint32	   *number = new_array(uint32, nrows);

	for (Code code = 0; code < sensitive->ncodes; code++)
		(void) dictionary_number(values, sensitive->values[code], false);
	for (uint64 row = 0; row < nrows; row++)
	{
		keys_append(keys, build->loaded->keys[row]);
		number[row] = sensitive->code[row] == NO_CODE ? DICTIONARY_NULL : sensitive->code[row] + 1;
	}
	(void) keys_index(keys);
	return load_given(publication, keys, values, number, context);
}

/* Gives the values of a past that was read the codes of the build. */
static void
take_codes(Past *past, const LoadedFrame *loaded, Code ncodes)
{
	Code	   *code = new_array(Code, loaded->sensitive.ncodes);

	memset(code, 0xff, sizeof(Code) * loaded->sensitive.ncodes);
	for (Code i = 0; i < ncodes; i++)
		code[loaded->sensitive_code[i + 1]] = i;
	for (uint64 i = 0; i < past->first_value[past->nneighborhoods]; i++)
		if (past->value[i] != NO_CODE)
			past->value[i] = code[past->value[i]];
}

/* A number that neighborhoods have in common if their members have, in any order: their rows, and all values. */
static uint64
sum_of_members(const Past *past, uint32 n)
{
	uint64		sum = past_epochs(past, n);

	for (uint64 i = 0; i < past_size(past, n); i++)
	{
		uint64		member = past->row[past->first[n] + i];

		for (uint64 epoch = 0; epoch < past_epochs(past, n); epoch++)
			member = hash_combine64(member, past_values(past, n, epoch)[i]);
		sum += hash_bytes_extended((const unsigned char *) &member, sizeof(member), 0);
	}
	return sum;
}

/* The sum of the neighborhood of each row: [rows]; 0 for people who are new, or lost. */
static uint64 *
sums_of_rows(const Past *past, const Past *known, uint64 nrows)
{
	uint64	   *sums = new_zeros(uint64, nrows);

	for (uint32 n = 0; n < past->nneighborhoods; n++)
	{
		uint64		sum = sum_of_members(past, n);

		for (uint64 i = past->first[n]; i < past->first[n + 1]; i++)
			if (past->row[i] != NO_ROW && known->member[past->row[i]] != LOST_MEMBER)
				sums[past->row[i]] = sum;
	}
	return sums;
}

#endif

void
check_foreseen(const ReleaseBuild *build, uint64 newcomers)
{
#ifdef USE_ASSERT_CHECKING
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "check of what was foreseen", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(work);
	DeclaredPublication publication = *build->publication;
	uint64		nrows = build->loaded->frame.nrows;
	Past		foreseen;
	FrameLoad  *load;
	LoadedFrame *loaded;
	Fold	   *fold;

	if (find_method(publication.method)->churn != NULL)
	{
		CommandCounterIncrement();
		PushActiveSnapshot(GetTransactionSnapshot());
		foreseen = past_after(&build->fold->past, &build->loaded->frame, build->draft);
		publication.releases++;
		publication.remembered += newcomers;
		load = load_again(build, &publication, work);
		fold = fold_read(&publication, load, false, work);
		loaded = load_finish(load);
		(void) fold_past(fold, loaded);
		take_codes(&fold->past, loaded, build->loaded->sensitive.ncodes);
		if (memcmp(sums_of_rows(&fold->past, &foreseen, nrows), sums_of_rows(&foreseen, &foreseen, nrows), sizeof(uint64) * nrows) != 0)
			elog(ERROR, "the neighborhoods of publication \"%s\" are not what was foreseen", publication.name);
		PopActiveSnapshot();
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(work);
#endif
}
