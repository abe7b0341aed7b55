/*
 * cells.h
 *		Cells as releases print them, and their intersections.
 *
 * Codes live inside one frame only, so releases made from different frames can
 * be compared by what they print.  The printed cells of a column are numbered,
 * since they repeat enormously.
 */
#ifndef PPREPUB_FRAME_CELLS_H
#define PPREPUB_FRAME_CELLS_H

#include "postgres.h"

#include "declare/publication.h"
#include "frame/dictionary.h"

typedef uint32 Cell;

#define CELL_NULL	DICTIONARY_NULL /* the cell of NULL alone */
#define NO_CELL		PG_UINT32_MAX	/* an empty intersection */

typedef struct Cells Cells;

/* Makes the table of a quasi-identifier's cells, in the current context; reads its stored tree. */
extern Cells *cells_create(const DeclaredColumn *column);

/* The number of a cell, given as a value of printed_type(), which is copied if it is new. */
extern Cell cells_number(Cells *cells, Datum printed, bool isnull);

/* A cell as a value of printed_type(). */
extern Datum cells_printed(const Cells *cells, Cell cell, bool *isnull);

/* The number of cells, CELL_NULL included. */
extern uint32 cells_size(const Cells *cells);

/* The leaves below the node of a taxonomy that a cell names; false if it names none. */
extern bool cells_leaves(const Cells *cells, Cell cell, Span *leaves);

/* The withheld cell, which covers all values, NULL too. */
extern Cell cells_whole(const Cells *cells);

/* The intersection of two cells, or NO_CELL. */
extern Cell cells_meet(Cells *cells, Cell a, Cell b);

/* A cell's text as a release shows it under the settings of act_as(); NULL for CELL_NULL. */
extern char *cells_text(const Cells *cells, Cell cell);

/* ----------------------------------------------------------------
 * Spans: cells of several releases, and values of a source, on one line
 *
 * Codes live inside one frame only, and stand only for values that occur in it.
 * Whether two printed cells overlap depends on all values that they cover, so
 * they are compared by where they begin and end.
 * ----------------------------------------------------------------
 */

struct Coding;

typedef struct CellSpans
{
	Span	   *span;			/* [cells] two overlap if and only if the cells do; withheld ones hold NULL, too */
	bool	   *is_sound;		/* [cells] it is a cell of the column's kind, and not empty */
	Code	   *code;			/* [codes of the coding] a span holds it if and only if the cell covers the value */
} CellSpans;

/*
 * Returns the spans of all cells numbered so far, and the codes of the coding's
 * values; coding may be NULL.
 */
extern CellSpans cell_spans(const DeclaredColumn *column, const Cells *cells, const struct Coding *coding);

#endif							/* PPREPUB_FRAME_CELLS_H */
