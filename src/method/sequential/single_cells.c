/*
 * single_cells.c
 *		Stage 2 of algorithm 3: cells become more specific each by itself.
 *
 * NOTES
 *		Cells are tried in random buckets first, which shrink, as in the paper.
 *		The records of a lot are alike, so they go into one bucket, with one column
 *		at a time.  In the end lots are tried one by one.  Whether a record can take
 *		a step depends on the piece that it leaves and the one that it comes to,
 *		not on whose it is; so where one could not, no other is tried.  That stays
 *		true, however specific others become, unless levels may rise: then they are
 *		tried again once something has changed.
 */
#include "postgres.h"

#include "frame/arrays.h"
#include "method/sequential/search.h"
#include "miscadmin.h"
#include "utils/memutils.h"

/* Buckets shrink by this factor */
#define SHRINKING	4

void
shuffle_lots(Search *search, Pile *pile)
{
	for (uint32 i = pile->n; i > 1; i--)
	{
		uint32		j = pg_prng_uint64_range(&search->random, 0, i - 1);
		uint32		number = pile->number[i - 1];

		pile->number[i - 1] = pile->number[j];
		pile->number[j] = number;
	}
}

static bool
has_steps(const Search *search, uint32 lot)
{
	for (int32 c = 0; c < search->task->ncolumns; c++)
		if (can_step(search->people, lot, c))
			return true;
	return false;
}

/* Lots that have cells that are not leaves, in random order */
static Pile
list_lots(Search *search)
{
	Pile		lots = {0};

	for (uint32 l = 0; l < search->people->nlots; l++)
		if (has_steps(search, l))
			pile_add(&lots, l);
	shuffle_lots(search, &lots);
	return lots;
}

static void
pile_free(Pile *pile)
{
	if (pile->number != NULL)
		pfree(pile->number);
}

/* ----------------------------------------------------------------
 * Buckets
 * ----------------------------------------------------------------
 */

/* One of the columns in which a lot can become more specific */
static int32
draw_column(Search *search, uint32 lot)
{
	int32		chosen = -1;
	uint32		n = 0;

	for (int32 c = 0; c < search->task->ncolumns; c++)
		if (can_step(search->people, lot, c) && pg_prng_uint64_range(&search->random, 0, n++) == 0)
			chosen = c;
	return chosen;
}

/* Tries to make a bucket of lots, from this one on, more specific; returns where the next one begins. */
static uint32
try_bucket(Search *search, const Pile *lots, uint32 begin, uint64 bucket_size)
{
	Trial		trial = begin_trial(search);
	uint64		ncells = 0;
	uint32		i = begin;

	for (; i < lots->n && (i == begin || ncells < bucket_size); i++)
	{
		uint32		lot = lots->number[i];
		uint32		size = Min(search->people->lot[lot].size, bucket_size);
		int32		column = draw_column(search, lot);

		if (column < 0)
			continue;
		(void) people_shift(search->people, lot, column, size);
		ncells += size;
	}
	(void) judge_trial(search, trial);
	return i;
}

/* Tries to make all lots more specific, bucket by bucket. */
static void
try_buckets(Search *search, uint64 bucket_size)
{
	Pile		lots = list_lots(search);

	clear_web(search);
	for (uint32 i = 0; i < lots.n;)
	{
		CHECK_FOR_INTERRUPTS();
		i = try_bucket(search, &lots, i, bucket_size);
	}
	pile_free(&lots);
}

/* ----------------------------------------------------------------
 * Lots
 * ----------------------------------------------------------------
 */

/* Has a step between two pieces failed for a single record, and would it still? */
static bool
has_failed(Search *search, uint32 from, uint32 to)
{
	uint32		n = search->failed->n;
	uint32		number = tuple_number(search->failed, (uint32[]) {from, to}, 2);

	if (number == n)
	{
		array_reserve(search->failed_at, search->failed_room, search->failed->n);
		search->failed_at[number] = PG_UINT64_MAX;
	}
	return search->guard->may_rise ?
		search->failed_at[number] == search->kept : search->failed_at[number] != PG_UINT64_MAX;
}

static void
note_failure(Search *search, uint32 from, uint32 to)
{
	search->failed_at[tuple_number(search->failed, (uint32[]) {from, to}, 2)] = search->kept;
}

void
forget_failures(Search *search)
{
	for (uint32 i = 0; i < search->failed->n; i++)
		search->failed_at[i] = PG_UINT64_MAX;
}

