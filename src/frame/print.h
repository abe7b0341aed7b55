/*
 * print.h
 *		Cells as the typed values that a release shows.
 */
#ifndef PPREPUB_FRAME_PRINT_H
#define PPREPUB_FRAME_PRINT_H

#include "frame/coding.h"

/* The cell of a column as a value of printed_type(); *isnull for the cell of NULL alone. */
extern Datum print_cell(const Coding *coding, Span cell, bool *isnull);

/* What a column says of everybody when a release leaves it out. */
extern Datum print_withheld(const DeclaredColumn *column);

#endif							/* PPREPUB_FRAME_PRINT_H */
