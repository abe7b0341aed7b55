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
 *		do, nothing of theirs does.
 */
#include "postgres.h"

#include <math.h>

#include "method/global/demands.h"
#include "miscadmin.h"
#include "partition/wide.h"
#include "utils/memutils.h"

/* Rounding in a sum of as many logarithms as somebody has releases. */
#define ROUNDING 1e-9

/* A value of a class of the past. */
typedef struct Shown
{
	Code		value;
	uint32		count;
} Shown;

typedef struct Demanding
{
	Ratios		ratios;			/* must be first */

	/* Borrowed */
	const Strategy *strategy;
	const Paths *paths;

	/* Classes of the past */
	uint64	   *first_shown;	/* [classes + 1] */
	Shown	   *shown;			/* protected values of each class */
	double	   *worst;			/* [classes] log of what is kept of the secret that is
								 * kept least */

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
 * Classes of the past
 * ----------------------------------------------------------------
 */

/* count is 0 for all values, before and after. */
static void
count_class(Demanding *demanding, const Frame *frame, uint32 c, uint32 *count)
{
	const Paths *paths = demanding->paths;
	Shown	   *shown = demanding->shown + demanding->first_shown[c];
	uint64		n = 0;
	uint32		most = 0;

	for (uint64 i = paths->first_value[c]; i < paths->first_value[c + 1]; i++)
		if (is_protected(frame, paths->value[i]) && count[paths->value[i]]++ == 0)
			shown[n++].value = paths->value[i];
	for (uint64 i = 0; i < n; i++)
	{
		shown[i].count = count[shown[i].value];
		most = Max(most, shown[i].count);
		count[shown[i].value] = 0;
	}
	demanding->first_shown[c + 1] = demanding->first_shown[c] + n;
	demanding->worst[c] = log1p(-(double) most / paths_size(paths, c));
}

static void
count_classes(Demanding *demanding, const Frame *frame)
{
	const Paths *paths = demanding->paths;
	uint32	   *count = palloc_extended(sizeof(uint32) * ((Size) frame->nsensitive + 1), MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);

	demanding->first_shown = palloc_extended(sizeof(uint64) * ((Size) paths->nclasses + 1), MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	demanding->shown = palloc_extended(sizeof(Shown) * (paths->first_value[paths->nclasses] + 1), MCXT_ALLOC_HUGE);
	demanding->worst = palloc_extended(sizeof(double) * ((Size) paths->nclasses + 1), MCXT_ALLOC_HUGE);
	for (uint32 c = 0; c < paths->nclasses; c++)
	{
		if (c % 4096 == 0)
			CHECK_FOR_INTERRUPTS();
		count_class(demanding, frame, c, count);
	}
	pfree(count);
}

/* ----------------------------------------------------------------
 * People
 * ----------------------------------------------------------------
 */

/* Does somebody demand no more than all do, whatever values his classes had? */
static bool
is_modest(const Demanding *demanding, RowId row)
{
	const Paths *paths = demanding->paths;
	double		kept = 0;

	for (uint64 i = paths->first[row]; i < paths->first[row + 1]; i++)
		kept += demanding->worst[paths->class[i]];
	return kept == 0 ||
		(demanding->strategy->kind == CONSTANT_RATIO &&
		 kept + log1p(-1 / demanding->ratios.base) >= log(least_kept(demanding->strategy)) + ROUNDING);
}

static void
link_values(Demanding *demanding, uint32 class)
{
	uint64		size = paths_size(demanding->paths, class);

	for (uint64 i = demanding->first_shown[class]; i < demanding->first_shown[class + 1]; i++)
	{
		const Shown *shown = &demanding->shown[i];

		if (demanding->kept[shown->value] == 1)
			demanding->linked[demanding->nlinked++] = shown->value;
		demanding->kept[shown->value] *= 1 - (double) shown->count / size;
	}
}

static void
add_demand(Demanding *demanding, Code value, double ratio)
{
	if (demanding->ndemands == demanding->allocated)
	{
		demanding->allocated = Max(1024, demanding->allocated * 2);
		demanding->demands = repalloc_huge(demanding->demands, sizeof(Demand) * demanding->allocated);
	}
	demanding->demands[demanding->ndemands++] = (Demand) {value, ratio};
}

#define ST_SORT sort_demands
#define ST_ELEMENT_TYPE Demand
#define ST_COMPARE(a, b) ((a)->ratio < (b)->ratio ? 1 : (a)->ratio > (b)->ratio ? -1 : (a)->value < (b)->value ? -1 : 1)
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

static void
add_demands(Demanding *demanding, RowId row)
{
	const Paths *paths = demanding->paths;

	if (!is_modest(demanding, row))
		for (uint64 i = paths->first[row]; i < paths->first[row + 1]; i++)
			link_values(demanding, paths->class[i]);
	for (Code i = 0; i < demanding->nlinked; i++)
	{
		Code		value = demanding->linked[i];
		double		ratio = next_ratio(demanding->strategy, demanding->kept[value]);

		if (ratio > demanding->ratios.base)
			add_demand(demanding, value, ratio);
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

static uint32
count_in_class(const Demanding *demanding, uint32 class, Code value)
{
	for (uint64 i = demanding->first_shown[class]; i < demanding->first_shown[class + 1]; i++)
		if (demanding->shown[i].value == value)
			return demanding->shown[i].count;
	return 0;
}

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
		uint32		linked = count_in_class(demanding, paths->class[i], demand->value);

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

/*
 * A ratio that is met where a double says so: alpha has a decimal point, so l
 * times alpha may be a whole number that comes out a little larger; what the
 * constant ratio demands for more than one release is irrational, and must not
 * come out smaller.
 */
static double
base_ratio(const Strategy *strategy)
{
	double		ratio = first_ratio(strategy);

	if (strategy->kind == GEOMETRIC)
		return ratio * (1 - 1e-12);
	return strategy->releases == 1 || strategy->l == 1 ? ratio : ratio * (1 + 1e-12);
}

static const Code *
protected_values(const Frame *frame)
{
	Code	   *value;

	if (frame->is_protected == NULL)
		return frame->sensitive;
	value = palloc_extended(sizeof(Code) * (frame->nrows + 1), MCXT_ALLOC_HUGE);
	for (uint64 row = 0; row < frame->nrows; row++)
		value[row] = is_protected(frame, frame->sensitive[row]) ? frame->sensitive[row] : NO_CODE;
	return value;
}

static bool
has_steps(const Paths *paths, uint64 nrows)
{
	return paths != NULL && paths->nclasses > 0 && paths->first[nrows] > 0;
}

const Ratios *
demands_of(const Frame *frame, const Paths *paths, const Strategy *strategy)
{
	Demanding  *demanding = palloc0(sizeof(Demanding));
	Size		nvalues = (Size) frame->nsensitive + 1;

	demanding->strategy = strategy;
	demanding->paths = paths;
	demanding->ratios = (Ratios) {
		.value = protected_values(frame),.nvalues = frame->nsensitive,
		.base = base_ratio(strategy),.is_met = promise_is_met,
	};
	if (!has_steps(paths, frame->nrows))
		return &demanding->ratios;
	count_classes(demanding, frame);
	demanding->first = palloc_extended(sizeof(uint64) * (frame->nrows + 1), MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	demanding->demands = palloc(sizeof(Demand));
	demanding->linked = palloc_extended(sizeof(Code) * nvalues, MCXT_ALLOC_HUGE);
	demanding->kept = palloc_extended(sizeof(double) * nvalues, MCXT_ALLOC_HUGE);
	for (Code value = 0; value < frame->nsensitive; value++)
		demanding->kept[value] = 1;
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
