/*
 * ends.c
 *		The ends of printed ranges: are they values of people, and of how many?
 *
 * NOTES
 *		An end that only one member of a class has as value singles that person out.
 *		Ends of columns with a step do not follow what anybody has, so only those
 *		count there that are not where a step ends, as in tables that were imported.
 *
 *		Members who have left, or changed, may have had the value, too: nobody knows.
 */
#include "postgres.h"

#include "check/checks.h"
#include "frame/arrays.h"
#include "frame/line.h"
#include "frame/print.h"

/* Reads the lower and the upper bound of a printed cell. */
static void
read_bounds(const Coding *coding, Datum cell, RangeBound *bounds)
{
	bool		empty;

	range_deserialize(range_over(coding->column->type), DatumGetRangeTypeP(cell), &bounds[0], &bounds[1], &empty);
	bounds[0].infinite |= empty;
	bounds[1].infinite |= empty;
}

CellEnds
cell_ends(const Coding *coding, Datum cell, bool isnull, Span codes)
{
	CellEnds	ends = {.value = {NO_CODE, NO_CODE}};
	RangeBound	printed[2];
	RangeBound	present[2];
	bool		is_none = codes.lo > codes.hi;

	if (isnull || coding->column->kind != KIND_RANGE)
		return ends;
	read_bounds(coding, cell, printed);
	if (printed[0].infinite && printed[1].infinite)
		return ends;			/* it may hold NULL, and nothing else may be left */
	if (!is_none && coding->step == NULL)
		read_bounds(coding, print_cell(coding, codes, &is_none), present);
	for (int end = 0; end < 2; end++)
	{
		if (printed[end].infinite)
			continue;
		ends.n++;
		if (coding->step != NULL)
			ends.loose += !is_bin_bound(coding->step, &printed[end]);
		else if (!is_none && range_cmp_bounds(range_over(coding->column->type), &printed[end], &present[end]) == 0)
			ends.value[end] = end == 0 ? codes.lo : codes.hi;
	}
	return ends;
}
