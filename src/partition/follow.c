/*
 * follow.c
 *		Newcomers in places that are free: each has the value of the place, and lives
 *		near the people of the set.
 *
 * NOTES
 *		Else a row would have to be invented there, so that a newcomer may widen the set
 *		a little: by THETA rows, as a row that is withheld counts.  The nearest of a value
 *		are halved again and again, newcomers and places together, along the quasi-identifier that
 *		loses most.  Of the few that are left together, the cheapest pair comes first.  Several rounds, each with a greater limit,
 *		let values take turns, and bring together what a cut had parted.
 */
#include "postgres.h"

#include "frame/arrays.h"
#include "miscadmin.h"
#include "partition/set_making.h"

#define THETA	0.9
#define ROUNDS	3				/* each with twice the limit of the one before */
#define FEW		128				/* newcomers and places that are compared one by one */

typedef struct Pair
{
	float		cost;
	uint32		newcomer;		/* both of the points at hand */
	uint32		place;
} Pair;

typedef struct Following
{
	double		limit;
	Pair		pairs[FEW * FEW / 4];
} Following;

/* The cheapest first. */
DEFINE_ORDER(compare_pairs, Pair, ASCENDING(cost) ASCENDING(newcomer) ASCENDING(place));

static inline bool
fits(const Making *making, const Point *place, RowId row)
{
	return making->fits == NULL || making->fits(making, place->set, place->cell, row);
}

/* The cheapest pair first. */
static void
match_few(Making *making, Point *points, uint32 n, void *state)
{
	Following  *following = state;
	uint32		npairs = 0;

	for (uint32 i = 0; i < n; i++)
		for (uint32 j = 0; j < n && points[i].set == NO_PLACE && points[i].row != NO_ROW; j++)
		{
			double		cost;

			if (points[j].set == NO_PLACE || points[j].row != NO_ROW || !fits(making, &points[j], points[i].row))
				continue;
			cost = cost_of_joining(making, points[j].set, points[i].row);
			if (cost < following->limit)
				following->pairs[npairs++] = (Pair) {cost, i, j};
		}
	qsort(following->pairs, npairs, sizeof(Pair), compare_pairs);
	for (uint32 p = 0; p < npairs; p++)
	{
		Point	   *newcomer = &points[following->pairs[p].newcomer];
		Point	   *place = &points[following->pairs[p].place];

		if (newcomer->row == NO_ROW || place->row != NO_ROW || !fits(making, place, newcomer->row))
			continue;
		set_put(making, place->set, place->cell, newcomer->row);
		place->row = newcomer->row;
		newcomer->row = NO_ROW;
	}
}

DEFINE_ORDER(compare_points, Point, ASCENDING(key));

/* Twice the middle of a point in a dimension. */
static inline uint64
key_of(const Making *making, const Point *point, int d)
{
	const Span *hull;

	if (point->set == NO_PLACE)
		return 2 * (uint64) row_code(making, d, point->row);
	hull = set_hull(making, point->set);
	return (uint64) hull[d].lo + hull[d].hi;
}

/* Along which dimension do the points lose most?  -1 if all of them lie in one place. */
static int
costliest(const Making *making, const Point *points, uint64 n)
{
	double		most = 0;
	int			along = -1;

	for (int d = 0; d < making->measure->ndimensions; d++)
	{
		uint64		lo = PG_UINT64_MAX;
		uint64		hi = 0;
		double		loss;

		for (uint64 i = 0; i < n; i++)
		{
			uint64		key = key_of(making, &points[i], d);

			lo = Min(lo, key);
			hi = Max(hi, key);
		}
		loss = span_loss(&making->measure->dimensions[d], lo / 2, hi / 2);
		if (loss <= most)
			continue;
		most = loss;
		along = d;
	}
	return along;
}

