/*
 * beta_likeness.c
 *		Enhanced beta-likeness: the share of a value grows by no more than beta times its share among
 *		all people, and by no more than its negative logarithm, which binds for common values.
 *		Cao and Karras, "Publishing Microdata with a Robust Privacy Guarantee" (2012).
 *
 * NOTES
 *		Each value has a greatest share, and a union of sets has no larger one than the set
 *		that has most of it.  A value that the distribution lacks has none at all.
 */
#include "postgres.h"

#include <math.h>

#include "partition/principle/kind.h"

/* How much a value has gained; infinity if that is more than any beta allows. */
static double
gain_of(const ValueCounts *set, Code value)
{
	double		share = set->share[value];
	double		gain = share_in(set, value) / share - 1;

	return share <= 0 || gain > -log(share) + PRINCIPLE_ROUNDING ? INFINITY : Max(0, gain - PRINCIPLE_ROUNDING);
}

/* The greatest gain of a value. */
static double
measure_beta(const PrincipleTerm *term, const ValueCounts *set)
{
	double		greatest = 0;

	for (uint32 i = 0; i < set->n; i++)
	{
		double		gain = gain_of(set, set->value[i]);

		greatest = Max(greatest, gain);
	}
	return greatest;
}

/* Rows that would have to come until no value has too large a share, for one value after the other. */
static double
lack_beta(const PrincipleTerm *term, const ValueCounts *set)
{
	double		lack = 0;

	for (uint32 i = 0; i < set->n; i++)
	{
		double		share = set->share[set->value[i]];
		double		most = share <= 0 ? 0 : share * (1 + Min(term->strength, -log(share)));
		double		rows = set->count[set->value[i]];

		if (rows > most * set->known)
			lack += most <= 0 ? rows * set->known : rows / most - set->known;
	}
	return lack;
}

static void
promise_beta(const PrincipleTerm *term, StringInfo text)
{
	appendStringInfo(text, "no value gains more than %g times its share among all people, or less if it is common",
					 term->strength);
}

const PrincipleKind beta_principle = {
	.name = "beta",
	.compares = true,
	.needs_shares = true,
	.measure = measure_beta,
	.lack = lack_beta,
	.promise = promise_beta,
};
