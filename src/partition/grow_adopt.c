/*
 * grow_adopt.c
 *		Rows that are left, one by one, into classes that there are already.
 *
 * NOTES
 *		Most rows that are left have a value that nearly all classes have, too, or
 *		demand more than most are large.  So they stand by value, and by what they
 *		demand of it: what no row of a value may join is looked at once for all of
 *		them, and no row looks at a class that is too small for it.
 */
#include "postgres.h"

#include <float.h>

#include "frame/arrays.h"
#include "miscadmin.h"
#include "partition/growing.h"

/* A row that is left, and where it would lose least. */
typedef struct Orphan
{
	uint32		batch;
	RowId		row;
	Code		value;
	double		own;			/* what it demands of its value; 0 if no more than all do */
	const Demand *greatest;		/* of its demands, of whatever value; or NULL */
	uint32		home;			/* or NO_CLASS */
	double		cost;
} Orphan;

typedef struct Adopting
{
	Growth	   *growth;			/* borrowed */
	uint32		norphans;
	Orphan	   *orphans;

	/* Orphans of one value stand together; who demands least first. */
	uint32		nruns;
	uint32	   *first;			/* [nruns + 1] */

	/* Classes that take them in */
	uint32		begin;
	uint32		end;
} Adopting;

/* Makes the class a crowd that is to have one row more. */
static void
crowd_up(Growth *growth, uint32 c)
{
	crowd_clear(growth->crowd);
	for (RowId row = growth->classes[c].head; row != NO_ROW; row = growth->next[row])
		crowd_add(growth->crowd, row);
	growth->crowd->goal = growth->classes[c].size + 1;
}

/* Is the class clearly too small for a row that demands so much of its value? */
static inline bool
is_too_small(const Growth *growth, uint32 c, double own)
{
	return own > growth->classes[c].size + 2;
}

/* The loss that joining adds to the class and the row; no less than the limit once it cannot be below. */
static double
cost_of_joining(Growth *growth, uint32 c, RowId row, double limit)
{
	const Records *records = growth->records;
	Grown	   *class = &growth->classes[c];
	double		rows = class->asked + 1;
	double		before;

	if (class->loss < 0)
		class->loss = hull_loss(records, grown_hull(growth, c));
	before = class->asked * class->loss;
	return rows * widened_loss(records, grown_hull(growth, c), record_tuple(records, growth->record_of[row]),
							   (limit + before) / rows) - before;
}

/* ----------------------------------------------------------------
 * Rows and classes
 * ----------------------------------------------------------------
 */

static Orphan
orphan_of(const Growth *growth, uint32 batch, RowId row)
{
	return (Orphan) {
		.batch = batch, .row = row, .value = growth->ratios->value[row],
		.own = growth->own == NULL ? 0 : growth->own[row],
		.greatest = greatest_demand(growth->ratios, row), .home = NO_CLASS, .cost = DBL_MAX
	};
}

/* Lists the rows of these batches that need a class. */
static void
find_orphans(Adopting *adopting, uint32 first, uint32 end)
{
	const Growth *growth = adopting->growth;
	uint32		n = 0;

	for (uint32 s = first; s < end; s++)
		if (growth->batches[s].need == NEEDS_CLASS)
			n += growth->batches[s].rows;
	adopting->orphans = new_array(Orphan, n);
	adopting->norphans = 0;
	for (uint32 s = first; s < end; s++)
		if (growth->batches[s].need == NEEDS_CLASS)
			for (uint32 i = 0; i < growth->batches[s].rows; i++)
				adopting->orphans[adopting->norphans++] = orphan_of(growth, s, growth->records->rows[growth->batches[s].from + i]);
	adopting->first = new_array(uint32, n);
}

/* Orders orphans by value; within one, modest demands first. */
DEFINE_ORDER(compare_values, Orphan, ASCENDING(value) ASCENDING(own) ASCENDING(row));

