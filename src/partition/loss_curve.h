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

#include "frame/frame.h"

#define LOSS_CURVE_POINTS 12

typedef struct LossCurve
{
	int			npoints;		/* from the largest classes to the smallest */
	double		size[LOSS_CURVE_POINTS];	/* rows of a class */
	double		loss[LOSS_CURVE_POINTS];	/* of a cell, on average; each is less than the one before */
} LossCurve;

/* Measures the rows, whose order stays; it takes a time that does not grow with them. */
extern LossCurve loss_curve(const Frame *frame, const RowId *rows, uint64 n);

/* The average loss of a cell of classes of this size, 0 to 1. */
extern double loss_of_size(const LossCurve *curve, double size);

#endif							/* PPREPUB_PARTITION_LOSS_CURVE_H */
