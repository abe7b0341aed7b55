/*
 * grow_seed.c
 *		Growing classes, each from one row and those that lie next to it.
 *
 * NOTES
 *		A class is as large as its first row demands, and takes in the rows that are
 *		allowed in a class of that size, the nearest first: as far as losses go,
 *		since what a row's company costs is what covering all of them loses.  Rows
 *		that need no class are farther by what they lose themselves, which they
 *		could have kept; people who are counted in lose nothing.
 *
 *		The row that demands most begins, while there is still company to be had.
 */
#include "postgres.h"

#include "frame/arrays.h"
#include "miscadmin.h"
#include "partition/growing.h"

/* Distances are sorted into so many drawers. */
#define DRAWERS 128

#define NO_BATCH PG_UINT32_MAX

/* Rows that need a class come first where all else is the same. */
#define HELPING_FACTOR 1.1
#define FREE_STEP 0.001

/* Rows that demand much and may find no company before the others are looked at. */
#define MOST_FAILURES 16

/* Distances are measured again when a crowd has become so many times larger. */
#define GROWTH 4

/* A row that is in the class in the making: it stands behind the others of its batch, which no longer counts it. */
typedef struct Taken
{
	uint32		batch;
	uint32		at;				/* where it stood */
	RowId		row;
} Taken;

struct Seeder
{
	Growth	   *growth;			/* borrowed */

	/* Rows that can be taken */
	uint32		nopen;
	uint32		nopen_allocated;
	uint32	   *open;			/* batches that are not empty */
	uint32	   *sorted;			/* the same, the nearest first */
	float	   *distance;
	uint64		rows;			/* on them */
	uint64		needing;		/* of them, those that need a class */

	/* The class in the making */
	uint32		ntaken;
	uint32		taken_allocated;
	Taken	   *taken;
	Span	   *hull;			/* [dimensions] */
	uint64		losing;			/* of what was taken: rows that lose what the hull covers */

	/* Rows that were refused: a crowd that does not admit a row does not when it is larger */
	uint32		gathering;
	uint32	   *refused;		/* [rows of the frame] in which gathering; NULL if no row demands more than all */

	/* Rows that began */
	uint32		round;
	uint32	   *tried;			/* [rows of the frame] in which round; NULL if no row demands more than all */
};

Seeder *
seeder_create(Growth *growth)
{
	Seeder	   *seeder = palloc0(sizeof(Seeder));

	seeder->growth = growth;
	seeder->hull = palloc(sizeof(Span) * Max(1, growth->records->ndimensions));
	if (growth->own == NULL)
		return seeder;
	seeder->refused = new_zeros(uint32, growth->frame->nrows);
	seeder->tried = new_zeros(uint32, growth->frame->nrows);
	return seeder;
}

static inline Batch *
batch_at(const Seeder *seeder, uint32 s)
{
	return &seeder->growth->batches[s];
}

static inline RowId
row_at(const Seeder *seeder, uint32 at)
{
	return seeder->growth->records->rows[at];
}

/* ----------------------------------------------------------------
 * Rows that can be taken
 * ----------------------------------------------------------------
 */

/* Lists the batches that are not empty, and counts rows that need a class. */
static void
open_batches(Seeder *seeder, uint32 first, uint32 end)
{
	if (end - first > seeder->nopen_allocated)
	{
		seeder->nopen_allocated = array_room(seeder->nopen_allocated, end - first);
		array_resize(seeder->open, seeder->nopen_allocated);
		array_resize(seeder->sorted, seeder->nopen_allocated);
		array_resize(seeder->distance, seeder->nopen_allocated);
	}
	seeder->nopen = 0;
	seeder->rows = seeder->needing = 0;
	for (uint32 s = first; s < end; s++)
	{
		const Batch *batch = batch_at(seeder, s);

		if (batch->rows == 0)
			continue;
		seeder->open[seeder->nopen++] = s;
		seeder->rows += batch->rows;
		if (batch->need == NEEDS_CLASS)
			seeder->needing += batch->rows;
	}
}

/* ----------------------------------------------------------------
 * Distances
 * ----------------------------------------------------------------
 */

