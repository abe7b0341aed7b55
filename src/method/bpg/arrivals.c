/*
 * arrivals.c
 *		People without a place take free ones that show their value, the nearest first.
 *
 * NOTES
 *		Near is a person with whom the cells of a part, over all who sit there then, lose little more than before.  People
 *		take places in rounds, those whose nearest place is nearest first.  A person for whom somebody else has made that
 *		place dearer waits for the next round; so each round is in order again, and there are few of them.
 *
 *		The parts that have free places with a value are spots, which are laid out so that near ones stand together: halves,
 *		halves of these, and so on are the blocks of a tree.  The nearer half is looked at first, and blocks are passed over
 *		whose cells are all too far.  Cells grow while people arrive, which a block does not learn: a spot may be missed that
 *		has come nearer.
 */
#include "postgres.h"

#include <math.h>

#include "frame/arrays.h"
#include "method/bpg/bpg.h"
#include "miscadmin.h"
#include "shared/progress.h"
#include "utils/memutils.h"

/*
 * A person who would cost more rows than this seeks other company: an invented row is worth no more.  Of true rows only a
 * whole part is withheld where one is missing.
 */
#define MOST_COST	1.4
#define MOST_COST_OF_TRUE_ROWS 5.0

/* A place that has become dearer by so much is left to others first. */
#define DEARER		0.05

/* People who are sought for a part of true rows only. */
#define MOST_LACKING 16

#define MOST_TRIES	10			/* of a person whose ties are refused */

#define FEW_SPOTS	8			/* are not halved */

/* A part that has free places with a value. */
typedef struct Spot
{
	uint32		part;
	uint32		nfree;			/* places */
} Spot;

/* Spots side by side: [first, end).  The first half, if there are halves, is the next block. */
typedef struct Block
{
	uint64		first;
	uint64		end;
	uint64		second;			/* half, or 0 */
	uint64		occupied;		/* by the fewest */
	double		loss;			/* the least */
} Block;

/* Spots of one value. */
typedef struct Spots
{
	uint64		nspots;
	Spot	   *spot;
	uint64		nblocks;
	uint64		blocks_allocated;
	Block	   *block;
	Span	   *cell;			/* [blocks * quasi-identifiers] over all cells of each */
	double	   *cell_loss;		/* likewise, the greatest */
} Spots;

/* A person without a place. */
typedef struct Seeker
{
	RowId		row;
	uint32		lot;			/* decides among equals */
	Spot	   *nearest;		/* when it was looked for last, or NULL */
	double		cost;			/* of the nearest */
	uint32		nrefused;
	uint32	   *refused;		/* parts, of a person who would be tied; or NULL */
} Seeker;

static inline double
most_cost(const Bpg *bpg)
{
	return bpg->repair == REPAIR_DIRTY ? MOST_COST_OF_TRUE_ROWS : MOST_COST;
}

static inline Code
value_at(const Bpg *bpg, Code value)
{
	return Min(value, bpg->frame->nsensitive);	/* NULL comes last */
}

/* ----------------------------------------------------------------
 * Spots
 * ----------------------------------------------------------------
 */

/* The place in the middle of a cell, where parts are sorted by it. */
static inline uint64
middle_of(const Bpg *bpg, uint32 part, int q)
{
	Span		cell = bpg->cell[(uint64) part * bpg->frame->nqis + q];

	return (uint64) cell.lo + cell.hi;
}

typedef struct Order
{
	const Bpg  *bpg;
	int			q;
} Order;

/* By the middle of their cells in one quasi-identifier. */
static int
compare_spots(const void *a, const void *b, void *arg)
{
	const Order *order = arg;
	uint32		x = ((const Spot *) a)->part;
	uint32		y = ((const Spot *) b)->part;
	uint64		at_x = middle_of(order->bpg, x, order->q);
	uint64		at_y = middle_of(order->bpg, y, order->q);

	return at_x != at_y ? (at_x < at_y ? -1 : 1) : x < y ? -1 : x > y;
}

/* The quasi-identifier by which spots lie farthest apart, as a part of all codes. */
static int
widest_of(const Bpg *bpg, const Spot *spot, uint64 n)
{
	double		most = -1;
	int			widest = 0;

	for (int q = 0; q < bpg->frame->nqis; q++)
	{
		uint64		least = PG_UINT64_MAX;
		uint64		greatest = 0;

		for (uint64 i = 0; i < n; i++)
		{
			uint64		middle = middle_of(bpg, spot[i].part, q);

			least = Min(least, middle);
			greatest = Max(greatest, middle);
		}
		if ((greatest - least) * bpg->weight[q] / Max(bpg->frame->domain[q].size, 1) > most)
		{
			most = (greatest - least) * bpg->weight[q] / Max(bpg->frame->domain[q].size, 1);
			widest = q;
		}
	}
	return widest;
}

