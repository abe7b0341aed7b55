/*
 * adopt.c
 *		Rows that are left, one by one, into classes that there are already.
 */
#include "postgres.h"

#include <float.h>

#include "miscadmin.h"
#include "partition/growing.h"


/* A row that is left, and where it would lose least. */
typedef struct Orphan
{
	uint32		shelf;
	RowId		row;
	uint32		home;			/* or NO_CLASS */
	double		cost;
} Orphan;

typedef struct Adopting
{
	Growth	   *growth;			/* borrowed */
	uint32		norphans;
	Orphan	   *orphans;
} Adopting;

/* The class as a crowd that is to have one row more. */
static void
crowd_up(Growth *growth, uint32 c)
{
	growth->crowd->goal = growth->classes[c].size + 1;
	for (RowId row = growth->classes[c].head; row != NO_ROW; row = growth->next[row])
		crowd_add(growth->crowd, row);
}

/* How many members have a value. */
static uint64
count_value(const Growth *growth, uint32 c, Code value)
{
	uint64		count = 0;

	for (RowId row = growth->classes[c].head; row != NO_ROW; row = growth->next[row])
		count += growth->ratios->value[row] == value;
	return count;
}

/* With the row, has the class its value too often for everybody? */
static bool
is_too_frequent(const Growth *growth, uint32 c, Code value)
{
	Grown	   *class = &growth->classes[c];
	bool		has = (*value_word(class, value) & value_bit(value)) != 0;

	if (!base_is_met(growth->ratios, class->size + 1, 2))
		return has && (growth->ratios->nvalues <= VALUE_BITS || count_value(growth, c, value) > 0);
	return has && !base_is_met(growth->ratios, class->size + 1, count_value(growth, c, value) + 1);
}

/* Might the row join, as far as the class's size and its own value go? */
static bool
might_join(const Growth *growth, uint32 c, RowId row)
{
	if (growth->own != NULL && growth->own[row] > growth->classes[c].size + 2)
		return false;			/* clearly too small */
	return !is_too_frequent(growth, c, growth->ratios->value[row]);
}

/* May the row join?  Where somebody demands more than all do, the class is in the crowd. */
static bool
may_join(Growth *growth, uint32 c, RowId row)
{
	return might_join(growth, c, row) && (growth->ratios->first == NULL || crowd_admits(growth->crowd, row));
}

/* What the class and the row lose more; no less than the limit once it cannot be below. */
static double
cost_of_joining(Growth *growth, uint32 c, RowId row, double limit)
{
	const Records *records = growth->records;
	const Grown *class = &growth->classes[c];
	double		before = class->asked * grown_loss(growth, c);
	double		rows = class->asked + 1;

	return rows * widened_loss(records, grown_hull(growth, c), record_tuple(records, growth->record_of[row]),
							   (limit + before) / rows) - before;
}

/* ----------------------------------------------------------------
 * Rows and classes
 * ----------------------------------------------------------------
 */

static void
find_orphans(Adopting *adopting, uint32 first, uint32 end)
{
	const Growth *growth = adopting->growth;
	uint32		n = 0;

	for (uint32 s = first; s < end; s++)
		if (growth->shelves[s].kind == NEEDY)
			n += growth->shelves[s].rows;
	adopting->orphans = palloc_extended(sizeof(Orphan) * ((Size) n + 1), MCXT_ALLOC_HUGE);
	adopting->norphans = 0;
	for (uint32 s = first; s < end; s++)
		if (growth->shelves[s].kind == NEEDY)
			for (uint32 i = 0; i < growth->shelves[s].rows; i++)
				adopting->orphans[adopting->norphans++] =
					(Orphan) {s, growth->records->rows[growth->shelves[s].from + i], NO_CLASS, DBL_MAX};
}

/* Offers a class to all. */
static void
offer_class(Adopting *adopting, uint32 c)
{
	Growth	   *growth = adopting->growth;
	bool		has_crowd = growth->ratios->first == NULL;

	for (uint32 i = 0; i < adopting->norphans; i++)
	{
		Orphan	   *orphan = &adopting->orphans[i];
		double		cost = cost_of_joining(growth, c, orphan->row, orphan->cost);

		if (cost >= orphan->cost || !might_join(growth, c, orphan->row))
			continue;
		if (!has_crowd)
			crowd_up(growth, c);
		has_crowd = true;
		if (!may_join(growth, c, orphan->row))
			continue;
		orphan->home = c;
		orphan->cost = cost;
	}
	crowd_clear(growth->crowd);
}

static int
compare_homes(const void *a, const void *b)
{
	const Orphan *x = a;
	const Orphan *y = b;

	if (x->home != y->home)
		return x->home < y->home ? -1 : 1;
	if (x->cost != y->cost)
		return x->cost < y->cost ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

/* Has rows join the class that they found, as long as it is allowed with one more. */
static void
join_classes(Adopting *adopting)
{
	Growth	   *growth = adopting->growth;
	uint32		kept = 0;

	qsort(adopting->orphans, adopting->norphans, sizeof(Orphan), compare_homes);
	for (uint32 i = 0; i < adopting->norphans; i++)
	{
		Orphan		orphan = adopting->orphans[i];
		bool		is_next = i == 0 || orphan.home != adopting->orphans[i - 1].home;

		if (orphan.home != NO_CLASS && growth->ratios->first != NULL)
		{
			if (is_next)
			{
				crowd_clear(growth->crowd);
				crowd_up(growth, orphan.home);
			}
			growth->crowd->goal = growth->classes[orphan.home].size + 1;
		}
		if (orphan.home == NO_CLASS || !may_join(growth, orphan.home, orphan.row))
		{
			adopting->orphans[kept++] = (Orphan) {orphan.shelf, orphan.row, NO_CLASS, DBL_MAX};
			continue;
		}
		grown_add(growth, orphan.home, orphan.row);
		crowd_add(growth->crowd, orphan.row);
		growth->shelves[orphan.shelf].rows--;
	}
	crowd_clear(growth->crowd);
	adopting->norphans = kept;
}

/* What is left stands on the shelves, where it stood or before. */
static void
return_orphans(const Adopting *adopting, uint32 first, uint32 end)
{
	Growth	   *growth = adopting->growth;

	for (uint32 s = first; s < end; s++)
		if (growth->shelves[s].kind == NEEDY)
			growth->shelves[s].rows = 0;
	for (uint32 i = 0; i < adopting->norphans; i++)
	{
		Shelf	   *shelf = &growth->shelves[adopting->orphans[i].shelf];

		growth->records->rows[shelf->from + shelf->rows++] = adopting->orphans[i].row;
	}
}

/* Classes that are not farther than reach from the one given take in who is left; after each pass others may have come to them before. */
uint32
adopt_from_shelves(Growth *growth, uint32 first, uint32 end, uint32 near, uint32 reach, int passes)
{
	Adopting	adopting = {.growth = growth};
	uint32		left;

	find_orphans(&adopting, first, end);
	for (int pass = 0; pass < passes && adopting.norphans > 0; pass++)
	{
		uint32		before = adopting.norphans;
		uint32		last = Min((uint64) near + reach, growth->nclasses);

		for (uint32 c = near > reach ? near - reach : 0; c < last; c++)
		{
			CHECK_FOR_INTERRUPTS();
			offer_class(&adopting, c);
		}
		join_classes(&adopting);
		if (adopting.norphans == before)
			break;
	}
	return_orphans(&adopting, first, end);
	left = adopting.norphans;
	pfree(adopting.orphans);
	return left;
}