static bool
try_lot(Search *search, uint32 lot, int32 column, uint32 size)
{
	Trial		trial = begin_trial(search);

	CHECK_FOR_INTERRUPTS();
	(void) people_shift(search->people, lot, column, size);
	return judge_trial(search, trial);
}

/* Makes as many of a lot more specific in a column as can be. */
static bool
step_lot(Search *search, uint32 lot, int32 column)
{
	SeqPeople  *people = search->people;
	uint32		from = people->lot[lot].piece;
	uint32		to = piece_below(people, lot, column);
	uint32		size = people->lot[lot].size;

	if (has_failed(search, from, to))
		return false;
	if (try_lot(search, lot, column, size))
		return true;
	if (size == 1 || !try_lot(search, lot, column, 1))
	{
		note_failure(search, from, to);
		return false;
	}
	for (size /= 2; size > 0 && people->lot[lot].size > 0;)
	{
		size = Min(size, people->lot[lot].size);
		if (!try_lot(search, lot, column, size))
			size /= 2;
	}
	if (people->lot[lot].size > 0)
		note_failure(search, from, to);
	return true;
}

/* The lot of those of a band who came to this piece */
static uint32
lot_at(const SeqPeople *people, uint32 band, uint32 piece)
{
	uint32		lot = people->lots[band];

	while (people->lot[lot].piece != piece)
		lot = people->lot[lot].next;
	return lot;
}

/* Makes a lot more specific in each column that it can be, and adds those who are to the lots. */
static void
exhaust_lot(Search *search, Pile *lots, uint32 lot)
{
	SeqPeople  *people = search->people;

	for (int32 c = 0; c < search->task->ncolumns; c++)
	{
		uint32		to;

		if (!can_step(people, lot, c))
			continue;
		to = piece_below(people, lot, c);
		if (step_lot(search, lot, c))
			pile_add(lots, lot_at(people, people->lot[lot].band, to));
	}
}

bool
exhaust_lots(Search *search, Pile *lots)
{
	uint64		before;

	do
	{
		before = search->kept;
		for (uint32 i = 0; i < lots->n; i++)
		{
			if (steps_taken(search) > search->most_steps)
				return false;
			exhaust_lot(search, lots, lots->number[i]);
		}
	} while (search->guard->may_rise && search->kept > before);
	return true;
}

void
exhaust_all(Search *search)
{
	uint64		before;

	do
	{
		Pile		lots = list_lots(search);

		before = search->kept;
		clear_web(search);
		(void) exhaust_lots(search, &lots);
		pile_free(&lots);
	} while (search->kept > before);
}

void
specialise_cells(Search *search)
{
	uint64		ncells = 0;
	Pile		lots = list_lots(search);

	for (uint32 i = 0; i < lots.n; i++)
		ncells += search->people->lot[lots.number[i]].size;
	pile_free(&lots);
	for (; ncells > 1; ncells /= SHRINKING)
		try_buckets(search, ncells);
	exhaust_all(search);
}

/* ----------------------------------------------------------------
 * Stage 3: trying again, here and there, which cells stay withheld
 *
 * After stage 2 no cell can become more specific by itself.  But of the people
 * who are hidden among each other, others might have done instead, or fewer.
 * So a lot that still loses something is drawn, and others within its region
 * are made as unspecific as it is; then all of them are exhausted again, in
 * another order.  What loses less is kept, anything else undone.
 *
 * What is less specific has a larger kernel, so the web is made anew each time.
 * The stage ends when it has cost about as much as those before.
 * ----------------------------------------------------------------
 */

#define MOST_ATTEMPTS	200

/* It may cost this much, or as much as the stages before, whichever is more: some tenths of a second */
#define FREE_STEPS		20000000

/* Lots in an attempt */
#define MOST_REOPENED	500

/* Gains less than this are rounding */
#define LEAST_GAIN		1e-9

/* Returns what each record of a lot loses in the columns that can still be made more specific. */
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
	const SeqPeople *people = search->people;
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
	SeqPeople  *people = search->people;
	uint32		region = people->piece[people->lot[lot].piece].region;
	Pile		lots = find_within(search, lot);

	for (uint32 i = 0; i < lots.n; i++)
		if (people->piece[people->lot[lots.number[i]].piece].region != region)
			lots.number[i] = people_lift(people, lots.number[i], region, people->lot[lots.number[i]].size);
	weave_anew(search);
	forget_failures(search);
	return lots;
}

/* Reopens a lot and exhausts it anew; undoes it unless that loses less. */
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
