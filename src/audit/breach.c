/*
 * breach.c
 *		The closed form, in logarithms and in whole numbers, and each person's worst value.
 *
 * NOTES
 *		The chance is 1 - (1 - c1/n1) (1 - c2/n2) …  As a sum of logarithms it neither overflows nor underflows.
 *		Whether it is 1/l at most is then clear but for those that are nearly 1/l, of which products of whole numbers
 *		tell.
 */
#include "postgres.h"

#include <math.h>

#include "audit/breach.h"
#include "audit/judge_draft.h"
#include "frame/arrays.h"
#include "history/past.h"
#include "miscadmin.h"
#include "partition/wide.h"

/* Sums of logarithms that differ by less may be the same. */
#define NEAR 1e-9

/* The logarithm of the chance that there was never a link. */
static double
log_kept(const ClassLink *links, uint64 n)
{
	double		kept = 0;

	for (uint64 i = 0; i < n; i++)
		kept += log1p(-(double) links[i].count / links[i].size);
	return kept;
}

double
breach_probability_of(const ClassLink *links, uint64 n)
{
	if (n <= 1)
		return n == 0 ? 0 : (double) links[0].count / links[0].size;
	return -expm1(log_kept(links, n));
}

bool
breach_is_allowed(const ClassLink *links, uint64 n, uint32 l)
{
	double		kept;
	double		least;
	Wide	   *products;
	bool		is_allowed;

	if (l <= 1)
		return true;
	kept = log_kept(links, n);
	least = log1p(-1.0 / l);
	if (fabs(kept - least) > NEAR * (1 + fabs(least)))
		return kept > least;

	/* l times the product of n - c is no less than l - 1 times that of n */
	products = wide_create(2, wide_limbs(PG_UINT32_MAX, n + 1));
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

double
least_largest_ratio(uint32 l, uint64 n)
{
	return l <= 1 || n == 0 ? 1 : -1 / expm1(log1p(-1.0 / l) / n);
}

double
largest_ratio(const ClassLink *links, uint64 n)
{
	double		largest = 0;

	for (uint64 i = 0; i < n; i++)
		largest = Max(largest, (double) links[i].size / links[i].count);
	return largest;
}

typedef struct Visiting
{
	const Statistics *statistics;	/* borrowed */
	const bool *is_protected;	/* borrowed */

	/* The person at hand: links value after value */
	uint64		allocated;
	ClassLink  *links;
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
			visiting->links[place] = (ClassLink) {size, shown->count[i]};
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
	Size		nvalues = (Size) statistics->nvalues + 1;
	Visiting	visiting = {
		.statistics = statistics, .is_protected = is_protected,
		.links = palloc(sizeof(ClassLink)), .releases = palloc(sizeof(int32)),
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

bool
worst_local_breach(const Statistics *statistics, const bool *is_protected, const uint32 *l, LocalBreach *worst)
{
	const Seen *seen = statistics->seen;
	double		worst_times = 0;
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
				ClassLink	link = {size, shown->count[i]};

				double		times = (double) ((uint64) link.count * l[r]) / link.size;	/* of 1/l: exact at 1 */

				if ((is_protected != NULL && !is_protected[shown->value[i]]) || (found && times <= worst_times))
					continue;
				worst_times = times;
				*worst = (LocalBreach) {r, c, shown->value[i], link};
				found = true;
			}
		}
	return found;
}

/* ----------------------------------------------------------------
 * The last check of a draft that promises a bound over all releases
 *
 * Like judge_draft.c it trusts nothing of what made the draft: everything is counted afresh, and judged by the closed
 * form.  People whose classes, all together, could not have told too much of any value need no look at single ones.
 *
 * Errors may reach logs that others read.  They hold no value, no count and no row number.
 * ----------------------------------------------------------------
 */

typedef struct BreachJudge
{
	/* All borrowed */
	const Frame *frame;
	const Paths *paths;			/* or NULL */
	uint32		l;

	/* Owned */
	ShownClasses shown;			/* where there are paths */
	uint32	   *count;			/* [values] in the class at hand, else 0 */
	double	   *kept;			/* [values] of the person at hand by classes of the past; 1 before and after, and for
								 * all others */
	Code	   *touched;		/* [values] of which less is kept */
	ClassLink  *links;			/* [steps of a person + 1] */
	uint64		allocated;
} BreachJudge;

/* Whatever values the person's classes had, and this one has so many of so many rows of: is it clearly allowed? */
static bool
is_clear(const BreachJudge *judge, RowId row, uint64 size, uint32 most)
{
	const Paths *paths = judge->paths;
	double		kept = log1p(-(double) most / size);

	for (uint64 i = paths->first[row]; i < paths->first[row + 1]; i++)
		kept += judge->shown.class[paths->class[i]].worst;
	return kept > log1p(-1.0 / judge->l) + NEAR;
}

/* A person and a value of the class at hand, as exactly as can be. */
static bool
may_be_linked(BreachJudge *judge, RowId row, uint64 size, Code value)
{
	const Paths *paths = judge->paths;
	uint64		n = 0;

	array_reserve(judge->links, judge->allocated, paths->first[row + 1] - paths->first[row] + 1);
	judge->links[n++] = (ClassLink) {size, judge->count[value]};
	for (uint64 i = paths->first[row]; i < paths->first[row + 1]; i++)
	{
		uint32		count = times_shown(&judge->shown, paths->class[i], value);

		if (count > 0)
			judge->links[n++] = (ClassLink) {paths_size(paths, paths->class[i]), count};
	}
	return breach_is_allowed(judge->links, n, judge->l);
}

/* Takes from kept[] what a class of the past told of values of the class at hand; returns how many have been touched. */
static Code
take_past(BreachJudge *judge, const ShownClass *class, Code ntouched)
{
	const ShownValue *shown = judge->shown.value + class->first;

	for (uint32 i = 0; i < class->nvalues; i++)
	{
		Code		value = shown[i].value;

		if (judge->count[value] == 0)
			continue;
		if (judge->kept[value] == 1)
			judge->touched[ntouched++] = value;
		judge->kept[value] *= kept_by(class, &shown[i]);
	}
	return ntouched;
}

/* Values that no class of the past had are as this class has them, which was judged already. */
static void
judge_person(BreachJudge *judge, uint32 c, RowId row, uint64 size, uint32 most)
{
	const Paths *paths = judge->paths;
	double		least = (1 - 1.0 / judge->l) * (1 + NEAR);
	Code		ntouched = 0;

	if (paths == NULL || !paths_known(paths, row) || is_clear(judge, row, size, most))
		return;
	for (uint64 i = paths->first[row]; i < paths->first[row + 1]; i++)
		ntouched = take_past(judge, &judge->shown.class[paths->class[i]], ntouched);
	for (Code i = 0; i < ntouched; i++)
	{
		Code		value = judge->touched[i];
		double		kept = judge->kept[value] * (1 - (double) judge->count[value] / size);

		judge->kept[value] = 1;
		if (kept < least && !may_be_linked(judge, row, size, value))
			refuse_draft(c, "with what was published before, somebody is linked to a value too well");
	}
}

/* Refuses a class that links a member to a value too well; counted are people of a registry. */
static void
judge_class(BreachJudge *judge, const Classes *classes, uint32 c, const RowId *counted, uint64 ncounted)
{
	const Frame *frame = judge->frame;
	uint64		size = class_size(classes, c) + ncounted;
	uint32		most = 0;
	uint64		nown;
	uint64		rows_each = 0;
	const Code *own;

	for (uint64 i = classes->first[c]; i < classes->first[c + 1]; i++)
	{
		own = single_values(frame->aspects, &frame->sensitive[classes->rows[i]], &nown);
		if (rows_each > 0 && nown != rows_each)
			refuse_draft(c, "somebody has more rows than others");
		rows_each = nown;
		for (uint64 j = 0; j < nown; j++)
			if (is_protected(frame, own[j]))
			{
				uint32		n = ++judge->count[own[j]];

				most = Max(most, n);
			}
	}
	if ((uint64) most * judge->l > size)
		refuse_draft(c, "it links people to a value too well");
	for (uint64 i = classes->first[c]; i < classes->first[c + 1] && most > 0; i++)
		judge_person(judge, c, classes->rows[i], size, most);
	for (uint64 i = 0; i < ncounted; i++)
	{
		for (int q = 0; q < frame->nqis; q++)
			if (!span_contains(class_region(classes, c)[q], span_of(frame->code[q][counted[i]])))
				refuse_draft(c, "who was counted in lies outside its region");
		if (most > 0)
			judge_person(judge, c, counted[i], size, most);
	}
	for (uint64 i = classes->first[c]; i < classes->first[c + 1]; i++)
	{
		own = single_values(frame->aspects, &frame->sensitive[classes->rows[i]], &nown);
		for (uint64 j = 0; j < nown; j++)
			if (own[j] != NO_CODE)
				judge->count[own[j]] = 0;
	}
}

/* Each person is counted in once at most, and none who has a row. */
static void
judge_counted(const Frame *frame, const Classes *classes, const uint64 *first_counted, const RowId *counted)
{
	bool	   *is_in = new_zeros(bool, frame->nrows);

	for (uint64 i = 0; i < classes->first[classes->nclasses]; i++)
		is_in[classes->rows[i]] = true;
	for (uint32 c = 0; c < classes->nclasses; c++)
		for (uint64 i = first_counted[c]; i < first_counted[c + 1]; i++)
		{
			if (counted[i] >= frame->nrows || is_in[counted[i]])
				refuse_draft(c, "somebody was counted in who was in a class already");
			if (frame->sensitive[counted[i]] != NO_CODE)
				refuse_draft(c, "somebody was counted in who has a value");
			is_in[counted[i]] = true;
		}
	pfree(is_in);
}

void
judge_breaches(const Frame *frame, const Paths *paths, const Classes *classes,
			   const uint64 *first_counted, const RowId *counted, uint32 l)
{
	Size		nvalues = (Size) single_codes(frame->aspects, frame->nsensitive) + 1;
	BreachJudge judge = {.frame = frame, .paths = paths, .l = l};

	if (classes->nclasses == 0)
		return;
	if (first_counted != NULL)
		judge_counted(frame, classes, first_counted, counted);
	judge.count = new_zeros(uint32, nvalues);
	judge.kept = new_array(double, nvalues);
	for (Code value = 0; value + 1 < nvalues; value++)
		judge.kept[value] = 1;
	judge.touched = new_array(Code, nvalues);
	judge.links = palloc(sizeof(ClassLink));
	if (paths != NULL)
		judge.shown = shown_classes(paths, frame);
	for (uint32 c = 0; c < classes->nclasses; c++)
	{
		CHECK_FOR_INTERRUPTS();
		judge_class(&judge, classes, c,
					first_counted == NULL ? NULL : counted + first_counted[c],
					first_counted == NULL ? 0 : first_counted[c + 1] - first_counted[c]);
	}
	pfree(judge.count);
	pfree(judge.kept);
	pfree(judge.touched);
	pfree(judge.links);
	if (paths != NULL)
		shown_free(&judge.shown);
}