/* The block of some spots: what all of them have at least, and the cells that cover theirs. */
static void
add_block(const Bpg *bpg, Spots *spots, uint64 first, uint64 end)
{
	int			nqis = bpg->frame->nqis;
	Block		block = {first, end, 0, PG_UINT64_MAX, HUGE_VAL};
	Span	   *cell;
	double	   *cell_loss;

	if (spots->nblocks == spots->blocks_allocated)
	{
		array_reserve(spots->block, spots->blocks_allocated, spots->nblocks + 1);
		array_resize(spots->cell, spots->blocks_allocated * nqis);
		array_resize(spots->cell_loss, spots->blocks_allocated * nqis);
	}
	cell = spots->cell + spots->nblocks * nqis;
	cell_loss = spots->cell_loss + spots->nblocks * nqis;
	for (int q = 0; q < nqis; q++)
	{
		cell[q] = (Span) {NO_CODE, 0};
		cell_loss[q] = 0;
	}
	for (uint64 i = first; i < end; i++)
	{
		uint32		part = spots->spot[i].part;

		block.occupied = Min(block.occupied, bpg->part[part].occupied);
		block.loss = Min(block.loss, bpg->part[part].loss);
		for (int q = 0; q < nqis; q++)
		{
			cell[q] = span_hull(cell[q], bpg->cell[(uint64) part * nqis + q]);
			cell_loss[q] = Max(cell_loss[q], bpg->cell_loss[(uint64) part * nqis + q]);
		}
	}
	spots->block[spots->nblocks++] = block;
}

/* Near spots side by side: halves, and halves of these. */
static void
lay_out(const Bpg *bpg, Spots *spots, uint64 first, uint64 end)
{
	uint64		block = spots->nblocks;
	uint64		half = first + (end - first) / 2;
	Order		order = {bpg, 0};

	CHECK_FOR_INTERRUPTS();
	add_block(bpg, spots, first, end);
	if (end - first <= FEW_SPOTS || bpg->frame->nqis == 0)
		return;
	order.q = widest_of(bpg, spots->spot + first, end - first);
	qsort_arg(spots->spot + first, end - first, sizeof(Spot), compare_spots, &order);
	lay_out(bpg, spots, first, half);
	spots->block[block].second = spots->nblocks;
	lay_out(bpg, spots, half, end);
}

/* A part may want more people than there can be found for it. */
static bool
is_open(const Part *part, uint64 most)
{
	return !part->is_closed && part->n - part->occupied <= most;
}

/* Finds the spots of each value, in parts with so many free places at most: [values and one more for NULL]. */
static Spots *
find_spots(const Bpg *bpg, uint64 most)
{
	Code		nvalues = bpg->frame->nsensitive + 1;
	uint64	   *end = new_zeros(uint64, (uint64) nvalues + 1);
	Spots	   *spots = new_zeros(Spots, nvalues);
	Spot	   *all;

	/* Counted first, and then put where they go: end[v + 1] becomes the first of value v, and then its end. */
	for (uint64 place = 0; place < bpg->places->nplaces; place++)
		if (bpg->part_of[place] != NO_PART && bpg->sitter[place] == NO_ROW && is_open(&bpg->part[bpg->part_of[place]], most))
			end[value_at(bpg, shown_at(bpg, place)) + 1]++;
	for (Code value = 0; value < nvalues; value++)
		end[value + 1] += end[value];
	all = new_array(Spot, end[nvalues]);
	for (Code value = 0; value < nvalues; value++)
		spots[value] = (Spots) {.spot = all + end[value], .block = new_array(Block, 0), .cell = new_array(Span, 0), .cell_loss = new_array(double, 0)};
	for (uint32 p = 0; p < bpg->nparts; p++)
	{
		const Part *part = &bpg->part[p];

		CHECK_FOR_INTERRUPTS();
		for (uint64 i = part->first; i < part->first + part->n && is_open(part, most); i++)
		{
			uint64		place = bpg->member[i];
			Spots	   *of_value;

			if (bpg->sitter[place] != NO_ROW)
				continue;
			of_value = &spots[value_at(bpg, shown_at(bpg, place))];
			if (of_value->nspots == 0 || of_value->spot[of_value->nspots - 1].part != p)
				of_value->spot[of_value->nspots++] = (Spot) {.part = p};
			of_value->spot[of_value->nspots - 1].nfree++;
		}
	}
	for (Code value = 0; value < nvalues; value++)
		lay_out(bpg, &spots[value], 0, spots[value].nspots);
	return spots;
}

