/*
 * mondrian.c
 *		From rows to classes, in five steps; and losses read off the classes of a sample.
 *
 *		1. records.c			equal rows become one record
 *		2. mondrian_cuts.c	records are cut, from the top down, into blocks
 *		3. gather.c				a block's records are gathered, from the bottom up
 *		4. gather.c				rows move to groups where they lose less
 *		5. deal.c				groups that hold rows for several classes are dealt
 *
 * NOTES
 *		Each step leaves sets that the principle allows: a cut is taken only if
 *		all its parts are, and every later step asks before it takes a row away.
 */
#include "postgres.h"

#include <math.h>

#include "frame/arrays.h"
#include "miscadmin.h"
#include "partition/groups.h"
#include "partition/mondrian.h"
#include "shared/progress.h"
#include "utils/memutils.h"

/* A block that is too large to be gathered is one group; it will be dealt. */
static void
keep_together(Work *work, const uint32 *items, uint32 nitems)
{
	const uint32 *first = work->records->first;
	uint32		group = group_create(work);

	for (uint32 i = nitems; i-- > 0;)
	{
		uint32		piece = piece_create(work, items[i], first[items[i]],
										 first[items[i] + 1], work->groups[group].head);

		CHECK_FOR_INTERRUPTS();
		work->groups[group].head = piece;
	}
	group_measure(work, group);
}

/* Cuts until blocks are small enough to be gathered, or cannot be cut. */
static void
cut_and_gather(Work *work)
{
	/* Later steps need the memory that the cutter takes. */
	MemoryContext cuts = AllocSetContextCreate(CurrentMemoryContext, "cuts", ALLOCSET_DEFAULT_SIZES);
	MemoryContext context = MemoryContextSwitchTo(cuts);
	Cutter	   *cutter = cutter_create(work);
	Gatherer   *gatherer = gatherer_create(work);
	Part		part;
	const uint32 *items;

	MemoryContextSwitchTo(context);
	while (next_part(cutter, &part, &items))
	{
		uint32		n = part.to - part.from;
		const Part *parts = NULL;
		uint32		nparts = 0;

		CHECK_FOR_INTERRUPTS();
		if (n <= (work->many_records ? SMALL_BLOCK : MAX_BLOCK))
			gather_records(gatherer, items, n);
		else if ((nparts = cut_part(cutter, part, &parts)) == 0)
			keep_together(work, items, n);
		for (uint32 i = 0; i < n && nparts == 0; i++)
			progress_step(record_rows(work->records, items[i]));
		leave_parts(cutter, part.from, parts, nparts);
	}
	MemoryContextDelete(cuts);
}

Classes *
mondrian(const Frame *frame, RowId *rows, uint64 nrows,
		 const Principle *principle, uint64 seed)
{
	MemoryContext context = CurrentMemoryContext;
	MemoryContext work_context = AllocSetContextCreate(context, "mondrian", ALLOCSET_DEFAULT_SIZES);
	Work	   *work;
	Classes    *classes = NULL;
	uint32		counted;
	bool		allowed;

	Assert(principle->nterms == 0 || principle->judging != NULL);
	MemoryContextSwitchTo(work_context);
	work = work_create(frame, records_collapse(frame, rows, nrows, seed), nrows, principle);
	/* If the rows are not allowed all together, nothing is. */
	if (work->monotonous)
	{
		allowed = count_until_allowed(work, 0, nrows, &counted);
		uncount_rows(work, 0, counted);
	}
	else
	{
		for (uint32 r = 0; r < work->records->nrecords; r++)
			add_record(work, work->tally, r);
		allowed = allowed_at_once(work);
	}
	if (allowed)
	{
		cut_and_gather(work);
		exchange_rows(work);
		classes = deal_classes(work, nrows, context);
	}
	MemoryContextSwitchTo(context);
	MemoryContextDelete(work_context);
	if (classes == NULL)
	{
		classes = palloc0(sizeof(Classes));
		classes->nqis = frame->nqis;
		classes->first = palloc0(sizeof(uint64));
		classes->rows = rows;
	}
	return classes;
}

