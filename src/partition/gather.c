/*
 * gather.c
 *		The records of one block gathered into groups, from the bottom up.
 *
 * Where a strict cut stops, ties decide: a record of 19 rows beside one of 3 is
 * one class of 22 to it.  Here each record starts as a group of its own; as
 * long as there are groups that the principle does not allow (open ones), the
 * one that can be helped at the least cost is: it borrows the rows that it
 * lacks from an allowed group that can spare them, or joins another group.
 *
 * NOTES
 *		The cost is the loss added over all rows concerned, by the hulls as they
 *		are.  How many rows an open group lacks is estimated by k alone if the principle is
 *		monotonous; whether it is allowed, and whether the lender still is, is asked
 *		of the principle.  Beyond k it can only be sensitive values that are lacking:
 *		rows that bring one are looked for, as a rare one may not be come upon soon.
 *
 *		If the principle is not monotonous, rows are borrowed one after the other, from the first on
 *		such as make the borrower's values more even, and both tallies are kept meanwhile.  Joining
 *		may open an allowed group again; but the block as a whole is allowed, so joining ends.
 *
 *		Whatever the costs, even not a number where a domain is infinitely wide,
 *		an open group finds a partner while there is any other.
 *
 *		Each group remembers its best partner, and looks for another when that one changes.  The loss of any two
 *		groups together is kept, and measured again for the two that changed: a search would measure it many times.
 *		That makes a block of n records cost about n^2 spans, hence MAX_BLOCK.
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "miscadmin.h"

#include "partition/groups.h"

#define NO_PARTNER PG_UINT32_MAX

/* How an open group can be helped at the least cost. */
typedef struct Helping
{
	bool		open;
	bool		borrow;			/* or join */
	uint32		partner;		/* a group, or NO_PARTNER */
	uint64		lacking;		/* rows */
	double		cost;
} Helping;

struct Gatherer
{
	Work	   *work;			/* borrowed */
	Tally	   *lender;			/* while it lends, where the principle is not monotonous */
	uint32		base;			/* the first group of the block */
	uint32		nalive;
	uint32		alive[MAX_BLOCK];	/* groups, ascending */
	Helping		helping[MAX_BLOCK]; /* by group - base */
	double		(*joint)[MAX_BLOCK];	/* [group - base][group - base] loss of a row of two groups together */
};

Gatherer *
gatherer_create(Work *work)
{
	Gatherer   *gatherer = palloc0(sizeof(Gatherer));

	gatherer->work = work;
	gatherer->joint = palloc(sizeof(double[MAX_BLOCK]) * MAX_BLOCK);
	if (!work->monotonous)
		gatherer->lender = tally_create(work->frame->nsensitive);
	return gatherer;
}

/* The rows that a group lacks, as far as k tells. */
static uint64
rows_lacking(const Work *work, const Group *group)
{
	return group->rows < work->principle->k ? work->principle->k - group->rows : 1;
}

/* Asks whether a group is open, and what it lacks. */
static void
ask(Gatherer *gatherer, uint32 g)
{
	Work	   *work = gatherer->work;
	const Group *group = &work->groups[g];
	Helping    *helping = &gatherer->helping[g - gatherer->base];
	double		lack;

	if (work->monotonous)
	{
		helping->open = !group_allowed(work, group, NO_PIECE, 0);
		helping->lacking = rows_lacking(work, group);
		return;
	}
	add_group(work, work->tally, group);
	helping->open = !principle_allows(work->principle, work->tally);
	lack = helping->open ? principle_lack(work->principle, work->tally) : 0;
	helping->lacking = Max(rows_lacking(work, group), Min(ceil(lack), PG_UINT32_MAX));
	tally_clear(work->tally);
}

/* The loss of a row of two groups together. */
static inline double *
joint_of(Gatherer *gatherer, uint32 group, uint32 other)
{
	return &gatherer->joint[group - gatherer->base][other - gatherer->base];
}