/* Sorts the open batches by what the class in the making would lose by taking from them, nearly. */
static void
sort_batches(Seeder *seeder)
{
	const Records *records = seeder->growth->records;
	double		covered = hull_loss(records, seeder->hull);
	uint32		place[DRAWERS + 1] = {0};
	double		farthest = 0;	/* the inverse of a tiny one is no float, and nothing times infinity no drawer */
	double		scale;

	for (uint32 i = 0; i < seeder->nopen; i++)
	{
		const Batch *batch = batch_at(seeder, seeder->open[i]);
		double		widened = widened_loss(records, seeder->hull, record_tuple(records, batch->record), records->ndimensions);

		/* A row that need not lose anything has its own loss divided among those in the making. */
		seeder->distance[i] = batch->need == NEEDS_NONE ? widened - covered + widened / seeder->losing + FREE_STEP :
			(widened - covered) * (batch->need == ONLY_HELPS ? HELPING_FACTOR : 1);
		farthest = Max(farthest, seeder->distance[i]);
	}
	scale = farthest > 0 ? (DRAWERS - 1) / farthest : 0;
	for (uint32 i = 0; i < seeder->nopen; i++)
	{
		seeder->distance[i] *= scale;
		place[(int) seeder->distance[i] + 1]++;
	}
	for (int drawer = 1; drawer < DRAWERS; drawer++)
		place[drawer] += place[drawer - 1];
	for (uint32 i = 0; i < seeder->nopen; i++)
		seeder->sorted[place[(int) seeder->distance[i]]++] = seeder->open[i];
}

/* ----------------------------------------------------------------
 * A class
 * ----------------------------------------------------------------
 */

/* Takes a row into the class in the making. */
static void
take(Seeder *seeder, uint32 s, uint32 at)
{
	Growth	   *growth = seeder->growth;
	Batch	   *batch = batch_at(seeder, s);
	RowId	   *rows = growth->records->rows;
	RowId		row = rows[at];

	array_reserve(seeder->taken, seeder->taken_allocated, seeder->ntaken + 1);
	seeder->taken[seeder->ntaken++] = (Taken) {s, at, row};
	rows[at] = rows[batch->from + --batch->rows];
	rows[batch->from + batch->rows] = row;
	crowd_add(growth->crowd, row);
	seeder->losing += batch->need != ONLY_HELPS;
	hull_add_tuple(growth->records, seeder->hull, record_tuple(growth->records, batch->record));
}

/* Takes no row after all: from the last one on, all return to where they stood. */
static void
put_back(Seeder *seeder)
{
	RowId	   *rows = seeder->growth->records->rows;

	while (seeder->ntaken > 0)
	{
		const Taken *taken = &seeder->taken[--seeder->ntaken];
		Batch	   *batch = batch_at(seeder, taken->batch);

		rows[batch->from + batch->rows++] = rows[taken->at];
		rows[taken->at] = taken->row;
	}
}

/* Is the row admitted?  A row that demands something is not asked twice. */
static bool
is_admitted(Seeder *seeder, RowId row)
{
	if (seeder->refused == NULL)
		return crowd_admits(seeder->growth->crowd, row);
	if (seeder->refused[row] == seeder->gathering)
		return false;
	if (crowd_admits(seeder->growth->crowd, row))
		return true;
	seeder->refused[row] = seeder->gathering;
	return false;
}

/* Takes from a batch until there are so many rows. */
static void
take_from(Seeder *seeder, uint32 s, uint64 enough)
{
	const Growth *growth = seeder->growth;
	Crowd	   *crowd = growth->crowd;
	const Batch *batch = batch_at(seeder, s);

	for (uint32 at = batch->from; at < batch->from + batch->rows && crowd->size < enough;)
	{
		if (is_admitted(seeder, row_at(seeder, at)))
			take(seeder, s, at);
		else
			at++;
	}
}

/*
 * Fills the crowd, and says whether it became as large as its goal.  Who is near
 * is asked again whenever the crowd has grown to so many times its size.
 */
static bool
gather(Seeder *seeder, uint32 seed)
{
	Crowd	   *crowd = seeder->growth->crowd;
	uint64		before;

	crowd_clear(crowd);
	seeder->gathering++;
	seeder->losing = 0;
	hull_clear(seeder->growth->records, seeder->hull);
	take(seeder, seed, batch_at(seeder, seed)->from);
	do
	{
		uint64		enough = Min(crowd->size * GROWTH, crowd->goal);

		before = crowd->size;
		sort_batches(seeder);
		for (uint32 i = 0; i < seeder->nopen && crowd->size < enough; i++)
			take_from(seeder, seeder->sorted[i], enough);
	} while (crowd->size < crowd->goal && crowd->size > before);
	return crowd->size == crowd->goal;
}

