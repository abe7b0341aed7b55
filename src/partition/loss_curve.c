/*
 * loss_curve.c
 *		Halving a sample, and reading losses off the halves.
 */
#include "postgres.h"

#include <math.h>

#include "frame/arrays.h"
#include "partition/classes.h"
#include "partition/loss_curve.h"

#define MOST_SAMPLED	2048
#define LEAST_PART		8		/* sampled rows: the cells of fewer say little */

typedef struct Sample
{
	const Frame *frame;
	RowId	   *rows;
	uint32		n;
	bool		is_whole;		/* are these all rows? */
} Sample;

/* The loss of a column's cell over part of a sample; a sample's cells are narrower than those of the rows it stands for. */
static double
column_loss(const Sample *sample, int qi, const RowId *rows, uint32 n)
{
	const Domain *domain = &sample->frame->domain[qi];
	Span		span = rows_span(sample->frame->code[qi], rows, n);
	double		loss = domain_loss(domain, domain_cover(domain, span));

	return sample->is_whole || n < 2 ? loss : Min(loss * (n + 1) / (n - 1), 1);
}

static int
compare_by_code(const void *a, const void *b, void *arg)
{
	const Code *code = arg;
	Code		x = code[*(const RowId *) a];
	Code		y = code[*(const RowId *) b];

	return (x > y) - (x < y);
}

/* Sorts a part by the column that loses most; returns what all its columns lose. */
static double
sort_part(const Sample *sample, RowId *rows, uint32 n)
{
	double		sum = 0;
	double		most = 0;
	int			widest = 0;

	for (int q = 0; q < sample->frame->nqis; q++)
	{
		double		loss = column_loss(sample, q, rows, n);

		sum += loss;
		if (loss > most)
		{
			most = loss;
			widest = q;
		}
	}
	if (most > 0)
		qsort_arg(rows, n, sizeof(RowId), compare_by_code, sample->frame->code[widest]);
	return sum;
}

/* Takes rows at equal distances. */
static Sample
take_sample(const Frame *frame, const RowId *rows, uint64 n)
{
	Sample		sample = {.frame = frame, .n = Min(n, MOST_SAMPLED), .is_whole = n <= MOST_SAMPLED};

	sample.rows = new_array(RowId, sample.n);
	for (uint32 i = 0; i < sample.n; i++)
		sample.rows[i] = rows[n * i / sample.n];
	return sample;
}

/* The average loss of a cell where the sample is in so many parts, each of which is sorted for the next halving. */
static double
measure_parts(const Sample *sample, uint32 nparts)
{
	double		sum = 0;

	for (uint32 p = 0; p < nparts; p++)
	{
		uint32		from = (uint64) sample->n * p / nparts;
		uint32		end = (uint64) sample->n * (p + 1) / nparts;

		sum += sort_part(sample, sample->rows + from, end - from) * (end - from);
	}
	return sum / sample->n / Max(sample->frame->nqis, 1);
}

LossCurve
loss_curve(const Frame *frame, const RowId *rows, uint64 n)
{
	Sample		sample = take_sample(frame, rows, n);
	LossCurve	curve = {0};

	for (uint32 nparts = 1; curve.npoints < LOSS_CURVE_POINTS && sample.n >= nparts * LEAST_PART; nparts *= 2)
	{
		double		loss = measure_parts(&sample, nparts);

		if (loss <= 0 || (curve.npoints > 0 && loss >= curve.loss[curve.npoints - 1]))
			break;
		curve.size[curve.npoints] = (double) n / nparts;
		curve.loss[curve.npoints++] = loss;
	}
	pfree(sample.rows);
	return curve;
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