/* ----------------------------------------------------------------
 * Losses by the size of classes
 * ----------------------------------------------------------------
 */

/* A sample is a part of the rows, so that it costs little beside them, but one large enough to go by. */
#define SAMPLED_PART	40
#define LEAST_SAMPLED	500
#define MOST_SAMPLED	8000

#define LEAST_CLASS		8		/* sampled rows: the cells of fewer say little */
#define FINER			6		/* from one point to the next, classes are so many times smaller */

/* Cuts so many of the rows, at equal distances. */
static Classes *
cut_sample(const Frame *frame, const RowId *rows, uint64 n, uint64 sampled, const Principle *principle)
{
	RowId	   *sample = new_array(RowId, sampled);

	for (uint64 i = 0; i < sampled; i++)
		sample[i] = rows[n * i / sampled];
	return mondrian(frame, sample, sampled, principle, 0);
}

static uint64
sample_size(uint64 n)
{
	return Min(Min(n, MOST_SAMPLED), Max(n / SAMPLED_PART, LEAST_SAMPLED));
}

/*
 * The average loss of the cells of these classes.  The ends of a range of sampled values lie
 * farther apart where there are more values than those.
 */
static double
loss_of_classes(const Frame *frame, const Classes *classes, uint64 n, bool is_whole)
{
	double		sum = 0;

	for (uint32 c = 0; c < classes->nclasses; c++)
		for (int q = 0; q < frame->nqis; q++)
		{
			uint64		sampled = class_size(classes, c);
			double		loss = domain_loss(&frame->domain[q], class_region(classes, c)[q]);

			if (!is_whole && frame->domain[q].tree == NULL && sampled >= 2)
				loss = Min(loss * (sampled + 1) / (sampled - 1), 1);
			sum += sampled * loss;
		}
	return sum / n / Max(frame->nqis, 1);
}

LossCurve
loss_curve(const Frame *frame, const RowId *rows, uint64 n)
{
	MemoryContext context = CurrentMemoryContext;
	MemoryContext work = AllocSetContextCreate(context, "loss curve", ALLOCSET_DEFAULT_SIZES);
	uint64		sampled = sample_size(n);
	LossCurve	curve = {0};

	MemoryContextSwitchTo(work);
	for (uint64 least = sampled; least >= LEAST_CLASS && curve.npoints < LOSS_CURVE_POINTS; least /= FINER)
	{
		Principle	principle = principle_k_l(least, 1);
		Classes    *classes = cut_sample(frame, rows, n, sampled, &principle);
		double		loss = loss_of_classes(frame, classes, sampled, n == sampled);

		if (loss <= 0 || (curve.npoints > 0 && loss >= curve.loss[curve.npoints - 1]))
			break;
		curve.size[curve.npoints] = (double) n / classes->nclasses;
		curve.loss[curve.npoints++] = loss;
		MemoryContextReset(work);
	}
	MemoryContextSwitchTo(context);
	MemoryContextDelete(work);
	return curve;
}

double
mean_size(const Frame *frame, const RowId *rows, uint64 n, const Principle *principle)
{
	MemoryContext context = CurrentMemoryContext;
	MemoryContext work = AllocSetContextCreate(context, "mean size", ALLOCSET_DEFAULT_SIZES);
	uint64		sampled = sample_size(n);
	uint32		nclasses;

	MemoryContextSwitchTo(work);
	nclasses = cut_sample(frame, rows, n, sampled, principle)->nclasses;
	MemoryContextSwitchTo(context);
	MemoryContextDelete(work);
	return nclasses == 0 ? n : (double) sampled / nclasses;
}

double
loss_of_size(const LossCurve *curve, double size)
{
	int			i = 1;
	double		power;

	if (curve->npoints == 0)
		return 0;				/* all rows are equal */
	if (curve->npoints == 1 || size >= curve->size[0])
		return curve->loss[0];
	while (i < curve->npoints - 1 && size < curve->size[i])
		i++;
	power = log(curve->loss[i - 1] / curve->loss[i]) / log(curve->size[i - 1] / curve->size[i]);
	return curve->loss[i] * pow(size / curve->size[i], power);
}
