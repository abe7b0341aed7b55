/*
 * strategy.c
 *		The two strategies, in closed forms.
 *
 * NOTES
 *		The paper's constant ratio lasts for as many releases as were expected, if
 *		each class has it exactly.  Classes are mostly a little larger, so
 *		something is left to spend after that: then Theorem 1 decides, and
 *		no row is refused before it must be.
 *
 *		Geometric ratios follow a recursion, of which the closed form is
 *		alpha (1 + (l - 1) (alpha / (alpha - 1))^(round - 1)); the chance comes to
 *		(1 - (1 - 1/alpha)^round) / l.
 */
#include "postgres.h"

#include <math.h>

#include "method/global/global.h"
#include "utils/float.h"

/* 1 / (1 - (1 - 1/l)^(1/releases)), without subtracting numbers that are nearly the same */
static double
constant_ratio(const Strategy *strategy)
{
	return strategy->releases == 1 ? strategy->l : -1 / expm1(log1p(-1.0 / strategy->l) / strategy->releases);
}

double
first_ratio(const Strategy *strategy)
{
	return strategy->kind == CONSTANT_RATIO ? constant_ratio(strategy) : strategy->alpha * strategy->l;
}

/* The least ratio that keeps the promise (Theorem 1); Theorem 2 says when there is none. */
static double
promise_ratio(const Strategy *strategy, double kept)
{
	if (strategy->l == 1)
		return 1;
	return kept <= least_kept(strategy) ? get_float8_infinity() : kept / (kept - least_kept(strategy));
}

double
next_ratio(const Strategy *strategy, double kept)
{
	double		promise = promise_ratio(strategy, kept);

	return strategy->kind == CONSTANT_RATIO ? Max(constant_ratio(strategy), promise) : strategy->alpha * promise;
}

/* A class of the ratio that all demand takes its share of what is kept; the least must be left. */
double
enough_kept(const Strategy *strategy)
{
	double		ratio = constant_ratio(strategy);

	return strategy->kind == GEOMETRIC || strategy->l == 1 ? 1 : least_kept(strategy) * ratio / (ratio - 1);
}

double
planned_ratio(const Strategy *strategy, int32 round)
{
	if (strategy->kind == CONSTANT_RATIO)
		return constant_ratio(strategy);
	if (strategy->l == 1)
		return strategy->alpha;
	return strategy->alpha * (1 + (strategy->l - 1) * pow(strategy->alpha / (strategy->alpha - 1), round - 1));
}

double
planned_breach(const Strategy *strategy, int32 round)
{
	if (strategy->kind == CONSTANT_RATIO)
		return -expm1(log1p(-1.0 / strategy->l) * round / strategy->releases);
	return -expm1(log1p(-1 / strategy->alpha) * round) / strategy->l;
}