/* Measures the loss of a group together with each of the first n that are alive, dimension by dimension. */
static void
measure_joint(Gatherer *gatherer, uint32 group, uint32 n)
{
	const Records *records = gatherer->work->records;
	const Span *own = group_hull(gatherer->work, group);
	double		loss[MAX_BLOCK] = {0};

	for (int d = 0; d < records->ndimensions; d++)
	{
		const Dimension *dimension = &records->dimensions[d];
		const Span	span = own[d];

		for (uint32 i = 0; i < n; i++)
		{
			Span		other = group_hull(gatherer->work, gatherer->alive[i])[d];

			loss[i] += span_loss(dimension, Min(span.lo, other.lo), Max(span.hi, other.hi));
		}
	}
	for (uint32 i = 0; i < n; i++)
		*joint_of(gatherer, group, gatherer->alive[i]) = *joint_of(gatherer, gatherer->alive[i], group) = loss[i];
}

/* The cost for a group to borrow rows from another, or to join it. */
static double
cost_of_help(Gatherer *gatherer, uint32 open, uint32 other, uint64 moved)
{
	const Group *a = &gatherer->work->groups[open];
	const Group *b = &gatherer->work->groups[other];
	double		rows = a->rows + moved;

	return rows * *joint_of(gatherer, open, other) - (a->loss * a->rows + b->loss * moved);
}

/*
 * The least cost of helping two groups further that join and are still not allowed: the rows that
 * will be lacking lose no less than these two.  Fewer than k rows are joined again in any case.  The tally holds the first group.
 */
static double
cost_of_further_help(Gatherer *gatherer, uint32 open, uint32 other)
{
	Work	   *work = gatherer->work;
	double		lack = 0;

	if (work->groups[open].rows + work->groups[other].rows < work->principle->k)
		return 0;
	add_group(work, work->tally, &work->groups[other]);
	if (!principle_allows(work->principle, work->tally))
		lack = principle_lack(work->principle, work->tally) + 1;
	remove_group(work, work->tally, &work->groups[other]);
	return lack == 0 ? 0 : lack * *joint_of(gatherer, open, other);
}

/* Finds the partner that helps an open group at the least cost. */
static void
find_partner(Gatherer *gatherer, uint32 open)
{
	Work	   *work = gatherer->work;
	Helping    *helping = &gatherer->helping[open - gatherer->base];
	uint64		spare = work->principle->k + helping->lacking;

	helping->partner = NO_PARTNER;
	helping->cost = 0;
	if (!work->monotonous)
		add_group(work, work->tally, &work->groups[open]);
	for (uint32 i = 0; i < gatherer->nalive; i++)
	{
		uint32		other = gatherer->alive[i];
		double		limit = helping->partner == NO_PARTNER ? DBL_MAX : helping->cost;
		bool		borrow;
		double		cost;

		if (other == open)
			continue;
		borrow = !gatherer->helping[other - gatherer->base].open &&
			work->groups[other].rows >= spare;
		cost = cost_of_help(gatherer, open, other, borrow ? helping->lacking : work->groups[other].rows);
		if (cost < limit && !borrow && !work->monotonous)
			cost += cost_of_further_help(gatherer, open, other);
		if (helping->partner == NO_PARTNER || cost < limit)
		{
			helping->partner = other;
			helping->cost = cost;
			helping->borrow = borrow;
		}
	}
	tally_clear(work->tally);
}

/* Starts a block: a group for each record. */
static void
open_block(Gatherer *gatherer, const uint32 *items, uint32 nitems)
{
	Work	   *work = gatherer->work;
	const uint32 *first = work->records->first;

	gatherer->base = work->ngroups;
	gatherer->nalive = nitems;
	for (uint32 i = 0; i < nitems; i++)
	{
		uint32		group = group_create(work);
		uint32		piece = piece_create(work, items[i], first[items[i]],
										 first[items[i] + 1], NO_PIECE);

		work->groups[group].head = piece;
		group_measure(work, &work->groups[group], group_hull(work, group));
		gatherer->alive[i] = group;
		measure_joint(gatherer, group, i);
		ask(gatherer, group);
	}
	for (uint32 i = 0; i < nitems; i++)
		if (gatherer->helping[i].open)
			find_partner(gatherer, gatherer->alive[i]);
}

