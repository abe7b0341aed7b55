/*
 * settle.c
 *		Sets of one signature: people of small ones move to others, and all are put in order.
 *
 * NOTES
 *		Candidates stay as they are, whichever sets of a signature its people are in.  So a set that
 *		has become small is dissolved where its people cost less in places that are free in
 *		others, even far away, than the rows that are no longer invented.  Sets that lie close
 *		together are compared.
 */
#include "postgres.h"

#include "frame/arrays.h"
#include "partition/set_making.h"

#define DISSOLVED_AMONG 64		/* sets */
#define ROW_NO_LONGER	0.6		/* rows withheld, which one is worth that is no longer invented */
#define SIDE_BY_SIDE	16		/* sets of a signature whose order does not matter */

static inline RowId *
set_cells(const Making *making, uint64 set)
{
	return making->cells + making->sets[set].first;
}

/* Lists sets signature by signature: those of signature b are from first[b] up to, not including, first[b + 1]. */
static Point *
list_sets(const Making *making, uint64 nsets, bool full, uint64 *first)
{
	Point	   *points = new_array(Point, nsets);
	uint32		nsignatures = making->signatures->n;

	for (int pass = 0; pass < 2; pass++)
	{
		for (uint64 set = 0; set < nsets; set++)
		{
			const MadeSet *made = &making->sets[set];

			if (made->true_rows == 0 || (!full && made->true_rows == set_values(making, set)))
				continue;
			if (pass == 0)
				first[made->signature + 2]++;
			else
				points[first[made->signature + 1]++] = (Point) {.set = set, .row = NO_ROW};
		}
		for (uint32 b = 0; pass == 0 && b < nsignatures; b++)
			first[b + 2] += first[b + 1];
	}
	return points;
}

/* Has those sets of each signature meet that lie close together. */
static void
meet_by_signature(Making *making, Point *points, const uint64 *first, uint32 few, MeetPoints meet, void *state)
{
	for (uint32 b = 0; b < making->signatures->n; b++)
		if (first[b + 1] - first[b] > 1)
			halve_points(making, points + first[b], first[b + 1] - first[b], few, meet, state);
}

/* ----------------------------------------------------------------
 * Small sets
 * ----------------------------------------------------------------
 */

/* The set whose free place for a row of another set costs least; NO_PLACE if there is none. */
static uint64
place_elsewhere(const Making *making, const Point *points, uint32 n, uint64 set, uint32 cell, double *least)
{
	uint64		found = NO_PLACE;

	for (uint32 i = 0; i < n; i++)
	{
		uint64		other = points[i].set;
		double		cost;

		if (other == set || making->sets[other].true_rows == 0 || set_cells(making, other)[cell] != NO_ROW)
			continue;
		cost = cost_of_joining(making, other, set_cells(making, set)[cell]);
		if (found != NO_PLACE && cost >= *least)
			continue;
		*least = cost;
		found = other;
	}
	return found;
}

/* Moves all people of a set, if that costs less than its rows: so many fewer are shown. */
static void
dissolve_set(Making *making, const Point *points, uint32 n, uint64 set, uint64 *to)
{
	MadeSet    *made = &making->sets[set];
	uint32		nvalues = set_values(making, set);
	double		all = -(double) made->true_rows * hull_loss(making->measure, set_hull(making, set)) /
		Max(making->measure->ndimensions, 1);

	for (uint32 i = 0; i < nvalues; i++)
	{
		double		cost = 0;

		if (set_cells(making, set)[i] == NO_ROW)
			continue;
		to[i] = place_elsewhere(making, points, n, set, i, &cost);
		all += cost;
		if (to[i] == NO_PLACE || all >= ROW_NO_LONGER * nvalues)
			return;
	}
	for (uint32 i = 0; i < nvalues; i++)
		if (set_cells(making, set)[i] != NO_ROW)
			set_put(making, to[i], i, set_cells(making, set)[i]);
	made->true_rows = 0;
}

/* The smallest first. */
static void
dissolve_few(Making *making, Point *points, uint32 n, void *state)
{
	uint32		nvalues = set_values(making, points[0].set);

	for (uint32 rows = 1; rows < nvalues; rows++)
		for (uint32 i = 0; i < n; i++)
			if (making->sets[points[i].set].true_rows == rows)
				dissolve_set(making, points, n, points[i].set, state);
}

void
dissolve_small_sets(Making *making)
{
	uint64	   *first = new_zeros(uint64, (uint64) making->signatures->n + 1);
	Point	   *points = list_sets(making, making->returning, false, first);
	uint32		widest = 0;
	uint64	   *to;

	for (uint32 b = 0; b < making->signatures->n; b++)
		widest = Max(widest, tuple_width(making->signatures, b));
	to = new_array(uint64, widest);
	meet_by_signature(making, points, first, DISSOLVED_AMONG, dissolve_few, to);
	pfree(to);
	pfree(points);
	pfree(first);
}

Point *
order_sets(Making *making, uint64 *first)
{
	Point	   *points = list_sets(making, making->nsets, true, first);

	meet_by_signature(making, points, first, SIDE_BY_SIDE, NULL, NULL);
	return points;
}
