/*
 * cuts.c
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

/* One side of a cut while runs come to it. */
typedef struct Side
{
	Span	   *hull;			/* [dimensions] */
	double	   *losses;			/* [dimensions] of one row */
	double		loss;			/* their sum, unless widened since */
	bool		widened;
} Side;

struct Cutter
{
	Work	   *work;			/* borrowed */

	/* The set to be cut */
	uint32		nitems;
	uint64		rows;
	double		loss;			/* of all rows together */
	Span	   *hull;			/* [dimensions] */

	/* The set along one dimension */
	int			d;
	uint32	   *order;			/* [nitems] the items by their codes */
	uint32	   *spare;			/* [nitems] where they are sorted from, or to */
	uint32		nruns;
	CutRun	   *runs;			/* [nruns + 1] the last one is an end mark */
	Span	   *run_hulls;		/* [MAX_HULLS * dimensions] of the first ones */
	uint32	   *place;			/* [records + MIN_COUNTED + 1] */
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

/* ----------------------------------------------------------------
 * A set along one dimension: in order, in runs, and side by side
 * ----------------------------------------------------------------
 */

/*
 * Codes in a range up to this wide are sorted by counting in any case, and
 * those in one wider than there are items by digits of so many bits.
 */
#define DIGIT_BITS	10
#define MIN_COUNTED (1 << DIGIT_BITS)

/*
 * The hulls of the first runs are kept; those of the others are measured each time.
 * A dimension of many codes makes many runs, but then they are small.
 */
#define MAX_HULLS 256
#define MIN_KEPT 4

Cutter *
cutter_create(Work *work)
{
	Cutter	   *cutter = palloc0(sizeof(Cutter));
	Size		n = (Size) work->records->nrecords + 1;
	Size		ndimensions = Max(1, work->records->ndimensions);

	cutter->work = work;
	cutter->hull = palloc(sizeof(Span) * ndimensions);
	cutter->ranked = palloc(sizeof(int) * ndimensions);
	cutter->promise = palloc(sizeof(double) * ndimensions);
	for (int d = 0; d < (int) ndimensions; d++)
		cutter->promise[d] = 1;
	cutter->side.hull = palloc(sizeof(Span) * ndimensions);
	cutter->side.losses = palloc(sizeof(double) * ndimensions);
	cutter->run_hulls = palloc(sizeof(Span) * ndimensions * MAX_HULLS);
	cutter->order = new_array(uint32, n);
	cutter->spare = new_array(uint32, n);
	cutter->place = new_array(uint32, n + MIN_COUNTED);
	cutter->runs = new_array(CutRun, n);
	if (!work->monotonous)
	{
		cutter->all = tally_create(work->frame->nsensitive);
		cutter->before = tally_create(work->frame->nsensitive);
		cutter->behind = tally_create(work->frame->nsensitive);
	}
	return cutter;
}

static inline Code
item_code(const Cutter *cutter, uint32 item, int d)
{
	return record_tuple(cutter->work->records, item)[d];
}

/* Makes items the set to be cut. */
static void
measure_set(Cutter *cutter, const uint32 *items, uint32 nitems)
{
	const Records *records = cutter->work->records;

	cutter->nitems = nitems;
	cutter->rows = 0;
	hull_clear(records, cutter->hull);
	for (uint32 i = 0; i < nitems; i++)
	{
		hull_add_tuple(records, cutter->hull, record_tuple(records, items[i]));
		cutter->rows += record_rows(records, items[i]);
	}
	cutter->loss = cutter->rows * hull_loss(records, cutter->hull);
}

/* One stable pass of counting sort over some bits of the codes. */
static void
sort_by_digit(const Cutter *cutter, const uint32 *from, uint32 *to, int d, int shift,
			  uint32 mask, uint32 ndigits)
{
	const Records *records = cutter->work->records;
	const Code *codes = records->tuples + d;
	Size		step = records->ndimensions;
	Code		lo = cutter->hull[d].lo;
	uint32	   *place = cutter->place;

#define DIGIT(item)	(((codes[(item) * step] - lo) >> shift) & mask)
	memset(place, 0, sizeof(uint32) * (ndigits + 1));
	for (uint32 i = 0; i < cutter->nitems; i++)
		place[DIGIT(from[i]) + 1]++;
	for (uint32 digit = 1; digit < ndigits; digit++)
		place[digit] += place[digit - 1];
	for (uint32 i = 0; i < cutter->nitems; i++)
		to[place[DIGIT(from[i])]++] = from[i];
#undef DIGIT
}

/* Puts the items in the order of their codes in a dimension. */
static void
order_items(Cutter *cutter, const uint32 *items, int d)
{
	uint64		width = span_width(cutter->hull[d]);

	if (width <= (uint64) cutter->nitems + MIN_COUNTED)
	{
		sort_by_digit(cutter, items, cutter->order, d, 0, PG_UINT32_MAX, width);
		return;
	}
	for (int shift = 0; (width - 1) >> shift != 0; shift += DIGIT_BITS)
	{
		uint32	   *sorted = cutter->spare;

		sort_by_digit(cutter, shift == 0 ? items : cutter->order, sorted, d, shift,
					  MIN_COUNTED - 1, MIN_COUNTED);
		cutter->spare = cutter->order;
		cutter->order = sorted;
	}
}

/* The last code below that child of a node that holds a code. */
static Code
last_of_child(const Tree *tree, uint32 node, Code code)
{
	uint32		child = tree->nodes[node].first_child;
	uint32		last = child + tree->nodes[node].nchildren - 1;

	while (child < last)
	{
		uint32		middle = child + (last - child) / 2;

		if (tree->nodes[middle].leaves.hi < code)
			child = middle + 1;
		else
			last = middle;
	}
	return tree->nodes[child].leaves.hi;
}

/* The hull of a run. */
static void
measure_run(const Cutter *cutter, Span *hull, const CutRun *run)
{
	const Records *records = cutter->work->records;

	hull_clear(records, hull);
	for (uint32 i = run->from; i < run[1].from; i++)
		hull_add_tuple(records, hull, record_tuple(records, cutter->order[i]));
}

static void
clear_side(Cutter *cutter)
{
	hull_clear(cutter->work->records, cutter->side.hull);
	cutter->side.loss = 0;
	cutter->side.widened = false;
}

/* Few runs widen the side, and few of its dimensions: only these are measured. */
static inline void
widen(Cutter *cutter, int d, Span span)
{
	Side	   *side = &cutter->side;

	side->hull[d] = span_hull(side->hull[d], span);
	side->losses[d] = span_loss(&cutter->work->records->dimensions[d],
								side->hull[d].lo, side->hull[d].hi);
	side->widened = true;
}

/* Added up in the same order as hull_loss() does. */
static double
side_loss(Cutter *cutter)
{
	Side	   *side = &cutter->side;
	int			ndimensions = cutter->work->records->ndimensions;
	double		loss = 0;

	if (!side->widened)
		return side->loss;
	for (int d = 0; d < ndimensions; d++)
		loss += side->losses[d];
	side->loss = loss;
	side->widened = false;
	return loss;
}

/* Is the run's hull kept?  Those of a few items are as soon measured. */
static inline bool
hull_is_kept(const Cutter *cutter, Size b)
{
	return b < MAX_HULLS && cutter->runs[b + 1].from - cutter->runs[b].from >= MIN_KEPT;
}

/* Widens the side by a run: by its hull, where that is kept, or item by item. */
static void
add_run(Cutter *cutter, const CutRun *run)
{
	const Records *records = cutter->work->records;
	const Span *side = cutter->side.hull;
	int			ndimensions = records->ndimensions;
	Size		b = run - cutter->runs;

	if (hull_is_kept(cutter, b))
	{
		const Span *hull = cutter->run_hulls + b * ndimensions;

		for (int d = 0; d < ndimensions; d++)
			if (hull[d].lo < side[d].lo || hull[d].hi > side[d].hi)
				widen(cutter, d, hull[d]);
		return;
	}
	for (uint32 i = run->from; i < run[1].from; i++)
	{
		const Code *tuple = record_tuple(records, cutter->order[i]);

		for (int d = 0; d < ndimensions; d++)
			if (unlikely(tuple[d] < side[d].lo || tuple[d] > side[d].hi))
				widen(cutter, d, span_of(tuple[d]));
	}
}

/* Finds the runs along a dimension, and measures the hulls that are kept. */
static void
find_runs(Cutter *cutter, int d)
{
	const Records *records = cutter->work->records;
	const Tree *tree = records->dimensions[d].domain->tree;
	uint32		node = 0;
	Code		last = 0;

	if (tree != NULL)
		node = tree_common_ancestor(tree, cutter->hull[d].lo, cutter->hull[d].hi);
	cutter->nruns = 0;
	for (uint32 i = 0; i < cutter->nitems; i++)
	{
		Code		code = item_code(cutter, cutter->order[i], d);

		if (i == 0 || code > last)
		{
			last = tree == NULL ? code : last_of_child(tree, node, code);
			cutter->runs[cutter->nruns++] = (CutRun) {.from = i};
		}
		cutter->runs[cutter->nruns - 1].rows += record_rows(records, cutter->order[i]);
	}
	cutter->runs[cutter->nruns].from = cutter->nitems;
	for (uint32 b = 0; b < Min(cutter->nruns, MAX_HULLS); b++)
		if (hull_is_kept(cutter, b))
			measure_run(cutter, cutter->run_hulls + (Size) b * records->ndimensions,
						&cutter->runs[b]);
}

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
		uint32		item = items[(int64) needed++ * step];