/* ----------------------------------------------------------------
 * The nearest one
 * ----------------------------------------------------------------
 */

/* The least that a person can cost in any part of a block. */
static double
least_cost(const Bpg *bpg, const Spots *spots, uint64 b, RowId row, double limit)
{
	const Frame *frame = bpg->frame;
	const Span *cell = spots->cell + b * frame->nqis;
	double		cost = spots->block[b].loss;

	for (int q = 0; q < frame->nqis && cost < limit; q++)
	{
		const Domain *domain = &frame->domain[q];
		Code		code = frame->code[q][row];
		Span		between;
		double		gap;

		if ((domain->tree == NULL && code == domain->null_code) || span_contains(cell[q], span_of(code)))
			continue;
		between = code < cell[q].lo ? (Span) {code, cell[q].lo} : (Span) {cell[q].hi, code};
		gap = domain_loss(domain, between);
		if (domain->tree != NULL)	/* the cell that covers both may be much wider */
		{
			double		grown = domain_loss(domain, domain_cover(domain, between)) - spots->cell_loss[b * frame->nqis + q];

			gap = Max(gap, grown);
		}
		cost += (spots->block[b].occupied + 1) * bpg->weight[q] * gap;
	}
	return cost;
}

/* Has the person a place in the group of a part, or had one, or may not be tied to it? */
static bool
is_barred(const Bpg *bpg, const Seeker *seeker, uint32 p)
{
	const Places *places = bpg->places;
	uint32		group = bpg->part[p].group;

	for (uint64 i = places->first_stay[seeker->row]; i < places->first_stay[seeker->row + 1]; i++)
		if (places->stay[i].place >= places->first[group] && places->stay[i].place < places->first[group + 1])
			return true;
	for (uint32 i = 0; i < seeker->nrefused; i++)
		if (seeker->refused[i] == p)
			return true;
	return false;
}

/* Looks for a spot in a block that is nearer than the nearest so far. */
static void
search_block(const Bpg *bpg, const Spots *spots, uint64 b, Seeker *seeker)
{
	const Block *block = &spots->block[b];
	uint64		half[2] = {b + 1, block->second};
	double		least[2];

	if (block->second == 0)
	{
		for (uint64 i = block->first; i < block->end; i++)
		{
			double		here;

			if (spots->spot[i].nfree == 0)
				continue;
			here = cost_of_person(bpg, spots->spot[i].part, seeker->row, seeker->cost);
			if (here >= seeker->cost || is_barred(bpg, seeker, spots->spot[i].part))
				continue;
			seeker->cost = here;
			seeker->nearest = &spots->spot[i];
		}
		return;
	}
	for (int h = 0; h < 2; h++)
		least[h] = least_cost(bpg, spots, half[h], seeker->row, seeker->cost);
	for (int h = least[1] < least[0], i = 0; i < 2; i++, h = !h)
		if (least[h] < seeker->cost)
			search_block(bpg, spots, half[h], seeker);
}

static void
find_nearest(const Bpg *bpg, const Spots *spots, Seeker *seeker)
{
	seeker->nearest = NULL;
	seeker->cost = most_cost(bpg);
	search_block(bpg, spots, 0, seeker);
}

/* Is the nearest place still there, for no more than it was? */
static bool
is_nearest_free(const Bpg *bpg, const Seeker *seeker)
{
	return seeker->nearest->nfree > 0 && !is_barred(bpg, seeker, seeker->nearest->part) &&
		cost_of_person(bpg, seeker->nearest->part, seeker->row, most_cost(bpg)) <= seeker->cost;
}

/* ----------------------------------------------------------------
 * Rounds
 * ----------------------------------------------------------------
 */

/*
 * Any place of a part will do that is free and shows the value.  But the more people one chain of ties joins, the fewer
 * values all of them could have; so who is tied had better have a place of which nobody is, and leave the others to those
 * who are not.
 */
