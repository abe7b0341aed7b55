/*
 * estimates.c
 *		The estimates: section 3 of paper 004 in SQL.
 */
#include "postgres.h"

#include "fmgr.h"
#include "method/candidates/candidates.h"

PG_FUNCTION_INFO_V1(pprepub_estimate_exclusion_by_knowledge);
PG_FUNCTION_INFO_V1(pprepub_estimate_exclusion_by_correlation);
PG_FUNCTION_INFO_V1(pprepub_estimate_breach);
PG_FUNCTION_INFO_V1(pprepub_estimate_n);

/* Returns an argument that is a probability; refuses any other number, NaN included. */
static double
probability_argument(FunctionCallInfo fcinfo, int n, const char *name)
{
	double		p = PG_GETARG_FLOAT8(n);

	if (!(p >= 0 && p <= 1))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("\"%s\" must be a number from 0 to 1", name),
				 errhint("It is a probability: one percent is 0.01.")));
	return p;
}

/* Returns an argument that counts something, and so is 1 or more. */
static int32
count_argument(FunctionCallInfo fcinfo, int n, const char *name)
{
	int32		count = PG_GETARG_INT32(n);

	if (count < 1)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("\"%s\" must be 1 or more", name),
				 errhint("It counts people, values or releases.")));
	return count;
}

/* (p, lifespan) */
Datum
pprepub_estimate_exclusion_by_knowledge(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(exclusion_by_compromise(probability_argument(fcinfo, 0, "p"),
											 count_argument(fcinfo, 1, "lifespan")));
}

/* (p, lifespan, m, n) */
Datum
pprepub_estimate_exclusion_by_correlation(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(exclusion_by_correlation(probability_argument(fcinfo, 0, "p"), count_argument(fcinfo, 2, "m"),
											  count_argument(fcinfo, 3, "n"), count_argument(fcinfo, 1, "lifespan")));
}

Datum
pprepub_estimate_breach(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(breach_probability(probability_argument(fcinfo, 0, "p"), count_argument(fcinfo, 2, "m"),
										count_argument(fcinfo, 3, "n"), count_argument(fcinfo, 1, "lifespan")));
}

/* (p, lifespan, m, threshold) */
Datum
pprepub_estimate_n(PG_FUNCTION_ARGS)
{
	uint32		n = n_choose(probability_argument(fcinfo, 0, "p"), count_argument(fcinfo, 1, "lifespan"),
							 count_argument(fcinfo, 2, "m"), probability_argument(fcinfo, 3, "threshold"));

	if (n == 0)
		PG_RETURN_NULL();
	PG_RETURN_INT32(n);
}
