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
#include "frame/coding.h"

typedef uint32 Cell;

#define CELL_NULL	DICTIONARY_NULL /* the cell of NULL alone */

typedef struct Cells Cells;

/* Makes the table of a quasi-identifier's cells, in the current context; reads its stored tree. */
extern Cells *cells_create(const DeclaredColumn *column);

/* The number of a cell, given as a value of printed_type(), which is copied if it is new. */
extern Cell cells_number(Cells *cells, Datum printed, bool isnull);

/* A cell as a value of printed_type(). */
extern Datum cells_printed(const Cells *cells, Cell cell, bool *isnull);

/* The number of cells, CELL_NULL included. */
extern uint32 cells_size(const Cells *cells);

/* The withheld cell, which covers all values, NULL too. */
extern Cell cells_whole(const Cells *cells);

/* A cell's text as a release shows it under the settings of act_as(); NULL for CELL_NULL. */
extern char *cells_text(const Cells *cells, Cell cell);

/* Texts, such as those of cells, as a jsonb object by the names of their columns; null for NULL. */
extern Datum texts_by_column(const DeclaredColumn *const *columns, const char *const *texts, int n);

/* ----------------------------------------------------------------
 * Spans: cells of several releases, and values of a source, on one line
 *
 * Codes live inside one frame only, and stand only for values that occur in it.
 * Whether two printed cells overlap depends on all values that they cover, so
 * they are compared by where they begin and end.
 * ----------------------------------------------------------------
 */

typedef struct CellSpans
{
	Span	   *span;			/* [cells] two overlap if and only if the cells do; withheld ones hold NULL, too */
	bool	   *is_sound;		/* [cells] it is a cell of the column's kind, and not empty */
	Code	   *code;			/* [codes of the coding] a span holds it if and only if the cell covers the value */
} CellSpans;

/* Returns the spans of all cells numbered so far, and the codes of the coding's values; coding may be NULL. */
extern CellSpans cell_spans(const DeclaredColumn *column, const Cells *cells, const Coding *coding);

/* ----------------------------------------------------------------
 * Ages: the nodes of a taxonomy that were there when a release was made
 *
 * An extended tree keeps all its nodes, but they get more leaves.  The leaves
 * that a node covered in an earlier tree are those of today that are not younger
 * than that tree.  So a cell has a second span beside its leaves: the trees from
 * the first one that has the node up to the release's own.  A leaf is in both
 * spans if and only if the cell covered it when the release was made; and two
 * cells that overlap in both spans have such a leaf in common, since one of
 * their nodes is below the other.
 * ----------------------------------------------------------------
 */

typedef struct TreeAges
{
	int32		ntrees;
	int32	   *tree;			/* [ntrees] ascending: each is an extension of the one before */
	Code	   *cell;			/* [cells] the first tree that has the node; 0 for NULL */
	Code	   *code;			/* [codes of the coding] likewise */
} TreeAges;

/*
 * Returns the ages of nodes under the trees of n releases; NULL where all releases used the column's own tree, which is the
 * last.
 */
extern TreeAges *tree_ages(const DeclaredColumn *column, const Cells *cells, const Coding *coding,
						   const int32 *tree, int32 n);

/* Returns the second span of a cell, given the tree that its release was made with. */
extern Span age_span(const TreeAges *ages, Cell cell, int32 tree);

#endif							/* PPREPUB_FRAME_CELLS_H */
