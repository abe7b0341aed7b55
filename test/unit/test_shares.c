/*
 * test_shares.c
 *		Shares that are given by one release after the other: what was judged stays as it
 *		was, whatever is found later.
 */
#include "postgres.h"

#include <math.h>

#include "frame/arrays.h"
#include "partition/principle.h"
#include "shim.h"

/* Sets of up to two columns' values: a, b, c of the first and x, y of the second, as tuples. */
enum
{
	AX, AY, BX, BY, CX, B_, NTUPLES
};

static const Code first_column[NTUPLES] = {0, 0, 1, 1, 2, 1};
static const Code second_column[NTUPLES] = {0, 1, 0, 1, 0, NO_CODE};

/* Measures leave out what rounding may have added. */
#define check_same(a, b) check((a) == (b) || fabs((a) - (b)) < 1e-8)

static Principle
principle_of(PrincipleParam param, double strength, bool joint)
{
	int64		params[NPRINCIPLE_PARAMS];

	for (int i = 0; i < NPRINCIPLE_PARAMS; i++)
		params[i] = PARAM_ABSENT;
	params[param] = strength * PARAM_SCALE;
	params[PRINCIPLE_JOINT] = joint;
	return principle_declared(1, 1, params);
}

/* The measure of a set that has so many of each value. */
static double
measure(const Principle *principle, Code nvalues, const Aspects *aspects, const uint32 *counts)
{
	Principle	bound = principle_bound(principle, nvalues, aspects);
	Tally	   *tally = tally_create(nvalues);
	int			aspect;

	for (Code value = 0; value < nvalues; value++)
		for (uint32 i = 0; i < counts[value]; i++)
			tally_add(tally, value);
	return principle_measure(&bound, &bound.term[0], tally, &aspect);
}

static double
measure_one(PrincipleParam param, const double *share, const int32 *since, const uint32 *counts)
{
	Principle	principle = principle_of(param, 0.5, false);
	Aspect		aspect = {.name = "v", .ncodes = 4};
	Aspects		aspects = {.n = 1, .aspect = &aspect, .share = share, .since = since};

	return measure(&principle, 4, &aspects, counts);
}

static void
test_later_value(void)
{
	static const double before[] = {0.5, 0.25, 0.25, 0};
	static const double after[] = {0.5, 0.25, 0.25, 0.1};
	static const int32 since[] = {1, 1, 1, 7};
	static const uint32 old[] = {3, 1, 0, 0};
	static const uint32 new[] = {2, 1, 0, 1};

	for (int param = PRINCIPLE_t; param <= PRINCIPLE_delta; param++)
		check_same(measure_one(param, before, NULL, old), measure_one(param, after, since, old));
	check(isinf(measure_one(PRINCIPLE_beta, before, NULL, new)));
	check_same(measure_one(PRINCIPLE_beta, after, since, new), 1.5);
	check_same(measure_one(PRINCIPLE_delta, after, since, new), log(2.5));

	/* For t, the distribution remains the first one: all that is new is as far from it as can be. */
	check_same(measure_one(PRINCIPLE_t, after, since, new), 0.25);
}

/* NULL has no share: those of the others are as if nobody had it, and stay so. */
static void
test_null(void)
{
	static const double share[] = {0.4, 0.4, 0, 0.1};
	static const int32 since[] = {1, 1, 0, 2};
	static const uint32 counts[] = {3, 1, 0, 0};

	check_same(measure_one(PRINCIPLE_beta, share, since, counts), 0.5);
	check_same(measure_one(PRINCIPLE_t, share, since, counts), 0.25);
}

static double
measure_two(PrincipleParam param, bool joint, const double *share, const int32 *since, const uint32 *counts)
{
	Principle	principle = principle_of(param, 0.5, joint);
	Aspect		aspect[] = {
		{.name = "v", .ncodes = 3, .code = first_column},
		{.name = "w", .ncodes = 2, .code = second_column}
	};
	Aspects		aspects = {.n = 2, .aspect = aspect, .share = share, .since = since};

	return measure(&principle, NTUPLES, &aspects, counts);
}

/* A tuple that is found later moves the share of none of its values, but gives its own to one that is new. */
static void
test_later_tuple(void)
{
	static const double before[NTUPLES] = {0.5, 0, 0.125, 0.125, 0, 0.25};
	static const double after[NTUPLES] = {0.5, 0.25, 0.125, 0.125, 0.125, 0.25};
	static const int32 since[NTUPLES] = {1, 2, 1, 1, 2, 1};
	static const uint32 old[NTUPLES] = {5, 0, 3, 1, 0, 0};
	static const uint32 new[NTUPLES] = {1, 0, 0, 2, 1, 0};

	for (int param = PRINCIPLE_t; param <= PRINCIPLE_delta; param++)
	{
		check_same(measure_two(param, false, before, NULL, old), measure_two(param, false, after, since, old));
		check_same(measure_two(param, true, before, NULL, old), measure_two(param, true, after, since, old));
	}
	check(isinf(measure_two(PRINCIPLE_delta, false, before, NULL, new)));
	check_same(measure_two(PRINCIPLE_delta, false, after, since, new), log(3));	/* y: half of the set, a sixth of all */
}

/* The distribution may have values that no set can have. */
static void
test_values_of_nobody(void)
{
	static const double share[] = {0.25, 0.25, 0.5};
	static const double place[] = {0, 0.5, 1};
	static const uint32 counts[] = {1, 1};
	Principle	principle = principle_of(PRINCIPLE_t, 0.5, false);
	Aspect		aspect = {.name = "v", .ncodes = 3};
	Aspects		aspects = {.n = 1, .nvalues = 3, .aspect = &aspect, .share = share};

	check_same(measure(&principle, 2, &aspects, counts), 0.5);
	aspect.place = place;
	check_same(measure(&principle, 2, &aspects, counts), 0.25 * 0.5 + 0.5 * 0.5);
}

static const Test tests[] = {
	{"a value that is found later", test_later_value},
	{"NULL has no share", test_null},
	{"a tuple that is found later", test_later_tuple},
	{"values of nobody", test_values_of_nobody},
};

RUN(tests)
