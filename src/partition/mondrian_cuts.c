/*
 * mondrian_cuts.c
 *		The best strict cut of a set of records.
 *
 * After LeFevre, DeWitt, Ramakrishnan: Mondrian Multidimensional K-Anonymity
 * (ICDE 2006), but dimension and cut are chosen by what they are measured to
 * save, not by the widest range.  A line may be cut between any two codes.  A
 * tree is cut between the children of the lowest node that covers the set:
 * into those on the left and on the right, into the largest child and the
 * rest, or into all children at once, those too small by themselves staying
 * together.
 *
 * NOTES
 *		Cuts compete by loss saved per bit of information that tells the parts
 *		apart.  Bits are what k leaves little of: a set of n rows can be told
 *		apart by at most log2(n / k) of them.  By plain loss a cut into many parts
 *		would always win, and spend it all at once.  But some dimensions are
 *		all or nothing, and cheap cuts can eat up what their one cut needs: so
 *		a cut that will be out of reach is taken now, if it saves more than all
 *		other dimensions lose.
 *
 *		Records whose place in the dimension is the same never part here; that
 *		is left to gather.c and deal.c.
 *
 *		If the principle is monotonous, all boundaries between two are allowed that are.
 *		Any other is asked of both sides of each boundary that would be the best so
 *		far; between two such questions only the rows between the two boundaries are counted.
 *
 *		Items stand side by side with their tuples, which move with them when the set is cut.  It is sorted
 *		by its codes; a run is those of a code, or of a child of the lowest node that covers the set.
 */
#include "postgres.h"

#include <math.h>

#include "frame/arrays.h"
#include "miscadmin.h"
#include "partition/groups.h"

/* Parts differ in size: a cut needs so many times k rows a part to be within reach. */
#define SLACK 4.0

/* Savings below this are rounding. */
#define LEAST_SAVING 1e-9

/*
 * To look along one dimension means to measure all of them: where there are
 * many, those that saved most per bit when last looked along come first, and
 * once so many have offered a cut the others wait.  One that waits gains by so
 * much each time, so that none waits forever.
 */
#define MAX_OFFERS	8
#define WAITING		1.1

/* Children that cannot stand alone are offered to so many others, the smallest ones first. */
#define MAX_HOSTS	4

/*
 * Codes in a range up to this wide are sorted by counting in any case, and
 * those in one wider than there are items by digits of so many bits.
 */
#define DIGIT_BITS	10
#define MIN_COUNTED (1 << DIGIT_BITS)

/* Records that are still to be cut, from the top down: first all of them, as one part. */
typedef struct CutStack
{
	uint32	   *items;			/* [records] permuted, so that each part's stand together */
	Code	   *tuples;			/* [records * dimensions] theirs, which move with them: parts are read again and again */
	uint32	   *nrows;			/* [records] likewise */
	Part	   *parts;
	uint32		depth;
	uint32		allocated;
} CutStack;

/* Consecutive items that a dimension does not part: those of a code, or of a child. */
typedef struct CutRun
{
	uint32		from;			/* order[from] is the first */
	uint32		rows;
	double		left_loss;		/* of all before this one */
	bool		allowed;		/* by itself */
} CutRun;

typedef enum Shape
{
	NO_CUT,
	TWO_SIDES,					/* runs before one, and from it on */
	CHILD_AND_REST,				/* one run, and all others */
	ALL_CHILDREN				/* each run that is allowed, and the others */
} Shape;

typedef struct Cut
{
	Shape		shape;
	int			d;				/* dimension */
	uint32		run;
	double		saved;			/* loss, over all rows */
	double		spent;			/* bits, over all rows */
} Cut;

/* One side of a cut while runs come to it.  In most dimensions it soon is as wide as the set, and need not be looked at. */
typedef struct Side
{
	Span	   *hull;			/* [dimensions] */
	double	   *losses;			/* [dimensions] of one row */
	int		   *narrow;			/* [dimensions] other than that at hand where it is not that wide yet */
	int			nnarrow;
} Side;