/* Sorts the orphans into runs of one value each. */
static void
sort_orphans(Adopting *adopting)
{
	uint32		n = 0;

	qsort(adopting->orphans, adopting->norphans, sizeof(Orphan), compare_values);
	for (uint32 i = 0; i < adopting->norphans; i++)
	{
		if (i == 0 || adopting->orphans[i].value != adopting->orphans[i - 1].value)
			adopting->first[n++] = i;
	}
	adopting->first[n] = adopting->norphans;
	adopting->nruns = n;
}

/* Offers a class to orphans of one value, as far as it is large enough for them.  It becomes the crowd, if it is not. */
static void
offer_to_run(Adopting *adopting, uint32 c, uint32 first, uint32 end, bool *is_crowd)
{
	Growth	   *growth = adopting->growth;

	for (uint32 i = first; i < end && !is_too_small(growth, c, adopting->orphans[i].own); i++)
	{
		Orphan	   *orphan = &adopting->orphans[i];

		if (orphan->home != NO_CLASS && cost_of_joining(growth, c, orphan->row, orphan->cost) >= orphan->cost)
			continue;
		if (!*is_crowd)
			crowd_up(growth, c);
		*is_crowd = true;
		if (!crowd_has_room(growth->crowd, orphan->value, 1))
			return;
		/* Most that are left demand too much of some value that nearly all classes have. */
		if ((orphan->greatest != NULL && !crowd_meets(growth->crowd, orphan->row, orphan->greatest)) ||
			!crowd_admits(growth->crowd, orphan->row))
			continue;
		orphan->home = c;
		orphan->cost = cost_of_joining(growth, c, orphan->row, DBL_MAX);
	}
}

/* Orders orphans by their home, those that cost it least first. */
DEFINE_ORDER(compare_homes, Orphan, ASCENDING(home) ASCENDING(cost) ASCENDING(row));

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

		if (orphan.home != NO_CLASS && is_next)
			crowd_up(growth, orphan.home);
		if (orphan.home == NO_CLASS || !crowd_admits(growth->crowd, orphan.row))
		{
			adopting->orphans[kept++] = orphan_of(growth, orphan.batch, orphan.row);
			continue;
		}
		grown_add(growth, orphan.home, orphan.row);
		crowd_add(growth->crowd, orphan.row);
		growth->crowd->goal++;
	}
	crowd_clear(growth->crowd);
	adopting->norphans = kept;
}

/* Each row finds the class where it loses least; others may come to it before. */
static void
adopt_best(Adopting *adopting)
{
	sort_orphans(adopting);
	for (uint32 c = adopting->begin; c < adopting->end; c++)
	{
		bool		is_crowd = false;

		CHECK_FOR_INTERRUPTS();
		for (uint32 run = 0; run < adopting->nruns; run++)
			offer_to_run(adopting, c, adopting->first[run], adopting->first[run + 1], &is_crowd);
		crowd_clear(adopting->growth->crowd);
	}
	join_classes(adopting);
}

/* ----------------------------------------------------------------
 * The whole
 * ----------------------------------------------------------------
 */

uint32
adopt_from_batches(Growth *growth, uint32 first, uint32 end, uint32 near, uint32 reach, int passes)
{
	Adopting	adopting = {
		.growth = growth,
		.begin = near > reach ? near - reach : 0,
		.end = Min((uint64) near + reach, growth->nclasses),
	};
	uint32		before = 0;

	find_orphans(&adopting, first, end);
	/* Until nothing changes */
	for (; passes > 0 && adopting.norphans > 0 && adopting.norphans != before; passes--)
	{
		before = adopting.norphans;
		adopt_best(&adopting);
	}
	/* The rows that are left return to their batches, where they stood or before. */
	for (uint32 s = first; s < end; s++)
		if (growth->batches[s].need == NEEDS_CLASS)
			growth->batches[s].rows = 0;
	for (uint32 i = 0; i < adopting.norphans; i++)
	{
		Batch	   *batch = &growth->batches[adopting.orphans[i].batch];

		growth->records->rows[batch->from + batch->rows++] = adopting.orphans[i].row;
	}
	pfree(adopting.orphans);
	pfree(adopting.first);
	return adopting.norphans;
}
