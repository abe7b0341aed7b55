/*
 * print.h
 *		Cells as the typed values that a release shows.
 */
#ifndef PPREPUB_FRAME_PRINT_H
#define PPREPUB_FRAME_PRINT_H

#include "frame/coding.h"
#include "utils/rangetypes.h"
#include "utils/typcache.h"

/* The cell of a column as a value of printed_type(); *isnull for the cell of NULL alone. */
extern Datum print_cell(const Coding *coding, Span cell, bool *isnull);

/* What a column says of everybody when a release leaves it out. */
extern Datum print_withheld(const DeclaredColumn *column);

/* How ranges over a type are printed: their type, and a value as a bound, unbounded at the type's own end. */
extern TypeCacheEntry *range_over(Oid type);
extern RangeBound bound_of(Oid type, Datum value, bool lower);

#endif							/* PPREPUB_FRAME_PRINT_H */
