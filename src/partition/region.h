/*
 * region.h
 *		What rows cover, as spans of codes and as cells that can be printed.
 */
#ifndef PPREPUB_PARTITION_REGION_H
#define PPREPUB_PARTITION_REGION_H

#include "frame/frame.h"

/* From the least code of these rows to the greatest; NO_ROW is none, and {NO_CODE, 0} nothing. */
extern Span rows_span(const Code *code, const RowId *rows, uint64 n);

/* The printable cells over these rows. */
extern void rows_region(const Frame *frame, const RowId *rows, uint64 n, Span *region);

#endif							/* PPREPUB_PARTITION_REGION_H */