struct Cutter
{
	Work	   *work;			/* borrowed */
	CutStack	stack;

	/* The set to be cut: a part of the stack.  An item is a place in it. */
	uint32		nitems;
	uint32	   *record;			/* [nitems] */
	Code	   *tuples;			/* [nitems * dimensions] */
	uint32	   *nrows;			/* [nitems] */
	uint64		rows;
	double		loss;			/* of all rows together */
	Span	   *hull;			/* [dimensions] */

	/* The set along one dimension */
	int			d;				/* -1: it is not laid out yet */
	uint32	   *order;			/* [nitems] the items by their codes */
	uint32	   *spare;			/* [nitems] where they are sorted from, or to */
	Code	   *held;			/* [dimensions] a tuple that is being moved */
	uint32		nruns;
	CutRun	   *runs;			/* [nruns + 1] the last one is an end mark */
	Part	   *parts;			/* [nruns + 1] room for those that a cut makes, counted from the set's start */
	uint32	   *place;			/* [nitems + MIN_COUNTED + 1] */
	Side		side;

	/* The values on both sides of a boundary, where the principle is not monotonous */
	Tally	   *all;			/* of the set; empty until it is asked for */
	Tally	   *before;
	Tally	   *behind;
	uint32		boundary;		/* a run, the first one behind; 0 if nothing was counted yet */

	/* Which dimension to look along first; kept from set to set */
	int		   *ranked;			/* [dimensions] */
	double	   *promise;		/* [dimensions] what may be saved per bit; 0 if no cut was offered */

	/* The best cuts so far */
	Cut			densest;		/* saves most per bit */
	Cut			greatest;		/* saves most */
};

Cutter *
cutter_create(Work *work)
{
	const Records *records = work->records;
	Cutter	   *cutter = palloc0(sizeof(Cutter));
	Size		n = (Size) records->nrecords + 1;
	Size		ndimensions = Max(1, records->ndimensions);
	Code		most_runs = 1;

	cutter->work = work;
	cutter->hull = palloc(sizeof(Span) * ndimensions);
	cutter->ranked = palloc(sizeof(int) * ndimensions);
	cutter->promise = palloc(sizeof(double) * ndimensions);
	for (int d = 0; d < (int) ndimensions; d++)
		cutter->promise[d] = 1;
	for (int d = 0; d < records->ndimensions; d++)
		most_runs = Max(most_runs, records->dimensions[d].size);
	cutter->held = palloc(sizeof(Code) * ndimensions);
	cutter->side.hull = palloc(sizeof(Span) * ndimensions);
	cutter->side.losses = palloc(sizeof(double) * ndimensions);
	cutter->side.narrow = palloc(sizeof(int) * ndimensions);
	cutter->order = new_array(uint32, n);
	cutter->spare = new_array(uint32, n);
	cutter->place = new_array(uint32, n + MIN_COUNTED); /* and so for all buckets */
	cutter->runs = new_array(CutRun, Min(n, most_runs));
	cutter->parts = new_array(Part, Min(n, most_runs));
	if (!work->monotonous)
	{
		cutter->all = tally_create(work->frame->nsensitive);
		cutter->before = tally_create(work->frame->nsensitive);
		cutter->behind = tally_create(work->frame->nsensitive);
	}
	cutter->stack.items = new_array(uint32, records->nrecords);
	cutter->stack.tuples = new_array(Code, records->nrecords * ndimensions);
	cutter->stack.nrows = new_array(uint32, records->nrecords);
	memcpy(cutter->stack.tuples, records->tuples, sizeof(Code) * records->nrecords * records->ndimensions);
	for (uint32 i = 0; i < records->nrecords; i++)
	{
		cutter->stack.items[i] = i;
		cutter->stack.nrows[i] = record_rows(records, i);
	}
	leave_parts(cutter, 0, &(Part) {0, records->nrecords}, records->nrecords > 0);
	return cutter;
}

