/*
 * boxes.c
 *		A k-d tree: points are halved again and again, each time in the column in
 *		which they spread most, and each part knows its weight and its bounds.
 *
 * NOTES
 *		Parts that lie in a box are added as a whole, and those beside it are left
 *		out, so that a box costs about as much as its surface has parts.
 */
#include "audit/boxes.h"

#include "frame/arrays.h"
#include "miscadmin.h"

#define FEW_POINTS 8

typedef struct Part
{
	uint32		first;			/* of its points, in the order of the tree */
	uint32		n;
	uint32		halves;			/* the first of two parts that follow each other; 0 for a leaf */
	uint64		weight;
} Part;

struct PointTree
{
	const Code *code;
	const uint64 *weight;
	int			width;
	uint32	   *order;			/* [points] */
	Part	   *part;
	uint32		nparts;
	uint32		parts_allocated;
	Span	   *bounds;			/* [parts][width] */
	uint64		bounds_allocated;
};

static inline Code
code_at(const PointTree *tree, uint32 place, int column)
{
	return tree->code[(Size) tree->order[place] * tree->width + column];
}

/* Adds a part of points that stand together, with its weight and bounds. */
static uint32
add_part(PointTree *tree, uint32 first, uint32 n)
{
	uint32		number = tree->nparts;
	Part	   *part;
	Span	   *bounds;

	array_reserve(tree->part, tree->parts_allocated, number + 1);
	array_reserve(tree->bounds, tree->bounds_allocated, ((uint64) number + 1) * tree->width);
	tree->nparts++;
	part = &tree->part[number];
	bounds = tree->bounds + (Size) number * tree->width;
	*part = (Part) {.first = first, .n = n};
	for (int c = 0; c < tree->width; c++)
		bounds[c] = span_of(code_at(tree, first, c));
	for (uint32 i = first; i < first + n; i++)
	{
		part->weight += tree->weight[tree->order[i]];
		for (int c = 0; c < tree->width; c++)
			span_widen(&bounds[c], code_at(tree, i, c));
	}
	return number;
}

/* The column in which the points of a part spread most. */
static int
widest_column(const PointTree *tree, uint32 part)
{
	const Span *bounds = tree->bounds + (Size) part * tree->width;
	int			widest = 0;

	for (int c = 1; c < tree->width; c++)
		if (bounds[c].hi - bounds[c].lo > bounds[widest].hi - bounds[widest].lo)
			widest = c;
	return widest;
}

/* Puts points up to a code before the others; returns how many there are. */
static uint32
put_before(PointTree *tree, const Part *part, int column, Code most)
{
	uint32		n = 0;

	for (uint32 i = part->first; i < part->first + part->n; i++)
		if (code_at(tree, i, column) <= most)
		{
			uint32		moved = tree->order[i];

			tree->order[i] = tree->order[part->first + n];
			tree->order[part->first + n++] = moved;
		}
	return n;
}

/*
 * Halves a part, unless it is small or all of its points stand at one place.  Halving the bounds, not the points, costs no
 * sorting, and makes at most 32 parts below each other in each column.
 */
static void
halve(PointTree *tree, uint32 number)
{
	int			column = tree->width == 0 ? 0 : widest_column(tree, number);
	Part		part = tree->part[number];
	Span		bounds;
	uint32		below;

	if (part.n <= FEW_POINTS || tree->width == 0)
		return;
	bounds = tree->bounds[(Size) number * tree->width + column];
	if (bounds.lo == bounds.hi)
		return;
	below = put_before(tree, &part, column, bounds.lo + (bounds.hi - bounds.lo) / 2);
	tree->part[number].halves = tree->nparts;
	(void) add_part(tree, part.first, below);
	(void) add_part(tree, part.first + below, part.n - below);
}

PointTree *
points_create(const Code *code, const uint64 *weight, uint32 n, int width)
{
	PointTree  *tree = palloc0(sizeof(PointTree));

	tree->code = code;
	tree->weight = weight;
	tree->width = width;
	tree->order = new_array(uint32, n);
	for (uint32 i = 0; i < n; i++)
		tree->order[i] = i;
	if (n > 0)
		(void) add_part(tree, 0, n);
	for (uint32 number = 0; number < tree->nparts; number++)
	{
		CHECK_FOR_INTERRUPTS();
		halve(tree, number);
	}
	return tree;
}

static bool
is_in_box(const PointTree *tree, uint32 place, const Span *box)
{
	for (int c = 0; c < tree->width; c++)
		if (!span_contains(box[c], span_of(code_at(tree, place, c))))
			return false;
	return true;
}

/* Looks at a part: adds it as a whole, leaves it out, or looks at its halves or its points. */
static uint64
weight_in_box(const PointTree *tree, uint32 number, const Span *box)
{
	const Part *part = &tree->part[number];
	const Span *bounds = tree->bounds + (Size) number * tree->width;
	bool		contains = true;
	uint64		weight = 0;

	for (int c = 0; c < tree->width; c++)
	{
		if (!span_overlaps(box[c], bounds[c]))
			return 0;
		contains &= span_contains(box[c], bounds[c]);
	}
	if (contains)
		return part->weight;
	if (part->halves != 0)
		return weight_in_box(tree, part->halves, box) + weight_in_box(tree, part->halves + 1, box);
	for (uint32 i = part->first; i < part->first + part->n; i++)
		if (is_in_box(tree, i, box))
			weight += tree->weight[tree->order[i]];
	return weight;
}

uint64
points_in_box(const PointTree *tree, const Span *box)
{
	CHECK_FOR_INTERRUPTS();
	return tree->nparts == 0 ? 0 : weight_in_box(tree, 0, box);
}
