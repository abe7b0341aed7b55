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

#include "miscadmin.h"
#include "partition/cutting.h"

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

/* Of sets of so many items, a sample says along which dimension they are cut: to measure each takes most of the time. */
#define SAMPLED_SETS	(4 * MAX_SAMPLE)

/* Children that cannot stand alone are offered to so many others, the smallest ones first. */
#define MAX_HOSTS	4

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

/* Tries the cuts of one dimension. */
static void
try_dimension(Cutter *cutter, int d)
{
	cutter->promise[d] = 0;
	turn_to(cutter, d);
	try_cuts(cutter);
}

/* Tries the cuts of as many dimensions as it takes. */
static void
try_dimensions(Cutter *cutter)
{
	int			noffers = 0;

	rank_dimensions(cutter);
	for (int i = 0; i < cutter->work->records->ndimensions &&
		 (noffers < MAX_OFFERS || cutter->densest.shape == NO_CUT); i++)
	{
		int			d = cutter->ranked[i];

		if (cutter->hull[d].lo == cutter->hull[d].hi)
			continue;
		try_dimension(cutter, d);
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
	uint32	   *next = to;
	uint32		end;

	if (cut->shape == ALL_CHILDREN)
		return lay_out_children(cutter, b, to);
	if (cut->shape == CHILD_AND_REST)
	{
		next = take_runs(cutter, next, b, b + 1);
		end = next - to;
		next = take_runs(cutter, next, 0, b);
		(void) take_runs(cutter, next, b + 1, cutter->nruns);
	}
	else
	{
		(void) take_runs(cutter, next, 0, cutter->nruns);
		end = cutter->runs[b].from;
	}
	cutter->parts[0] = (Part) {0, end};
	cutter->parts[1] = (Part) {end, cutter->nitems};
	return 2;
}

/* Forgets the cuts of the set before. */
static void
begin_set(Cutter *cutter)
{
	cutter->densest = (Cut) {.shape = NO_CUT};
	cutter->greatest = (Cut) {.shape = NO_CUT};
	if (cutter->all != NULL)
		tally_clear(cutter->all);
}

/* The dimension along which a sample of a large set would be cut; -1 if the set is not large, or the sample is not cut. */
static int
sampled_dimension(Cutter *cutter, const CutStack *stack, Part part)
{
	uint32		n = part.to - part.from;

	if (n < SAMPLED_SETS || cutter->work->records->ndimensions == 1)
		return -1;
	measure_sample(cutter, stack, part, (n + MAX_SAMPLE - 1) / MAX_SAMPLE);
	begin_set(cutter);
	try_dimensions(cutter);
	return cutter->densest.shape == NO_CUT ? -1 : choose_cut(cutter)->d;
}

uint32
cut_records(Cutter *cutter, CutStack *stack, Part part, const Part **parts)
{
	const Cut  *cut;
	uint32		nparts;
	int			d;

	CHECK_FOR_INTERRUPTS();
	*parts = cutter->parts;
	d = sampled_dimension(cutter, stack, part);
	measure_set(cutter, stack, part);
	begin_set(cutter);
	if (cutter->loss <= 0)
		return 0;
	if (d >= 0)
		try_dimension(cutter, d);
	if (cutter->densest.shape == NO_CUT)
		try_dimensions(cutter);
	if (cutter->densest.shape == NO_CUT)
	{
		/* Where nearly all codes are near each other, and few are far away, one run holds nearly all. */
		cutter->finely = true;
		cutter->d = -1;
		try_dimensions(cutter);
	}
	if (cutter->densest.shape == NO_CUT)
		return 0;
	cut = choose_cut(cutter);
	turn_to(cutter, cut->d);
	nparts = lay_out(cutter, cut, cutter->spare);
	arrange_items(cutter, cutter->spare);
	return nparts;
}