bool
next_part(Cutter *cutter, Part *part, const uint32 **items)
{
	if (cutter->stack.depth == 0)
		return false;
	*part = cutter->stack.parts[--cutter->stack.depth];
	*items = cutter->stack.items + part->from;
	return true;
}

void
leave_parts(Cutter *cutter, uint32 start, const Part *parts, uint32 nparts)
{
	CutStack   *stack = &cutter->stack;

	array_reserve(stack->parts, stack->allocated, stack->depth + nparts);
	for (uint32 i = 0; i < nparts; i++)
		stack->parts[stack->depth++] = (Part) {start + parts[i].from, start + parts[i].to};
}

/* ----------------------------------------------------------------
 * A set along one dimension
 * ----------------------------------------------------------------
 */

static inline const Code *
item_tuple(const Cutter *cutter, uint32 item)
{
	return &cutter->tuples[(Size) item * cutter->work->records->ndimensions];
}

/* Makes a part of the stack the set to be cut, and forgets the cuts of the set before. */
static void
measure_set(Cutter *cutter, Part part)
{
	const CutStack *stack = &cutter->stack;
	const Records *records = cutter->work->records;

	cutter->nitems = part.to - part.from;
	cutter->record = stack->items + part.from;
	cutter->tuples = stack->tuples + (Size) part.from * records->ndimensions;
	cutter->nrows = stack->nrows + part.from;
	cutter->rows = 0;
	cutter->d = -1;
	hull_clear(records, cutter->hull);
	for (uint32 i = 0; i < cutter->nitems; i++)
	{
		hull_add_tuple(records, cutter->hull, item_tuple(cutter, i));
		cutter->rows += cutter->nrows[i];
	}
	cutter->loss = cutter->rows * hull_loss(records, cutter->hull);
	cutter->densest = cutter->greatest = (Cut) {.shape = NO_CUT};
	if (cutter->all != NULL)
		tally_clear(cutter->all);
}

/* One stable pass of counting sort over some bits of the codes; from is NULL for the items as they stand. */
static void
sort_by_digit(const Cutter *cutter, const uint32 *from, uint32 *to, int d, int shift,
			  uint32 mask, uint32 ndigits)
{
	const Code *codes = cutter->tuples + d;
	Size		step = cutter->work->records->ndimensions;
	Code		lo = cutter->hull[d].lo;
	uint32	   *place = cutter->place;

#define DIGIT(item)	(((codes[(item) * step] - lo) >> shift) & mask)
	memset(place, 0, sizeof(uint32) * (ndigits + 1));
	for (uint32 i = 0; i < cutter->nitems; i++)
		place[DIGIT(i) + 1]++;
	for (uint32 digit = 1; digit < ndigits; digit++)
		place[digit] += place[digit - 1];
	for (uint32 i = 0; i < cutter->nitems; i++)
	{
		uint32		item = from == NULL ? i : from[i];

		to[place[DIGIT(item)]++] = item;
	}
#undef DIGIT
}

/* Puts the items in the order of their codes in a dimension. */
static void
order_items(Cutter *cutter, int d)
{
	uint64		width = span_width(cutter->hull[d]);

	if (width <= (uint64) cutter->nitems + MIN_COUNTED)
	{
		sort_by_digit(cutter, NULL, cutter->order, d, 0, PG_UINT32_MAX, width);
		return;
	}
	for (int shift = 0; (width - 1) >> shift != 0; shift += DIGIT_BITS)
	{
		uint32	   *sorted = cutter->spare;

		sort_by_digit(cutter, shift == 0 ? NULL : cutter->order, sorted, d, shift,
					  MIN_COUNTED - 1, MIN_COUNTED);
		cutter->spare = cutter->order;
		cutter->order = sorted;
	}
}

/* Nothing is on the side yet, so that it may widen everywhere. */
static void
clear_side(Cutter *cutter)
{
	Side	   *side = &cutter->side;

	hull_clear(cutter->work->records, side->hull);
	side->nnarrow = 0;
	for (int d = 0; d < cutter->work->records->ndimensions; d++)
		if (d != cutter->d)
			side->narrow[side->nnarrow++] = d;
}

