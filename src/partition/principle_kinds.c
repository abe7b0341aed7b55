/*
 * principle_kinds.c
 *		The conditions on values, one after the other: what a set measures, how far it is
 *		from allowed, and the promise in words.
 *
 * NOTES
 *		Each is closed under disjoint union: a union of sets has no larger share of a value than
 *		the set that has most of it, no less entropy than the one that has least (it is concave), and
 *		is no farther from a distribution than the farthest of them (the distance is convex).  Where people have several
 *		values each counts once a person, and counts and people of two sets add up all the same.
 */
#include "postgres.h"

#include <math.h>

#include "partition/principle_kinds.h"

/* The rows with the commonest value. */
static uint32
commonest_count(const ValueCounts *set)
{
	uint32		most = 0;

	for (uint32 i = 0; i < set->n; i++)
		most = Max(most, set->count[set->value[i]]);
	return most;
}

/* The share that a value has of all values. */
static inline double
share_in(const ValueCounts *set, Code value)
{
	return (double) set->count[value] / set->all;
}

/* The share of the people with a value who have this one. */
static inline double
share_of_people(const ValueCounts *set, Code value)
{
	return (double) set->count[value] / set->known;
}

/* ----------------------------------------------------------------
 * Simple l-diversity: no value has more than 1/l of the rows, so that nobody
 * guesses right more often than that.  Machanavajjhala et al., "l-Diversity"
 * (2007); Xiao and Tao, "Anatomy" (2006).
 * ----------------------------------------------------------------
 */

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

const PrincipleKind frequency_principle = {
	.name = "frequency",
	.more_is_stronger = true,
	.measure = measure_frequency,
	.lack = lack_frequency,
	.promise = "no value has more than 1/%g of the rows",
};

/* ----------------------------------------------------------------
 * Entropy l-diversity: the values are as uncertain as l values that are equally
 * common.  Machanavajjhala et al., "l-Diversity" (2007).
 * ----------------------------------------------------------------
 */

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

const PrincipleKind entropy_principle = {
	.name = "entropy",
	.more_is_stronger = true,
	.measure = measure_entropy,
	.lack = lack_entropy,
	.promise = "the values are as uncertain as %g equally common ones",
};

/* ----------------------------------------------------------------
 * Recursive (c,l)-diversity: the commonest value has less than c times the rows
 * of all values behind the l - 1 commonest together, so that it stays so when l - 2 values are
 * ruled out.  Machanavajjhala et al., "l-Diversity" (2007).
 *
 * In a union of two sets the commonest value has at most as many rows as the commonest
 * of the one and of the other together, and so have the l - 1 commonest; what is left behind is
 * at least what both leave behind.
 *
 * Of the two parameters l is the strength, and c the detail; measured is c.
 * ----------------------------------------------------------------
 */

/* The rows behind those of the l - 1 commonest values; *commonest: those of the commonest. */
static uint64
rows_behind(const PrincipleTerm *term, const ValueCounts *set, uint32 *commonest)
{
	uint32		most = (uint32) term->strength - 1;
	uint32	   *kept = set->room;	/* the greatest counts, in descending order */
	uint32		n = 0;
	uint64		behind = set->all;

	*commonest = commonest_count(set);
	if (most >= set->n)
		return 0;
	for (uint32 i = 0; i < set->n && most > 0; i++)
	{
		uint32		count = set->count[set->value[i]];
		uint32		at;

		if (n == most && count <= kept[most - 1])
			continue;
		for (at = n < most ? n++ : most - 1; at > 0 && kept[at - 1] < count; at--)
			kept[at] = kept[at - 1];
		kept[at] = count;
	}
	for (uint32 i = 0; i < n; i++)
		behind -= kept[i];
	return behind;
}

static double
measure_recursive(const PrincipleTerm *term, const ValueCounts *set)
{
	uint32		most;
	uint64		behind = rows_behind(term, set, &most);

	return behind == 0 ? INFINITY : (double) most / behind;
}

