/*
 * line_up.h
 *		Cells of several releases, and values of a source, on one line.
 *
 * Codes live inside one frame only, and tell only of values that occur in it.
 * Whether two printed cells have anything in common is a question of all that
 * they cover: so they are lined up by where they begin and end.
 */
#ifndef PPREPUB_FRAME_LINE_UP_H
#define PPREPUB_FRAME_LINE_UP_H

#include "postgres.h"

#include "frame/cells.h"
#include "frame/coding.h"

typedef struct LineUp
{
	Span	   *span;			/* [cells] two overlap if and only if the cells do; withheld ones hold NULL, too */
	bool	   *is_sound;		/* [cells] it is a cell of the column's kind, and not empty */
	Code	   *code;			/* [codes of the coding] a span holds it if and only if the cell covers the value */
} LineUp;

/* Of all cells that have numbers by now; no codes where there is no coding. */
extern LineUp line_up(const DeclaredColumn *column, const Cells *cells, const Coding *coding);

#endif							/* PPREPUB_FRAME_LINE_UP_H */
