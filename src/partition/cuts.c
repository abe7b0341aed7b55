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

#include "partition/groups.h"

/* Consecutive items that a dimension does not part: a code, or a child. */
typedef struct Bucket
{
	uint32		from;			/* order[from] is the first */
	uint32		rows;
	double		left_loss;		/* of all before this one */
	bool		allowed;		/* by itself */
} Bucket;

typedef enum Shape
{
	NO_CUT,
	TWO_SIDES,					/* buckets before one, and from it on */
	CHILD_AND_REST,				/* one bucket, and all others */
	ALL_CHILDREN				/* each bucket that is allowed, and the others */
} Shape;

typedef struct Cut
{
	Shape		shape;
	int			d;				/* dimension */
	uint32		bucket;
	double		saved;			/* loss, over all rows */
	double		spent;			/* bits, over all rows */
} Cut;

struct Cutter
{
	Work	   *work;			/* borrowed */

	/* The set to be cut */
	uint32		nitems;
	uint64		rows;
	double		loss;			/* of all rows together */
	Span	   *hull;			/* [dimensions] */

	/* The same, along one dimension */
	int			d;
	uint32	   *order;			/* [nitems] the items by their codes */
	uint32		nbuckets;
	Bucket	   *buckets;		/* [nbuckets + 1] the last one is an end mark */
	Span	   *bucket_hulls;	/* [MAX_HULLS * dimensions] of the first ones */
	uint32	   *place;			/* [records + MIN_COUNTED + 1] */
	Span	   *side;			/* [dimensions] */

	/* The best cuts so far */
	Cut			densest;		/* saves most per bit */
	Cut			greatest;		/* saves most */
};

/* Codes in a range up to this wide are sorted by counting in any case. */
#define MIN_COUNTED 1024

/*
 * So many buckets' hulls are kept; those of the others are measured each time.
 * A dimension of many codes makes many buckets, but then they are small.
 */
#define MAX_HULLS 256

/* Parts differ in size: a cut needs so many times k rows a part to be within reach. */
#define SLACK 4.0

/* Savings below this are rounding. */
#define LEAST_SAVING 1e-9

Cutter *
cutter_create(Work *work)
{
	Cutter	   *cutter = palloc0(sizeof(Cutter));
	Size		n = (Size) work->records->nrecords + 1;
	Size		ndimensions = Max(1, work->records->ndimensions);

	cutter->work = work;
	cutter->hull = palloc(sizeof(Span) * ndimensions);
	cutter->side = palloc(sizeof(Span) * ndimensions);
	cutter->bucket_hulls = palloc(sizeof(Span) * ndimensions * MAX_HULLS);
	cutter->order = palloc_extended(sizeof(uint32) * n, MCXT_ALLOC_HUGE);
	cutter->place = palloc_extended(sizeof(uint32) * (n + MIN_COUNTED + 1), MCXT_ALLOC_HUGE);
	cutter->buckets = palloc_extended(sizeof(Bucket) * (n + 1), MCXT_ALLOC_HUGE);
	return cutter;
}

static inline Code
item_code(const Cutter *cutter, uint32 item, int d)
{
	return record_tuple(cutter->work->records, item)[d];
}

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
	cutter->densest = (Cut) {.shape = NO_CUT};
	cutter->greatest = (Cut) {.shape = NO_CUT};
}

/* What a comparison of items needs to know. */
typedef struct ItemOrder
{
	const Cutter *cutter;
	int			d;
} ItemOrder;

static int
compare_items(const void *a, const void *b, void *arg)
{
	const ItemOrder *by = arg;
	uint32		item_a = *(const uint32 *) a;
	uint32		item_b = *(const uint32 *) b;
	Code		code_a = item_code(by->cutter, item_a, by->d);
	Code		code_b = item_code(by->cutter, item_b, by->d);

	if (code_a != code_b)
		return code_a < code_b ? -1 : 1;
	return item_a < item_b ? -1 : item_a > item_b;
}