void
halve_points(Making *making, Point *points, uint64 n, uint32 few, MeetPoints meet, void *state)
{
	uint64		half = n / 2;
	int			along;

	CHECK_FOR_INTERRUPTS();
	if (n <= few)
	{
		if (meet != NULL)
			meet(making, points, n, state);
		return;
	}
	along = costliest(making, points, n);
	for (uint64 i = 0; i < n; i++)
		points[i].key = along < 0 ? pg_prng_uint64(&making->random) : key_of(making, &points[i], along);
	qsort(points, n, sizeof(Point), compare_points);
	for (uint64 d = 0; d < half; d++)
		if (points[half - d].key != points[half - d - 1].key || points[half + d].key != points[half + d - 1].key)
		{
			half = points[half - d].key != points[half - d - 1].key ? half - d : half + d;
			break;
		}
	halve_points(making, points, half, few, meet, state);
	halve_points(making, points + half, n - half, few, meet, state);
}

/* The places of each value that are free: those of value v are places[first[v]] up to, not including, places[first[v + 1]]. */
static Point *
find_places(const Making *making, uint64 *first)
{
	Point	   *places = NULL;
	Code		nvalues = making->frame->nsensitive;

	for (int pass = 0; pass < 2; pass++)
	{
		for (uint64 set = 0; set < making->returning; set++)
		{
			const MadeSet *made = &making->sets[set];
			const uint32 *value = tuple_words(making->signatures, made->signature);
			uint32		n = set_values(making, set);

			for (uint32 i = 0; i < n && made->true_rows < n && is_large(making, set); i++)
			{
				Code		code = making->code_of_cell == NULL ? value[i] : making->code_of_cell(making, set, i);

				if (making->cells[made->first + i] != NO_ROW || code == NO_CODE)
					continue;
				if (pass == 0)
					first[code + 2]++;
				else
					places[first[code + 1]++] = (Point) {.set = set, .cell = i, .row = NO_ROW};
			}
		}
		if (pass > 0)
			continue;
		for (Code v = 0; v < nvalues; v++)
			first[v + 2] += first[v + 1];
		places = new_array(Point, first[nvalues + 1]);
	}
	return places;
}

/* The newcomers and the free places of a value. */
static void
match_value(Making *making, Following *following, Code value, Point *places, uint64 nplaces, Point *points)
{
	RowId	   *newcomer = making->newcomer + making->first_new[value];
	uint64		nnew = making->end_new[value] - making->first_new[value];
	uint64		n = 0;
	uint64		kept = 0;
	uint64		left = 0;

	for (uint64 i = 0; i < nnew; i++)
		points[n++] = (Point) {.set = NO_PLACE, .row = newcomer[i]};
	for (uint64 i = 0; i < nplaces; i++)
		if (places[i].row == NO_ROW)
			points[n++] = places[i];
	if (n == nnew)
		return;
	halve_points(making, points, n, FEW, match_few, following);
	for (uint64 i = 0; i < n; i++)
		if (points[i].set != NO_PLACE)
			places[left++] = points[i];
		else if (points[i].row != NO_ROW)
			newcomer[kept++] = points[i].row;
	while (left < nplaces)
		places[left++].row = 0; /* taken */
	making->end_new[value] = making->first_new[value] + kept;
}

void
follow(Making *making)
{
	Code		nvalues = making->frame->nsensitive;
	uint64	   *first = new_zeros(uint64, (uint64) nvalues + 2);
	Point	   *places = find_places(making, first);
	Point	   *points = new_array(Point, first[nvalues] + making->first_new[nvalues]);
	Following  *following = palloc(sizeof(Following));

	for (int round = ROUNDS; round-- > 0;)
	{
		following->limit = THETA / (1 << round);
		for (Code v = 0; v < nvalues; v++)
			if (first[v + 1] > first[v] && making->end_new[v] > making->first_new[v])
				match_value(making, following, v, places + first[v], first[v + 1] - first[v], points);
	}
	pfree(following);
	pfree(points);
	pfree(places);
	pfree(first);
}