/* Widens the side; returns whether it is as wide as the set then. */
static inline bool
widen(Cutter *cutter, int d, Span span)
{
	Side	   *side = &cutter->side;

	side->hull[d] = span_hull(side->hull[d], span);
	side->losses[d] = span_loss(&cutter->work->records->dimensions[d], side->hull[d].lo, side->hull[d].hi);
	return span_width(side->hull[d]) == span_width(cutter->hull[d]);
}

/* Added up in the same order as hull_loss() does. */
static double
side_loss(const Cutter *cutter)
{
	double		loss = 0;

	for (int d = 0; d < cutter->work->records->ndimensions; d++)
		loss += cutter->side.losses[d];
	return loss;
}

/* Widens the side by the items of a run, which stand in the order of their codes. */
static void
add_run(Cutter *cutter, const CutRun *run)
{
	Side	   *side = &cutter->side;
	Code		first = item_tuple(cutter, cutter->order[run->from])[cutter->d];
	Code		last = item_tuple(cutter, cutter->order[run[1].from - 1])[cutter->d];

	(void) widen(cutter, cutter->d, (Span) {first, last});
	for (uint32 i = run->from; i < run[1].from && side->nnarrow > 0; i++)
	{
		const Code *tuple = item_tuple(cutter, cutter->order[i]);

		for (int j = side->nnarrow; j-- > 0;)
		{
			int			d = side->narrow[j];

			if (unlikely(tuple[d] < side->hull[d].lo || tuple[d] > side->hull[d].hi) && widen(cutter, d, span_of(tuple[d])))
				side->narrow[j] = side->narrow[--side->nnarrow];
		}
	}
}

/* Finds the runs along a dimension. */
static void
find_runs(Cutter *cutter, int d)
{
	const Tree *tree = cutter->work->records->dimensions[d].domain->tree;
	uint32		node = tree == NULL ? 0 : tree_common_ancestor(tree, cutter->hull[d].lo, cutter->hull[d].hi);
	Code		last = 0;

	cutter->nruns = 0;
	for (uint32 i = 0; i < cutter->nitems; i++)
	{
		Code		code = item_tuple(cutter, cutter->order[i])[d];

		if (i == 0 || code > last)
		{
			last = tree == NULL ? code : tree->nodes[tree_child_holding(tree, node, code)].leaves.hi;
			cutter->runs[cutter->nruns++] = (CutRun) {.from = i};
		}
		cutter->runs[cutter->nruns - 1].rows += cutter->nrows[cutter->order[i]];
	}
	cutter->runs[cutter->nruns].from = cutter->nitems;
}

/* Lays the set out along a dimension, if it is not: in order, and in runs. */
static void
turn_to(Cutter *cutter, int d)
{
	CHECK_FOR_INTERRUPTS();
	if (d == cutter->d)
		return;
	cutter->d = d;
	cutter->boundary = 0;
	order_items(cutter, d);
	find_runs(cutter, d);
}

/* Puts the items of the set in this order, circle by circle, and forgets the order. */
static void
arrange_items(Cutter *cutter, uint32 *order)
{
	Size		ndimensions = cutter->work->records->ndimensions;
	Size		width = sizeof(Code) * ndimensions;

	for (uint32 i = 0; i < cutter->nitems; i++)
	{
		uint32		record = cutter->record[i];
		uint32		nrows = cutter->nrows[i];
		uint32		to = i;

		CHECK_FOR_INTERRUPTS();
		if (order[i] == i)
			continue;
		memcpy(cutter->held, cutter->tuples + i * ndimensions, width);
		while (order[to] != i)
		{
			uint32		from = order[to];

			CHECK_FOR_INTERRUPTS(); /* one circle may be nearly all items */
			cutter->record[to] = cutter->record[from];
			cutter->nrows[to] = cutter->nrows[from];
			memcpy(cutter->tuples + to * ndimensions, cutter->tuples + from * ndimensions, width);
			order[to] = to;
			to = from;
		}
		order[to] = to;
		cutter->record[to] = record;
		cutter->nrows[to] = nrows;
		memcpy(cutter->tuples + to * ndimensions, cutter->held, width);
	}
}

