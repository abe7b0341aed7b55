/*
 * judge_breach.c
 *		The last check of a draft that promises a bound over all releases.
 *
 * NOTES
 *		Like judge.c it trusts nothing of what made the draft: everything is counted
 *		afresh, and judged by the closed form.  People whose classes, all together,
 *		could not have told too much of any value need no look at single ones.
 *
 *		Errors may reach logs that others read.  They hold no value, no count and
 *		no row number.
 */
#include "postgres.h"

#include <math.h>

#include "audit/breach.h"
#include "audit/judge.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#define CLEARLY 1e-9

typedef struct BreachJudge
{
	/* All borrowed */
	const Frame *frame;
	const Paths *paths;			/* or NULL */
	uint32		l;

	/* Owned */
	double	   *most;			/* [classes of the past] log of what is kept of a value if it
								 * is the most frequent one; 1 where not known yet */
	uint32	   *count;			/* [values] in the class at hand, else 0 */
	uint32	   *past_count;		/* [values] scratch, 0 between uses */
	double	   *kept;			/* [values] of the person at hand, else 0 */
	Code	   *touched;		/* [values] of which something is */
	Link	   *links;			/* [steps of a person + 1] */
	uint64		allocated;
} BreachJudge;

/* The most that a class of the past tells of any value. */
static double
most_told(BreachJudge *judge, uint32 class)
{
	const Paths *paths = judge->paths;
	uint32		most = 0;

	if (judge->most[class] <= 0)
		return judge->most[class];
	for (uint64 i = paths->first_value[class]; i < paths->first_value[class + 1]; i++)
		if (is_protected(judge->frame, paths->value[i]))
		{
			uint32		n = ++judge->past_count[paths->value[i]];

			most = Max(most, n);
		}
	for (uint64 i = paths->first_value[class]; i < paths->first_value[class + 1]; i++)
		if (paths->value[i] != NO_CODE)
			judge->past_count[paths->value[i]] = 0;
	judge->most[class] = log1p(-(double) most / paths_size(paths, class));
	return judge->most[class];
}

/* Whatever values the person's classes had, and this one has so many of so many rows of: is it clearly allowed? */
static bool
is_clear(BreachJudge *judge, RowId row, uint64 size, uint32 most)
{
	const Paths *paths = judge->paths;
	double		kept = log1p(-(double) most / size);

	for (uint64 i = paths->first[row]; i < paths->first[row + 1]; i++)
		kept += most_told(judge, paths->class[i]);
	return kept > log1p(-1.0 / judge->l) + CLEARLY;
}

static uint32
count_in_past(const BreachJudge *judge, uint32 class, Code value)
{
	uint32		n = 0;

	for (uint64 i = judge->paths->first_value[class]; i < judge->paths->first_value[class + 1]; i++)
		n += judge->paths->value[i] == value;
	return n;
}

/* A person and a value of the class at hand, as exactly as can be. */
static bool
is_allowed(BreachJudge *judge, RowId row, uint64 size, Code value)
{
	const Paths *paths = judge->paths;
	uint64		n = 0;

	if (paths->first[row + 1] - paths->first[row] + 1 > judge->allocated)
	{
		judge->allocated = 2 * (paths->first[row + 1] - paths->first[row] + 1);
		judge->links = repalloc_huge(judge->links, sizeof(Link) * judge->allocated);
	}
	judge->links[n++] = (Link) {size, judge->count[value]};
	for (uint64 i = paths->first[row]; i < paths->first[row + 1]; i++)
	{
		uint32		count = count_in_past(judge, paths->class[i], value);

		if (count > 0)
			judge->links[n++] = (Link) {paths_size(paths, paths->class[i]), count};
	}
	return breach_is_allowed(judge->links, n, judge->l);
}

/* Adds to kept[] what a class of the past told of the values of the class at hand; returns how many values have been touched. */
static Code
add_past(BreachJudge *judge, uint32 class, Code ntouched)
{
	const Paths *paths = judge->paths;
	uint64		size = paths_size(paths, class);

	for (uint64 i = paths->first_value[class]; i < paths->first_value[class + 1]; i++)
	{
		Code		value = paths->value[i];

		if (value != NO_CODE && judge->count[value] > 0)
			judge->past_count[value]++;
	}
	for (uint64 i = paths->first_value[class]; i < paths->first_value[class + 1]; i++)
	{
		Code		value = paths->value[i];

		if (value == NO_CODE || judge->past_count[value] == 0)
			continue;
		if (judge->kept[value] == 0)
			judge->touched[ntouched++] = value;
		judge->kept[value] += log1p(-(double) judge->past_count[value] / size);
		judge->past_count[value] = 0;
	}
	return ntouched;
}

