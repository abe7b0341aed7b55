/*
 * adopt.c
 *		Rows that are left, one by one, into classes that there are already.
 *
 * NOTES
 *		Most rows that are left have a value that nearly all classes have, too, or
 *		demand more than most are large.  So they stand by value, and by what they
 *		demand of it: what no row of a value may join is looked at once for all of
 *		them, and nobody looks at a class that is too small for him.
 */
#include "postgres.h"

#include <float.h>

#include "miscadmin.h"
#include "partition/growing.h"

/* What a class's members demand is kept where that takes so many times fewer steps than to look at them again. */
#define WORTH_KEEPING 2

/* A row that is left, and where it would lose least. */
typedef struct Orphan
{
	uint32		shelf;
	RowId		row;
	Code		value;
	double		own;			/* what it demands of its value; 0 if no more than all do */
	uint32		home;			/* or NO_CLASS */
	double		cost;
} Orphan;

typedef struct Adopting
{
	Growth	   *growth;			/* borrowed */
	uint32		norphans;
	Orphan	   *orphans;

	/* Orphans of one value stand together, who demands least first. */
	uint32		nvalues;
	uint32	   *first;			/* [nvalues + 1] */
} Adopting;

/* Might the class have the value?  Values share bits where they are many. */
static inline bool
may_have(Grown *class, Code value)
{
	return (*value_word(class, value) & value_bit(value)) != 0;
}

/* The class as a crowd that is to have one row more; what its members demand is kept until it has. */
static void
crowd_up(Growth *growth, uint32 c)
{
	Grown	   *class = &growth->classes[c];
	uint64		steps = 0;

	if (class->crowd != NULL)
		crowd_recall(growth->crowd, class->crowd);
	else
		for (RowId row = class->head; row != NO_ROW; row = growth->next[row])
			steps += crowd_add(growth->crowd, row);
	growth->crowd->goal = class->size + 1;
	if (steps > growth->crowd->ntouched * WORTH_KEEPING)
		class->crowd = crowd_keep(growth->crowd);
}

/* Has the class its value too often for one row more, whoever's it is, as far as a bit tells? */
static bool
is_clearly_full(Growth *growth, uint32 c, Code value)
{
	return growth->ratios->nvalues <= VALUE_BITS && may_have(&growth->classes[c], value) &&
		!base_is_met(growth->ratios, growth->classes[c].size + 1, 2);
}

/* Is the class clearly too small for somebody who demands so much of his value? */
static inline bool
is_too_small(const Growth *growth, uint32 c, double own)
{
	return own > growth->classes[c].size + 2;
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

static Orphan
orphan_of(const Growth *growth, uint32 shelf, RowId row)
{
	return (Orphan) {
		.shelf = shelf,.row = row,.value = growth->ratios->value[row],
		.own = growth->own == NULL ? 0 : growth->own[row],.home = NO_CLASS,.cost = DBL_MAX
	};
}

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
				adopting->orphans[adopting->norphans++] = orphan_of(growth, s, growth->records->rows[growth->shelves[s].from + i]);
	adopting->first = palloc_extended(sizeof(uint32) * ((Size) n + 1), MCXT_ALLOC_HUGE);
}

static int
compare_values(const void *a, const void *b)
{
	const Orphan *x = a;
	const Orphan *y = b;

	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	if (x->own != y->own)
		return x->own < y->own ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

static void
sort_orphans(Adopting *adopting)
{
	uint32		n = 0;

	qsort(adopting->orphans, adopting->norphans, sizeof(Orphan), compare_values);
	for (uint32 i = 0; i < adopting->norphans; i++)
		if (i == 0 || adopting->orphans[i].value != adopting->orphans[i - 1].value)
			adopting->first[n++] = i;
	adopting->first[n] = adopting->norphans;
	adopting->nvalues = n;
}

/*
 * Offers a class to the orphans of one value, as far as it is large enough for
 * them.  It becomes the crowd, if it is not, where it is not clear without.
 */
static void
offer_to_value(Adopting *adopting, uint32 c, uint32 first, uint32 end, bool *is_crowd)
{
	Growth	   *growth = adopting->growth;
	Code		value = adopting->orphans[first].value;
	bool		is_clear = growth->ratios->first == NULL && !may_have(&growth->classes[c], value);

	for (uint32 i = first; i < end && !is_too_small(growth, c, adopting->orphans[i].own); i++)
	{
		Orphan	   *orphan = &adopting->orphans[i];
		double		cost = cost_of_joining(growth, c, orphan->row, orphan->cost);

		if (cost >= orphan->cost)
			continue;
		if (!is_clear && !*is_crowd)
			crowd_up(growth, c);
		*is_crowd |= !is_clear;
		if (!is_clear && !crowd_has_room(growth->crowd, value))
			return;
		if (!is_clear && !crowd_admits(growth->crowd, orphan->row))
			continue;
		orphan->home = c;
		orphan->cost = cost;
	}
}

static void
offer_class(Adopting *adopting, uint32 c)
{
	bool		is_crowd = false;

	for (uint32 v = 0; v < adopting->nvalues; v++)
		if (!is_clearly_full(adopting->growth, c, adopting->orphans[adopting->first[v]].value))
			offer_to_value(adopting, c, adopting->first[v], adopting->first[v + 1], &is_crowd);
	crowd_clear(adopting->growth->crowd);
}

/* A row that the crowd admits becomes one of the class, and of the crowd. */
static void
join(Growth *growth, uint32 c, RowId row)
{
	grown_add(growth, c, row);
	(void) crowd_add(growth->crowd, row);
	growth->crowd->goal++;
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

		if (orphan.home != NO_CLASS && is_next)
		{
			crowd_clear(growth->crowd);
			crowd_up(growth, orphan.home);
		}
		if (orphan.home == NO_CLASS || !crowd_admits(growth->crowd, orphan.row))
		{
			adopting->orphans[kept++] = orphan_of(growth, orphan.shelf, orphan.row);
			continue;
		}
		join(growth, orphan.home, orphan.row);
	}
	crowd_clear(growth->crowd);
	adopting->norphans = kept;
}

