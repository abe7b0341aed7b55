/*
 * loss_curve.c
 *		Cutting a sample, ever more finely, and reading losses off its classes.
 */
#include "postgres.h"

#include <math.h>

#include "frame/arrays.h"
#include "partition/loss_curve.h"
#include "partition/mondrian.h"
#include "utils/memutils.h"

/* A sample is a part of the rows, so that it costs little beside them, but one large enough to go by. */
#define SAMPLED_PART	40
#define LEAST_SAMPLED	500
#define MOST_SAMPLED	8000

#define LEAST_CLASS		8		/* sampled rows: the cells of fewer say little */
#define FINER			6		/* from one point to the next, classes are so many times smaller */

/*
 * The loss of a cell of this column.  The ends of a range of sampled values lie
 * farther apart where there are more values than those.
 */
static double
column_loss(const Domain *domain, Span span, uint64 sampled, bool is_whole)
{
	double		loss = domain_loss(domain, span);

	if (is_whole || domain->tree != NULL || sampled < 2)
		return loss;
	return Min(loss * (sampled + 1) / (sampled - 1), 1);
}

/* The average loss of the cells of these classes. */
static double
loss_of_classes(const Frame *frame, const Classes *classes, uint64 n, bool is_whole)
{
	double		sum = 0;

	for (uint32 c = 0; c < classes->nclasses; c++)
		for (int q = 0; q < frame->nqis; q++)
			sum += class_size(classes, c) * column_loss(&frame->domain[q], class_region(classes, c)[q], class_size(classes, c), is_whole);
	return sum / n / Max(frame->nqis, 1);
}

/* Takes rows at equal distances. */
static RowId *
take_sample(const RowId *rows, uint64 n, uint64 sampled)
{
	RowId	   *sample = new_array(RowId, sampled);

	for (uint64 i = 0; i < sampled; i++)
		sample[i] = rows[n * i / sampled];
	return sample;
}

static uint64
sample_size(uint64 n)
{
	return Min(Min(n, MOST_SAMPLED), Max(n / SAMPLED_PART, LEAST_SAMPLED));
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
		Classes    *classes = mondrian(frame, take_sample(rows, n, sampled), sampled, &principle, 0);
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
	nclasses = mondrian(frame, take_sample(rows, n, sampled), sampled, principle, 0)->nclasses;
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
