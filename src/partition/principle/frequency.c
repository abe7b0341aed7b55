/*
 * frequency.c
 *		Simple l-diversity: no value has more than 1/l of the rows, so that nobody
 *		guesses right more often than that.  Machanavajjhala et al., "l-Diversity"
 *		(2007); Xiao and Tao, "Anatomy" (2006).
 *
 * NOTES
 *		A union of sets has no larger share of a value than the one that has most of it.
 */
#include "postgres.h"

#include "partition/principle/kind.h"

static double
measure_frequency(const PrincipleTerm *term, const ValueCounts *set)
{
	return (double) set->known / commonest_count(set);
}

static double
lack_frequency(const PrincipleTerm *term, const ValueCounts *set)
{
	return commonest_count(set) * term->strength - set->known;
}

static void
promise_frequency(const PrincipleTerm *term, StringInfo text)
{
	appendStringInfo(text, "no value has more than 1/%g of the rows", term->strength);
}

const PrincipleKind frequency_principle = {
	.name = "frequency",
	.more_is_stronger = true,
	.measure = measure_frequency,
	.lack = lack_frequency,
	.promise = promise_frequency,
};