/* ----------------------------------------------------------------
 * What is allowed
 * ----------------------------------------------------------------
 */

/*
 * How many items it takes until the necessary principle allows them, counted from the
 * given one on in steps of 1 or -1; 0 if all n do not suffice.
 */
static uint32
items_needed(Cutter *cutter, const uint32 *items, uint32 n, int step)
{
	Work	   *work = cutter->work;
	const uint32 *first = work->records->first;
	bool		allowed = false;
	uint32		counted = 0;
	uint32		needed = 0;

	while (needed < n && !allowed)
	{
		uint32		record = cutter->record[items[(int64) needed++ * step]];

		allowed = count_until_allowed(work, first[record], first[record + 1], &counted);
	}
	for (uint32 i = 0; i < needed; i++)
	{
		uint32		record = cutter->record[items[(int64) i * step]];

		uncount_rows(work, first[record], i + 1 < needed ? first[record + 1] : counted);
	}
	return allowed ? needed : 0;
}

/* Does the principle allow these items? */
static bool
items_allowed(Cutter *cutter, const uint32 *items, uint32 n)
{
	Work	   *work = cutter->work;

	if (work->monotonous)
		return items_needed(cutter, items, n, 1) > 0;
	for (uint32 i = 0; i < n; i++)
		add_record(work, work->tally, cutter->record[items[i]]);
	return allowed_at_once(work);
}

/* Are the runs before this one allowed, and those from it on?  Runs are asked of from the last one down. */
static bool
sides_are_allowed(Cutter *cutter, uint32 b)
{
	Work	   *work = cutter->work;

	if (work->monotonous)
		return true;
	if (cutter->all->rows == 0)
		for (uint32 i = 0; i < cutter->nitems; i++)
			add_record(work, cutter->all, cutter->record[i]);
	if (cutter->boundary == 0)
	{
		tally_copy(cutter->before, cutter->all);
		tally_clear(cutter->behind);
		cutter->boundary = cutter->nruns;
	}
	for (uint32 i = cutter->runs[cutter->boundary].from; i-- > cutter->runs[b].from;)
	{
		remove_record(work, cutter->before, cutter->record[cutter->order[i]]);
		add_record(work, cutter->behind, cutter->record[cutter->order[i]]);
	}
	cutter->boundary = b;
	return principle_allows(work->principle, cutter->behind) && principle_allows(work->principle, cutter->before);
}

/* Which children are allowed by themselves?  Returns how many. */
static uint32
judge_children(Cutter *cutter)
{
	uint32		nallowed = 0;

	for (uint32 b = 0; b < cutter->nruns; b++)
	{
		CutRun	   *run = &cutter->runs[b];

		run->allowed = run->rows >= cutter->work->principle->k &&
			items_allowed(cutter, cutter->order + run->from, run[1].from - run->from);
		nallowed += run->allowed;
	}
	return nallowed;
}

/* ----------------------------------------------------------------
 * Cuts along the dimension at hand
 * ----------------------------------------------------------------
 */

/* The share of a part in the bits that a cut spends, times the rows. */
static double
bits(const Cutter *cutter, double rows)
{
	return rows * log2(cutter->rows / rows);
}

/* Would such a cut be the best in some way? */
static bool
is_better(const Cutter *cutter, double saved, double spent)
{
	return saved > LEAST_SAVING &&
		(saved > cutter->greatest.saved ||
		 saved * cutter->densest.spent > cutter->densest.saved * spent ||
		 cutter->densest.shape == NO_CUT);
}

/* Remembers an allowed cut, if it is good. */
static void
offer(Cutter *cutter, Shape shape, uint32 run, double saved, double spent)
{
	Cut			cut = {shape, cutter->d, run, saved, spent};

	if (saved <= LEAST_SAVING)
		return;
	cutter->promise[cutter->d] = Max(cutter->promise[cutter->d], saved / spent);
	if (saved > cutter->greatest.saved)
		cutter->greatest = cut;
	if (cutter->densest.shape == NO_CUT ||
		saved * cutter->densest.spent > cutter->densest.saved * spent)
		cutter->densest = cut;
}

