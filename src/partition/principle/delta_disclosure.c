/*
 * delta_disclosure.c
 *		delta-disclosure privacy, its upper side: the logarithm of how many times a value is commoner than
 *		among all people is less than delta.  Brickell and Shmatikov, "The Cost of Privacy" (2008).
 *
 * NOTES
 *		The lower side, that no value be rarer, would tell nothing of anybody that the upper sides of the
 *		others do not bound, and no small class could have it.
 *
 *		Each value has a greatest share, as in beta_likeness.c.
 */
#include "postgres.h"

#include <math.h>

#include "partition/principle/kind.h"

/* The logarithm of the greatest gain. */
static double
measure_delta(const PrincipleTerm *term, const ValueCounts *set)
{
	double		most = 1;

	for (uint32 i = 0; i < set->n; i++)
	{
		double		share = set->share[set->value[i]];

		most = Max(most, share <= 0 ? INFINITY : share_in(set, set->value[i]) / share);
	}
	return log(most);
}

/* Rows that would have to come until no value has too large a share, for one value after the other. */
static double
lack_delta(const PrincipleTerm *term, const ValueCounts *set)
{
	double		lack = 0;

	for (uint32 i = 0; i < set->n; i++)
	{
		double		most = set->share[set->value[i]] * exp(term->strength);
		double		rows = set->count[set->value[i]];

		if (rows >= most * set->known)
			lack += most <= 0 ? rows * set->known : rows / most - set->known + 1;
	}
	return lack;
}

static void
promise_delta(const PrincipleTerm *term, StringInfo text)
{
	appendStringInfo(text, "no value is e^%g times as common as among all people", term->strength);
}

const PrincipleKind delta_principle = {
	.name = "delta",
	.is_strict = true,
	.compares = true,
	.needs_shares = true,
	.measure = measure_delta,
	.lack = lack_delta,
	.promise = promise_delta,
};
