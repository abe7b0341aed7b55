/*
 * entropy.c
 *		Entropy l-diversity: the values are as uncertain as l values that are equally
 *		common.  Machanavajjhala et al., "l-Diversity" (2007).
 *
 * NOTES
 *		Entropy is concave: a union of sets has no less than the one that has least.
 */
#include "postgres.h"

#include <math.h>

#include "partition/principle/kind.h"

/* The number of equally common values that would be as uncertain. */
static double
measure_entropy(const PrincipleTerm *term, const ValueCounts *set)
{
	double		entropy = 0;

	for (uint32 i = 0; i < set->n; i++)
	{
		double		share = share_in(set, set->value[i]);

		entropy -= share * log(share);
	}
	return exp(entropy) * (1 + PRINCIPLE_ROUNDING);
}

static double
lack_entropy(const PrincipleTerm *term, const ValueCounts *set)
{
	return set->known * (term->strength / measure_entropy(term, set) - 1);
}

static void
promise_entropy(const PrincipleTerm *term, StringInfo text)
{
	appendStringInfo(text, "the values are as uncertain as %g equally common ones", term->strength);
}

const PrincipleKind entropy_principle = {
	.name = "entropy",
	.more_is_stronger = true,
	.measure = measure_entropy,
	.lack = lack_entropy,
	.promise = promise_entropy,
};
