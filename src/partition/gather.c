/*
 * gather.c
 *		The records of one block gathered into groups, from the bottom up; and rows
 *		moved to groups of other blocks where they lose less.
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
 *		of the principle.  Rows are borrowed one after the other, from the first on such as
 *		make the borrower's values more even, and both tallies are kept meanwhile.  Joining
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

/* In an exchange a piece looks at so many groups on either side. */
#define WINDOW		64
#define SMALL_WINDOW 16

/* Groups of more pieces are left as they are: each piece is weighed against the rest. */
#define MAX_PIECES	64

/* Savings below this are rounding. */
#define LEAST_SAVING 1e-6

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
	Tally	   *lender;			/* while it lends */
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
	gatherer->lender = tally_create(work->frame->nsensitive);
	return gatherer;
}

/* The rows that a group lacks, as far as k tells. */
static inline uint64
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
	const Group *own = &work->groups[open];
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
		double		moved;
		double		cost;

		if (other == open)
			continue;
		borrow = !gatherer->helping[other - gatherer->base].open &&
			work->groups[other].rows >= spare;
		moved = borrow ? helping->lacking : work->groups[other].rows;
		cost = (own->rows + moved) * *joint_of(gatherer, open, other) - (own->loss * own->rows + work->groups[other].loss * moved);
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
		group_measure(work, group);
		gatherer->alive[i] = group;
		measure_joint(gatherer, group, i);
		ask(gatherer, group);
	}
	for (uint32 i = 0; i < nitems; i++)
		if (gatherer->helping[i].open)
			find_partner(gatherer, gatherer->alive[i]);
}

