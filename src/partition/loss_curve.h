/*
 * loss_curve.h
 *		How much the cells of classes would lose, by how large these are.
 *
 * A sample of the rows is cut as all of them would be, into ever smaller classes;
 * each cut is a point of the curve.  Weights count in the cuts, and not in what is
 * measured.  Between and below the points, loss is a power
 * of the size.
 */
#ifndef PPREPUB_PARTITION_LOSS_CURVE_H
#define PPREPUB_PARTITION_LOSS_CURVE_H

#include "partition/principle.h"

#define LOSS_CURVE_POINTS 12

typedef struct LossCurve
{
	int			npoints;		/* from the largest classes to the smallest */
	double		size[LOSS_CURVE_POINTS];	/* rows of a class */
	double		loss[LOSS_CURVE_POINTS];	/* of a cell, on average; each is less than the one before */
	double		least_size;		/* of classes, where more than their size matters: mean_size(); else 0 */
} LossCurve;

/* Measures the rows, whose order stays; it takes a time that does not grow with them. */
extern LossCurve loss_curve(const Frame *frame, const RowId *rows, uint64 n);

/*
 * The rows of a class, on average, that a bound principle takes: those of a sample, which is cut as if it were all.
 * How varied values are depends little on how many rows there are.
 */
extern double mean_size(const Frame *frame, const RowId *rows, uint64 n, const Principle *principle);

/* The average loss of a cell of classes of this size, 0 to 1. */
extern double loss_of_size(const LossCurve *curve, double size);

#endif							/* PPREPUB_PARTITION_LOSS_CURVE_H */
