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
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"

#include "partition/cutter.h"

/* Parts differ in size: a cut needs so many times k rows a part to be within reach. */
#define SLACK 4.0

/* Savings below this are rounding. */
#define LEAST_SAVING 1e-9

/*
 * To look along one dimension means to measure all of them: where there are
 * many, those that saved most per bit when last looked along come first, and
 * once so many have offered a cut the others wait.  Who waits gains by so much
 * each time, so that nobody waits forever.
 */
#define MAX_OFFERS	8
#define WAITING		1.1

/* The share of a part in the bits that a cut spends, times the rows. */
static double
bits(const Cutter *cutter, double rows)
{
	return rows * log2(cutter->rows / rows);
}

/*
 * What a cut into so many rows and the others spends at least, without a
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
offer(Cutter *cutter, Shape shape, uint32 bucket, double saved, double spent)
{
	Cut			cut = {shape, cutter->d, bucket, saved, spent};

	if (saved <= LEAST_SAVING)
		return;
	cutter->promise[cutter->d] = Max(cutter->promise[cutter->d], saved / spent);
	if (saved > cutter->greatest.saved)
		cutter->greatest = cut;
	if (cutter->densest.shape == NO_CUT ||
		saved * cutter->densest.spent > cutter->densest.saved * spent)
		cutter->densest = cut;
}

/* Cuts between buckets into left and right, wherever both are allowed. */
static void
try_two_sides(Cutter *cutter)
{
	Bucket	   *buckets = cutter->buckets;
	double	   *promise = &cutter->promise[cutter->d];
	uint32		n = cutter->nitems;
	uint32		left_items = items_needed(cutter, cutter->order, n, 1);
	uint32		right_items = items_needed(cutter, cutter->order + n - 1, n, -1);
	uint64		rows = 0;

	if (left_items == 0 || right_items == 0 || left_items + (uint64) right_items > n)
		return;
	clear_side(cutter);
	for (uint32 b = 0; b + 1 < cutter->nbuckets; b++)
	{
		add_bucket(cutter, &buckets[b]);
		rows += buckets[b].rows;
		buckets[b + 1].left_loss = rows * side_loss(cutter);
	}
	clear_side(cutter);
	rows = 0;
	for (uint32 b = cutter->nbuckets - 1; b > 0 && buckets[b].from >= left_items; b--)
	{
		double		saved;
		double		least;

		add_bucket(cutter, &buckets[b]);
		rows += buckets[b].rows;
		if (n - buckets[b].from < right_items)
			continue;
		saved = cutter->loss - (buckets[b].left_loss + rows * side_loss(cutter));
		least = least_bits(cutter, rows);
		if (saved > LEAST_SAVING && saved > *promise * least)
			*promise = saved / least;
		if (is_better(cutter, saved, least))
			offer(cutter, TWO_SIDES, b, saved,
				  bits(cutter, rows) + bits(cutter, cutter->rows - rows));
	}
}

/* Which children are allowed by themselves?  Returns how many. */
static uint32
judge_children(Cutter *cutter)
{
	uint32		nallowed = 0;

	for (uint32 b = 0; b < cutter->nbuckets; b++)
	{
		Bucket	   *bucket = &cutter->buckets[b];

		bucket->allowed = bucket->rows >= cutter->work->principle->k &&
			items_needed(cutter, cutter->order + bucket->from,
						 bucket[1].from - bucket->from, 1) > 0;
		nallowed += bucket->allowed;
	}
	return nallowed;
}

static uint32
find_largest(const Cutter *cutter)
{
	uint32		largest = 0;

	for (uint32 b = 1; b < cutter->nbuckets; b++)
		if (cutter->buckets[b].rows > cutter->buckets[largest].rows)
			largest = b;
	return largest;
}

/* Is everything but one child allowed?  It is laid out in place[], which is free after sorting. */
static bool
rest_is_allowed(Cutter *cutter, const Bucket *child)
{
	uint32		from = child->from;
	uint32		to = child[1].from;

	memcpy(cutter->place, cutter->order, sizeof(uint32) * from);
	memcpy(cutter->place + from, cutter->order + to, sizeof(uint32) * (cutter->nitems - to));
	return items_needed(cutter, cutter->place, cutter->nitems - (to - from), 1) > 0;
}

