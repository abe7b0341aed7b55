/*
 * cut_runs.c
 *		A set of records along one dimension: in order, in runs, and side by side.
 *
 * NOTES
 *		Items stand side by side with their tuples, which move with them when the set is cut.  A small set is sorted
 *		by its codes; a run is those of a code, or of a child of the lowest node that covers the set.  In a large set
 *		codes of a line stay together by the dozen, or however many it takes for no more runs than have hulls: that
 *		is one pass over the items as they stand, and the cuts that are missed are those of smaller sets.
 */
#include "postgres.h"

#include "frame/arrays.h"
#include "miscadmin.h"
#include "partition/cutting.h"

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
	Code		most_runs = 1;

	cutter->work = work;
	cutter->hull = palloc(sizeof(Span) * ndimensions);
	cutter->ranked = palloc(sizeof(int) * ndimensions);
	cutter->promise = palloc(sizeof(double) * ndimensions);
	for (int d = 0; d < (int) ndimensions; d++)
		cutter->promise[d] = 1;
	for (int d = 0; d < work->records->ndimensions; d++)
		most_runs = Max(most_runs, work->records->dimensions[d].size);
	most_runs = Max(most_runs, MAX_HULLS);
	cutter->held = palloc(sizeof(Code) * ndimensions);
	cutter->side.hull = palloc(sizeof(Span) * ndimensions);
	cutter->side.losses = palloc(sizeof(double) * ndimensions);
	cutter->run_hulls = palloc(sizeof(Span) * ndimensions * MAX_HULLS);
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
	return cutter;
}

static inline const Code *
item_tuple(const Cutter *cutter, uint32 item)
{
	return &cutter->tuples[(Size) item * cutter->work->records->ndimensions];
}

void
measure_set(Cutter *cutter, CutStack *stack, Part part)
{
	const Records *records = cutter->work->records;

	cutter->nitems = part.to - part.from;
	cutter->record = stack->items + part.from;
	cutter->tuples = stack->tuples + (Size) part.from * records->ndimensions;
	cutter->nrows = stack->nrows + part.from;
	cutter->rows = 0;
	cutter->d = -1;
	cutter->finely = false;
	hull_clear(records, cutter->hull);
	for (uint32 i = 0; i < cutter->nitems; i++)
	{
		hull_add_tuple(records, cutter->hull, item_tuple(cutter, i));
		cutter->rows += cutter->nrows[i];
	}
	cutter->loss = cutter->rows * hull_loss(records, cutter->hull);
}

void
measure_sample(Cutter *cutter, const CutStack *stack, Part part, uint32 step)
{
	Size		ndimensions = cutter->work->records->ndimensions;
	CutStack   *sample = &cutter->sample;
	uint32		n = 0;

	if (sample->items == NULL)
		*sample = cut_stack_with_room(cutter->work->records, MAX_SAMPLE);
	for (uint32 i = part.from; i < part.to && n < MAX_SAMPLE; i += step, n++)
	{
		sample->items[n] = stack->items[i];
		sample->nrows[n] = stack->nrows[i];
		memcpy(sample->tuples + n * ndimensions, stack->tuples + i * ndimensions, sizeof(Code) * ndimensions);
	}
	measure_set(cutter, sample, (Part) {0, n});
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

/* The hull of a run. */
static void
measure_run(const Cutter *cutter, Span *hull, const CutRun *run)
{
	const Records *records = cutter->work->records;

	hull_clear(records, hull);
	for (uint32 i = run->from; i < run[1].from; i++)
		hull_add_tuple(records, hull, item_tuple(cutter, cutter->order[i]));
}

void
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

/* Is the run's hull kept?  Those of a few items are as soon measured. */
static inline bool
hull_is_kept(const Cutter *cutter, Size b)
{
	return b < MAX_HULLS && cutter->runs[b + 1].from - cutter->runs[b].from >= MIN_KEPT;
}

/* Widens the side by a run: by its hull, where that is kept, or item by item. */
void
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
		const Code *tuple = item_tuple(cutter, cutter->order[i]);

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
		Code		code = item_tuple(cutter, cutter->order[i])[d];

		if (i == 0 || code > last)
		{
			last = tree == NULL ? code : tree->nodes[tree_child_holding(tree, node, code)].leaves.hi;
			cutter->runs[cutter->nruns++] = (CutRun) {.from = i};
		}
		cutter->runs[cutter->nruns - 1].rows += cutter->nrows[cutter->order[i]];
	}
	cutter->runs[cutter->nruns].from = cutter->nitems;
	for (uint32 b = 0; b < Min(cutter->nruns, MAX_HULLS); b++)
		if (hull_is_kept(cutter, b))
			measure_run(cutter, cutter->run_hulls + (Size) b * records->ndimensions,
						&cutter->runs[b]);
}

