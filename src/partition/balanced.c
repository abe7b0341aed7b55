/*
 * balanced.c
 *		Cutting a balanced bucket in two, until every part is one group.
 *
 * NOTES
 *		A cut is a place along one quasi-identifier, and how many of the groups lie
 *		before it.  Entries seldom agree: where one has fewer rows before the place
 *		than that many groups need, rows from behind it join them, and so many
 *		groups are as wide as before.  A cut is worth what it saves in all others.
 *
 *		Which rows cross the place is decided in three steps: those nearest to it
 *		until each entry has the right number, others of the same entries and
 *		values where a sensitive value would be too frequent on one side
 *		(see below), and of rows that are alike in entry and value always those
 *		nearest to the place.
 */
#include "postgres.h"

#include "frame/arrays.h"
#include "miscadmin.h"
#include "partition/buckets.h"
#include "utils/memutils.h"

/* Domains as large as this have a table of what each cell loses. */
#define MAX_TABLE	256

/* Places along a quasi-identifier that are weighed, at most, in each cut. */
#define MAX_PLACES	48

/* Of parts of so many groups, neither side of a cut is less than a share of 1/LEAST_SHARE. */
#define LARGE_PART	24
#define LEAST_SHARE	12

/* ----------------------------------------------------------------
 * Choosing a part of a bipartite multigraph whose degrees lie between bounds
 *
 * Entries and values are the nodes; a cell says how many edges there are between
 * two of them, and how many are chosen.  The choice is given as it would be best;
 * the least is changed that makes all degrees right.
 *
 * A node with too many chosen edges gives one up; so the node at its other end
 * has one less, which is fine, or it takes another one, and so on.  Each path is
 * a shortest one, and mends at least one unit of what is wrong without making
 * anything else worse; if there is none, there is no choice (flows with bounds).
 * ----------------------------------------------------------------
 */

typedef struct DegreeNode
{
	uint32		chosen;			/* the sum over its cells */
	uint32		least;
	uint32		most;
} DegreeNode;

typedef struct Degrees
{
	uint32		nentries;
	uint32		nvalues;
	uint32	   *edges;			/* [nvalues * nentries] */
	uint32	   *chosen;			/* [nvalues * nentries] */
	DegreeNode *node;			/* [nentries + nvalues] entries first */

	/* Scratch for searches: [nentries + nvalues] */
	uint32	   *queue;
	uint32	   *came_from;
} Degrees;

#define NO_NODE PG_UINT32_MAX

static uint32
degree_cell(const Degrees *degrees, uint32 a, uint32 b)
{
	uint32		entry = Min(a, b);
	uint32		value = Max(a, b) - degrees->nentries;

	return value * degrees->nentries + entry;
}

/* How many edges between the two can be chosen more, or less. */
static uint32
room_between(const Degrees *degrees, uint32 a, uint32 b, bool more)
{
	uint32		cell = degree_cell(degrees, a, b);

	return more ? degrees->edges[cell] - degrees->chosen[cell] : degrees->chosen[cell];
}

static uint32
room_at(const DegreeNode *node, bool more)
{
	if (more)
		return node->chosen < node->most ? node->most - node->chosen : 0;
	return node->chosen > node->least ? node->chosen - node->least : 0;
}

static bool
is_entry(const Degrees *degrees, uint32 node)
{
	return node < degrees->nentries;
}

/*
 * The nearest node that can take what comes of changing a node's sum, or
 * NO_NODE.  Nodes on its side get back what they lose, so it changes theirs, too;
 * nodes on the other side change the other way where they cannot.
 */
