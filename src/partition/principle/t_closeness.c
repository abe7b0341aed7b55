/*
 * t_closeness.c
 *		t-closeness: the distribution of values is no farther than t from that of all
 *		people, by the earth mover's distance.  Li, Li, Venkatasubramanian, "t-Closeness"
 *		(2007).
 *
 * NOTES
 *		The distance is convex: a union of sets is no farther than the farthest of them.
 *
 *		The ordered distance moves shares along the places of values, from 0 to 1, which do not
 *		depend on what else occurs: a value that the distribution lacks has a place between its
 *		neighbors.
 *
 *		The distribution is the first one, as it was: shares of values that were found later would
 *		move the distance of sets that have none of them.
 */
#include "postgres.h"

#include <math.h>

#include "partition/principle/kind.h"

static double
equal_distance(const ValueCounts *set)
{
	double		distance = 0;

	for (uint32 i = 0; i < set->n; i++)
		distance += Max(0, share_in(set, set->value[i]) - set->whole[set->value[i]]);
	return distance;
}

/* The shares that must be moved past each place; what the distribution has no share for at all goes as far as can be. */
static double
ordered_distance(const ValueCounts *set)
{
	double		distance = 0;
	double		excess = 0;

	for (Code i = 0; i < set->ncodes; i++)
	{
		Code		value = set->in_order[i];
		double		gap = i + 1 < set->ncodes ? set->place[set->in_order[i + 1]] - set->place[value] : 1;

		excess += share_in(set, value) - set->whole[value];
		distance += fabs(excess) * gap;
	}
	return distance;
}

static double
measure_t(const PrincipleTerm *term, const ValueCounts *set)
{
	double		distance = set->place != NULL && term->detail != DISTANCE_EQUAL
		? ordered_distance(set) : equal_distance(set);

	return Max(0, distance - PRINCIPLE_ROUNDING);
}

static double
lack_t(const PrincipleTerm *term, const ValueCounts *set)
{
	return set->known * (measure_t(term, set) - term->strength);
}

static void
promise_t(const PrincipleTerm *term, StringInfo text)
{
	appendStringInfo(text, "the values are no farther than %g from those of all people", term->strength);
}

const PrincipleKind t_principle = {
	.name = "t",
	.compares = true,
	.measure = measure_t,
	.lack = lack_t,
	.promise = promise_t,
};