static double
lack_recursive(const PrincipleTerm *term, const ValueCounts *set)
{
	uint32		most;
	uint64		behind = rows_behind(term, set, &most);

	return most / term->detail - behind + 1;
}

const PrincipleKind recursive_principle = {
	.name = "recursive",
	.is_strict = true,
	.measure = measure_recursive,
	.lack = lack_recursive,
	.promise = "the commonest value has less than %g times the rows of all but the %g commonest",
};

/* ----------------------------------------------------------------
 * t-closeness: the distribution of values is no farther than t from that of all
 * people, by the earth mover's distance.  Li, Li, Venkatasubramanian, "t-Closeness"
 * (2007).
 *
 * The ordered distance moves shares along the places of values, from 0 to 1, which do not
 * depend on what else occurs: a value that the distribution lacks has a place between its
 * neighbors.
 *
 * The distribution is the first one, as it was: shares of values that were found later would
 * move the distance of sets that have none of them.
 * ----------------------------------------------------------------
 */

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

/* The distance, ordered where values have an order. */
static double
measure_t(const PrincipleTerm *term, const ValueCounts *set)
{
	double		distance = 0;

	if (set->place != NULL && term->detail != DISTANCE_EQUAL)
		distance = ordered_distance(set);
	else
		for (uint32 i = 0; i < set->n; i++)
			distance += Max(0, share_in(set, set->value[i]) - set->whole[set->value[i]]);
	return Max(0, distance - PRINCIPLE_ROUNDING);
}

static double
lack_t(const PrincipleTerm *term, const ValueCounts *set)
{
	return set->known * (measure_t(term, set) - term->strength);
}

const PrincipleKind t_principle = {
	.name = "t",
	.compares = true,
	.measure = measure_t,
	.lack = lack_t,
	.promise = "the values are no farther than %g from those of all people",
};

/* ----------------------------------------------------------------
 * Enhanced beta-likeness: the share of a value grows by no more than beta times its share among
 * all people, and by no more than its negative logarithm, which binds for common values.
 * Cao and Karras, "Publishing Microdata with a Robust Privacy Guarantee" (2012).
 *
 * Each value has a greatest share.  A value that the distribution lacks has none at all.
 * ----------------------------------------------------------------
 */

/* The greatest gain of a value; infinity if that is more than any beta allows. */
static double
measure_beta(const PrincipleTerm *term, const ValueCounts *set)
{
	double		greatest = 0;

	for (uint32 i = 0; i < set->n; i++)
	{
		double		share = set->share[set->value[i]];
		double		gain = share_of_people(set, set->value[i]) / share - 1;

		if (share <= 0 || gain > -log(share) + PRINCIPLE_ROUNDING)
			return INFINITY;
		greatest = Max(greatest, gain - PRINCIPLE_ROUNDING);
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

const PrincipleKind beta_principle = {
	.name = "beta",
	.compares = true,
	.needs_shares = true,
	.measure = measure_beta,
	.lack = lack_beta,
	.promise = "no value gains more than %g times its share among all people, or less if it is common",
};

/* ----------------------------------------------------------------
 * delta-disclosure privacy, its upper side: the logarithm of how many times a value is commoner than
 * among all people is less than delta.  Brickell and Shmatikov, "The Cost of Privacy" (2008).
 *
 * The lower side, that no value be rarer, would tell nothing of anybody that the upper sides of the
 * others do not bound, and no small class could have it.
 * ----------------------------------------------------------------
 */

/* The logarithm of the greatest gain. */
static double
measure_delta(const PrincipleTerm *term, const ValueCounts *set)
{
	double		most = 1;

	for (uint32 i = 0; i < set->n; i++)
	{
		double		share = set->share[set->value[i]];

		most = Max(most, share <= 0 ? INFINITY : share_of_people(set, set->value[i]) / share);
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

const PrincipleKind delta_principle = {
	.name = "delta",
	.is_strict = true,
	.compares = true,
	.needs_shares = true,
	.measure = measure_delta,
	.lack = lack_delta,
	.promise = "no value is e^%g times as common as among all people",
};