static uint32
search(Degrees *degrees, uint32 start, bool more)
{
	uint32		nnodes = degrees->nentries + degrees->nvalues;
	uint32		head = 0;
	uint32		tail = 0;

	memset(degrees->came_from, 0xff, sizeof(uint32) * nnodes);	/* NO_NODE */
	degrees->came_from[start] = start;
	degrees->queue[tail++] = start;
	while (head < tail)
	{
		uint32		at = degrees->queue[head++];
		bool		same_side = is_entry(degrees, at) == is_entry(degrees, start);
		bool		gains = same_side == more;	/* over the edge to come */
		uint32		first = is_entry(degrees, at) ? degrees->nentries : 0;
		uint32		end = is_entry(degrees, at) ? nnodes : degrees->nentries;

		for (uint32 next = first; next < end; next++)
		{
			if (degrees->came_from[next] != NO_NODE || room_between(degrees, at, next, gains) == 0)
				continue;
			degrees->came_from[next] = at;
			if (room_at(&degrees->node[next], gains) > 0)
				return next;
			degrees->queue[tail++] = next;
		}
	}
	return NO_NODE;
}

/* Does the last edge of a path that ends here add to what is chosen? */
static bool
ends_with_gain(const Degrees *degrees, uint32 start, uint32 end, bool more)
{
	return (is_entry(degrees, end) != is_entry(degrees, start)) == more;
}

/* Changes the choice along a path, by as much as its nodes and edges can take. */
static void
follow(Degrees *degrees, uint32 start, uint32 end, bool more, uint32 wanted)
{
	bool		gains = ends_with_gain(degrees, start, end, more);
	uint32		room = room_at(&degrees->node[end], gains);
	uint32		amount = Min(wanted, room);

	for (uint32 at = end; at != start; at = degrees->came_from[at], gains = !gains)
	{
		room = room_between(degrees, at, degrees->came_from[at], gains);
		amount = Min(amount, room);
	}
	gains = ends_with_gain(degrees, start, end, more);
	for (uint32 at = end; at != start; at = degrees->came_from[at], gains = !gains)
	{
		uint32		cell = degree_cell(degrees, at, degrees->came_from[at]);

		degrees->chosen[cell] += gains ? amount : -amount;
	}
	degrees->node[start].chosen += more ? amount : -amount;
	degrees->node[end].chosen += ends_with_gain(degrees, start, end, more) ? amount : -amount;
}

/* False if there is no choice that is right. */
static bool
mend_degrees(Degrees *degrees)
{
	for (uint32 i = 0; i < degrees->nentries + degrees->nvalues; i++)
	{
		const DegreeNode *node = &degrees->node[i];

		while (node->chosen < node->least || node->chosen > node->most)
		{
			bool		more = node->chosen < node->least;
			uint32		end = search(degrees, i, more);

			CHECK_FOR_INTERRUPTS();
			if (end == NO_NODE)
				return false;
			follow(degrees, i, end, more, more ? node->least - node->chosen : node->chosen - node->most);
		}
	}
	return true;
}

/* ----------------------------------------------------------------
 * Cutting buckets
 * ----------------------------------------------------------------
 */

/* A part that is still to be cut. */
typedef struct BucketPart
{
	uint32		from;
	uint32		n;
	uint32		groups;
	uint32		first_group;
} BucketPart;

typedef struct BucketCut
{
	double		saved;
	int			qi;				/* or -1: rows stay in the order they have */
	uint32		before;			/* rows before the place */
	uint32		groups;			/* before it */
} BucketCut;

typedef struct CodedRow
{
	Code		code;			/* along the quasi-identifier at hand */
	uint32		index;			/* in the bucket */
} CodedRow;

struct Splitter
{
	const Frame *frame;
	float	  **losses;			/* [nqis] [size * size], or NULL for large domains */

	/* The bucket at hand */
	BalancedRow *rows;
	uint32		nentries;
	const uint32 *multiplicity;

	/* The part at hand */
	CodedRow   *order;			/* [most rows] */
	CodedRow   *spare;			/* [most rows] */
	uint32	   *place;			/* [places] of a counting sort */
	Size		places_allocated;
	uint32	   *total;			/* [entries] rows of each */
	uint32	   *below;			/* [entries] those before a place */
	BalancedRow *aside;			/* [most rows] */