/* The rows of another group become a group's. */
static void
join(Gatherer *gatherer, uint32 group, uint32 other)
{
	Work	   *work = gatherer->work;
	uint32	   *link = &work->groups[group].head;
	uint32		n = 0;

	while (*link != NO_PIECE)
		link = &work->pieces[*link].next;
	*link = work->groups[other].head;
	work->groups[other] = (Group) {0, 0, NO_PIECE};
	group_measure(work, &work->groups[group], group_hull(work, group));
	for (uint32 i = 0; i < gatherer->nalive; i++)
		if (gatherer->alive[i] != other)
			gatherer->alive[n++] = gatherer->alive[i];
	gatherer->nalive = n;
}

/* The piece of the lender that widens the borrower least. */
static uint32
nearest_piece(const Work *work, const Span *hull, const Group *lender)
{
	const Records *records = work->records;
	uint32		nearest = NO_PIECE;
	double		least = 0;

	for (uint32 p = lender->head; p != NO_PIECE; p = work->pieces[p].next)
	{
		double		loss;

		if (piece_rows(&work->pieces[p]) == 0)
			continue;
		memcpy(work->hull, hull, sizeof(Span) * records->ndimensions);
		hull_add_tuple(records, work->hull, record_tuple(records, work->pieces[p].record));
		loss = hull_loss(records, work->hull);
		if (nearest == NO_PIECE || loss < least)
		{
			nearest = p;
			least = loss;
		}
	}
	return nearest;
}

/* Moves the last rows of a piece to another group, which is not measured. */
static void
take_rows(Work *work, uint32 borrower, uint32 p, uint32 rows)
{
	Piece	   *from = &work->pieces[p];
	uint32		piece;

	from->end -= rows;
	piece = piece_create(work, from->record, from->end, from->end + rows,
						 work->groups[borrower].head);
	work->groups[borrower].head = piece;
}

/* Moves the last rows of a piece of the lender; false if that spoilt the lender. */
static bool
lend_rows(Work *work, uint32 borrower, uint32 lender, uint32 p, uint32 rows)
{
	if (!group_allowed(work, &work->groups[lender], p, rows))
		return false;
	take_rows(work, borrower, p, rows);
	group_measure(work, &work->groups[borrower], group_hull(work, borrower));
	group_measure(work, &work->groups[lender], group_hull(work, lender));
	return true;
}

/* The last row of a piece whose sensitive value the tally lacks, or the piece's end. */
static uint32
find_new_value(const Work *work, const Piece *piece)
{
	for (uint32 i = piece->end; i-- > piece->begin;)
	{
		Code		value = work->sensitive[i];

		CHECK_FOR_INTERRUPTS();
		if (value != NO_CODE && work->tally->count[value] == 0)
			return i;
	}
	return piece->end;
}

/*
 * The piece of the lender that widens the borrower least among those that have
 * a sensitive value which the borrower lacks.  A row with it is put last.
 */
static uint32
nearest_new_value(Work *work, uint32 borrower, uint32 lender)
{
	Piece	   *pieces = work->pieces;
	uint32		nearest = NO_PIECE;
	uint32		found = 0;
	double		least = 0;

	for (uint32 p = work->groups[borrower].head; p != NO_PIECE; p = pieces[p].next)
		count_rows(work, pieces[p].begin, pieces[p].end);
	for (uint32 p = work->groups[lender].head; p != NO_PIECE; p = pieces[p].next)
	{
		double		loss = widened_loss(work->records, group_hull(work, borrower),
										record_tuple(work->records, pieces[p].record), DBL_MAX);
		uint32		row;

		if (nearest != NO_PIECE && !(loss < least))
			continue;
		row = find_new_value(work, &pieces[p]);
		if (row == pieces[p].end)
			continue;
		nearest = p;
		found = row;
		least = loss;
	}
	for (uint32 p = work->groups[borrower].head; p != NO_PIECE; p = pieces[p].next)
		uncount_rows(work, pieces[p].begin, pieces[p].end);
	if (nearest != NO_PIECE)
		swap_rows(work, found, pieces[nearest].end - 1);
	return nearest;
}

