/*
 * rounding.h
 *		The ends of a release's ranges, rounded outwards to few digits.
 *
 * An end says more than it must if it is somebody's value to the last digit.  So
 * it is put on the coarsest grid (hundreds, tens, fives; years, months, days)
 * that has a point between the last value of the cell and the next end of
 * another cell of the release, and not further out than a share of the cell's
 * width.  What is printed follows from what would be printed otherwise, and so tells
 * no more; and cells that have no value in common never meet.
 */
#ifndef PPREPUB_FRAME_ROUNDING_H
#define PPREPUB_FRAME_ROUNDING_H

#include "frame/coding.h"
#include "utils/rangetypes.h"

/* Has the ends of a release's ranges rounded from now on: [codes] are true where one begins or ends. */
extern void round_ends(Coding *coding, const bool *is_end);

/* An end of a cell of several values, between those of the others. */
extern RangeBound rounded_end(const Coding *coding, Span cell, bool lower);

#endif							/* PPREPUB_FRAME_ROUNDING_H */