/* The piece of the lender that widens the borrower least, among all or those that have a row welcome to the tally. */
static uint32
nearest_piece(const Work *work, const Span *hull, const Group *lender, bool any)
{
	const Records *records = work->records;
	uint32		nearest = NO_PIECE;
	double		least = 0;

	for (uint32 p = lender->head; p != NO_PIECE; p = work->pieces[p].next)
	{
		const Piece *piece = &work->pieces[p];
		bool		is_welcome = any;
		double		loss;

		if (piece_rows(piece) == 0)
			continue;
		loss = widened_loss(records, hull, record_tuple(records, piece->record), DBL_MAX);
		if (nearest != NO_PIECE && !(loss < least))
			continue;
		for (uint32 i = piece->begin; i < piece->end && !is_welcome; i++)
		{
			CHECK_FOR_INTERRUPTS();
			is_welcome = value_is_welcome(work->principle, work->tally, work->sensitive[i]);
		}
		if (!is_welcome)
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
borrow_rows(Gatherer *gatherer, uint32 borrower, uint32 lender)
{
	Work	   *work = gatherer->work;
	bool		done;

	add_group(work, work->tally, &work->groups[borrower]);
	add_group(work, gatherer->lender, &work->groups[lender]);
	while (!(done = principle_allows(work->principle, work->tally)) &&
		   gatherer->lender->rows > work->principle->k)
	{
		uint32		p = nearest_piece(work, group_hull(work, borrower), &work->groups[lender], work->tally->rows < work->principle->k);

		if (p == NO_PIECE)
			break;
		take_rows(work, borrower, p, choose_rows(gatherer, &work->pieces[p]));
		group_measure(work, borrower);
	}
	group_measure(work, lender);
	done &= principle_allows(work->principle, gatherer->lender);
	tally_clear(work->tally);
	tally_clear(gatherer->lender);
	return done;
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

/* Helps one open group, by rows of its partner or by all of them, and lets those who counted on the two look again. */
static void
help(Gatherer *gatherer, uint32 open)
{
	Work	   *work = gatherer->work;
	Helping    *helping = &gatherer->helping[open - gatherer->base];
	uint32		partner = helping->partner;

	if (helping->borrow && borrow_rows(gatherer, open, partner))
		measure_joint(gatherer, partner, gatherer->nalive);
	else
	{
		uint32	   *link = &work->groups[open].head;
		uint32		n = 0;

		while (*link != NO_PIECE)
			link = &work->pieces[*link].next;
		*link = work->groups[partner].head;
		work->groups[partner] = (Group) {0, 0, NO_PIECE};
		group_measure(work, open);
		for (uint32 i = 0; i < gatherer->nalive; i++)
			if (gatherer->alive[i] != partner)
				gatherer->alive[n++] = gatherer->alive[i];
		gatherer->nalive = n;
	}
	measure_joint(gatherer, open, gatherer->nalive);
	ask(gatherer, open);
	for (uint32 i = 0; i < gatherer->nalive; i++)
	{
		const Helping *other = &gatherer->helping[gatherer->alive[i] - gatherer->base];

		if (other->open && (other == helping || other->partner == open || other->partner == partner))
			find_partner(gatherer, gatherer->alive[i]);
	}
}

/* Gathers the records of a block, which is allowed as a whole, into groups. */
void
gather_records(Gatherer *gatherer, const uint32 *items, uint32 nitems)
{
	Work	   *work = gatherer->work;
	uint32		open;

	Assert(nitems <= MAX_BLOCK);
	open_block(gatherer, items, nitems);
	while ((open = cheapest_to_help(gatherer)) != NO_PARTNER)
	{
		CHECK_FOR_INTERRUPTS();
		help(gatherer, open);
	}
	/* The groups that are left close ranks. */
	for (uint32 i = 0; i < gatherer->nalive; i++)
	{
		uint32		from = gatherer->alive[i];
		uint32		to = gatherer->base + i;

		Assert(!gatherer->helping[from - gatherer->base].open);
		work->groups[to] = work->groups[from];
		memmove(group_hull(work, to), group_hull(work, from), sizeof(Span) * work->records->ndimensions);
	}
	work->ngroups = gatherer->base + gatherer->nalive;
}

/* ----------------------------------------------------------------
 * Moving rows to groups where they lose less
 *
 * Blocks are gathered one by one, so what fits nowhere in its own block may
 * fit well in another.  One pass over the groups: from a group that is larger
 * than it must be, pieces move to the group where that saves most; a group all
 * of whose pieces are better off elsewhere is dissolved.
 *
 * Groups stand in the order of the cuts, so that near ones are alike: a piece looks
 * at a window of them, and time stays linear.  Groups that lose less than the average
 * have little to save, and only receive.
 * ----------------------------------------------------------------
 */

/* Where rows of one piece would go, and what that costs or saves. */
typedef struct Move
{
	uint32		piece;
	uint32		rows;
	uint32		target;
	double		value;
} Move;

/* Counts the rows that a move takes from its piece, the last ones. */
static void
add_leaving(Work *work, const Move *move)
{
	count_rows(work, work->pieces[move->piece].end - move->rows, work->pieces[move->piece].end);
}

/* Is a target allowed with rows that move there, and with those that are going there already? */
static bool
target_allowed(Work *work, uint32 target, const Move *going, uint32 n, const Move *move)
{
	if (work->monotonous)
		return true;
	add_group(work, work->tally, &work->groups[target]);
	for (uint32 i = 0; i < n; i++)
		if (going[i].target == target)
			add_leaving(work, &going[i]);
	add_leaving(work, move);
	return allowed_at_once(work);
}

/*
 * Finds the cheapest target for a piece; false if none costs less than the limit, or is
 * allowed with it.  So many moves are decided already.
 */
static bool
find_target(Work *work, uint32 group, Move *move, double limit, const Move *going, uint32 ngoing)
{
	const Code *tuple = record_tuple(work->records, work->pieces[move->piece].record);
	uint32		window = work->many_records ? SMALL_WINDOW : WINDOW;
	uint32		from = group > window ? group - window : 0;
	uint32		to = Min(work->ngroups, group + window + 1);
	bool		found = false;

	for (uint32 target = from; target < to; target++)
	{
		const Group *there = &work->groups[target];
		double		rows = there->rows + (double) move->rows;
		double		before = there->loss * there->rows;
		double		cost;

		/* The rows that move lose no less there than those that are there. */
		if (target == group || there->rows == 0 || there->loss * move->rows >= limit)
			continue;
		/* The loss that the rows add to it; no less than the limit once it cannot be below. */
		cost = rows * widened_loss(work->records, group_hull(work, target), tuple, (limit + before) / rows) - before;
		if (cost < limit && target_allowed(work, target, going, ngoing, move))
		{
			limit = move->value = cost;
			move->target = target;
			found = true;
		}
	}
	return found;
}

/* The loss that is saved in a group when rows of one piece leave, their own included. */
static double
saving_of_leaving(Work *work, uint32 group, uint32 piece, uint32 leaving)
{
	const Group *from = &work->groups[group];

	hull_clear(work->records, work->hull);
	for (uint32 p = from->head; p != NO_PIECE; p = work->pieces[p].next)
		if (piece_rows(&work->pieces[p]) > (p == piece ? leaving : 0))
			hull_add_tuple(work->records, work->hull,
						   record_tuple(work->records, work->pieces[p].record));
	return from->loss * from->rows -
		(from->rows - leaving) * hull_loss(work->records, work->hull);
}

/* Moves the last rows of a piece to the target. */
static void
move_rows(Work *work, uint32 group, const Move *move)
{
	take_rows(work, move->target, move->piece, move->rows);
	group_measure(work, group);
	group_measure(work, move->target);
}

/* Moves what a group can spare to where most is saved; false if there is nothing. */
static bool
spare_rows(Work *work, uint32 group)
{
	const Group *from = &work->groups[group];
	uint64		spare = from->rows - Max(1, work->principle->k);
	Move		best = {.piece = NO_PIECE, .value = LEAST_SAVING};

	for (uint32 p = from->head; p != NO_PIECE; p = work->pieces[p].next)
	{
		Move		move = {.piece = p, .rows = Min(piece_rows(&work->pieces[p]), spare)};
		double		saving;

		if (move.rows == 0)
			continue;
		saving = saving_of_leaving(work, group, p, move.rows);
		if (saving <= best.value || !group_allowed(work, from, p, move.rows) ||
			!find_target(work, group, &move, saving - best.value, NULL, 0))
			continue;
		move.value = saving - move.value;
		best = move;
	}
	if (best.piece == NO_PIECE)
		return false;
	move_rows(work, group, &best);
	return true;
}

/* Dissolves a group if all its rows together lose less elsewhere. */
static void
dissolve(Work *work, uint32 group)
{
	const Group *from = &work->groups[group];
	Move		moves[MAX_PIECES];
	uint32		n = 0;
	double		left = from->loss * from->rows - LEAST_SAVING;

	for (uint32 p = from->head; p != NO_PIECE; p = work->pieces[p].next)
	{
		Move	   *move = &moves[n];

		if (piece_rows(&work->pieces[p]) == 0)
			continue;
		*move = (Move) {.piece = p, .rows = piece_rows(&work->pieces[p])};
		if (!find_target(work, group, move, left, moves, n))
			return;
		/* Two pieces that go to one group may cost more, or less, than each alone. */
		left -= move->value;
		n++;
	}
	for (uint32 i = 0; i < n; i++)
		move_rows(work, group, &moves[i]);
}

void
exchange_rows(Work *work)
{
	double		loss = 0;
	double		rows = 0;
	double		mean;			/* loss of a row */

	for (uint32 g = 0; g < work->ngroups; g++)
	{
		loss += work->groups[g].loss * work->groups[g].rows;
		rows += work->groups[g].rows;
	}
	mean = loss / Max(rows, 1);
	for (uint32 g = 0; g < work->ngroups; g++)
	{
		Group	   *group = &work->groups[g];
		uint32		npieces = 0;

		CHECK_FOR_INTERRUPTS();
		if (group->loss <= mean)
			continue;
		for (uint32 p = group->head; p != NO_PIECE && npieces <= MAX_PIECES; p = work->pieces[p].next)
			npieces++;
		if (npieces > MAX_PIECES)
			continue;
		while (group->rows > work->principle->k && group->loss > mean && spare_rows(work, g))
			;
		if (group->loss > mean)
			dissolve(work, g);
	}
}
