/*
 * counts.h
 *		How many rows of the newest full release lie in bins: at least, about, and at most.
 *
 * A column of the release is counted by its cells, numbered as they come, and by bins, which are given or chosen.  A cell
 * lies in a bin, or touches it with a share, or neither.  Four forms of cells are counted:
 *
 *		ranges		bins are ranges
 *		nodes		of a taxonomy: bins are nodes, and both are ranges of leaves
 *		texts		prefixes, and values that may be withheld: bins are prefixes and values
 *		values		sensitive and insensitive columns, which show the value itself: so do bins
 *
 * NULL is a bin of its own.  A cell that is withheld may stand for NULL: it touches all bins, and lies in none.
 */
#ifndef PPREPUB_RELEASE_COUNTS_COUNTS_H
#define PPREPUB_RELEASE_COUNTS_COUNTS_H

#include "postgres.h"

#include "compat.h"
#include "frame/cell_measure.h"
#include "frame/dictionary.h"
#include "utils/jsonb.h"

#define MAX_BINS	10000		/* of a column, and combinations of bins */
#define MAX_BY		4			/* columns */

typedef enum CountForm
{
	COUNT_RANGES,
	COUNT_NODES,
	COUNT_TEXTS,
	COUNT_VALUES
} CountForm;

typedef struct CountBin
{
	char	   *label;			/* as the result shows it; NULL for NULL */
	RangeType  *range;			/* ranges, and nodes: their leaves */
	TextCell	text;			/* texts */
} CountBin;

typedef struct CountColumn
{
	char	   *name;
	CountForm	form;
	bool		is_prefix;		/* texts: values are cut off */
	TypeCacheEntry *range;		/* of ranges, and of leaves */
	char	   *taxonomy;		/* nodes: its name, */
	int32		tree;			/* and its tree when the release was made */

	/* Cells that the release shows; number 0 is NULL */
	Dictionary *shown;
	bool		shows_null;
	RangeType **ranges;			/* [cells] ranges, and nodes: their leaves */
	char	  **texts;			/* [cells] nodes, texts and values */
	bool	   *is_withheld;	/* [cells] */
	RangeType  *whole;			/* ranges: from the smallest to the largest end shown; or NULL */

	/* Texts: cells that no other one lies in, sorted by their bytes */
	TextCell   *finest;
	uint32		nfinest;

	CountBin   *bins;
	int			nbins;
	int			room;
} CountColumn;

/* ----------------------------------------------------------------
 * The publication: count_columns.c
 * ----------------------------------------------------------------
 */

typedef struct CountedRelease
{
	Oid			view;
	int			ncolumns;
	CountColumn *columns;		/* [ncolumns] those to count by, without cells yet */
} CountedRelease;

/*
 * Finds the view of the newest full release, and locks it against being replaced.  An error if the caller may not read
 * it, before anything else is told; then, if one of the columns is none that can be counted by.
 */
extern CountedRelease *counted_release(const char *publication, char *const *by, int nby);

/* Once all cells have their numbers: what they cover. */
extern void understand_cells(CountColumn *column);

/* ----------------------------------------------------------------
 * Bins: count_bins.c, and count_range_bins.c
 * ----------------------------------------------------------------
 */

/* Sets a column's bins to those that the caller gives, or, with NULL, to a choice that covers all that is shown. */
extern void set_bins(CountColumn *column, const JsonbValue *given);

/* Adds a bin; label NULL adds NULL.  An error if they are too many. */
extern CountBin *add_bin(CountColumn *column, char *label);

/* An error about bins of a column, with a hint on what they may be. */
pg_noreturn extern void refuse_bins(const CountColumn *column, const char *detail);
extern const char *bins_hint(const CountColumn *column);

/* Bins of ranges. */
extern void set_whole(CountColumn *column);
extern void add_range_bin(CountColumn *column, const char *text);
extern void add_bins_of_width(CountColumn *column, Numeric width);
extern void choose_range_bins(CountColumn *column);

/* ----------------------------------------------------------------
 * How cells lie to bins: count_touches.c
 * ----------------------------------------------------------------
 */

/* Texts: lists the finest cells. */
extern void set_finest(CountColumn *column);

typedef struct Touch
{
	uint32		bin;
	bool		lies;			/* in it, for sure */
	double		share;
} Touch;

typedef struct Touches
{
	uint64	   *first;			/* [cells + 1] those of a cell begin here */
	Touch	   *touch;
	uint64		n;
	uint64		room;
} Touches;

extern Touches *touches_of(const CountColumn *column);

#endif							/* PPREPUB_RELEASE_COUNTS_COUNTS_H */
