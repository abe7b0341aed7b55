/*
 * drafting.c
 *		A draft in the making.
 */
#include "postgres.h"

#include "frame/arrays.h"
#include "method/method.h"

Drafting *
drafting_create(const Frame *frame, double k)
{
	Drafting   *drafting = palloc0(sizeof(Drafting));
	Draft	   *draft = palloc0(sizeof(Draft));
	Classes    *classes = palloc0(sizeof(Classes));

	drafting->frame = frame;
	drafting->draft = draft;
	draft->k = k;
	draft->classes = classes;
	classes->nqis = frame->nqis;
	classes->rows = new_array(RowId, frame->nrows);
	classes->first = new_zeros(uint64, 0);
	classes->first_counterfeit = new_zeros(uint64, 0);
	classes->regions = new_array(Span, 0);
	classes->counterfeit = new_array(Code, 0);
	return drafting;
}

Drafting *
drafting_create_of_groups(const Frame *frame, double k)
{
	Drafting   *drafting = drafting_create(frame, k);

	drafting->draft->group = new_array(uint32, 0);
	drafting->draft->place = new_array(uint64, frame->nrows);
	memset(drafting->draft->place, 0xff, sizeof(uint64) * frame->nrows);	/* NO_PLACE */
	drafting->draft->stands_in = new_array(uint64, 0);
	return drafting;
}

void
drafting_add_rows(Drafting *drafting, const RowId *rows, uint64 n)
{
	Classes    *classes = drafting->draft->classes;

	memcpy(classes->rows + classes->first[classes->nclasses] + drafting->nrows, rows, sizeof(RowId) * n);
	drafting->nrows += n;
}

Code *
drafting_invent(Drafting *drafting, uint64 n)
{
	Draft	   *draft = drafting->draft;
	Classes    *classes = draft->classes;
	uint64		at = classes->first_counterfeit[classes->nclasses] + drafting->ninvented;

	if (at + n > drafting->counterfeits_allocated)
	{
		drafting->counterfeits_allocated = array_room(drafting->counterfeits_allocated, at + n);
		array_resize(classes->counterfeit, drafting->counterfeits_allocated);
		if (draft->stands_in != NULL)
			array_resize(draft->stands_in, drafting->counterfeits_allocated);
	}
	drafting->ninvented += n;
	return classes->counterfeit + at;
}

uint32
drafting_end_class(Drafting *drafting, const Span *region)
{
	Classes    *classes = drafting->draft->classes;
	uint32		c = classes->nclasses;
	Span	   *cells;

	if (c == drafting->classes_allocated)
	{
		drafting->classes_allocated = array_room(drafting->classes_allocated, c + 1);
		array_resize(classes->first, drafting->classes_allocated);
		array_resize(classes->first_counterfeit, drafting->classes_allocated);
		array_resize(classes->regions, (Size) drafting->classes_allocated * classes->nqis);
		if (drafting->draft->group != NULL)
			array_resize(drafting->draft->group, drafting->classes_allocated);
	}
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
