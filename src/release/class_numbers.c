/*
 * class_numbers.c
 *		Numbering classes by lot, or by their cells.
 */
#include "release/class_numbers.h"

#include "frame/arrays.h"
#include "frame/print.h"
#include "miscadmin.h"
#include "release/past_releases.h"
#include "release/row_classes.h"
#include "utils/memutils.h"

static uint32 *
number_by_cells(const ReleaseBuild *build)
{
	const Classes *classes = build->draft->classes;
	RegionMap  *regions = region_map_create(classes->nqis);
	Dictionary **cells = palloc(sizeof(Dictionary *) * (classes->nqis + 1));
	uint32	   *numbers = palloc(sizeof(uint32) * (classes->nqis + 1));

	for (int q = 0; q < classes->nqis; q++)
		cells[q] = dictionary_create(printed_type(build->loaded->codings[q]->column->kind, build->loaded->codings[q]->column->type));
	for (uint32 c = 0; c < classes->nclasses; c++)
	{
		CHECK_FOR_INTERRUPTS();
		for (int q = 0; q < classes->nqis; q++)
		{
			bool		isnull;
			Datum		printed = print_cell(build->loaded->codings[q], class_region(classes, c)[q], &isnull);

			numbers[q] = dictionary_number(cells[q], printed, isnull);
		}
		(void) region_map_add(regions, numbers);
	}
	if (regions->size != classes->nclasses)
		elog(ERROR, "two classes print the same cells");
	return region_places(regions, cells);
}

int64 *
class_numbers(const ReleaseBuild *build, const uint32 *order)
{
	uint32		nclasses = build->draft->classes->nclasses;
	int64	   *number = new_array(int64, nclasses);
	uint32	   *place;

	for (uint32 i = 0; i < nclasses; i++)
		number[order[i]] = (int64) i + 1;
	if (has_class_column(build->publication) || nclasses == 0)
		return number;
	place = number_by_cells(build);
	for (uint32 c = 0; c < nclasses; c++)
		number[c] = (int64) place[c] + 1;
	pfree(place);
	return number;
}
