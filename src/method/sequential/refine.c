/*
 * refine.c
 *		Stage 3: trying again, here and there, which cells stay withheld.
 *
 * NOTES
 *		After stage 2 no cell can become more specific by itself.  But of the people
 *		who are hidden among each other, others might have done instead, or fewer.
 *		So a lot that still loses something is drawn, and others within its region
 *		are made as unspecific as it is; then all of them are exhausted again, in
 *		another order.  What loses less is kept, anything else undone.
 *
 *		What is less specific has a larger kernel, so the web is made anew each time.
 *		The stage ends when it has cost about as much as those before.
 */
#include "postgres.h"

#include "method/sequential/search.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#define MOST_ATTEMPTS	200

/* It may cost this much, or as much as the stages before, whichever is more: some tenths of a second */
#define FREE_STEPS		20000000

/* Lots in an attempt */
#define MOST_REOPENED	500

/* Gains less than this are rounding */
#define LEAST_GAIN		1e-9

static double
lot_loss(const Search *search, uint32 lot)
{
	double		loss = 0;

	for (int32 c = 0; c < search->task->ncolumns; c++)
		if (can_step(search->people, lot, c))
			loss += search->task->column[c].loss[lot_cell(search->people, lot, c)];
	return loss;
}

/* A lot that loses something, the more likely the more each of its records loses; or NOTHING. */
static uint32
draw_lot(Search *search)
{
	double		total = 0;
	uint32		chosen = NOTHING;

	for (uint32 l = 0; l < search->people->nlots; l++)
	{
		double		loss = lot_loss(search, l);

		total += loss;
		if (loss > 0 && pg_prng_double(&search->random) * total < loss)
			chosen = l;
	}
	return chosen;
}

/* Is a region's every cell within that of another? */
static bool
is_within(const Search *search, uint32 region, uint32 outer)
{
	const TupleNumbers *regions = search->people->regions;
	const uint32 *inner_key = tuple_words(regions, region);
	const uint32 *outer_key = tuple_words(regions, outer);

	if (inner_key[0] != outer_key[0])
		return false;
	for (int32 c = 0; c < search->task->ncolumns; c++)
	{
		const TreeNode *nodes = search->task->column[c].tree->nodes;

		if (!span_contains(nodes[outer_key[1 + c]].leaves, nodes[inner_key[1 + c]].leaves))
			return false;
	}
	return true;
}

/* Lists the lots in a lot's region, or some of them, if they are many. */
static Pile
find_within(Search *search, uint32 lot)
{
	const People *people = search->people;
	uint32		region = people->piece[people->lot[lot].piece].region;
	Pile		lots = {0};

	for (uint32 l = 0; l < people->nlots; l++)
		if (people->lot[l].size > 0 && is_within(search, people->piece[people->lot[l].piece].region, region))
			pile_add(&lots, l);
	shuffle_lots(search, &lots);
	lots.n = Min(lots.n, MOST_REOPENED);
	pile_add(&lots, lot);
	return lots;
}

/* Makes lots as unspecific as one of them; lists those in whom they are now. */
static Pile
reopen(Search *search, uint32 lot)
{
	People	   *people = search->people;
	uint32		region = people->piece[people->lot[lot].piece].region;
	Pile		lots = find_within(search, lot);

	for (uint32 i = 0; i < lots.n; i++)
		if (people->piece[people->lot[lots.number[i]].piece].region != region)
			lots.number[i] = people_lift(people, lots.number[i], region, people->lot[lots.number[i]].size);
	weave_anew(search);
	forget_failures(search);
	return lots;
}

static bool
attempt(Search *search, uint32 lot)
{
	double		loss = search->people->loss;
	Pile		lots = reopen(search, lot);
	bool		better;

	shuffle_lots(search, &lots);
	better = exhaust_lots(search, &lots) && search->people->loss < loss - LEAST_GAIN;
	if (!better)
		people_undo(search->people, 0);
	pfree(lots.number);
	return better;
}

void
refine_cells(Search *search)
{
	bool		stale = false;

	search->most_steps = steps_taken(search) + Max(steps_taken(search), FREE_STEPS);
	for (int i = 0; i < MOST_ATTEMPTS && steps_taken(search) < search->most_steps; i++)
	{
		uint32		lot = draw_lot(search);

		if (lot == NOTHING)
			break;
		people_commit(search->people);
		search->reversible = true;
		stale = !attempt(search, lot);
		search->reversible = false;
	}
	search->most_steps = PG_UINT64_MAX;
	if (stale)
		weave_anew(search);
	people_commit(search->people);
	forget_failures(search);
	exhaust_all(search);
}
