/*
 * drafting.c
 *		Sets of rows as classes of a draft.
 */
#include "postgres.h"

#include "method/candidates/candidates.h"
#include "partition/region.h"
#include "utils/memutils.h"

Drafting *
drafting_create(const Frame *frame, uint32 m)
{
	Drafting   *drafting = palloc0(sizeof(Drafting));
	Draft	   *draft = palloc0(sizeof(Draft));
	Classes    *classes = palloc0(sizeof(Classes));

	drafting->frame = frame;
	drafting->draft = draft;
	drafting->classes_allocated = 64;
	drafting->counterfeits_allocated = 64;
	drafting->rows_allocated = 64;
	drafting->rows = palloc(sizeof(RowId) * drafting->rows_allocated);
	draft->k = m;
	draft->classes = classes;
	classes->nqis = frame->nqis;
	classes->rows = palloc_extended(sizeof(RowId) * (frame->nrows + 1), MCXT_ALLOC_HUGE);
	classes->first = palloc0(sizeof(uint64) * (drafting->classes_allocated + 1));
	classes->regions = palloc_extended(sizeof(Span) * ((Size) drafting->classes_allocated * frame->nqis + 1), MCXT_ALLOC_HUGE);
	classes->first_counterfeit = palloc0(sizeof(uint64) * (drafting->classes_allocated + 1));
	classes->counterfeit = palloc(sizeof(Code) * drafting->counterfeits_allocated);
	return drafting;
}

/* The class at hand is classes->nclasses: there is room for it, and where it ends is counted on. */
static void
make_room_for_class(Drafting *drafting)
{
	Classes    *classes = drafting->draft->classes;

	if (classes->nclasses < drafting->classes_allocated)
		return;
	drafting->classes_allocated *= 2;
	classes->first = repalloc_huge(classes->first, sizeof(uint64) * (drafting->classes_allocated + 1));
	classes->first_counterfeit = repalloc_huge(classes->first_counterfeit, sizeof(uint64) * (drafting->classes_allocated + 1));
	classes->regions = repalloc_huge(classes->regions,
									 sizeof(Span) * ((Size) drafting->classes_allocated * classes->nqis + 1));
}

static void
add_counterfeit(Drafting *drafting, Code value)
{
	Classes    *classes = drafting->draft->classes;
	uint64		n = classes->first_counterfeit[classes->nclasses + 1];

	if (n == drafting->counterfeits_allocated)
	{
		drafting->counterfeits_allocated *= 2;
		classes->counterfeit = repalloc_huge(classes->counterfeit, sizeof(Code) * drafting->counterfeits_allocated);
	}
	classes->counterfeit[n] = value;
	classes->first_counterfeit[classes->nclasses + 1]++;
}

void
drafting_add_set(Drafting *drafting, const RowId *cell, const Code *values, uint32 n)
{
	if (drafting->nrows + n > drafting->rows_allocated)
	{
		drafting->rows_allocated = 2 * (drafting->nrows + n);
		drafting->rows = repalloc_huge(drafting->rows, sizeof(RowId) * drafting->rows_allocated);
	}
	for (uint32 i = 0; i < n; i++)
		if (cell[i] != NO_ROW)
			drafting->rows[drafting->nrows++] = cell[i];
		else
			add_counterfeit(drafting, values[i]);
}

void
drafting_add_counterfeits(Drafting *drafting, const Code *values, uint32 n)
{
	for (uint32 i = 0; i < n; i++)
		add_counterfeit(drafting, values[i]);
}

void
drafting_end_class(Drafting *drafting)
{
	Classes    *classes = drafting->draft->classes;
	uint32		c = classes->nclasses;

	memcpy(classes->rows + classes->first[c], drafting->rows, sizeof(RowId) * drafting->nrows);
	rows_region(drafting->frame, drafting->rows, drafting->nrows, classes->regions + (Size) c * classes->nqis);
	classes->first[c + 1] = classes->first[c] + drafting->nrows;
	drafting->nrows = 0;
	classes->nclasses++;
	make_room_for_class(drafting);
	classes->first_counterfeit[classes->nclasses + 1] = classes->first_counterfeit[classes->nclasses];
}