/*
 * A group takes rows from another until it is allowed: any at first, as many as
 * k asks for, and then only such as have a sensitive value that it lacks.  False
 * when the lender would no longer be allowed; what was taken by then stays with
 * the borrower.
 */
static bool
borrow_rows(Work *work, uint32 borrower, uint32 lender)
{
	while (!group_allowed(work, &work->groups[borrower], NO_PIECE, 0))
	{
		const Group *group = &work->groups[borrower];
		uint64		lacking = rows_lacking(work, group);
		uint32		p = group->rows < work->principle->k
			? nearest_piece(work, group_hull(work, borrower), &work->groups[lender])
			: nearest_new_value(work, borrower, lender);

		if (p == NO_PIECE ||
			!lend_rows(work, borrower, lender, p, Min(lacking, piece_rows(&work->pieces[p]))))
			return false;
	}
	return true;
}

/* Is there a row in a piece of the lender that would make the borrower's values more even? */
static bool
is_welcome(const Gatherer *gatherer, const Piece *piece)
{
	const Work *work = gatherer->work;

	for (uint32 i = piece->begin; i < piece->end; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (value_is_welcome(work->principle, work->tally, work->sensitive[i]))
			return true;
	}
	return false;
}

/* The piece of the lender that widens the borrower least among those that have a welcome row. */
static uint32
nearest_welcome(const Gatherer *gatherer, const Span *hull, const Group *lender)
{
	const Work *work = gatherer->work;
	uint32		nearest = NO_PIECE;
	double		least = 0;

	for (uint32 p = lender->head; p != NO_PIECE; p = work->pieces[p].next)
	{
		const Piece *piece = &work->pieces[p];
		double		loss;

		if (piece_rows(piece) == 0)
			continue;
		loss = widened_loss(work->records, hull, record_tuple(work->records, piece->record), DBL_MAX);
		if ((nearest != NO_PIECE && !(loss < least)) || !is_welcome(gatherer, piece))
			continue;
		nearest = p;
		least = loss;
	}
	return nearest;
}

/* Counts a row of the lender, by its place, as the borrower's. */
static void
count_moved(Gatherer *gatherer, uint32 row)
{
	tally_add(gatherer->work->tally, gatherer->work->sensitive[row]);
	tally_remove(gatherer->lender, gatherer->work->sensitive[row]);
}

/*
 * Puts the welcome rows of a piece last, until the borrower is allowed with them, and then any others
 * that k asks for.  Returns how many.
 */
static uint32
choose_rows(Gatherer *gatherer, const Piece *piece)
{
	Work	   *work = gatherer->work;
	uint32		chosen = piece->end;

	for (uint32 i = piece->end; i-- > piece->begin && !principle_allows(work->principle, work->tally);)
	{
		CHECK_FOR_INTERRUPTS();
		if (!value_is_welcome(work->principle, work->tally, work->sensitive[i]))
			continue;
		count_moved(gatherer, i);
		swap_rows(work, i, --chosen);
	}
	while (chosen > piece->begin && work->tally->rows < work->principle->k)
		count_moved(gatherer, --chosen);
	return piece->end - chosen;
}

/*
 * A group takes rows from another until it is allowed, from near pieces first: any, though rather welcome ones,
 * as long as k asks for them.  False when the lender would no longer be allowed; what was taken
 * by then stays with the borrower.
 */
