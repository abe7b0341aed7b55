/*
 * judge_draft_global.c
 *		The last check of a draft that promises a bound over all releases.
 *
 * NOTES
 *		Like judge_draft.c it trusts nothing of what made the draft: everything is counted
 *		afresh, and judged by the closed form.  People whose classes, all together,
 *		could not have told too much of any value need no look at single ones.
 *
 *		Errors may reach logs that others read.  They hold no value, no count and
 *		no row number.
 */
#include "postgres.h"

#include <math.h>

#include "audit/breach.h"
#include "audit/judge_draft.h"
#include "frame/arrays.h"
#include "history/past.h"
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
	ShownClasses shown;			/* where there are paths */
	uint32	   *count;			/* [values] in the class at hand, else 0 */
	double	   *kept;			/* [values] of the person at hand by classes of the past; 1 before and after, and for
								 * all others */
	Code	   *touched;		/* [values] of which less is kept */
	Link	   *links;			/* [steps of a person + 1] */
	uint64		allocated;
} BreachJudge;

/* Is it a row of a person whose classes, if there were any, told nothing? */
static bool
is_new(const Paths *paths, RowId row)
{
	return !paths_known(paths, row) && (paths->disclosed == NULL || paths->disclosed[row] == 0);
}

/* Whatever values the person's classes had, and this one has so many of so many rows of: is it clearly allowed? */
static bool
is_clear(const BreachJudge *judge, RowId row, uint64 size, uint32 most)
{
	const Paths *paths = judge->paths;
	double		kept = log1p(-(double) most / size);

	if (!paths_known(paths, row))
		kept -= (double) paths->disclosed[row] / DISCLOSURE_UNIT;
	for (uint64 i = paths->first[row]; i < paths->first[row + 1]; i++)
		kept += judge->shown.class[paths->class[i]].worst;
	return kept > log1p(-1.0 / judge->l) + CLEARLY;
}

/* A person and a value of the class at hand, as exactly as can be. */
static bool
is_allowed(BreachJudge *judge, RowId row, uint64 size, Code value)
{
	const Paths *paths = judge->paths;
	uint64		n = 0;

	array_reserve(judge->links, judge->allocated, paths->first[row + 1] - paths->first[row] + 1);
	judge->links[n++] = (Link) {size, judge->count[value]};
	for (uint64 i = paths->first[row]; i < paths->first[row + 1]; i++)
	{
		uint32		count = times_shown(&judge->shown, paths->class[i], value);

		if (count > 0)
			judge->links[n++] = (Link) {paths_size(paths, paths->class[i]), count};
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

static void
refuse_link(uint32 c)
{
	refuse_draft(c, "with what was published before, somebody is linked to a value too well");
}

/* Values that no class of the past had are as this class has them, which was judged already. */
static void
judge_person(BreachJudge *judge, uint32 c, RowId row, uint64 size, uint32 most)
{
	const Paths *paths = judge->paths;
	double		least = (1 - 1.0 / judge->l) * (1 + CLEARLY);
	Code		ntouched = 0;

	if (paths == NULL || is_new(paths, row) || is_clear(judge, row, size, most))
		return;
	if (!paths_known(paths, row))
		refuse_link(c);			/* who is spared asks for no more than is clear */
	for (uint64 i = paths->first[row]; i < paths->first[row + 1]; i++)
		ntouched = take_past(judge, &judge->shown.class[paths->class[i]], ntouched);
	for (Code i = 0; i < ntouched; i++)
	{
		Code		value = judge->touched[i];
		double		kept = judge->kept[value] * (1 - (double) judge->count[value] / size);

		judge->kept[value] = 1;
		if (kept < least && !is_allowed(judge, row, size, value))
			refuse_link(c);
	}
}

static void
judge_region(const BreachJudge *judge, const Classes *classes, uint32 c, RowId row)
{
	for (int q = 0; q < judge->frame->nqis; q++)
		if (!span_contains(class_region(classes, c)[q], span_of(judge->frame->code[q][row])))
			refuse_draft(c, "who was counted in lies outside its region");
}

/* Rows ahead for which memory has to bring steps, classes and their values. */
#define FARTHEST 24
#define FAR 16
#define NEAR 8

/* Prefetches the steps, classes and values of rows that come later. */
static void
await(const BreachJudge *judge, const RowId *rows, uint64 i, uint64 end)
{
	const Paths *paths = judge->paths;

	if (i + FARTHEST < end)
		__builtin_prefetch(&paths->class[paths->first[rows[i + FARTHEST]]]);
	if (i + FAR < end)
		for (uint64 s = paths->first[rows[i + FAR]]; s < paths->first[rows[i + FAR] + 1]; s++)
			await_class(&judge->shown, paths, s);
	if (i + NEAR < end)
		for (uint64 s = paths->first[rows[i + NEAR]]; s < paths->first[rows[i + NEAR] + 1]; s++)
			await_values(&judge->shown, paths, s);
}

/* Refuses a class that links a member to a value too well; counted are people of a registry. */
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
	{
		if (judge->paths != NULL)
			await(judge, classes->rows, i, classes->first[classes->nclasses]);
		judge_person(judge, c, classes->rows[i], size, most);
	}
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
	Size		nvalues = (Size) frame->nsensitive + 1;
	BreachJudge judge = {.frame = frame, .paths = paths, .l = l};

	if (classes->nclasses == 0)
		return;
	if (first_counted != NULL)
		judge_counted(frame, classes, first_counted, counted);
	judge.count = new_zeros(uint32, nvalues);
	judge.kept = new_array(double, nvalues);
	for (Code value = 0; value < frame->nsensitive; value++)
		judge.kept[value] = 1;
	judge.touched = new_array(Code, nvalues);
	judge.links = palloc(sizeof(Link));
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