	/* Values of the part, numbered as they come */
	uint32	   *number;			/* [values] */
	Code	   *value;			/* [most rows] by number */
	uint32		nvalues;
	Degrees		degrees;
	Size		cells_allocated;
	uint32	   *taken;			/* [cells] */

	/* Parts that wait */
	BucketPart *stack;
	uint32		nstack;
	uint32		stack_allocated;
};

/* Makes room for n pairs of a value and an entry in all arrays that have one element for each. */
static void
make_room_for_cells(Splitter *splitter, Size n)
{
	if (n <= splitter->cells_allocated)
		return;
	splitter->cells_allocated = array_room(splitter->cells_allocated, n);
	array_resize(splitter->degrees.edges, splitter->cells_allocated);
	array_resize(splitter->degrees.chosen, splitter->cells_allocated);
	array_resize(splitter->taken, splitter->cells_allocated);
}

/* All arrays are made here: buckets are split in contexts that live shorter. */
Splitter *
splitter_create(const Frame *frame, uint32 most_rows, uint32 most_entries)
{
	Splitter   *splitter = palloc0(sizeof(Splitter));
	Size		nnodes = (Size) most_entries + most_rows + 1;

	splitter->frame = frame;
	splitter->losses = palloc0(sizeof(float *) * (frame->nqis + 1));
	for (int q = 0; q < frame->nqis; q++)
	{
		const Domain *domain = &frame->domain[q];

		if (domain->size > MAX_TABLE)
			continue;
		splitter->losses[q] = palloc(sizeof(float) * ((Size) domain->size * domain->size + 1));
		for (Code lo = 0; lo < domain->size; lo++)
			for (Code hi = lo; hi < domain->size; hi++)
				splitter->losses[q][(Size) lo * domain->size + hi] = cover_loss(domain, (Span) {lo, hi});
	}
	splitter->order = new_array(CodedRow, most_rows);
	splitter->spare = new_array(CodedRow, most_rows);
	splitter->aside = new_array(BalancedRow, most_rows);
	array_reserve(splitter->place, splitter->places_allocated, 1024);
	splitter->total = palloc(sizeof(uint32) * (most_entries + 1));
	splitter->below = palloc(sizeof(uint32) * (most_entries + 1));
	splitter->number = new_array(uint32, frame->nsensitive);
	memset(splitter->number, 0xff, sizeof(uint32) * frame->nsensitive);
	splitter->value = new_array(Code, most_rows);
	splitter->degrees.node = new_array(DegreeNode, nnodes);
	splitter->degrees.queue = new_array(uint32, nnodes);
	splitter->degrees.came_from = new_array(uint32, nnodes);
	make_room_for_cells(splitter, 1024);
	array_reserve(splitter->stack, splitter->stack_allocated, 64);
	return splitter;
}

static double
span_loss_of(const Splitter *splitter, int q, Code lo, Code hi)
{
	const Domain *domain = &splitter->frame->domain[q];

	return splitter->losses[q] != NULL ? splitter->losses[q][(Size) lo * domain->size + hi] :
		cover_loss(domain, (Span) {lo, hi});
}

/* ----------------------------------------------------------------
 * A part along one quasi-identifier
 * ----------------------------------------------------------------
 */

/* Orders rows by code, ties by their place before. */
DEFINE_ORDER(compare_items, CodedRow, ASCENDING(code) ASCENDING(index));

/* Sorts items by codes from lo to hi, by counting. */
static void
count_into_places(Splitter *splitter, uint32 n, Code lo, Code hi)
{
	Size		nplaces = (Size) hi - lo + 2;
	CodedRow   *swap;

	array_reserve(splitter->place, splitter->places_allocated, nplaces);
	memset(splitter->place, 0, sizeof(uint32) * nplaces);
	for (uint32 i = 0; i < n; i++)
		splitter->place[splitter->order[i].code - lo + 1]++;
	for (Size p = 1; p < nplaces; p++)
		splitter->place[p] += splitter->place[p - 1];
	for (uint32 i = 0; i < n; i++)
		splitter->spare[splitter->place[splitter->order[i].code - lo]++] = splitter->order[i];
	swap = splitter->order;
	splitter->order = splitter->spare;
	splitter->spare = swap;
}

