/*
 * every_part.c
 *		Conditions on values, asked of all parts of a size that a set may have, at once.
 *
 * NOTES
 *		A part may have any rows of the set, so the worst one counts.  It takes in all rows without a value, since fewer
 *		rows with one are always worse: a larger part is a mean of smaller ones.
 *
 *		The part that takes the commonest values first has fewest values, and its shares majorise those of each other
 *		part of its size.  So it has the least entropy, the greatest share, and the fewest rows behind its commonest
 *		values.  Where a value is judged by itself, a part may consist of it.  Distances are bounded: a fraction of a
 *		value may be taken, and each place in the order has a worst part of its own.
 */
#include "postgres.h"

#include <math.h>

#include "frame/arrays.h"
#include "partition/principle_kinds.h"

DEFINE_ORDER_BY_KEY(compare_counts, Code, uint32, >);

/* The part of these many rows that takes the commonest values first. */
static ValueCounts
most_uneven_part(const ValueCounts *set, uint64 size)
{
	ValueCounts part = *set;
	Code	   *value = new_array(Code, set->n);
	uint32	   *count = new_zeros(uint32, set->ncodes);
	uint64		left = size;

	memcpy(value, set->value, sizeof(Code) * set->n);
	qsort_arg(value, set->n, sizeof(Code), compare_counts, unconstify(uint32 *, set->count));
	part.known = part.all = size;
	part.value = value;
	part.count = count;
	for (part.n = 0; left > 0; part.n++)
	{
		count[value[part.n]] = Min(set->count[value[part.n]], left);
		left -= count[value[part.n]];
	}
	return part;
}

/* Each value as often as a part of these many rows can have it, whatever else that part has. */
static ValueCounts
each_value_in_parts(const ValueCounts *set, uint64 size)
{
	ValueCounts part = *set;
	uint32	   *count = new_zeros(uint32, set->ncodes);

	for (uint32 i = 0; i < set->n; i++)
		count[set->value[i]] = Min(set->count[set->value[i]], size);
	part.known = part.all = size;
	part.count = count;
	return part;
}

/* Values of which a row takes least of the share come first. */
static int
compare_worth(const void *a, const void *b, void *arg)
{
	const ValueCounts *set = arg;
	Code		x = *(const Code *) a;
	Code		y = *(const Code *) b;
	double		p = set->whole[x] * set->count[y];
	double		q = set->whole[y] * set->count[x];

	return p < q ? -1 : p > q;
}

/* Supposes that a part can take a fraction of a value, and of its share among all people with it. */
static double
equal_distance_in_parts(const ValueCounts *set, uint64 size)
{
	Code	   *value = new_array(Code, set->n);
	uint64		left = size;
	double		distance = 0;

	memcpy(value, set->value, sizeof(Code) * set->n);
	qsort_arg(value, set->n, sizeof(Code), compare_worth, unconstify(ValueCounts *, set));
	for (uint32 i = 0; i < set->n && left > 0; i++)
	{
		uint64		taken = Min(set->count[value[i]], left);

		distance += Max(0, (double) taken / size - set->whole[value[i]] * taken / set->count[value[i]]);
		left -= taken;
	}
	pfree(value);
	return distance;
}

/* Each place in the order has a worst part of its own. */
static double
ordered_distance_in_parts(const ValueCounts *set, uint64 size)
{
	double		distance = 0;
	double		share = 0;
	uint64		before = 0;

	for (Code i = 0; i < set->ncodes; i++)
	{
		Code		value = set->in_order[i];
		double		gap = i + 1 < set->ncodes ? set->place[set->in_order[i + 1]] - set->place[value] : 1;
		uint64		behind;

		before += set->count[value];
		share += set->whole[value];
		behind = set->known - before;
		distance += gap * Max((double) Min(size, before) / size - share,
							  share - (double) (size > behind ? size - behind : 0) / size);
	}
	return distance;
}

bool
term_allows_every_part(const PrincipleTerm *term, const ValueCounts *set, uint64 size)
{
	bool		by_value = term->kind == &beta_principle || term->kind == &delta_principle;
	bool		is_ordered = set->place != NULL && term->detail != DISTANCE_EQUAL;
	ValueCounts part;
	double		distance;

	if (term->kind == &t_principle)
	{
		distance = is_ordered ? ordered_distance_in_parts(set, size) : equal_distance_in_parts(set, size);
		return term_allows(term, Max(0, distance - PRINCIPLE_ROUNDING));
	}
	part = by_value ? each_value_in_parts(set, size) : most_uneven_part(set, size);
	return term_allows(term, term->kind->measure(term, &part));
}

uint32
fewest_values_in_parts(const ValueCounts *set, uint64 size)
{
	return most_uneven_part(set, size).n;
}