/* Cuts off the largest child.  The rest is allowed if another child is, or else is asked. */
static void
try_largest_child(Cutter *cutter, uint32 nallowed)
{
	const Bucket *largest = &cutter->buckets[find_largest(cutter)];
	double		rows = largest->rows;
	double		rest = cutter->rows - rows;
	double		spent = bits(cutter, rows) + bits(cutter, rest);
	double		saved;

	if (!largest->allowed)
		return;
	clear_side(cutter);
	add_bucket(cutter, largest);
	saved = cutter->loss - rows * side_loss(cutter);
	clear_side(cutter);
	for (uint32 b = 0; b < cutter->nbuckets; b++)
		if (&cutter->buckets[b] != largest)
			add_bucket(cutter, &cutter->buckets[b]);
	saved -= rest * side_loss(cutter);
	if (is_better(cutter, saved, spent) &&
		(nallowed > 1 || rest_is_allowed(cutter, largest)))
		offer(cutter, CHILD_AND_REST, largest - cutter->buckets, saved, spent);
}

/* The children that cannot stand alone, gathered in place[]; their hull in side. */
static uint32
gather_small_children(Cutter *cutter, uint64 *rows)
{
	uint32		n = 0;

	*rows = 0;
	clear_side(cutter);
	for (uint32 b = 0; b < cutter->nbuckets; b++)
	{
		const Bucket *bucket = &cutter->buckets[b];

		if (bucket->allowed)
			continue;
		memcpy(cutter->place + n, cutter->order + bucket->from,
			   sizeof(uint32) * (bucket[1].from - bucket->from));
		n += bucket[1].from - bucket->from;
		*rows += bucket->rows;
		add_bucket(cutter, bucket);
	}
	return n;
}

/* The smallest child that is allowed, to take in what is not. */
static uint32
find_host(const Cutter *cutter)
{
	uint32		host = cutter->nbuckets;

	for (uint32 b = 0; b < cutter->nbuckets; b++)
		if (cutter->buckets[b].allowed &&
			(host == cutter->nbuckets || cutter->buckets[b].rows < cutter->buckets[host].rows))
			host = b;
	return host;
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
	bool		apart = nsmall > 0 && items_needed(cutter, cutter->place, nsmall, 1) > 0;
	uint32		host = nsmall > 0 && !apart ? find_host(cutter) : cutter->nbuckets;
	uint32		nparts = 0;
	double		loss = 0;
	double		spent = 0;

	if (apart)
	{
		loss = small_rows * side_loss(cutter);
		spent = bits(cutter, small_rows);
		nparts = 1;
	}
	for (uint32 b = 0; b < cutter->nbuckets; b++)
	{
		const Bucket *bucket = &cutter->buckets[b];
		double		rows = bucket->rows + (b == host ? small_rows : 0);

		if (!bucket->allowed)
			continue;
		if (b == host)
			(void) gather_small_children(cutter, &small_rows);
		else
			clear_side(cutter);
		add_bucket(cutter, bucket);
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
	if (cutter->work->records->dimensions[cutter->d].domain->tree == NULL || cutter->nbuckets < 3)
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
	for (int i = 0; i < cutter->work->records->ndimensions && noffers < MAX_OFFERS; i++)
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

/* Moves buckets from the order at hand to the items; returns the place behind them. */
static uint32 *
take_buckets(const Cutter *cutter, uint32 *items, uint32 from, uint32 to)
{
	uint32		first = cutter->buckets[from].from;
	uint32		n = cutter->buckets[to].from - first;

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
	for (uint32 b = 0; b < cutter->nbuckets; b++)
		if (cutter->buckets[b].allowed && b != host)
		{
			next = take_buckets(cutter, next, b, b + 1);
			parts[nparts++] = (Part) {end, next - items};
			end = next - items;
		}
	for (uint32 b = 0; b < cutter->nbuckets; b++)
		if (!cutter->buckets[b].allowed || b == host)
			next = take_buckets(cutter, next, b, b + 1);
	if (end < cutter->nitems)
		parts[nparts++] = (Part) {end, cutter->nitems};
	return nparts;
}

/* Makes a cut: permutes the items so that each part's stand together. */
static uint32
make_cut(Cutter *cutter, const Cut *cut, uint32 *items, Part *parts)
{
	uint32		b = cut->bucket;
	uint32	   *next = items;
	uint32		end;

	turn_to(cutter, items, cut->d);
	if (cut->shape == ALL_CHILDREN)
		return part_children(cutter, b, items, parts);
	if (cut->shape == CHILD_AND_REST)
	{
		next = take_buckets(cutter, next, b, b + 1);
		end = next - items;
		next = take_buckets(cutter, next, 0, b);
		(void) take_buckets(cutter, next, b + 1, cutter->nbuckets);
	}
	else
	{
		(void) take_buckets(cutter, next, 0, cutter->nbuckets);
		end = cutter->buckets[b].from;
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
	try_dimensions(cutter, items);
	if (cutter->densest.shape == NO_CUT)
		return 0;
	return make_cut(cutter, choose_cut(cutter), items, parts);
}