/* Lays the part out along a quasi-identifier; false if it has one value only. */
static bool
lay_out(Splitter *splitter, const BucketPart *part, int q)
{
	const Code *code = splitter->frame->code[q];
	Code		lo = NO_CODE;
	Code		hi = 0;

	for (uint32 i = 0; i < part->n; i++)
	{
		Code		at = code[splitter->rows[part->from + i].row];

		splitter->order[i] = (CodedRow) {at, part->from + i};
		lo = Min(lo, at);
		hi = Max(hi, at);
	}
	if (lo >= hi)
		return false;
	if (hi - lo < 8 * part->n + 64)
		count_into_places(splitter, part->n, lo, hi);
	else
		qsort(splitter->order, part->n, sizeof(CodedRow), compare_items);
	return true;
}

/* How many groups would most entries have before the place? */
static uint32
groups_before(const Splitter *splitter, const BucketPart *part)
{
	double		best_share = 0;
	double		best_distance = -1;

	/* The entry whose share has least distance to those of all others: their median. */
	for (uint32 e = 0; e < splitter->nentries; e++)
	{
		double		share = (double) splitter->below[e] / splitter->multiplicity[e];
		double		distance = 0;

		for (uint32 f = 0; f < splitter->nentries; f++)
		{
			double		other = (double) splitter->below[f] / splitter->multiplicity[f];

			distance += splitter->multiplicity[f] * (other > share ? other - share : share - other);
		}
		if (best_distance < 0 || distance < best_distance)
		{
			best_distance = distance;
			best_share = share;
		}
	}
	return (uint32) Max(1.0, Min(part->groups - 1.0, best_share + 0.5));
}

/* Groups on either side that a row from the other side makes as wide as before. */
static void
count_crossing(const Splitter *splitter, const BucketPart *part, uint32 groups, uint32 *before, uint32 *behind)
{
	*before = *behind = 0;
	for (uint32 e = 0; e < splitter->nentries; e++)
	{
		uint32		multiplicity = splitter->multiplicity[e];
		uint64		most = (uint64) multiplicity * groups;
		uint64		room_behind = (uint64) multiplicity * (part->groups - groups);
		uint64		least = splitter->total[e] > room_behind ? splitter->total[e] - room_behind : 0;
		uint64		below = splitter->below[e];

		if (below < least)
			*before = Max(*before, (least - below + multiplicity - 1) / multiplicity);
		if (below > most)
			*behind = Max(*behind, (below - most + multiplicity - 1) / multiplicity);
	}
}

/* Weighs the place behind the first so many rows in order. */
static void
weigh_place(const Splitter *splitter, const BucketPart *part, int q, uint32 before, BucketCut *best)
{
	const CodedRow *order = splitter->order;
	double		loss = span_loss_of(splitter, q, order[0].code, order[part->n - 1].code);
	double		loss_before = span_loss_of(splitter, q, order[0].code, order[before - 1].code);
	double		loss_behind = span_loss_of(splitter, q, order[before].code, order[part->n - 1].code);
	uint32		groups = groups_before(splitter, part);
	uint32		wide_before;
	uint32		wide_behind;
	double		saved = 0;

	/* Slices cut off large parts one after the other would cost more time than they are worth. */
	if (Min(groups, part->groups - groups) < (part->groups < LARGE_PART ? 1 : part->groups / LEAST_SHARE))
		return;
	count_crossing(splitter, part, groups, &wide_before, &wide_behind);
	if (wide_before < groups)
		saved += (groups - wide_before) * (loss - loss_before);
	if (wide_behind < part->groups - groups)
		saved += (part->groups - groups - wide_behind) * (loss - loss_behind);
	if (saved > best->saved)
		*best = (BucketCut) {saved, q, before, groups};
}

