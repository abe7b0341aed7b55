/*
 * cells.h
 *		Cells as releases print them, and what lies in two of them at once.
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

#define CELL_NULL	DICTIONARY_NULL	/* the cell of NULL alone */
#define NO_CELL		PG_UINT32_MAX	/* nothing lies in it */

typedef struct Cells Cells;

/* For the cells of a quasi-identifier, in the current context; reads its stored tree. */
extern Cells *cells_create(const DeclaredColumn *column);

/* The number of a value of printed_type(), which is copied if it is new. */
extern Cell cells_number(Cells *cells, Datum printed, bool isnull);

/* The value again. */
extern Datum cells_printed(const Cells *cells, Cell cell, bool *isnull);

/* How many numbers there are, from CELL_NULL on. */
extern uint32 cells_size(const Cells *cells);

/* The leaves below the node of a taxonomy that a cell names; false if it names none. */
extern bool cells_leaves(const Cells *cells, Cell cell, Span *leaves);

/* The withheld cell, in which everything lies, NULL too. */
extern Cell cells_whole(const Cells *cells);

/* The cell of what lies in both, or NO_CELL. */
extern Cell cells_meet(Cells *cells, Cell a, Cell b);

/* As a release shows it under the settings of act_as(); NULL for CELL_NULL. */
extern char *cells_text(const Cells *cells, Cell cell);

#endif							/* PPREPUB_FRAME_CELLS_H */
