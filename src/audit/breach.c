/*
 * breach.c
 *		The closed form, in logarithms and in whole numbers, and each person's
 *		worst value.
 *
 * NOTES
 *		The chance is 1 - (1 - c1/n1) (1 - c2/n2) …  As a sum of logarithms it neither
 *		overflows nor underflows.  Whether it is 1/l at most is then clear but for
 *		those that are nearly 1/l, of which products of whole numbers tell.
 */
#include "postgres.h"

#include <math.h>

#include "audit/breach.h"
#include "frame/arrays.h"
#include "miscadmin.h"
#include "partition/wide.h"
#include "utils/memutils.h"

/* Sums of logarithms that differ by less may be the same. */
#define NEAR 1e-9

/* ----------------------------------------------------------------
 * One person, one value
 * ----------------------------------------------------------------
 */

/* The logarithm of the chance that there was never a link. */
static double
log_kept(const Link *links, uint64 n)
{
	double		kept = 0;

	for (uint64 i = 0; i < n; i++)
		kept += log1p(-(double) links[i].count / links[i].size);
	return kept;
}

double
breach_probability_of(const Link *links, uint64 n)
{
	if (n <= 1)
		return n == 0 ? 0 : (double) links[0].count / links[0].size;
	return -expm1(log_kept(links, n));
}

/* l times the product of n - c is no less than l - 1 times that of n. */
static bool
is_allowed_exactly(const Link *links, uint64 n, uint32 l)
{
	Wide	   *products = wide_create(2, wide_limbs(PG_UINT32_MAX, n + 1));
	bool		is_allowed;

	wide_set(&products[0], l);
	wide_set(&products[1], l - 1);
	for (uint64 i = 0; i < n; i++)
	{
		wide_multiply(&products[0], links[i].size - links[i].count);
		wide_multiply(&products[1], links[i].size);
	}
	is_allowed = wide_compare(&products[0], &products[1]) >= 0;
	wide_free(products);
	return is_allowed;
}

bool
breach_is_allowed(const Link *links, uint64 n, uint32 l)
{
	double		kept;
	double		least;

	if (l <= 1)
		return true;
	kept = log_kept(links, n);
	least = log1p(-1.0 / l);
	if (fabs(kept - least) > NEAR * (1 + fabs(least)))
		return kept > least;
	return is_allowed_exactly(links, n, l);
}

double
least_largest_ratio(uint32 l, uint64 n)
{
	return l <= 1 || n == 0 ? 1 : -1 / expm1(log1p(-1.0 / l) / n);
}

double
largest_ratio(const Link *links, uint64 n)
{
	double		largest = 0;

	for (uint64 i = 0; i < n; i++)
		largest = Max(largest, (double) links[i].size / links[i].count);
	return largest;
}

/* ----------------------------------------------------------------
 * Each person, each value
 * ----------------------------------------------------------------
 */

typedef struct Visiting
{
	const Statistics *statistics;	/* borrowed */
	const bool *is_protected;	/* borrowed */

	/* The person at hand: links value after value */
	uint64		allocated;
	Link	   *links;
	int32	   *releases;
	Code		nvalues;
	Code	   *values;
	uint64	   *n;				/* [values] how many links; 0 before and after */
	uint64	   *end;			/* [values] where those that were put down end */
} Visiting;

static inline bool
counts(const Visiting *visiting, Code value)
{
	return visiting->is_protected == NULL || visiting->is_protected[value];
}

/* Which values linked the person, and how often; returns the number of all links. */
static uint64
count_links(Visiting *visiting, const Step *step, const Step *end)
{
	uint64		links = 0;

	visiting->nvalues = 0;
	for (; step < end; step++)
	{
		const ShownValues *shown = &visiting->statistics->shown[step->release];

		for (uint64 i = shown->first[step->class]; i < shown->first[step->class + 1]; i++)
		{
			if (!counts(visiting, shown->value[i]))
				continue;
			if (visiting->n[shown->value[i]]++ == 0)
				visiting->values[visiting->nvalues++] = shown->value[i];
			links++;
		}
	}
	return links;
}

