/*
 * adopt.c
 *		Rows that are left, one by one, into classes that there are already.
 */
#include "postgres.h"

#include <float.h>

#include "miscadmin.h"
#include "partition/growing.h"

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

/* Where nobody demands more than all do, that is all there is to ask. */
static bool
may_join(Growth *growth, uint32 c, RowId row)
{
	bool		may;

	if (growth->ratios->first == NULL)
		return true;
	crowd_up(growth, c);
	may = crowd_admits(growth->crowd, row);
	crowd_clear(growth->crowd);
	return may;
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

/* The class that the row joins at the least cost, of those that are not farther than reach from the one given. */
static uint32
find_home(Growth *growth, RowId row, uint32 near, uint32 reach)
{
	uint32		from = near > reach ? near - reach : 0;
	uint32		end = Min((uint64) near + reach, growth->nclasses);
	uint32		best = NO_CLASS;
	double		least = DBL_MAX;

	for (uint32 c = from; c < end; c++)
	{
		double		cost;

		if (is_too_frequent(growth, c, growth->ratios->value[row]))
			continue;
		cost = cost_of_joining(growth, c, row, least);
		if (cost >= least || !may_join(growth, c, row))
			continue;
		best = c;
		least = cost;
	}
	return best;
}

uint32
adopt_from_shelves(Growth *growth, uint32 first, uint32 end, uint32 near, uint32 reach)
{
	uint32		left = 0;

	for (uint32 s = first; s < end; s++)
	{
		Shelf	   *shelf = &growth->shelves[s];
		RowId	   *rows = growth->records->rows + shelf->from;

		if (shelf->kind != NEEDY)
			continue;
		for (uint32 i = shelf->rows; i-- > 0;)
		{
			uint32		home = find_home(growth, rows[i], near, reach);

			CHECK_FOR_INTERRUPTS();
			if (home == NO_CLASS)
				continue;
			grown_add(growth, home, rows[i]);
			rows[i] = rows[--shelf->rows];
		}
		left += shelf->rows;
	}
	return left;
}