static bool
borrow_evenly(Gatherer *gatherer, uint32 borrower, uint32 lender)
{
	Work	   *work = gatherer->work;
	bool		done;

	add_group(work, work->tally, &work->groups[borrower]);
	add_group(work, gatherer->lender, &work->groups[lender]);
	while (!(done = principle_allows(work->principle, work->tally)) &&
		   gatherer->lender->rows > work->principle->k)
	{
		const Span *hull = group_hull(work, borrower);
		const Group *from = &work->groups[lender];
		uint32		p = work->tally->rows < work->principle->k
			? nearest_piece(work, hull, from) : nearest_welcome(gatherer, hull, from);

		if (p == NO_PIECE)
			break;
		take_rows(work, borrower, p, choose_rows(gatherer, &work->pieces[p]));
		group_measure(work, &work->groups[borrower], group_hull(work, borrower));
	}
	group_measure(work, &work->groups[lender], group_hull(work, lender));
	done &= principle_allows(work->principle, gatherer->lender);
	tally_clear(work->tally);
	tally_clear(gatherer->lender);
	return done;
}

static bool
borrow(Gatherer *gatherer, uint32 borrower, uint32 lender)
{
	return gatherer->work->monotonous ? borrow_rows(gatherer->work, borrower, lender)
		: borrow_evenly(gatherer, borrower, lender);
}

/* The open group that can be helped at the least cost, or NO_PARTNER. */
static uint32
cheapest_to_help(const Gatherer *gatherer)
{
	uint32		cheapest = NO_PARTNER;
	double		cost = 0;

	for (uint32 i = 0; i < gatherer->nalive; i++)
	{
		const Helping *helping = &gatherer->helping[gatherer->alive[i] - gatherer->base];

		if (!helping->open || helping->partner == NO_PARTNER)
			continue;
		if (cheapest == NO_PARTNER || helping->cost < cost)
		{
			cheapest = gatherer->alive[i];
			cost = helping->cost;
		}
	}
	return cheapest;
}

/* Helps one open group, and lets those who counted on the two look again. */
static void
help(Gatherer *gatherer, uint32 open)
{
	Helping    *helping = &gatherer->helping[open - gatherer->base];
	uint32		partner = helping->partner;

	if (helping->borrow && borrow(gatherer, open, partner))
		measure_joint(gatherer, partner, gatherer->nalive);
	else
		join(gatherer, open, partner);
	measure_joint(gatherer, open, gatherer->nalive);
	ask(gatherer, open);
	for (uint32 i = 0; i < gatherer->nalive; i++)
	{
		const Helping *other = &gatherer->helping[gatherer->alive[i] - gatherer->base];

		if (other->open && (other == helping || other->partner == open || other->partner == partner))
			find_partner(gatherer, gatherer->alive[i]);
	}
}

/* Ends a block: the groups that are left close ranks. */
static void
close_block(Gatherer *gatherer)
{
	Work	   *work = gatherer->work;

	for (uint32 i = 0; i < gatherer->nalive; i++)
	{
		uint32		from = gatherer->alive[i];
		uint32		to = gatherer->base + i;

		Assert(!gatherer->helping[from - gatherer->base].open);
		work->groups[to] = work->groups[from];
		memmove(group_hull(work, to), group_hull(work, from),
				sizeof(Span) * work->records->ndimensions);
	}
	work->ngroups = gatherer->base + gatherer->nalive;
}

/* Gathers the records of a block, which is allowed as a whole, into groups. */
void
gather_records(Gatherer *gatherer, const uint32 *items, uint32 nitems)
{
	uint32		open;

	Assert(nitems <= MAX_BLOCK);
	open_block(gatherer, items, nitems);
	while ((open = cheapest_to_help(gatherer)) != NO_PARTNER)
	{
		CHECK_FOR_INTERRUPTS();
		help(gatherer, open);
	}
	close_block(gatherer);
}