/* Lists the links of the person at hand, value after value. */
static void
put_links(Visiting *visiting, const Step *step, const Step *end, uint64 links)
{
	uint64		at = 0;

	if (links > visiting->allocated)
	{
		visiting->allocated = array_room(visiting->allocated, links);
		array_resize(visiting->links, visiting->allocated);
		array_resize(visiting->releases, visiting->allocated);
	}
	for (Code i = 0; i < visiting->nvalues; i++)
	{
		visiting->end[visiting->values[i]] = at;
		at += visiting->n[visiting->values[i]];
	}
	for (; step < end; step++)
	{
		const ShownValues *shown = &visiting->statistics->shown[step->release];
		uint32		size = statistics_size(visiting->statistics, *step);

		for (uint64 i = shown->first[step->class]; i < shown->first[step->class + 1]; i++)
		{
			uint64		place;

			if (!counts(visiting, shown->value[i]))
				continue;
			place = visiting->end[shown->value[i]]++;
			visiting->links[place] = (Link) {size, shown->count[i]};
			visiting->releases[place] = step->release;
		}
	}
}

/* Visits each value that a person was linked to. */
static void
visit_person(Visiting *visiting, Individual person, void (*visit) (void *what, const Breach *breach), void *what)
{
	const Statistics *statistics = visiting->statistics;
	const Step *step = statistics->step + statistics->first[person];
	const Step *end = statistics->step + statistics->first[person + 1];

	put_links(visiting, step, end, count_links(visiting, step, end));
	for (Code i = 0; i < visiting->nvalues; i++)
	{
		Code		value = visiting->values[i];
		uint64		n = visiting->n[value];
		uint64		first = visiting->end[value] - n;

		visiting->n[value] = 0;
		visit(what, &(Breach) {person, value, n, &visiting->links[first], &visiting->releases[first]});
	}
}

void
visit_breaches(const Statistics *statistics, Individual npeople, const bool *is_protected,
			   void (*visit) (void *what, const Breach *breach), void *what)
{
	Size		nvalues = (Size) statistics->seen->nvalues + 1;
	Visiting	visiting = {
		.statistics = statistics, .is_protected = is_protected,
		.links = palloc(sizeof(Link)), .releases = palloc(sizeof(int32)),
		.values = new_array(Code, nvalues),
		.n = new_zeros(uint64, nvalues),
		.end = new_array(uint64, nvalues),
	};

	for (Individual person = 0; person < npeople; person++)
	{
		if (person % 1024 == 0)
			CHECK_FOR_INTERRUPTS();
		visit_person(&visiting, person, visit, what);
	}
	pfree(visiting.links);
	pfree(visiting.releases);
	pfree(visiting.values);
	pfree(visiting.n);
	pfree(visiting.end);
}

/* ----------------------------------------------------------------
 * One release by itself
 * ----------------------------------------------------------------
 */

/* More than 1 is too much; exact where that is decided, since both numbers are whole. */
static double
times_allowed(Link link, uint32 l)
{
	return (double) ((uint64) link.count * l) / link.size;
}

bool
worst_local_breach(const Statistics *statistics, const bool *is_protected, const uint32 *l, LocalBreach *worst)
{
	const Seen *seen = statistics->seen;
	bool		found = false;

	for (int32 r = 0; r < seen->nreleases; r++)
		for (uint32 c = 0; c < seen->release[r].nclasses; c++)
		{
			const ShownValues *shown = &statistics->shown[r];
			uint32		size = seen_size(&seen->release[r], c);

			if (c % 4096 == 0)
				CHECK_FOR_INTERRUPTS();
			for (uint64 i = shown->first[c]; i < shown->first[c + 1]; i++)
			{
				Link		link = {size, shown->count[i]};

				if ((is_protected != NULL && !is_protected[shown->value[i]]) || (found && times_allowed(link, l[r]) <= times_allowed(worst->link, l[worst->release])))
					continue;
				*worst = (LocalBreach) {r, c, shown->value[i], link};
				found = true;
			}
		}
	return found;
}
