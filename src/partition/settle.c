/*
 * settle.c
 *		Sets of one signature: people of small ones move to others, and all exchange rows.
 *
 * NOTES
 *		Candidates stay as they are, whichever sets of a signature its people are in.  So a set that
 *		has become small is dissolved where its people cost less in places that are free in
 *		others, even far away, than the rows that are no longer invented.  Of all sets those that
 *		lie close together are compared.
 */
#include "postgres.h"

#include "frame/arrays.h"
#include "partition/set_making.h"

#define DISSOLVED_AMONG 64		/* sets */
#define ROW_NO_LONGER	0.6		/* rows withheld, which one is worth that is no longer invented */
#define EXCHANGED_AMONG 16
#define ROUNDS			3		/* of exchanges */
#define LEAST_GAIN		0.001	/* in rows that are withheld */

typedef struct Settling
{
	uint64	   *to;				/* [widest signature] the set that a row moves to */
	Span	   *without;		/* [EXCHANGED_AMONG * widest signature * dimensions] hulls without one row each */
} Settling;

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
meet_by_signature(Making *making, Point *points, const uint64 *first, uint32 few, MeetPoints meet)
{
	Settling	settling;
	uint32		widest = 0;

	for (uint32 b = 0; b < making->signatures->n; b++)
		widest = Max(widest, tuple_width(making->signatures, b));
	settling.to = new_array(uint64, widest);
	settling.without = new_array(Span, (uint64) EXCHANGED_AMONG * widest * making->measure->ndimensions);
	for (uint32 b = 0; b < making->signatures->n; b++)
		if (first[b + 1] - first[b] > 1)
			halve_points(making, points + first[b], first[b + 1] - first[b], few, meet, &settling);
	pfree(settling.to);
	pfree(settling.without);
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
	const Settling *settling = state;
	uint32		nvalues = set_values(making, points[0].set);

	for (uint32 rows = 1; rows < nvalues; rows++)
		for (uint32 i = 0; i < n; i++)
			if (making->sets[points[i].set].true_rows == rows)
				dissolve_set(making, points, n, points[i].set, settling->to);
}

void
dissolve_small_sets(Making *making)
{
	uint64	   *first = new_zeros(uint64, (uint64) making->signatures->n + 1);
	Point	   *points = list_sets(making, making->returning, false, first);

	meet_by_signature(making, points, first, DISSOLVED_AMONG, dissolve_few);
	pfree(points);
	pfree(first);
}

/* ----------------------------------------------------------------
 * Exchanges
 * ----------------------------------------------------------------
 */

/* The hulls of a set without one row each. */
static void
leave_one_out(const Making *making, uint64 set, Span *without, Span *hull)
{
	int			ndimensions = making->measure->ndimensions;
	uint32		n = set_values(making, set);

	hull_clear(making->measure, hull);
	for (uint32 i = 0; i < n; i++)
	{
		memcpy(without + i * ndimensions, hull, sizeof(Span) * ndimensions);
		if (set_cells(making, set)[i] != NO_ROW)
			hull_add_row(making, hull, set_cells(making, set)[i]);
	}
	hull_clear(making->measure, hull);
	for (uint32 i = n; i-- > 0;)
	{
		for (int d = 0; d < ndimensions; d++)
		{
			Span	   *span = &without[i * ndimensions + d];

			*span = (Span) {Min(span->lo, hull[d].lo), Max(span->hi, hull[d].hi)};
		}
		if (set_cells(making, set)[i] != NO_ROW)
			hull_add_row(making, hull, set_cells(making, set)[i]);
	}
}

/* The loss of so many rows that have a hull, or, with one row more, the one that widens it. */
static inline double
loss_of_rows(const Making *making, uint32 rows, const Span *hull, RowId more)
{
	if (rows == 0)
		return 0;
	return rows * (more == NO_ROW ? hull_loss(making->measure, hull) : loss_with_row(making, hull, more));
}

/* Exchanges rows, or a row and a free place, of two sets, where both together lose less then. */
static bool
exchange(Making *making, uint64 a, uint64 b, Span *without_a, Span *without_b)
{
	int			ndimensions = making->measure->ndimensions;
	MadeSet    *set_a = &making->sets[a];
	MadeSet    *set_b = &making->sets[b];
	RowId	   *x = set_cells(making, a);
	RowId	   *y = set_cells(making, b);
	double		loss = loss_of_rows(making, set_a->true_rows, set_hull(making, a), NO_ROW) +
		loss_of_rows(making, set_b->true_rows, set_hull(making, b), NO_ROW);
	bool		any = false;

	for (uint32 i = 0; i < set_values(making, a); i++)
	{
		int			more = (y[i] != NO_ROW) - (x[i] != NO_ROW); /* rows of the one, and fewer of the other */
		double		with;
		RowId		swap = x[i];

		if (x[i] == y[i])
			continue;
		with = loss_of_rows(making, set_a->true_rows + more, without_a + i * ndimensions, y[i]) +
			loss_of_rows(making, set_b->true_rows - more, without_b + i * ndimensions, x[i]);
		if (with >= loss - LEAST_GAIN * ndimensions)
			continue;
		loss = with;
		any = true;
		x[i] = y[i];
		y[i] = swap;
		set_a->true_rows += more;
		set_b->true_rows -= more;
		leave_one_out(making, a, without_a, set_hull(making, a));
		leave_one_out(making, b, without_b, set_hull(making, b));
	}
	return any;
}

/* All pairs again and again, but for classes that are here as they were: nothing new is to be told of their people. */
static void
exchange_few(Making *making, Point *points, uint32 n, void *state)
{
	Settling   *settling = state;
	uint64		width = (uint64) set_values(making, points[0].set) * making->measure->ndimensions;
	bool		any = true;

	for (uint32 i = 0; i < n; i++)
		leave_one_out(making, points[i].set, settling->without + i * width, set_hull(making, points[i].set));
	for (int round = 0; any && round < ROUNDS; round++)
	{
		any = false;
		for (uint32 i = 0; i < n; i++)
			for (uint32 j = i + 1; j < n; j++)
				if (!making->sets[points[i].set].is_whole || !making->sets[points[j].set].is_whole)
					any |= exchange(making, points[i].set, points[j].set, settling->without + i * width,
									settling->without + j * width);
	}
}

Point *
exchange_between_sets(Making *making, uint64 *first)
{
	Point	   *points = list_sets(making, making->nsets, true, first);

	meet_by_signature(making, points, first, EXCHANGED_AMONG, exchange_few);
	return points;
}
