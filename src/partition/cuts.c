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
 *		Cuts of different shape compete by loss saved per bit of information
 *		that tells the parts apart.  Bits are what k leaves little of: a set of n
 *		rows can be told apart by at most log2(n / k) of them.  By plain loss a
 *		cut into many parts would always win, and spend it all at once.
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

struct Cutter
{
	Work	   *work;			/* borrowed */

	/* The set to be cut */
	uint32		nitems;
	uint64		rows;
	double		loss;			/* of all rows together */
	Span	   *hull;			/* [dimensions] */

	/* The same, along one dimension */
	uint32	   *order;			/* [nitems] the items by their codes */
	uint32		nbuckets;
	Bucket	   *buckets;		/* [nbuckets + 1] the last one is an end mark */
	Span	   *bucket_hulls;	/* [MAX_HULLS * dimensions] of the first ones */
	uint32	   *place;			/* [records + MIN_COUNTED + 1] */
	Span	   *side;			/* [dimensions] */

	/* The best cut so far */
	double		score;
	uint32	   *best;			/* [nitems] */
	uint32		nparts;
	uint32	   *part_items;		/* [nparts] */
};

/* Codes in a range up to this wide are sorted by counting in any case. */
#define MIN_COUNTED 1024

/*
 * So many buckets' hulls are kept; those of the others are measured each time.
 * A dimension of many codes makes many buckets, but then they are small.
 */
#define MAX_HULLS 256

/* Less than this is rounding. */
#define LEAST_SCORE 1e-9

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
	cutter->best = palloc_extended(sizeof(uint32) * n, MCXT_ALLOC_HUGE);
	cutter->part_items = palloc_extended(sizeof(uint32) * n, MCXT_ALLOC_HUGE);
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
	cutter->score = LEAST_SCORE;
	cutter->nparts = 0;
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

static double
score_of(const Cutter *cutter, double loss, double spent)
{
	return (cutter->loss - loss) / spent;
}

/* Copies buckets to the best cut; they belong to the part that ends with them. */
static uint32
keep_buckets(Cutter *cutter, uint32 kept, const Bucket *from, const Bucket *to)
{
	uint32		n = to->from - from->from;

	memcpy(cutter->best + kept, cutter->order + from->from, sizeof(uint32) * n);
	return kept + n;
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
	uint32		at = 0;

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
		double		score;

		add_bucket(cutter, cutter->side, &buckets[b]);
		rows += buckets[b].rows;
		if (n - buckets[b].from < right_items)
			continue;
		loss = buckets[b].left_loss + rows * hull_loss(cutter->work->records, cutter->side);
		score = score_of(cutter, loss, bits(cutter, rows) + bits(cutter, cutter->rows - rows));
		if (score > cutter->score)
		{
			cutter->score = score;
			at = b;
		}
	}
	if (at == 0)
		return;
	(void) keep_buckets(cutter, 0, buckets, buckets + cutter->nbuckets);
	cutter->part_items[0] = buckets[at].from;
	cutter->part_items[1] = n - buckets[at].from;
	cutter->nparts = 2;
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

/* Keeps one child and, if the principle allows it, the rest; place[] is free after sorting. */
static bool
keep_child_and_rest(Cutter *cutter, const Bucket *child, bool rest_is_allowed)
{
	uint32		from = child->from;
	uint32		to = child[1].from;
	uint32		n = cutter->nitems - (to - from);

	memcpy(cutter->place, cutter->order, sizeof(uint32) * from);
	memcpy(cutter->place + from, cutter->order + to, sizeof(uint32) * (cutter->nitems - to));
	if (!rest_is_allowed && items_needed(cutter, cutter->place, n, 1) == 0)
		return false;
	(void) keep_buckets(cutter, 0, child, child + 1);
	memcpy(cutter->best + (to - from), cutter->place, sizeof(uint32) * n);
	cutter->part_items[0] = to - from;
	cutter->part_items[1] = n;
	cutter->nparts = 2;
	return true;
}