/* Puts the items in the order of their codes in a dimension. */
static void
order_items(Cutter *cutter, const uint32 *items, int d)
{
	Code		lo = cutter->hull[d].lo;
	uint64		width = span_width(cutter->hull[d]);
	uint32	   *place = cutter->place;

	if (width > (uint64) cutter->nitems + MIN_COUNTED)
	{
		ItemOrder	by = {cutter, d};

		memcpy(cutter->order, items, sizeof(uint32) * cutter->nitems);
		qsort_arg(cutter->order, cutter->nitems, sizeof(uint32), compare_items, &by);
		return;
	}
	memset(place, 0, sizeof(uint32) * width);
	for (uint32 i = 0; i < cutter->nitems; i++)
		if (item_code(cutter, items[i], d) - lo + 1 < width)
			place[item_code(cutter, items[i], d) - lo + 1]++;
	for (uint64 i = 1; i < width; i++)
		place[i] += place[i - 1];
	for (uint32 i = 0; i < cutter->nitems; i++)
		cutter->order[place[item_code(cutter, items[i], d) - lo]++] = items[i];
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

/* Adds a bucket's items to a hull. */
static void
measure_bucket(const Cutter *cutter, Span *hull, const Bucket *bucket)
{
	const Records *records = cutter->work->records;

	for (uint32 i = bucket->from; i < bucket[1].from; i++)
		hull_add_tuple(records, hull, record_tuple(records, cutter->order[i]));
}

/* Adds a bucket to the hull of one side of a cut. */
static void
add_bucket(const Cutter *cutter, Span *hull, const Bucket *bucket)
{
	const Records *records = cutter->work->records;
	Size		b = bucket - cutter->buckets;

	if (b < MAX_HULLS)
		hull_add_hull(records, hull, cutter->bucket_hulls + b * records->ndimensions);
	else
		measure_bucket(cutter, hull, bucket);
}

static void
find_buckets(Cutter *cutter, int d)
{
	const Records *records = cutter->work->records;
	const Tree *tree = records->dimensions[d].domain->tree;
	uint32		node = 0;
	Code		last = 0;

	if (tree != NULL)
		node = tree_common_ancestor(tree, cutter->hull[d].lo, cutter->hull[d].hi);
	cutter->nbuckets = 0;
	for (uint32 i = 0; i < cutter->nitems; i++)
	{
		Code		code = item_code(cutter, cutter->order[i], d);

		if (i == 0 || code > last)
		{
			last = tree == NULL ? code : last_of_child(tree, node, code);
			cutter->buckets[cutter->nbuckets++] = (Bucket) {.from = i};
		}
		cutter->buckets[cutter->nbuckets - 1].rows += record_rows(records, cutter->order[i]);
	}
	cutter->buckets[cutter->nbuckets].from = cutter->nitems;
	for (uint32 b = 0; b < Min(cutter->nbuckets, MAX_HULLS); b++)
	{
		Span	   *hull = cutter->bucket_hulls + (Size) b * records->ndimensions;

		hull_clear(records, hull);
		measure_bucket(cutter, hull, &cutter->buckets[b]);
	}
}

/*
 * How many items it takes until the principle allows them, counted from the
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

/* Remembers an allowed cut along the dimension at hand, if it is good. */
static void
offer(Cutter *cutter, Shape shape, uint32 bucket, double saved, double spent)
{
	Cut			cut = {shape, cutter->d, bucket, saved, spent};

	if (saved <= LEAST_SAVING)
		return;
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
	uint32		n = cutter->nitems;
	uint32		left_items = items_needed(cutter, cutter->order, n, 1);
	uint32		right_items = items_needed(cutter, cutter->order + n - 1, n, -1);
	uint64		rows = 0;

	if (left_items == 0 || right_items == 0 || left_items + (uint64) right_items > n)
		return;
	hull_clear(cutter->work->records, cutter->side);
	for (uint32 b = 0; b + 1 < cutter->nbuckets; b++)
	{
		add_bucket(cutter, cutter->side, &buckets[b]);
		rows += buckets[b].rows;
		buckets[b + 1].left_loss = rows * hull_loss(cutter->work->records, cutter->side);
	}
	hull_clear(cutter->work->records, cutter->side);
	rows = 0;
	for (uint32 b = cutter->nbuckets - 1; b > 0 && buckets[b].from >= left_items; b--)
	{
		double		loss;

		add_bucket(cutter, cutter->side, &buckets[b]);
		rows += buckets[b].rows;
		if (n - buckets[b].from < right_items)
			continue;
		loss = buckets[b].left_loss + rows * hull_loss(cutter->work->records, cutter->side);
		offer(cutter, TWO_SIDES, b, cutter->loss - loss,
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
	const Records *records = cutter->work->records;
	const Bucket *largest = &cutter->buckets[find_largest(cutter)];
	double		rows = largest->rows;
	double		rest = cutter->rows - rows;
	double		spent = bits(cutter, rows) + bits(cutter, rest);
	double		saved;

	if (!largest->allowed)
		return;
	hull_clear(records, cutter->side);
	add_bucket(cutter, cutter->side, largest);
	saved = cutter->loss - rows * hull_loss(records, cutter->side);
	hull_clear(records, cutter->side);
	for (uint32 b = 0; b < cutter->nbuckets; b++)
		if (&cutter->buckets[b] != largest)
			add_bucket(cutter, cutter->side, &cutter->buckets[b]);
	saved -= rest * hull_loss(records, cutter->side);
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
	hull_clear(cutter->work->records, cutter->side);
	for (uint32 b = 0; b < cutter->nbuckets; b++)
	{
		const Bucket *bucket = &cutter->buckets[b];

		if (bucket->allowed)
			continue;
		memcpy(cutter->place + n, cutter->order + bucket->from,
			   sizeof(uint32) * (bucket[1].from - bucket->from));
		n += bucket[1].from - bucket->from;
		*rows += bucket->rows;
		add_bucket(cutter, cutter->side, bucket);
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
	const Records *records = cutter->work->records;
	uint64		small_rows;
	uint32		nsmall = gather_small_children(cutter, &small_rows);
	bool		apart = nsmall > 0 && items_needed(cutter, cutter->place, nsmall, 1) > 0;
	uint32		host = nsmall > 0 && !apart ? find_host(cutter) : cutter->nbuckets;
	uint32		nparts = 0;
	double		loss = 0;
	double		spent = 0;

	if (apart)
	{
		loss = small_rows * hull_loss(records, cutter->side);
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
			hull_clear(records, cutter->side);
		add_bucket(cutter, cutter->side, bucket);
		loss += rows * hull_loss(records, cutter->side);
		spent += bits(cutter, rows);
		nparts++;
	}
	if (nparts > 1)
		offer(cutter, ALL_CHILDREN, host, cutter->loss - loss, spent);
}

/* Lays the items out along a dimension. */
static void
turn_to(Cutter *cutter, const uint32 *items, int d)
{
	cutter->d = d;
	order_items(cutter, items, d);
	find_buckets(cutter, d);
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
	if (cutter->loss <= 0)
		return 0;
	for (int d = 0; d < cutter->work->records->ndimensions; d++)
		if (cutter->hull[d].lo < cutter->hull[d].hi)
		{
			turn_to(cutter, items, d);
			try_cuts(cutter);
		}
	if (cutter->densest.shape == NO_CUT)
		return 0;
	return make_cut(cutter, choose_cut(cutter), items, parts);
}