/* The cut of a part that saves most, or one in the middle. */
static BucketCut
find_cut(Splitter *splitter, const BucketPart *part)
{
	BucketCut	best = {0, -1, part->n / 2, part->groups / 2};

	memset(splitter->total, 0, sizeof(uint32) * splitter->nentries);
	for (uint32 i = 0; i < part->n; i++)
		splitter->total[splitter->rows[part->from + i].entry]++;
	for (int q = 0; q < splitter->frame->nqis; q++)
	{
		uint32		last = 0;

		if (!lay_out(splitter, part, q))
			continue;
		/* Between different codes, at a limited number of places. */
		memset(splitter->below, 0, sizeof(uint32) * splitter->nentries);
		for (uint32 i = 0; i + 1 < part->n; i++)
		{
			splitter->below[splitter->rows[splitter->order[i].index].entry]++;
			if (splitter->order[i].code == splitter->order[i + 1].code || i - last < part->n / MAX_PLACES)
				continue;
			last = i;
			weigh_place(splitter, part, q, i + 1, &best);
		}
	}
	return best;
}

/* ----------------------------------------------------------------
 * Which rows go to which side
 * ----------------------------------------------------------------
 */

static uint32
cell_of(const Splitter *splitter, const CodedRow *item)
{
	const BalancedRow *row = &splitter->rows[item->index];

	return splitter->number[splitter->frame->sensitive[row->row]] * splitter->nentries + row->entry;
}

static void
set_bounds(DegreeNode *node, uint32 edges, uint64 most, uint64 room_behind)
{
	node->most = Min(most, edges);
	node->least = edges > room_behind ? edges - room_behind : 0;
}

/* Chosen are those before the cut. */
static void
choose_before(Splitter *splitter, const BucketPart *part, const BucketCut *cut)
{
	Degrees    *degrees = &splitter->degrees;
	Size		ncells = (Size) splitter->nvalues * splitter->nentries;
	uint32		behind = part->groups - cut->groups;

	make_room_for_cells(splitter, ncells);
	degrees->nentries = splitter->nentries;
	degrees->nvalues = splitter->nvalues;
	memset(degrees->edges, 0, sizeof(uint32) * ncells);
	memset(degrees->chosen, 0, sizeof(uint32) * ncells);
	memset(degrees->node, 0, sizeof(DegreeNode) * (splitter->nentries + splitter->nvalues));
	for (uint32 i = 0; i < part->n; i++)
	{
		uint32		cell = cell_of(splitter, &splitter->order[i]);
		uint32		chosen = i < cut->before;

		degrees->edges[cell]++;
		degrees->chosen[cell] += chosen;
		degrees->node[cell % splitter->nentries].chosen += chosen;
		degrees->node[splitter->nentries + cell / splitter->nentries].chosen += chosen;
	}
	for (uint32 e = 0; e < splitter->nentries; e++)
		set_bounds(&degrees->node[e], splitter->total[e],
				   (uint64) splitter->multiplicity[e] * cut->groups, (uint64) splitter->multiplicity[e] * behind);
	for (uint32 v = 0; v < splitter->nvalues; v++)
	{
		uint32		edges = 0;

		for (uint32 e = 0; e < splitter->nentries; e++)
			edges += degrees->edges[(Size) v * splitter->nentries + e];
		set_bounds(&degrees->node[splitter->nentries + v], edges, cut->groups, behind);
	}
}