		allowed = count_until_allowed(work, first[item], first[item + 1], &counted);
	}
	for (uint32 i = 0; i < needed; i++)
	{
		uint32		item = items[(int64) i * step];

		uncount_rows(work, first[item], i + 1 < needed ? first[item + 1] : counted);
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
		add_record(work, work->tally, items[i]);
	return allowed_at_once(work);
}

/* Moves the boundary between the tallies down to the start of a run. */
static void
move_boundary(Cutter *cutter, uint32 b)
{
	if (cutter->all->rows == 0)
		for (uint32 i = 0; i < cutter->nitems; i++)
			add_record(cutter->work, cutter->all, cutter->order[i]);
	if (cutter->boundary == 0)
	{
		tally_copy(cutter->before, cutter->all);
		tally_clear(cutter->behind);
		cutter->boundary = cutter->nruns;
	}
	for (uint32 i = cutter->runs[cutter->boundary].from; i-- > cutter->runs[b].from;)
		move_record(cutter->work, cutter->before, cutter->behind, cutter->order[i]);
	cutter->boundary = b;
}

/* Are the runs before this one allowed, and those from it on?  Runs are asked of from the last one down. */
static bool
sides_are_allowed(Cutter *cutter, uint32 b)
{
	const Principle *principle = cutter->work->principle;

	if (cutter->work->monotonous)
		return true;
	move_boundary(cutter, b);
	return principle_allows(principle, cutter->behind) && principle_allows(principle, cutter->before);
}

