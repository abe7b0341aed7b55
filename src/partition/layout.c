/*
 * layout.c
 *		A set of records along one dimension: in order, in buckets, and side by
 *		side.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "frame/arrays.h"
#include "partition/cutter.h"

/*
 * Codes in a range up to this wide are sorted by counting in any case, and
 * those in one wider than there are items by digits of so many bits.
 */
#define DIGIT_BITS	10
#define MIN_COUNTED (1 << DIGIT_BITS)

/*
 * So many buckets' hulls are kept; those of the others are measured each time.
 * A dimension of many codes makes many buckets, but then they are small.
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
	cutter->bucket_hulls = palloc(sizeof(Span) * ndimensions * MAX_HULLS);
	cutter->order = new_array(uint32, n);
	cutter->spare = new_array(uint32, n);
	cutter->place = new_array(uint32, n + MIN_COUNTED);
	cutter->buckets = new_array(Bucket, n);
	return cutter;
}

static inline Code
item_code(const Cutter *cutter, uint32 item, int d)
{
	return record_tuple(cutter->work->records, item)[d];
}

void
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

/* The hull of a bucket. */
static void
measure_bucket(const Cutter *cutter, Span *hull, const Bucket *bucket)
{
	const Records *records = cutter->work->records;

	hull_clear(records, hull);
	for (uint32 i = bucket->from; i < bucket[1].from; i++)
		hull_add_tuple(records, hull, record_tuple(records, cutter->order[i]));
}

void
clear_side(Cutter *cutter)
{
	hull_clear(cutter->work->records, cutter->side.hull);
	cutter->side.loss = 0;
	cutter->side.widened = false;
}

/* Few of those who come widen the side, and few of its dimensions: only these are measured. */
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
double
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

/* Is the bucket's hull kept?  Those of a few items are as soon measured. */
static inline bool
hull_is_kept(const Cutter *cutter, Size b)
{
	return b < MAX_HULLS && cutter->buckets[b + 1].from - cutter->buckets[b].from >= MIN_KEPT;
}

void
add_bucket(Cutter *cutter, const Bucket *bucket)
{
	const Records *records = cutter->work->records;
	const Span *side = cutter->side.hull;
	int			ndimensions = records->ndimensions;
	Size		b = bucket - cutter->buckets;

	if (hull_is_kept(cutter, b))
	{
		const Span *hull = cutter->bucket_hulls + b * ndimensions;

		for (int d = 0; d < ndimensions; d++)
			if (hull[d].lo < side[d].lo || hull[d].hi > side[d].hi)
				widen(cutter, d, hull[d]);
		return;
	}
	for (uint32 i = bucket->from; i < bucket[1].from; i++)
	{
		const Code *tuple = record_tuple(records, cutter->order[i]);

		for (int d = 0; d < ndimensions; d++)
			if (unlikely(tuple[d] < side[d].lo || tuple[d] > side[d].hi))
				widen(cutter, d, span_of(tuple[d]));
	}
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
		if (hull_is_kept(cutter, b))
			measure_bucket(cutter, cutter->bucket_hulls + (Size) b * records->ndimensions,
						   &cutter->buckets[b]);
}

uint32
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

void
turn_to(Cutter *cutter, const uint32 *items, int d)
{
	cutter->d = d;
	order_items(cutter, items, d);
	find_buckets(cutter, d);
}