/* Makes a class of the rows that were taken, and forgets batches that have become empty. */
static void
commit(Seeder *seeder)
{
	Growth	   *growth = seeder->growth;
	uint32		c = grown_create(growth);
	uint32		n = 0;

	for (uint32 i = 0; i < seeder->ntaken; i++)
	{
		seeder->needing -= batch_at(seeder, seeder->taken[i].batch)->need == NEEDS_CLASS;
		grown_add(growth, c, seeder->taken[i].row);
	}
	seeder->rows -= seeder->ntaken;
	seeder->ntaken = 0;
	for (uint32 i = 0; i < seeder->nopen; i++)
		if (batch_at(seeder, seeder->open[i])->rows > 0)
			seeder->open[n++] = seeder->open[i];
	seeder->nopen = n;
}

/* Grows a class from the first row of a batch. */
static bool
grow_class(Seeder *seeder, uint32 batch)
{
	Growth	   *growth = seeder->growth;
	uint64		goal = least_size(growth->ratios, row_at(seeder, batch_at(seeder, batch)->from));
	bool		has_grown;

	CHECK_FOR_INTERRUPTS();
	if (goal > seeder->rows)
		return false;
	growth->crowd->goal = goal;
	has_grown = gather(seeder, batch);
	if (has_grown)
		commit(seeder);
	else
		put_back(seeder);
	crowd_clear(growth->crowd);
	return has_grown;
}

/* ----------------------------------------------------------------
 * The first row
 * ----------------------------------------------------------------
 */

static void
move_to_front(Seeder *seeder, uint32 batch, uint32 at)
{
	RowId	   *rows = seeder->growth->records->rows;
	RowId		row = rows[at];

	rows[at] = rows[batch_at(seeder, batch)->from];
	rows[batch_at(seeder, batch)->from] = row;
}

/* The batch of the row that needs a class and demands most of those not tried, which becomes its first row; or NO_BATCH. */
static uint32
most_demanding(Seeder *seeder)
{
	const Growth *growth = seeder->growth;
	double		most = growth->ratios->base;
	uint32		best = NO_BATCH;
	uint32		best_at = 0;

	for (uint32 i = 0; i < seeder->nopen; i++)
	{
		const Batch *batch = batch_at(seeder, seeder->open[i]);

		for (uint32 at = batch->from; batch->need == NEEDS_CLASS && at < batch->from + batch->rows; at++)
		{
			RowId		row = row_at(seeder, at);

			if (growth->own[row] <= most || growth->own[row] > seeder->rows || seeder->tried[row] == seeder->round)
				continue;
			most = growth->own[row];
			best = seeder->open[i];
			best_at = at;
		}
	}
	if (best != NO_BATCH)
		move_to_front(seeder, best, best_at);
	return best;
}

/* The first batch with a row that needs a class and demands no more than all do, which becomes its first row. */
static uint32
first_modest(Seeder *seeder)
{
	const Growth *growth = seeder->growth;

	for (uint32 i = 0; i < seeder->nopen; i++)
	{
		const Batch *batch = batch_at(seeder, seeder->open[i]);

		for (uint32 at = batch->from; batch->need == NEEDS_CLASS && at < batch->from + batch->rows; at++)
			if (growth->own == NULL || growth->own[row_at(seeder, at)] <= growth->ratios->base)
			{
				move_to_front(seeder, seeder->open[i], at);
				return seeder->open[i];
			}
	}
	return NO_BATCH;
}

uint32
grow_from_batches(Seeder *seeder, uint32 first, uint32 end)
{
	uint32		batch;
	int			failures = 0;

	open_batches(seeder, first, end);
	seeder->round++;
	while (seeder->growth->own != NULL && failures < MOST_FAILURES && (batch = most_demanding(seeder)) != NO_BATCH)
	{
		seeder->tried[row_at(seeder, batch_at(seeder, batch)->from)] = seeder->round;
		failures += !grow_class(seeder, batch);
	}
	/* If one row that demands no more than all do fails, so do the others. */
	while (seeder->needing > 0 && (batch = first_modest(seeder)) != NO_BATCH && grow_class(seeder, batch))
		;
	return seeder->needing;
}
