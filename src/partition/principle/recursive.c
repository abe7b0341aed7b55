/*
 * recursive.c
 *		Recursive (c,l)-diversity: the commonest value has less than c times the rows
 *		of all values behind the l - 1 commonest together, so that it stays so when l - 2 values are
 *		ruled out.  Machanavajjhala et al., "l-Diversity" (2007).
 *
 * NOTES
 *		In a union of two sets the commonest value has at most as many rows as the commonest
 *		of the one and of the other together, and so have the l - 1 commonest; what is left behind is
 *		at least what both leave behind.
 *
 *		Of the two parameters l is the strength, and c the detail; measured is c.
 */
#include "postgres.h"

#include <math.h>

#include "partition/principle/kind.h"

/* Keeps the greatest counts, at most so many, in descending order; returns how many these are now. */
static uint32
keep_greatest(uint32 *kept, uint32 n, uint32 most, uint32 count)
{
	uint32		at = n < most ? n++ : most - 1;

	for (; at > 0 && kept[at - 1] < count; at--)
		kept[at] = kept[at - 1];
	kept[at] = count;
	return n;
}

/* The rows behind those of the l - 1 commonest values; *commonest: those of the commonest. */
static uint64
rows_behind(const PrincipleTerm *term, const ValueCounts *set, uint32 *commonest)
{
	uint32		most = (uint32) term->strength - 1;
	uint32		n = 0;
	uint64		behind = set->known;

	*commonest = commonest_count(set);
	if (most >= set->n)
		return 0;
	for (uint32 i = 0; i < set->n && most > 0; i++)
		if (n < most || set->count[set->value[i]] > set->room[most - 1])
			n = keep_greatest(set->room, n, most, set->count[set->value[i]]);
	for (uint32 i = 0; i < n; i++)
		behind -= set->room[i];
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

static void
promise_recursive(const PrincipleTerm *term, StringInfo text)
{
	appendStringInfo(text, "the commonest value has less than %g times the rows of all but the %d commonest",
					 term->detail, (int) term->strength - 1);
}

const PrincipleKind recursive_principle = {
	.name = "recursive",
	.is_strict = true,
	.measure = measure_recursive,
	.lack = lack_recursive,
	.promise = promise_recursive,
};
