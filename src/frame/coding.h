/*
 * coding.h
 *		One quasi-identifier's values as codes, and codes as values again: the
 *		one place that knows what the kinds of generalisation mean.
 */
#ifndef PPREPUB_FRAME_CODING_H
#define PPREPUB_FRAME_CODING_H

#include "postgres.h"

#include "declare/publication.h"
#include "frame/dictionary.h"
#include "frame/domain.h"

/* The tree of a taxonomy, or of a ladder of ranges, as the catalog has it: breadth-first, siblings side by side. */
typedef struct StoredTree
{
	uint32		nnodes;
	char	  **names;
	uint32	   *parent;
	Code	   *first_leaf;
	Code	   *leaves;
	bool		is_ladder;
	Datum		low;			/* of ladders: both ends, and the first width */
	Datum		high;
	Datum		width;
} StoredTree;

/* Reads a tree into the current context; or of a ladder its ends and the first width, and nothing else. */
extern StoredTree *stored_tree_read(int32 tree);
extern StoredTree *stored_ladder_read(int32 tree);

/* The rung of a ladder that a number falls onto, or NO_CODE where it is beyond the ladder. */
extern Code rung_of(const StoredTree *ladder, Oid type, Datum value);

/*
 * The nodes of a level that hold nodes of these names: [n] of names, NULL for an unknown one, and for one above the level
 * that is no leaf, since it may stand for several.  A leaf above the level stands for itself.
 */
extern char **nodes_at_level(int32 tree, int level, char *const *names, Code n);

/* The reason why values of a column cannot be coded, with examples, which only the owner may see. */
typedef struct Uncodable
{
	const char *reason;			/* completes "column … has N row(s) …", or NULL */
	const char *hint;
	uint32		examples[3];	/* numbers of the dictionary */
	int			nexamples;
} Uncodable;

typedef struct Coding
{
	const DeclaredColumn *column;	/* borrowed */
	Domain	   *domain;
	bool		is_part;		/* of a cohort: the source may have more values */
	Span		leaving;		/* the hull of a release's cells */
	Code	   *ends;			/* ranges: [nends] ascending, where a release's cells begin and end; NULL: ends are
								 * printed as they are */
	Code		nends;

	/* The meaning of codes */
	Oid			type;			/* ranges: of values */
	Datum	   *values;			/* ranges: [codes but NULL's] */
	const RangeStep *step;		/* ranges: values are bins of it; NULL where they are what the source has */
	char	  **texts;			/* prefix, suppress: [codes but NULL's] */
	char	  **names;			/* taxonomy: [nodes], NULL for NULL's */
} Coding;

/*
 * Makes the domain of a column from its distinct values, or from the distinct bins of a step, if one is given, and from its
 * tree if it is a taxonomy's.  Sets *code, which maps the dictionary's numbers to codes, with NO_CODE for values that
 * cannot be coded; those are described in *uncodable.  Frequencies are left at 0.  Callers act as the owner, since output
 * functions of the column's type run.
 */
extern Coding *code_column(const DeclaredColumn *column, const RangeStep *step, const StoredTree *tree,
						   const Dictionary *dictionary, bool has_null, Code **code, Uncodable *uncodable);

/*
 * Sets the source_width of all lines, to measure the loss of a cohort's release.  It is called as the owner, inside SPI,
 * under the snapshot that the cohort was read under.  The query asks only for minima and maxima, which indexes can answer.
 */
extern void read_source_widths(Coding *const *codings, int ncodings, const DeclaredPublication *publication);

#endif							/* PPREPUB_FRAME_CODING_H */
