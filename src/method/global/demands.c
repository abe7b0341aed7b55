/*
 * demands.c
 *		The statistics file of each person, folded into ratios.
 *
 * NOTES
 *		Only releases whose class of the person has the value count (Lemma 5),
 *		each of them, also where sizes and counts are the same.
 *
 *		Most people need no look at single values: where even a value that all
 *		their classes had more of than of any other would demand no more than all
 *		do, nothing of theirs does.  Most of these come without steps: the history
 *		spares them.
 */
#include "postgres.h"

#include <math.h>

#include "frame/arrays.h"
#include "history/past.h"
#include "method/global/global.h"
#include "miscadmin.h"
#include "partition/wide.h"

/* Rounding in a sum of as many logarithms as a person has releases, or in a product of as many shares. */
#define ROUNDING 1e-9

typedef struct Demanding
{
	Ratios		ratios;			/* must be first */

	/* Borrowed */
	const Strategy *strategy;
	const Paths *paths;
	double		enough;			/* where so much of a secret is kept, no more is demanded than all do */

	ShownClasses shown;			/* owned */

	/* The person at hand */
	double	   *kept;			/* [values] of each secret; 1 before and after, and for all others */
	Code		nlinked;
	Code	   *linked;			/* values of which less is kept */

	/* Demands */
	uint64	   *first;
	Demand	   *demands;
	uint64		ndemands;
	uint64		allocated;
} Demanding;

/* ----------------------------------------------------------------
 * People
 * ----------------------------------------------------------------
 */

#define ST_SORT sort_demands
#define ST_ELEMENT_TYPE Demand
#define ST_COMPARE(a, b) (a->ratio < b->ratio ? 1 : a->ratio > b->ratio ? -1 : a->value < b->value ? -1 : 1)
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

/* Adds the demands of a row, the greatest first; kept[] is as before afterwards. */
static void
add_demands(Demanding *demanding, RowId row)
{
	const Paths *paths = demanding->paths;
	double		kept = 0;
	bool		modest;			/* does it demand no more than all do, whatever values its classes had? */

	for (uint64 i = paths->first[row]; i < paths->first[row + 1]; i++)
		kept += demanding->shown.class[paths->class[i]].worst;
	modest = kept == 0 || exp(kept) >= demanding->enough;
	for (uint64 i = paths->first[row]; i < paths->first[row + 1] && !modest; i++)
	{
		const ShownClass *class = &demanding->shown.class[paths->class[i]];
		const ShownValue *shown = demanding->shown.value + class->first;

		for (uint32 v = 0; v < class->nvalues; v++)
		{
			if (demanding->kept[shown[v].value] == 1)
				demanding->linked[demanding->nlinked++] = shown[v].value;
			demanding->kept[shown[v].value] *= kept_by(class, &shown[v]);
		}
	}
	for (Code i = 0; i < demanding->nlinked; i++)
	{
		Code		value = demanding->linked[i];
		double		ratio = demanding->kept[value] >= demanding->enough ? 0 : next_ratio(demanding->strategy, demanding->kept[value]);

		if (ratio > demanding->ratios.base)
		{
			array_reserve(demanding->demands, demanding->allocated, demanding->ndemands + 1);
			demanding->demands[demanding->ndemands++] = (Demand) {value, ratio};
		}
		demanding->kept[value] = 1;
	}
	demanding->nlinked = 0;
	demanding->first[row + 1] = demanding->ndemands;
	sort_demands(demanding->demands + demanding->first[row], demanding->ndemands - demanding->first[row]);
}

/* ----------------------------------------------------------------
 * Where rounding decides
 * ----------------------------------------------------------------
 */

/*
 * Theorem 1, in whole numbers: l times what is kept of n1 n2 … is no less than
 * l - 1 times all of it.  What a strategy demands beyond that is not so precise.
 */