/* Values that no class of the past had are as this class has them, which was judged already. */
static void
judge_person(BreachJudge *judge, uint32 c, RowId row, uint64 size, uint32 most)
{
	const Paths *paths = judge->paths;
	Code		ntouched = 0;

	if (paths == NULL || !paths_known(paths, row) || is_clear(judge, row, size, most))
		return;
	for (uint64 i = paths->first[row]; i < paths->first[row + 1]; i++)
		ntouched = add_past(judge, paths->class[i], ntouched);
	for (Code i = 0; i < ntouched; i++)
	{
		Code		value = judge->touched[i];
		double		kept = judge->kept[value] + log1p(-(double) judge->count[value] / size);

		judge->kept[value] = 0;
		if (is_protected(judge->frame, value) && kept < log1p(-1.0 / judge->l) + CLEARLY &&
			!is_allowed(judge, row, size, value))
			refuse_draft(c, "with what was published before, somebody is linked to a value too well");
	}
}

static void
judge_region(const BreachJudge *judge, const Classes *classes, uint32 c, RowId row)
{
	for (int q = 0; q < judge->frame->nqis; q++)
		if (!span_contains(class_region(classes, c)[q], span_of(judge->frame->code[q][row])))
			refuse_draft(c, "who was counted in lies outside its region");
}

static void
judge_class(BreachJudge *judge, const Classes *classes, uint32 c, const RowId *counted, uint64 ncounted)
{
	const Frame *frame = judge->frame;
	uint64		size = class_size(classes, c) + ncounted;
	uint32		most = 0;

	for (uint64 i = classes->first[c]; i < classes->first[c + 1]; i++)
		if (is_protected(frame, frame->sensitive[classes->rows[i]]))
		{
			uint32		n = ++judge->count[frame->sensitive[classes->rows[i]]];

			most = Max(most, n);
		}
	if ((uint64) most * judge->l > size)
		refuse_draft(c, "it links people to a value too well");
	for (uint64 i = classes->first[c]; i < classes->first[c + 1] && most > 0; i++)
		judge_person(judge, c, classes->rows[i], size, most);
	for (uint64 i = 0; i < ncounted; i++)
	{
		judge_region(judge, classes, c, counted[i]);
		if (most > 0)
			judge_person(judge, c, counted[i], size, most);
	}
	for (uint64 i = classes->first[c]; i < classes->first[c + 1]; i++)
		if (frame->sensitive[classes->rows[i]] != NO_CODE)
			judge->count[frame->sensitive[classes->rows[i]]] = 0;
}

/* Everybody is counted in once at most, and nobody who has a row. */
static void
judge_counted(const Frame *frame, const Classes *classes, const uint64 *first_counted, const RowId *counted)
{
	bool	   *is_in = palloc_extended(sizeof(bool) * (frame->nrows + 1), MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);

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
	Size		nvalues = (Size) frame->nsensitive + 1;
	BreachJudge judge = {.frame = frame,.paths = paths,.l = l};

	if (classes->nclasses == 0)
		return;
	if (first_counted != NULL)
		judge_counted(frame, classes, first_counted, counted);
	judge.count = palloc_extended(sizeof(uint32) * nvalues, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	judge.past_count = palloc_extended(sizeof(uint32) * nvalues, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	judge.kept = palloc_extended(sizeof(double) * nvalues, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	judge.touched = palloc_extended(sizeof(Code) * nvalues, MCXT_ALLOC_HUGE);
	judge.links = palloc(sizeof(Link));
	judge.most = palloc_extended(sizeof(double) * (paths == NULL ? 1 : (Size) paths->nclasses + 1), MCXT_ALLOC_HUGE);
	for (uint32 c = 0; paths != NULL && c < paths->nclasses; c++)
		judge.most[c] = 1;
	for (uint32 c = 0; c < classes->nclasses; c++)
	{
		CHECK_FOR_INTERRUPTS();
		judge_class(&judge, classes, c,
					first_counted == NULL ? NULL : counted + first_counted[c],
					first_counted == NULL ? 0 : first_counted[c + 1] - first_counted[c]);
	}
	pfree(judge.count);
	pfree(judge.past_count);
	pfree(judge.kept);
	pfree(judge.touched);
	pfree(judge.links);
	pfree(judge.most);
}