/* Lays the set out along a dimension. */
static void
turn_to(Cutter *cutter, const uint32 *items, int d)
{
	cutter->d = d;
	cutter->boundary = 0;
	order_items(cutter, items, d);
	find_runs(cutter, d);
}

/* ----------------------------------------------------------------
 * The best cut
 * ----------------------------------------------------------------
 */

/* The share of a part in the bits that a cut spends, times the rows. */
static double
bits(const Cutter *cutter, double rows)
{
	return rows * log2(cutter->rows / rows);
}

/*
 * The least that a cut into so many rows and the others spends, without a
 * logarithm: the entropy of p and 1 - p is no less than 4 p (1 - p).
 */
static double
least_bits(const Cutter *cutter, double rows)
{
	return 4 * rows * (1 - rows / cutter->rows);
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

/* Remembers an allowed cut along the dimension at hand, if it is good. */
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
		least = least_bits(cutter, rows);
		if (saved > LEAST_SAVING && saved > *promise * least)
			*promise = saved / least;
		if (!is_better(cutter, saved, least))
			continue;
		spent = bits(cutter, rows) + bits(cutter, cutter->rows - rows);
		if (is_better(cutter, saved, spent) && sides_are_allowed(cutter, b))
			offer(cutter, TWO_SIDES, b, saved, spent);
	}
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