/* Cuts between runs into left and right, wherever both are allowed. */
static void
try_two_sides(Cutter *cutter)
{
	CutRun	   *runs = cutter->runs;
	double	   *promise = &cutter->promise[cutter->d];
	uint32		n = cutter->nitems;
	uint32		left_items = items_needed(cutter, cutter->order, n, 1);
	uint32		right_items = items_needed(cutter, cutter->order + n - 1, n, -1);
	uint64		rows = 0;

	if (left_items == 0 || right_items == 0 || left_items + (uint64) right_items > n)
		return;
	clear_side(cutter);
	for (uint32 b = 0; b + 1 < cutter->nruns; b++)
	{
		add_run(cutter, &runs[b]);
		rows += runs[b].rows;
		runs[b + 1].left_loss = rows * side_loss(cutter);
	}
	clear_side(cutter);
	rows = 0;
	for (uint32 b = cutter->nruns - 1; b > 0 && runs[b].from >= left_items; b--)
	{
		double		saved;
		double		least;
		double		spent;

		add_run(cutter, &runs[b]);
		rows += runs[b].rows;
		if (n - runs[b].from < right_items)
			continue;
		saved = cutter->loss - (runs[b].left_loss + rows * side_loss(cutter));
		/* The least that the cut spends, without a logarithm: the entropy of p and 1 - p is no less than 4 p (1 - p). */
		least = 4 * (double) rows * (1 - (double) rows / cutter->rows);
		if (saved > LEAST_SAVING && saved > *promise * least)
			*promise = saved / least;
		if (!is_better(cutter, saved, least))
			continue;
		spent = bits(cutter, rows) + bits(cutter, cutter->rows - rows);
		if (is_better(cutter, saved, spent) && sides_are_allowed(cutter, b))
			offer(cutter, TWO_SIDES, b, saved, spent);
	}
}

/*
 * Cuts off the largest child.  The rest is allowed if another child is and the principle monotonous, or else is asked: it
 * is laid out in place[], which is free after sorting.
 */
static void
try_largest_child(Cutter *cutter, uint32 nallowed)
{
	const CutRun *largest = cutter->runs;
	double		rows;
	double		rest;
	double		spent;
	double		saved;

	for (uint32 b = 1; b < cutter->nruns; b++)
		if (cutter->runs[b].rows > largest->rows)
			largest = &cutter->runs[b];
	if (!largest->allowed)
		return;
	rows = largest->rows;
	rest = cutter->rows - rows;
	spent = bits(cutter, rows) + bits(cutter, rest);
	clear_side(cutter);
	add_run(cutter, largest);
	saved = cutter->loss - rows * side_loss(cutter);
	clear_side(cutter);
	for (uint32 b = 0; b < cutter->nruns; b++)
		if (&cutter->runs[b] != largest)
			add_run(cutter, &cutter->runs[b]);
	saved -= rest * side_loss(cutter);
	if (!is_better(cutter, saved, spent))
		return;
	memcpy(cutter->place, cutter->order, sizeof(uint32) * largest->from);
	memcpy(cutter->place + largest->from, cutter->order + largest[1].from, sizeof(uint32) * (cutter->nitems - largest[1].from));
	if ((nallowed > 1 && cutter->work->monotonous) ||
		items_allowed(cutter, cutter->place, cutter->nitems - (largest[1].from - largest->from)))
		offer(cutter, CHILD_AND_REST, largest - cutter->runs, saved, spent);
}

