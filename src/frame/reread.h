/*
 * reread.h
 *		Printed cells read back: which codes of a frame they cover.
 *
 * The inverse of print.h, for whoever judges what was published against what
 * is in the source now.
 */
#ifndef PPREPUB_FRAME_REREAD_H
#define PPREPUB_FRAME_REREAD_H

#include "frame/coding.h"

typedef struct CellReader CellReader;

/* A reader of one column's cells. */
extern CellReader *cell_reader(const Coding *coding);

/* False, and *codes means nothing, if the cell covers no code, as it may where values have left the source. */
extern bool cell_codes(const CellReader *reader, Datum cell, bool isnull, Span *codes);

#endif							/* PPREPUB_FRAME_REREAD_H */