static bool
promise_is_met(const Ratios *ratios, RowId row, const Demand *demand, uint64 size, uint64 count)
{
	const Demanding *demanding = (const Demanding *) ratios;
	const Paths *paths = demanding->paths;
	uint64		steps = paths->first[row + 1] - paths->first[row];
	Wide	   *products;
	bool		is_met;

	if (demanding->strategy->kind == GEOMETRIC)
		return true;
	products = wide_create(2, wide_limbs(PG_UINT32_MAX, steps + 2));
	wide_set(&products[0], demanding->strategy->l);
	wide_set(&products[1], demanding->strategy->l - 1);
	wide_multiply(&products[0], size - count);
	wide_multiply(&products[1], size);
	for (uint64 i = paths->first[row]; i < paths->first[row + 1]; i++)
	{
		uint32		linked = times_shown(&demanding->shown, paths->class[i], demand->value);

		if (linked == 0)
			continue;
		wide_multiply(&products[0], paths_size(paths, paths->class[i]) - linked);
		wide_multiply(&products[1], paths_size(paths, paths->class[i]));
	}
	is_met = wide_compare(&products[0], &products[1]) >= 0;
	wide_free(products);
	return is_met;
}

/* ----------------------------------------------------------------
 * The whole
 * ----------------------------------------------------------------
 */

/* Lists the values of each row that need protection; value[] is NO_CODE where none does. */
static void
list_values(Ratios *ratios, const Frame *frame)
{
	Code	   *value = new_array(Code, frame->nrows);
	uint64	   *first = new_zeros(uint64, frame->nrows);
	uint32	   *count = new_zeros(uint32, ratios->nvalues);
	Code	   *values = NULL;
	uint64		allocated = 0;

	for (uint64 row = 0; row < frame->nrows; row++)
	{
		uint64		n;
		const Code *own = single_values(frame->aspects, &frame->sensitive[row], &n);

		if (row % 4096 == 0)
			CHECK_FOR_INTERRUPTS();
		first[row + 1] = first[row];
		array_reserve(values, allocated, first[row] + n);
		for (uint64 i = 0; i < n; i++)
			if (is_protected(frame, own[i]))
			{
				values[first[row + 1]++] = own[i];
				count[own[i]]++;
			}
	}
	for (uint64 row = 0; row < frame->nrows; row++)
	{
		value[row] = NO_CODE;
		for (uint64 i = first[row]; i < first[row + 1]; i++)
			if (value[row] == NO_CODE || count[values[i]] > count[value[row]])
				value[row] = values[i];
	}
	pfree(count);
	ratios->value = value;
	ratios->first_value = first;
	ratios->values = values;
}

const Ratios *
demands_of(const Frame *frame, const Paths *paths, const Strategy *strategy)
{
	Demanding  *demanding = palloc0(sizeof(Demanding));
	Code		nvalues = single_codes(frame->aspects, frame->nsensitive);
	double		base = first_ratio(strategy);

	demanding->strategy = strategy;
	demanding->paths = paths;

	/*
	 * A ratio that is met where a double says so: alpha has a decimal point, so l times alpha may be a whole number
	 * that comes out a little larger; what the constant ratio demands for more than one release is irrational, and
	 * must not come out smaller.
	 */
	if (strategy->kind == GEOMETRIC)
		base *= 1 - 1e-12;
	else if (strategy->releases > 1 && strategy->l > 1)
		base *= 1 + 1e-12;
	demanding->ratios = (Ratios) {
		.value = frame->sensitive, .nvalues = nvalues,
		.base = base, .is_met = promise_is_met,
	};
	if (frame->is_protected != NULL || has_row_values(frame->aspects))
		list_values(&demanding->ratios, frame);
	if (paths == NULL || paths->nclasses == 0 || paths->first[frame->nrows] == 0)
		return &demanding->ratios;
	demanding->shown = shown_classes(paths, frame);
	demanding->first = new_zeros(uint64, frame->nrows);
	demanding->linked = new_array(Code, (Size) nvalues + 1);
	demanding->kept = new_array(double, (Size) nvalues + 1);
	for (Code value = 0; value < nvalues; value++)
		demanding->kept[value] = 1;
	demanding->enough = enough_kept(strategy) * (1 + ROUNDING);
	for (uint64 row = 0; row < frame->nrows; row++)
	{
		if (row % 4096 == 0)
			CHECK_FOR_INTERRUPTS();
		add_demands(demanding, row);
	}
	if (demanding->ndemands == 0)
		return &demanding->ratios;
	demanding->ratios.first = demanding->first;
	demanding->ratios.demands = demanding->demands;
	return &demanding->ratios;
}

bool
is_exhausted(const Ratios *ratios, RowId row)
{
	const Demand *demand = own_demand(ratios, row);

	return demand != NULL && demand->ratio > MAX_FRAME_ROWS;
}