/* The children that cannot stand alone, gathered in place[]; their hull in side. */
static uint32
gather_small_children(Cutter *cutter, uint64 *rows)
{
	uint32		n = 0;

	*rows = 0;
	clear_side(cutter);
	for (uint32 b = 0; b < cutter->nruns; b++)
	{
		const CutRun *run = &cutter->runs[b];

		if (run->allowed)
			continue;
		memcpy(cutter->place + n, cutter->order + run->from,
			   sizeof(uint32) * (run[1].from - run->from));
		n += run[1].from - run->from;
		*rows += run->rows;
		add_run(cutter, run);
	}
	return n;
}

/* The smallest allowed child of those larger than so many rows, of equal ones the first. */
static uint32
next_host(const Cutter *cutter, uint32 rows)
{
	uint32		host = cutter->nruns;

	for (uint32 b = 0; b < cutter->nruns; b++)
		if (cutter->runs[b].allowed && cutter->runs[b].rows > rows &&
			(host == cutter->nruns || cutter->runs[b].rows < cutter->runs[host].rows))
			host = b;
	return host;
}

/*
 * The child to take in what is not allowed, in place[]: a small one that is still allowed
 * with it.  Returns the number of runs if there is none.
 */
static uint32
find_host(Cutter *cutter, uint32 nsmall)
{
	uint32		host = next_host(cutter, 0);

	if (cutter->work->monotonous)
		return host;
	for (int i = 0; i < MAX_HOSTS && host < cutter->nruns; i++)
	{
		const CutRun *run = &cutter->runs[host];
		uint32		n = run[1].from - run->from;

		memcpy(cutter->place + nsmall, cutter->order + run->from, sizeof(uint32) * n);
		if (items_allowed(cutter, cutter->place, nsmall + n))
			return host;
		host = next_host(cutter, run->rows);
	}
	return cutter->nruns;
}

/*
 * Cuts into all children.  Small ones are a part together; when even that is
 * not allowed, they go with the smallest child that is.
 */
static void
try_all_children(Cutter *cutter)
{
	uint64		small_rows;
	uint32		nsmall = gather_small_children(cutter, &small_rows);
	bool		apart = nsmall > 0 && items_allowed(cutter, cutter->place, nsmall);
	uint32		host = nsmall > 0 && !apart ? find_host(cutter, nsmall) : cutter->nruns;
	uint32		nparts = 0;
	double		loss = 0;
	double		spent = 0;

	if (nsmall > 0 && !apart && host == cutter->nruns)
		return;
	if (apart)
	{
		loss = small_rows * side_loss(cutter);
		spent = bits(cutter, small_rows);
		nparts = 1;
	}
	for (uint32 b = 0; b < cutter->nruns; b++)
	{
		const CutRun *run = &cutter->runs[b];
		double		rows = run->rows + (b == host ? small_rows : 0);

		if (!run->allowed)
			continue;
		if (b == host)
			(void) gather_small_children(cutter, &small_rows);
		else
			clear_side(cutter);
		add_run(cutter, run);
		loss += rows * side_loss(cutter);
		spent += bits(cutter, rows);
		nparts++;
	}
	if (nparts > 1)
		offer(cutter, ALL_CHILDREN, host, cutter->loss - loss, spent);
}

/* ----------------------------------------------------------------
 * The best of all
 * ----------------------------------------------------------------
 */

/* Tries the cuts of one dimension. */
static void
try_dimension(Cutter *cutter, int d)
{
	uint32		nallowed;

	cutter->promise[d] = 0;
	turn_to(cutter, d);
	try_two_sides(cutter);
	if (cutter->work->records->dimensions[d].domain->tree == NULL || cutter->nruns < 3)
		return;
	nallowed = judge_children(cutter);
	if (nallowed == 0)
		return;
	try_largest_child(cutter, nallowed);
	try_all_children(cutter);
}