static uint64
free_place(const Bpg *bpg, uint32 p, RowId row)
{
	const Part *part = &bpg->part[p];
	uint64		found = NO_PLACE;

	for (uint64 i = part->first; i < part->first + part->n; i++)
	{
		uint64		place = bpg->member[i];

		if (bpg->sitter[place] != NO_ROW || shown_at(bpg, place) != bpg->frame->sensitive[row])
			continue;
		if (place_is_tied(bpg->ties, place) != has_stays(bpg, row))
			return place;
		found = place;
	}
	return found;
}

/* Takes the nearest place; false if there is none, or has become too dear for this round. */
static bool
take_nearest(Bpg *bpg, Spots *spots, Seeker *seeker)
{
	double		before = seeker->cost;

	for (;;)
	{
		Spot	   *spot;
		uint64		place;

		if (!is_nearest_free(bpg, seeker))
			find_nearest(bpg, spots, seeker);
		spot = seeker->nearest;
		if (spot == NULL || seeker->cost > before + DEARER)
			return false;
		place = free_place(bpg, spot->part, seeker->row);
		Assert(place != NO_PLACE);
		if (!has_stays(bpg, seeker->row) || tie_to_place(bpg->ties, seeker->row, place))
		{
			spot->nfree--;
			take_place(bpg, seeker->row, place);
			return true;
		}
		if (seeker->refused == NULL)
			seeker->refused = new_array(uint32, MOST_TRIES);
		seeker->refused[seeker->nrefused++] = spot->part;
		if (seeker->nrefused == MOST_TRIES)
		{
			seeker->cost = most_cost(bpg);
			return false;
		}
	}
}

/* Rows of the source come in an order that may tell something, so lots decide among equals. */
DEFINE_ORDER(compare_seekers, Seeker, ASCENDING(cost) ASCENDING(lot) ASCENDING(row));

/* Drops those for whom all places are too far; returns how many are left. */
static uint64
keep_hopeful(const Bpg *bpg, Seeker *seeker, uint64 n)
{
	uint64		kept = 0;

	for (uint64 i = 0; i < n; i++)
		if (seeker[i].cost < most_cost(bpg))
			seeker[kept++] = seeker[i];
	return kept;
}

/* Round after round, until nobody is left for whom a place is near enough. */
static void
seat_in_rounds(Bpg *bpg, uint64 most)
{
	Spots	   *spots = find_spots(bpg, most);
	const Code *value = bpg->frame->sensitive;
	Seeker	   *seeker;
	uint64		n = 0;

	for (uint64 row = 0; row < bpg->frame->nrows; row++)
		n += bpg->fate[row] == SEEKS;
	seeker = new_array(Seeker, n);
	n = 0;
	for (uint64 row = 0; row < bpg->frame->nrows; row++)
		if (bpg->fate[row] == SEEKS && spots[value_at(bpg, value[row])].nspots > 0)
			seeker[n++] = (Seeker) {.row = row, .lot = pg_prng_uint32(&bpg->random), .cost = value[row]};
	progress_phase("seat arrivals", n);
	/* First of all those of one value after the other, so that the places of each stay in the processor's cache. */
	qsort(seeker, n, sizeof(Seeker), compare_seekers);
	for (uint64 i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		find_nearest(bpg, &spots[value_at(bpg, value[seeker[i].row])], &seeker[i]);
	}
	while ((n = keep_hopeful(bpg, seeker, n)) > 0)
	{
		uint64		waiting = 0;

		qsort(seeker, n, sizeof(Seeker), compare_seekers);
		for (uint64 i = 0; i < n; i++)
		{
			CHECK_FOR_INTERRUPTS();
			if (!take_nearest(bpg, &spots[value_at(bpg, value[seeker[i].row])], &seeker[i]))
				seeker[waiting++] = seeker[i];
			else
				progress_step(1);
		}
		n = waiting;
	}
}

/*
 * A part of true rows only is shown when all its places are taken, so those that lack fewest people come first, and people
 * who would wait in one that lacks more are free for the next.
 */
void
seat_arrivals(Bpg *bpg)
{
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "arrivals", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(work);

	if (bpg->repair == REPAIR_COUNTERFEIT)
		seat_in_rounds(bpg, PG_UINT64_MAX);
	else
		for (uint64 most = 1; most <= MOST_LACKING; most++)
		{
			seat_in_rounds(bpg, most);
			dismiss_arrivals(bpg);
			MemoryContextReset(work);
		}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(work);
}