/* ----------------------------------------------------------------
 * Whoever fits
 * ----------------------------------------------------------------
 */

/* The class, which is the crowd, takes in whom it may of one value. */
static void
take_value(Adopting *adopting, uint32 c, uint32 first, uint32 end)
{
	Growth	   *growth = adopting->growth;

	for (uint32 i = first; i < end && !is_too_small(growth, c, adopting->orphans[i].own); i++)
	{
		Orphan	   *orphan = &adopting->orphans[i];

		if (orphan->home != NO_CLASS)
			continue;
		if (!crowd_has_room(growth->crowd, orphan->value))
			return;
		if (!crowd_admits(growth->crowd, orphan->row))
			continue;
		join(growth, c, orphan->row);
		orphan->home = c;
	}
}

/* Might the class take in anybody of a value? */
static bool
is_open_to(const Adopting *adopting, uint32 c, uint32 v)
{
	const Orphan *modest = &adopting->orphans[adopting->first[v]];

	return !is_too_small(adopting->growth, c, modest->own) && !is_clearly_full(adopting->growth, c, modest->value);
}

static void
take_whoever_fits(Adopting *adopting, uint32 c)
{
	Growth	   *growth = adopting->growth;
	bool		is_crowd = false;

	for (uint32 v = 0; v < adopting->nvalues; v++)
	{
		if (!is_open_to(adopting, c, v))
			continue;
		if (!is_crowd)
			crowd_up(growth, c);
		is_crowd = true;
		take_value(adopting, c, adopting->first[v], adopting->first[v + 1]);
	}
	crowd_clear(growth->crowd);
}

static void
forget_homed(Adopting *adopting)
{
	uint32		kept = 0;

	for (uint32 i = 0; i < adopting->norphans; i++)
		if (adopting->orphans[i].home == NO_CLASS)
			adopting->orphans[kept++] = adopting->orphans[i];
	adopting->norphans = kept;
}

/* ----------------------------------------------------------------
 * The whole
 * ----------------------------------------------------------------
 */

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

/* Each finds the class where he loses least; others may come to it before. */
static void
adopt_best(Adopting *adopting, uint32 begin, uint32 end)
{
	sort_orphans(adopting);
	for (uint32 c = begin; c < end; c++)
	{
		CHECK_FOR_INTERRUPTS();
		offer_class(adopting, c);
	}
	join_classes(adopting);
}

/* Each finds a class, whatever he loses. */
static void
adopt_any(Adopting *adopting, uint32 begin, uint32 end)
{
	sort_orphans(adopting);
	for (uint32 c = begin; c < end; c++)
	{
		CHECK_FOR_INTERRUPTS();
		take_whoever_fits(adopting, c);
	}
	forget_homed(adopting);
}

uint32
adopt_from_shelves(Growth *growth, uint32 first, uint32 end, const Adoption *adoption)
{
	Adopting	adopting = {.growth = growth};
	uint32		from = adoption->near > adoption->reach ? adoption->near - adoption->reach : 0;
	uint32		to = Min((uint64) adoption->near + adoption->reach, growth->nclasses);
	uint32		before = 0;

	find_orphans(&adopting, first, end);
	for (int pass = 0; pass < adoption->best + adoption->any && adopting.norphans > 0; pass++)
	{
		if (pass != adoption->best && adopting.norphans == before)
			continue;			/* nothing has changed */
		before = adopting.norphans;
		if (pass < adoption->best)
			adopt_best(&adopting, from, to);
		else
			adopt_any(&adopting, from, to);
	}
	return_orphans(&adopting, first, end);
	pfree(adopting.orphans);
	pfree(adopting.first);
	return adopting.norphans;
}