/* Tries the cuts of as many dimensions as it takes: as they stand if they are few, or else by their promise. */
static void
try_dimensions(Cutter *cutter)
{
	int			ndimensions = cutter->work->records->ndimensions;
	int		   *ranked = cutter->ranked;
	int			noffers = 0;

	for (int d = 0; d < ndimensions; d++)
	{
		int			rank = d;

		cutter->promise[d] = WAITING * Max(cutter->promise[d], LEAST_SAVING);
		if (ndimensions > MAX_OFFERS)
			for (; rank > 0 && cutter->promise[ranked[rank - 1]] < cutter->promise[d]; rank--)
				ranked[rank] = ranked[rank - 1];
		ranked[rank] = d;
	}
	for (int i = 0; i < ndimensions && (noffers < MAX_OFFERS || cutter->densest.shape == NO_CUT); i++)
		if (cutter->hull[ranked[i]].lo < cutter->hull[ranked[i]].hi)
		{
			try_dimension(cutter, ranked[i]);
			noffers += cutter->promise[ranked[i]] > 0;
		}
}

/* The cut to be made: see the notes above. */
static const Cut *
choose_cut(const Cutter *cutter)
{
	const Cut  *densest = &cutter->densest;
	const Cut  *greatest = &cutter->greatest;
	const Span *hull = &cutter->hull[greatest->d];
	double		needed = SLACK * Max(1, cutter->work->principle->k);
	double		budget = cutter->rows * log2(cutter->rows / needed);
	double		others = cutter->loss - cutter->rows *
		span_loss(&cutter->work->records->dimensions[greatest->d], hull->lo, hull->hi);

	return densest->spent + greatest->spent > budget && greatest->saved > others ? greatest : densest;
}

/* Copies runs of the order at hand; returns the place behind them. */
static uint32 *
take_runs(const Cutter *cutter, uint32 *to, uint32 first_run, uint32 end_run)
{
	uint32		first = cutter->runs[first_run].from;
	uint32		n = cutter->runs[end_run].from - first;

	memcpy(to, cutter->order + first, sizeof(uint32) * n);
	return to + n;
}

/* Lays out all children; those that are not allowed come last, with their host if they need one. */
static uint32
lay_out_children(Cutter *cutter, uint32 host, uint32 *to)
{
	Part	   *parts = cutter->parts;
	uint32	   *next = to;
	uint32		nparts = 0;
	uint32		end = 0;

	(void) judge_children(cutter);
	for (uint32 b = 0; b < cutter->nruns; b++)
		if (cutter->runs[b].allowed && b != host)
		{
			next = take_runs(cutter, next, b, b + 1);
			parts[nparts++] = (Part) {end, next - to};
			end = next - to;
		}
	for (uint32 b = 0; b < cutter->nruns; b++)
		if (!cutter->runs[b].allowed || b == host)
			next = take_runs(cutter, next, b, b + 1);
	if (end < cutter->nitems)
		parts[nparts++] = (Part) {end, cutter->nitems};
	return nparts;
}

/* Lays out the items so that each part's stand together. */
static uint32
lay_out(Cutter *cutter, const Cut *cut, uint32 *to)
{
	uint32		b = cut->run;
	uint32		end = cutter->runs[b].from;

	if (cut->shape == ALL_CHILDREN)
		return lay_out_children(cutter, b, to);
	if (cut->shape == CHILD_AND_REST)
	{
		end = cutter->runs[b + 1].from - end;
		to = take_runs(cutter, to, b, b + 1);
		to = take_runs(cutter, to, 0, b++);
	}
	else
		to = take_runs(cutter, to, 0, b);
	(void) take_runs(cutter, to, b, cutter->nruns);
	cutter->parts[0] = (Part) {0, end};
	cutter->parts[1] = (Part) {end, cutter->nitems};
	return 2;
}

uint32
cut_part(Cutter *cutter, Part part, const Part **parts)
{
	const Cut  *cut;
	uint32		nparts;

	CHECK_FOR_INTERRUPTS();
	*parts = cutter->parts;
	measure_set(cutter, part);
	if (cutter->loss > 0)
		try_dimensions(cutter);
	if (cutter->densest.shape == NO_CUT)
		return 0;
	cut = choose_cut(cutter);
	turn_to(cutter, cut->d);
	nparts = lay_out(cutter, cut, cutter->spare);
	arrange_items(cutter, cutter->spare);
	return nparts;
}
