/*
 * line.h
 *		Values of the types that ranges are over, on a line: numbers, dates, times.
 */
#ifndef PPREPUB_FRAME_LINE_H
#define PPREPUB_FRAME_LINE_H

#include "postgres.h"

/* Converts a number of any type to numeric, without rounding. */
extern Datum exact_number(Oid type, Datum value);

/* A value's place on the line, to measure widths; doubles are too coarse to order values by. */
extern double place_of(Oid type, Datum value);

/* The width of a line between two values, or 0 where doubles cannot tell. */
extern double line_width(Oid type, Datum low, Datum high);

/* Orders two values as their type does; most types need no call of their comparison function. */
extern int	compare_values(Oid type, Datum a, Datum b);

/* NaN and the infinities have no place on a line. */
extern bool is_finite(Oid type, Datum value);

#endif							/* PPREPUB_FRAME_LINE_H */