/* Large sets are looked at in no more runs than have hulls: between two, smaller sets will still be cut. */
#define LARGE_SET 2048

/* Where an item of a large set goes along a dimension. */
typedef struct Buckets
{
	const uint32 *child;		/* [width] of a tree: the child of each code, from the lowest on; or NULL */
	Code		lo;
	int			shift;			/* of a line: so many codes stay together */
	Code		null_code;		/* which stays apart */
} Buckets;

static inline uint32
bucket_of(const Buckets *buckets, Code code)
{
	if (buckets->child != NULL)
		return buckets->child[code - buckets->lo];
	return code == buckets->null_code ? MAX_HULLS - 1 : (code - buckets->lo) >> buckets->shift;
}

/* Is the set large, and can its codes be put in so many buckets?  The children of a tree are noted in spare[]. */
static bool
find_buckets(Cutter *cutter, int d, Buckets *buckets)
{
	const Domain *domain = cutter->work->records->dimensions[d].domain;
	Span		codes = cutter->hull[d];
	uint32		node;

	if (cutter->nitems < LARGE_SET || cutter->finely)
		return false;
	*buckets = (Buckets) {.lo = codes.lo, .null_code = domain->null_code};
	if (domain->tree == NULL)
	{
		while ((codes.hi - codes.lo) >> buckets->shift >= MAX_HULLS - 1)
			buckets->shift++;
		return true;
	}
	node = tree_common_ancestor(domain->tree, codes.lo, codes.hi);
	if (domain->tree->nodes[node].nchildren > MAX_HULLS || span_width(codes) > cutter->nitems)
		return false;
	buckets->child = cutter->spare;
	for (uint32 i = 0; i < domain->tree->nodes[node].nchildren; i++)
	{
		Span		leaves = domain->tree->nodes[domain->tree->nodes[node].first_child + i].leaves;

		for (Code code = Max(leaves.lo, codes.lo); code <= Min(leaves.hi, codes.hi); code++)
			cutter->spare[code - codes.lo] = i;
	}
	return true;
}

