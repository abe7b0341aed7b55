/*
 * reports.c
 *		plan_global(): how large classes are, round by round, under each strategy.
 */
#include "postgres.h"

#include <math.h>

#include "declare/work.h"
#include "fmgr.h"
#include "funcapi.h"
#include "method/global/global.h"
#include "method/global/sql/global_sql.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/tuplestore.h"

PG_FUNCTION_INFO_V1(pprepub_plan_global);

#define MOST_ROUNDS 1000000

/* Values that the paper takes where it says nothing else. */
#define USUAL_RELEASES 20
#define USUAL_ALPHA 2

/* Returns an argument from 1 to most; fallback if it is NULL. */
static int32
positive_argument(FunctionCallInfo fcinfo, int n, const char *name, int32 fallback, int32 most)
{
	int32		value = PG_ARGISNULL(n) ? fallback : PG_GETARG_INT32(n);

	if (value < 1 || value > most)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("\"%s\" must be between 1 and %d", name, most)));
	return value;
}

/* Returns alpha, which must be finite and greater than 1; the usual one if it is NULL. */
static double
alpha_argument(FunctionCallInfo fcinfo)
{
	double		alpha = PG_ARGISNULL(2) ? USUAL_ALPHA : PG_GETARG_FLOAT8(2);

	if (!(alpha > 1) || isinf(alpha))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("\"alpha\" must be greater than 1"),
				 errdetail("An \"alpha\" of 1 would use up all that may ever be known at once.")));
	return alpha;
}

/* Puts the plan of a strategy, a row for each round. */
static void
put_rounds(ReturnSetInfo *result, const Strategy *strategy, const char *name, int32 rounds)
{
	for (int32 round = 1; round <= rounds; round++)
	{
		Datum		values[] = {
			Int32GetDatum(round), CStringGetTextDatum(name),
			Float8GetDatum(planned_ratio(strategy, round)), Float8GetDatum(planned_breach(strategy, round)),
		};
		bool		nulls[lengthof(values)] = {false};

		CHECK_FOR_INTERRUPTS();
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
		pfree(DatumGetPointer(values[1]));
	}
}

Datum
pprepub_plan_global(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	Strategy	strategy = {.kind = CONSTANT_RATIO};

	if (PG_ARGISNULL(0))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("\"l\" must not be null")));
	strategy.l = positive_argument(fcinfo, 0, "l", 1, PG_INT32_MAX);
	strategy.releases = positive_argument(fcinfo, 1, "releases", USUAL_RELEASES, MOST_ROUNDS);
	strategy.alpha = alpha_argument(fcinfo);
	begin_rows(fcinfo);
	put_rounds(result, &strategy, "constant-ratio", strategy.releases);
	strategy.kind = GEOMETRIC;
	put_rounds(result, &strategy, "geometric", strategy.releases);
	return (Datum) 0;
}