/* Returns the index of the run with most rows. */
static uint32
find_largest(const Cutter *cutter)
{
	uint32		largest = 0;

	for (uint32 b = 1; b < cutter->nruns; b++)
		if (cutter->runs[b].rows > cutter->runs[largest].rows)
			largest = b;
	return largest;
}

/* Is everything but one child allowed?  It is laid out in place[], which is free after sorting. */
static bool
rest_is_allowed(Cutter *cutter, const CutRun *child)
{
	uint32		from = child->from;
	uint32		to = child[1].from;

	memcpy(cutter->place, cutter->order, sizeof(uint32) * from);
	memcpy(cutter->place + from, cutter->order + to, sizeof(uint32) * (cutter->nitems - to));
	return items_allowed(cutter, cutter->place, cutter->nitems - (to - from));
}

/* Cuts off the largest child.  The rest is allowed if another child is and the principle monotonous, or else is asked. */
static void
try_largest_child(Cutter *cutter, uint32 nallowed)
{
	const CutRun *largest = &cutter->runs[find_largest(cutter)];
	double		rows = largest->rows;
	double		rest = cutter->rows - rows;
	double		spent = bits(cutter, rows) + bits(cutter, rest);
	double		saved;

	if (!largest->allowed)
		return;
	clear_side(cutter);
	add_run(cutter, largest);
	saved = cutter->loss - rows * side_loss(cutter);
	clear_side(cutter);
	for (uint32 b = 0; b < cutter->nruns; b++)
		if (&cutter->runs[b] != largest)
			add_run(cutter, &cutter->runs[b]);
	saved -= rest * side_loss(cutter);
	if (is_better(cutter, saved, spent) &&
		((nallowed > 1 && cutter->work->monotonous) || rest_is_allowed(cutter, largest)))
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

/* Tries the cuts of the dimension at hand. */
static void
try_cuts(Cutter *cutter)
{
	uint32		nallowed;

	try_two_sides(cutter);
	if (cutter->work->records->dimensions[cutter->d].domain->tree == NULL || cutter->nruns < 3)
		return;
	nallowed = judge_children(cutter);
	if (nallowed == 0)
		return;
	try_largest_child(cutter, nallowed);
	try_all_children(cutter);
}

/* Ranks the dimensions: as they stand if they are few, or else by their promise. */
static void
rank_dimensions(Cutter *cutter)
{
	int			ndimensions = cutter->work->records->ndimensions;
	int		   *ranked = cutter->ranked;

	for (int d = 0; d < ndimensions; d++)
	{
		int			rank = d;

		cutter->promise[d] = WAITING * Max(cutter->promise[d], LEAST_SAVING);
		if (ndimensions > MAX_OFFERS)
			for (; rank > 0 && cutter->promise[ranked[rank - 1]] < cutter->promise[d]; rank--)
				ranked[rank] = ranked[rank - 1];
		ranked[rank] = d;
	}
}

/* Tries the cuts of as many dimensions as it takes. */
static void
try_dimensions(Cutter *cutter, const uint32 *items)
{
	int			noffers = 0;

	rank_dimensions(cutter);
	for (int i = 0; i < cutter->work->records->ndimensions &&
		 (noffers < MAX_OFFERS || cutter->densest.shape == NO_CUT); i++)
	{
		int			d = cutter->ranked[i];

		if (cutter->hull[d].lo == cutter->hull[d].hi)
			continue;
		cutter->promise[d] = 0;
		turn_to(cutter, items, d);
		try_cuts(cutter);
		noffers += cutter->promise[d] > 0;
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
	double		others;

	others = cutter->loss - cutter->rows *
		span_loss(&cutter->work->records->dimensions[greatest->d], hull->lo, hull->hi);
	if (densest->spent + greatest->spent > budget && greatest->saved > others)
		return greatest;
	return densest;
}

/* Moves runs from the order at hand to the items; returns the place behind them. */
static uint32 *
take_runs(const Cutter *cutter, uint32 *items, uint32 from, uint32 to)
{
	uint32		first = cutter->runs[from].from;
	uint32		n = cutter->runs[to].from - first;

	memcpy(items, cutter->order + first, sizeof(uint32) * n);
	return items + n;
}

/* Cuts into all children; those that are not allowed come last, with their host if they need one. */
static uint32
part_children(Cutter *cutter, uint32 host, uint32 *items, Part *parts)
{
	uint32	   *next = items;
	uint32		nparts = 0;
	uint32		end = 0;

	(void) judge_children(cutter);
	for (uint32 b = 0; b < cutter->nruns; b++)
		if (cutter->runs[b].allowed && b != host)
		{
			next = take_runs(cutter, next, b, b + 1);
			parts[nparts++] = (Part) {end, next - items};
			end = next - items;
		}
	for (uint32 b = 0; b < cutter->nruns; b++)
		if (!cutter->runs[b].allowed || b == host)
			next = take_runs(cutter, next, b, b + 1);
	if (end < cutter->nitems)
		parts[nparts++] = (Part) {end, cutter->nitems};
	return nparts;
}

/* Makes a cut: permutes the items so that each part's stand together. */
static uint32
make_cut(Cutter *cutter, const Cut *cut, uint32 *items, Part *parts)
{
	uint32		b = cut->run;
	uint32	   *next = items;
	uint32		end;

	turn_to(cutter, items, cut->d);
	if (cut->shape == ALL_CHILDREN)
		return part_children(cutter, b, items, parts);
	if (cut->shape == CHILD_AND_REST)
	{
		next = take_runs(cutter, next, b, b + 1);
		end = next - items;
		next = take_runs(cutter, next, 0, b);
		(void) take_runs(cutter, next, b + 1, cutter->nruns);
	}
	else
	{
		(void) take_runs(cutter, next, 0, cutter->nruns);
		end = cutter->runs[b].from;
	}
	parts[0] = (Part) {0, end};
	parts[1] = (Part) {end, cutter->nitems};
	return 2;
}

/*
 * Cuts items into parts that are all allowed, in the way that saves most.
 * Returns the number of parts, 0 when no cut is allowed or none saves anything.
 */
uint32
cut_records(Cutter *cutter, uint32 *items, uint32 nitems, Part *parts)
{
	CHECK_FOR_INTERRUPTS();
	measure_set(cutter, items, nitems);
	cutter->densest = (Cut) {.shape = NO_CUT};
	cutter->greatest = (Cut) {.shape = NO_CUT};
	if (cutter->loss <= 0)
		return 0;
	if (cutter->all != NULL)
		tally_clear(cutter->all);
	try_dimensions(cutter, items);
	if (cutter->densest.shape == NO_CUT)
		return 0;
	return make_cut(cutter, choose_cut(cutter), items, parts);
}

/* ----------------------------------------------------------------
 * From the top down
 * ----------------------------------------------------------------
 */

CutStack
cut_stack_create(uint32 nrecords)
{
	CutStack	stack = {.items = new_array(uint32, nrecords), .parts = new_array(Part, nrecords)};

	for (uint32 i = 0; i < nrecords; i++)
		stack.items[i] = i;
	if (nrecords > 0)
		stack.parts[stack.depth++] = (Part) {0, nrecords};
	return stack;
}

void
cut_stack_push(CutStack *stack, uint32 start, uint32 nparts)
{
	for (uint32 end = stack->depth + nparts; stack->depth < end; stack->depth++)
	{
		stack->parts[stack->depth].from += start;
		stack->parts[stack->depth].to += start;
	}
}