/* Moves a row over the cut if its entry is the better for it, and its value no worse. */
static void
move_if_wanted(Splitter *splitter, const CodedRow *item, bool to_front)
{
	Degrees    *degrees = &splitter->degrees;
	uint32		cell = cell_of(splitter, item);
	DegreeNode *entry = &degrees->node[cell % splitter->nentries];
	DegreeNode *value = &degrees->node[splitter->nentries + cell / splitter->nentries];

	if (to_front ? entry->chosen >= entry->least || value->chosen >= value->most
		: entry->chosen <= entry->most || value->chosen <= value->least)
		return;
	degrees->chosen[cell] += to_front ? 1 : -1;
	entry->chosen += to_front ? 1 : -1;
	value->chosen += to_front ? 1 : -1;
}

/* Of each cell, the first so many in order come to the front of the part; returns how many. */
static uint32
permute(Splitter *splitter, const BucketPart *part)
{
	const Degrees *degrees = &splitter->degrees;
	uint32		front = 0;
	uint32		back = 0;

	for (uint32 e = 0; e < splitter->nentries; e++)
		back += degrees->node[e].chosen;
	memset(splitter->taken, 0, sizeof(uint32) * splitter->nvalues * splitter->nentries);
	for (uint32 i = 0; i < part->n; i++)
	{
		const CodedRow *item = &splitter->order[i];
		uint32		cell = cell_of(splitter, item);
		bool		is_front = splitter->taken[cell]++ < degrees->chosen[cell];

		splitter->aside[is_front ? front++ : back++] = splitter->rows[item->index];
	}
	memcpy(splitter->rows + part->from, splitter->aside, sizeof(BalancedRow) * part->n);
	return front;
}

/* ----------------------------------------------------------------
 * The whole
 * ----------------------------------------------------------------
 */

static void
push(Splitter *splitter, BucketPart part)
{
	array_reserve(splitter->stack, splitter->stack_allocated, splitter->nstack + 1);
	splitter->stack[splitter->nstack++] = part;
}

/* Cuts a part into two, each with whole groups of balanced entries. */
static void
split_part(Splitter *splitter, const BucketPart *part)
{
	BucketCut	cut = find_cut(splitter, part);
	uint32		before;

	if (cut.qi < 0 || !lay_out(splitter, part, cut.qi))
		for (uint32 i = 0; i < part->n; i++)
			splitter->order[i] = (CodedRow) {0, part->from + i};
	splitter->nvalues = 0;
	for (uint32 i = 0; i < part->n; i++)
	{
		Code		value = splitter->frame->sensitive[splitter->rows[part->from + i].row];

		if (splitter->number[value] != PG_UINT32_MAX)
			continue;
		splitter->number[value] = splitter->nvalues;
		splitter->value[splitter->nvalues++] = value;
	}
	choose_before(splitter, part, &cut);
	for (uint32 i = cut.before; i-- > 0;)
		move_if_wanted(splitter, &splitter->order[i], false);
	for (uint32 i = cut.before; i < part->n; i++)
		move_if_wanted(splitter, &splitter->order[i], true);
	if (!mend_degrees(&splitter->degrees))
		elog(ERROR, "a balanced bucket does not split");
	before = permute(splitter, part);
	for (uint32 v = 0; v < splitter->nvalues; v++)
		splitter->number[splitter->value[v]] = PG_UINT32_MAX;
	push(splitter, (BucketPart) {part->from, before, cut.groups, part->first_group});
	push(splitter, (BucketPart) {part->from + before, part->n - before, part->groups - cut.groups,
		part->first_group + cut.groups});
}

void
split_bucket(Splitter *splitter, const BalancedBucket *bucket, uint32 *size)
{
	splitter->rows = bucket->rows;
	splitter->nentries = bucket->nentries;
	splitter->multiplicity = bucket->multiplicity;
	push(splitter, (BucketPart) {0, bucket->nrows, bucket->ngroups, 0});
	while (splitter->nstack > 0)
	{
		BucketPart	part = splitter->stack[--splitter->nstack];

		CHECK_FOR_INTERRUPTS();
		if (part.groups == 1)
			size[part.first_group] = part.n;
		else
			split_part(splitter, &part);
	}
}
