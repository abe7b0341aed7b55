/*
 * mondrian.h
 *		Cutting a frame into classes that a principle allows, losing little; and how much
 *		such classes would lose, by how large they are.
 */
#ifndef PPREPUB_PARTITION_MONDRIAN_H
#define PPREPUB_PARTITION_MONDRIAN_H

#include "partition/classes.h"
#include "partition/principle.h"

/*
 * Cut the given rows of the frame into classes, each of which the principle
 * allows; every row is in exactly one.  When even all of them together are not
 * allowed, the result has no class.  The principle is asked as it is: one with
 * conditions on values is bound to the frame's by the caller (principle_bound()).
 *
 * Regions are the smallest cells that cover their members.  The result is the
 * same for the same frame, rows and seed; the seed only decides among equals
 * (which of several rows with the same codes goes to which class).  Everything
 * returned is allocated in the caller's context, everything else is gone on
 * return.  The array rows is permuted and becomes the result's.
 */
extern Classes *mondrian(const Frame *frame, RowId *rows, uint64 nrows,
						 const Principle *principle, uint64 seed);

/*
 * A sample of the rows is cut as all of them would be, into ever smaller classes;
 * each cut is a point of the curve.  Weights count in the cuts, and not in what is measured.  Between and below the points,
 * loss is a power of the size.
 */
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

#endif							/* PPREPUB_PARTITION_MONDRIAN_H */
