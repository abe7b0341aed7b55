/*
 * cell_spans.h
 *		Cells of several releases, and values of a source, as spans of one line.
 *
 * Codes live inside one frame only, and stand only for values that occur in it.
 * Whether two printed cells have anything in common depends on all values that
 * they cover: so they are compared by where they begin and end.
 */
#ifndef PPREPUB_FRAME_CELL_SPANS_H
#define PPREPUB_FRAME_CELL_SPANS_H

#include "postgres.h"

#include "frame/cells.h"
#include "frame/coding.h"

typedef struct CellSpans
{
	Span	   *span;			/* [cells] two overlap if and only if the cells do; withheld ones hold NULL, too */
	bool	   *is_sound;		/* [cells] it is a cell of the column's kind, and not empty */
	Code	   *code;			/* [codes of the coding] a span holds it if and only if the cell covers the value */
} CellSpans;

/*
 * The spans of all cells that have numbers by now, and the codes of the
 * coding's values, if there is a coding.
 */
extern CellSpans cell_spans(const DeclaredColumn *column, const Cells *cells, const Coding *coding);

#endif							/* PPREPUB_FRAME_CELL_SPANS_H */