/* Cuts off the largest child.  The rest is allowed if another child is, or else is asked. */
static void
try_largest_child(Cutter *cutter, uint32 nallowed)
{
	const Records *records = cutter->work->records;
	const Bucket *largest = &cutter->buckets[find_largest(cutter)];
	double		rows = largest->rows;
	double		rest = cutter->rows - rows;
	double		loss;
	double		score;

	if (!largest->allowed)
		return;
	hull_clear(records, cutter->side);
	add_bucket(cutter, cutter->side, largest);
	loss = rows * hull_loss(records, cutter->side);
	hull_clear(records, cutter->side);
	for (uint32 b = 0; b < cutter->nbuckets; b++)
		if (&cutter->buckets[b] != largest)
			add_bucket(cutter, cutter->side, &cutter->buckets[b]);
	loss += rest * hull_loss(records, cutter->side);
	score = score_of(cutter, loss, bits(cutter, rows) + bits(cutter, rest));
	if (score > cutter->score && keep_child_and_rest(cutter, largest, nallowed > 1))
		cutter->score = score;
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

/* Keeps a cut into all children, the small ones, in place[], coming last. */
static void
keep_all_children(Cutter *cutter, uint32 nsmall, uint32 host)
{
	const Bucket *buckets = cutter->buckets;
	uint32		kept = 0;

	cutter->nparts = 0;
	for (uint32 b = 0; b < cutter->nbuckets; b++)
		if (buckets[b].allowed && b != host)
		{
			kept = keep_buckets(cutter, kept, &buckets[b], &buckets[b + 1]);
			cutter->part_items[cutter->nparts++] = buckets[b + 1].from - buckets[b].from;
		}
	if (nsmall == 0)
		return;
	cutter->part_items[cutter->nparts++] = cutter->nitems - kept;
	if (host < cutter->nbuckets)
		kept = keep_buckets(cutter, kept, &buckets[host], &buckets[host + 1]);
	memcpy(cutter->best + kept, cutter->place, sizeof(uint32) * nsmall);
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
	if (nparts < 2 || score_of(cutter, loss, spent) <= cutter->score)
		return;
	cutter->score = score_of(cutter, loss, spent);
	keep_all_children(cutter, nsmall, host);
}

/* Tries the cuts of one dimension. */
static void
try_dimension(Cutter *cutter, const uint32 *items, int d)
{
	uint32		nallowed;

	order_items(cutter, items, d);
	find_buckets(cutter, d);
	try_two_sides(cutter);
	if (cutter->work->records->dimensions[d].domain->tree == NULL || cutter->nbuckets < 3)
		return;
	nallowed = judge_children(cutter);
	if (nallowed == 0)
		return;
	try_largest_child(cutter, nallowed);
	try_all_children(cutter);
}

/*
 * Cuts items into parts that are all allowed, in the way that saves most;
 * permutes them so that each part's stand together.  Returns the number of
 * parts, 0 when no cut is allowed or none saves anything.
 */
uint32
cut_records(Cutter *cutter, uint32 *items, uint32 nitems, Part *parts)
{
	uint32		from = 0;

	CHECK_FOR_INTERRUPTS();
	measure_set(cutter, items, nitems);
	if (cutter->loss <= 0)
		return 0;
	for (int d = 0; d < cutter->work->records->ndimensions; d++)
		if (cutter->hull[d].lo < cutter->hull[d].hi)
			try_dimension(cutter, items, d);
	if (cutter->nparts == 0)
		return 0;
	memcpy(items, cutter->best, sizeof(uint32) * nitems);
	for (uint32 i = 0; i < cutter->nparts; i++)
	{
		parts[i] = (Part) {from, from + cutter->part_items[i]};
		from += cutter->part_items[i];
	}
	return cutter->nparts;
}
