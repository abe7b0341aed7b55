/*
 * classes.h
 *		The cells of classes.
 */
#ifndef PPREPUB_PARTITION_CLASSES_H
#define PPREPUB_PARTITION_CLASSES_H

#include "frame/frame.h"

/* The loss of the printable cell over these codes; where there is none, or one, nothing. */
static inline double
cover_loss(const Domain *domain, Span codes)
{
	return codes.lo == NO_CODE || codes.lo == codes.hi ? 0 : domain_loss(domain, domain_cover(domain, codes));
}

/* From the least code of these rows to the greatest; NO_ROW is none, and {NO_CODE, 0} nothing. */
extern Span rows_span(const Code *code, const RowId *rows, uint64 n);

/* The printable cells over these rows. */
extern void rows_region(const Frame *frame, const RowId *rows, uint64 n, Span *region);

/* Puts the k rows with the lowest codes first. */
extern void select_lowest(const Code *code, RowId *rows, uint64 n, uint64 k);

#endif							/* PPREPUB_PARTITION_CLASSES_H */