/* Lays a large set out along a dimension: two passes over the items as they stand, whatever the codes. */
static void
fill_buckets(Cutter *cutter, int d, const Buckets *buckets)
{
	const Records *records = cutter->work->records;
	int			ndimensions = records->ndimensions;
	uint32		count[MAX_HULLS] = {0};
	uint32		rows[MAX_HULLS] = {0};
	uint32		from = 0;

	for (uint32 b = 0; b < MAX_HULLS; b++)
		hull_clear(records, cutter->run_hulls + (Size) b * ndimensions);
	for (uint32 i = 0; i < cutter->nitems; i++)
	{
		const Code *tuple = item_tuple(cutter, i);
		uint32		b = bucket_of(buckets, tuple[d]);

		count[b]++;
		rows[b] += cutter->nrows[i];
		hull_add_tuple(records, cutter->run_hulls + (Size) b * ndimensions, tuple);
	}
	cutter->nruns = 0;
	for (uint32 b = 0; b < MAX_HULLS; b++)
	{
		if (count[b] == 0)
			continue;
		memmove(cutter->run_hulls + (Size) cutter->nruns * ndimensions, cutter->run_hulls + (Size) b * ndimensions,
				sizeof(Span) * ndimensions);
		cutter->runs[cutter->nruns++] = (CutRun) {.from = from, .rows = rows[b]};
		cutter->place[b] = from;
		from += count[b];
	}
	cutter->runs[cutter->nruns].from = cutter->nitems;
	for (uint32 i = 0; i < cutter->nitems; i++)
		cutter->order[cutter->place[bucket_of(buckets, item_tuple(cutter, i)[d])]++] = i;
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

bool
items_allowed(Cutter *cutter, const uint32 *items, uint32 n)
{
	Work	   *work = cutter->work;

	if (work->monotonous)
		return items_needed(cutter, items, n, 1) > 0;
	for (uint32 i = 0; i < n; i++)
		add_record(work, work->tally, cutter->record[items[i]]);
	return allowed_at_once(work);
}

/* Moves the boundary between the tallies down to the start of a run. */
static void
move_boundary(Cutter *cutter, uint32 b)
{
	if (cutter->all->rows == 0)
		for (uint32 i = 0; i < cutter->nitems; i++)
			add_record(cutter->work, cutter->all, cutter->record[i]);
	if (cutter->boundary == 0)
	{
		tally_copy(cutter->before, cutter->all);
		tally_clear(cutter->behind);
		cutter->boundary = cutter->nruns;
	}
	for (uint32 i = cutter->runs[cutter->boundary].from; i-- > cutter->runs[b].from;)
		move_record(cutter->work, cutter->before, cutter->behind, cutter->record[cutter->order[i]]);
	cutter->boundary = b;
}

bool
sides_are_allowed(Cutter *cutter, uint32 b)
{
	const Principle *principle = cutter->work->principle;

	if (cutter->work->monotonous)
		return true;
	move_boundary(cutter, b);
	return principle_allows(principle, cutter->behind) && principle_allows(principle, cutter->before);
}

void
turn_to(Cutter *cutter, int d)
{
	Buckets		buckets;

	CHECK_FOR_INTERRUPTS();
	if (d == cutter->d)
		return;
	cutter->d = d;
	cutter->boundary = 0;
	if (find_buckets(cutter, d, &buckets))
	{
		fill_buckets(cutter, d, &buckets);
		return;
	}
	order_items(cutter, d);
	find_runs(cutter, d);
}

/* Moves one item of the set to the place of another. */
static void
move_item(Cutter *cutter, uint32 to, uint32 from)
{
	Size		ndimensions = cutter->work->records->ndimensions;

	cutter->record[to] = cutter->record[from];
	cutter->nrows[to] = cutter->nrows[from];
	memcpy(cutter->tuples + to * ndimensions, cutter->tuples + from * ndimensions, sizeof(Code) * ndimensions);
}

void
arrange_items(Cutter *cutter, uint32 *order)
{
	Size		ndimensions = cutter->work->records->ndimensions;

	for (uint32 i = 0; i < cutter->nitems; i++)
	{
		uint32		record = cutter->record[i];
		uint32		nrows = cutter->nrows[i];
		uint32		to = i;

		CHECK_FOR_INTERRUPTS();
		if (order[i] == i)
			continue;
		memcpy(cutter->held, cutter->tuples + i * ndimensions, sizeof(Code) * ndimensions);
		while (order[to] != i)
		{
			uint32		from = order[to];

			CHECK_FOR_INTERRUPTS(); /* one circle may be nearly all items */
			move_item(cutter, to, from);
			order[to] = to;
			to = from;
		}
		order[to] = to;
		cutter->record[to] = record;
		cutter->nrows[to] = nrows;
		memcpy(cutter->tuples + to * ndimensions, cutter->held, sizeof(Code) * ndimensions);
	}
}

/* ----------------------------------------------------------------
 * From the top down
 * ----------------------------------------------------------------
 */

CutStack
cut_stack_with_room(const Records *records, uint32 n)
{
	return (CutStack) {
		.items = new_array(uint32, n),
		.tuples = new_array(Code, (Size) n * records->ndimensions),
		.nrows = new_array(uint32, n),
	};
}

CutStack
cut_stack_create(const Records *records)
{
	uint32		n = records->nrecords;
	CutStack	stack = cut_stack_with_room(records, n);

	memcpy(stack.tuples, records->tuples, sizeof(Code) * n * records->ndimensions);
	for (uint32 i = 0; i < n; i++)
	{
		stack.items[i] = i;
		stack.nrows[i] = record_rows(records, i);
	}
	cut_stack_push(&stack, 0, &(Part) {0, n}, n > 0);
	return stack;
}

void
cut_stack_push(CutStack *stack, uint32 start, const Part *parts, uint32 nparts)
{
	array_reserve(stack->parts, stack->allocated, stack->depth + nparts);
	for (uint32 i = 0; i < nparts; i++)
		stack->parts[stack->depth++] = (Part) {start + parts[i].from, start + parts[i].to};
}
