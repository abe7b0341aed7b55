/*
 * drafting.c
 *		A draft in the making.
 */
#include "postgres.h"

#include "frame/arrays.h"
#include "method/drafting.h"
#include "partition/region.h"
#include "utils/memutils.h"

#define FIRST_CLASSES		64
#define FIRST_COUNTERFEITS	64

Drafting *
drafting_create(const Frame *frame, double k)
{
	Drafting   *drafting = palloc0(sizeof(Drafting));
	Draft	   *draft = palloc0(sizeof(Draft));
	Classes    *classes = palloc0(sizeof(Classes));

	drafting->frame = frame;
	drafting->draft = draft;
	drafting->classes_allocated = FIRST_CLASSES;
	drafting->counterfeits_allocated = FIRST_COUNTERFEITS;
	draft->k = k;
	draft->classes = classes;
	classes->nqis = frame->nqis;
	classes->rows = new_array(RowId, frame->nrows);
	classes->first = new_array(uint64, FIRST_CLASSES + 1);
	classes->first[0] = 0;
	classes->regions = new_array(Span, (uint64) FIRST_CLASSES * frame->nqis);
	classes->first_counterfeit = new_array(uint64, FIRST_CLASSES + 1);
	classes->first_counterfeit[0] = 0;
	classes->counterfeit = new_array(Code, FIRST_COUNTERFEITS);
	return drafting;
}

Drafting *
drafting_create_of_neighborhoods(const Frame *frame, double k)
{
	Drafting   *drafting = drafting_create(frame, k);

	drafting->draft->parent = new_array(uint32, FIRST_CLASSES);
	drafting->draft->stands_for = new_array(uint64, FIRST_COUNTERFEITS);
	return drafting;
}

void
drafting_add_rows(Drafting *drafting, const RowId *rows, uint64 n)
{
	Classes    *classes = drafting->draft->classes;

	memcpy(classes->rows + classes->first[classes->nclasses] + drafting->nrows, rows, sizeof(RowId) * n);
	drafting->nrows += n;
}

static void
make_room_for_counterfeits(Drafting *drafting, uint64 n)
{
	Draft	   *draft = drafting->draft;

	if (n <= drafting->counterfeits_allocated)
		return;
	drafting->counterfeits_allocated = n * 2;
	draft->classes->counterfeit = repalloc_huge(draft->classes->counterfeit, sizeof(Code) * drafting->counterfeits_allocated);
	if (draft->stands_for != NULL)
		draft->stands_for = repalloc_huge(draft->stands_for, sizeof(uint64) * drafting->counterfeits_allocated);
}

Code *
drafting_invent(Drafting *drafting, uint64 n)
{
	const Classes *classes = drafting->draft->classes;
	uint64		at = classes->first_counterfeit[classes->nclasses] + drafting->ninvented;

	make_room_for_counterfeits(drafting, at + n);
	drafting->ninvented += n;
	return classes->counterfeit + at;
}

static void
make_room_for_class(Drafting *drafting)
{
	Draft	   *draft = drafting->draft;
	Classes    *classes = draft->classes;

	if (classes->nclasses < drafting->classes_allocated)
		return;
	drafting->classes_allocated *= 2;
	classes->first = repalloc_huge(classes->first, sizeof(uint64) * (drafting->classes_allocated + 1));
	classes->first_counterfeit = repalloc_huge(classes->first_counterfeit, sizeof(uint64) * (drafting->classes_allocated + 1));
	classes->regions = repalloc_huge(classes->regions,
									 sizeof(Span) * Max(1, (Size) drafting->classes_allocated * classes->nqis));
	if (draft->parent != NULL)
		draft->parent = repalloc_huge(draft->parent, sizeof(uint32) * drafting->classes_allocated);
}

uint32
drafting_end_class(Drafting *drafting, const Span *region)
{
	Classes    *classes = drafting->draft->classes;
	uint32		c = classes->nclasses;
	Span	   *cells;

	make_room_for_class(drafting);
	cells = classes->regions + (Size) c * classes->nqis;
	if (region == NULL)
		rows_region(drafting->frame, classes->rows + classes->first[c], drafting->nrows, cells);
	else
		memcpy(cells, region, sizeof(Span) * classes->nqis);
	classes->first[c + 1] = classes->first[c] + drafting->nrows;
	classes->first_counterfeit[c + 1] = classes->first_counterfeit[c] + drafting->ninvented;
	drafting->nrows = drafting->ninvented = 0;
	classes->nclasses++;
	return c;
}
