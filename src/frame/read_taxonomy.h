/*
 * read_taxonomy.h
 *		The tree of a taxonomy, or of a ladder of ranges, as the catalog has it.
 */
#ifndef PPREPUB_FRAME_READ_TAXONOMY_H
#define PPREPUB_FRAME_READ_TAXONOMY_H

#include "postgres.h"

#include "frame/cells.h"
#include "frame/span.h"

/* Nodes are breadth-first, siblings side by side. */
typedef struct StoredTree
{
	uint32		nnodes;
	char	  **names;
	uint32	   *parent;
	Code	   *first_leaf;
	Code	   *leaves;
	bool		is_ladder;
	Datum		low;
	Datum		high;
	Datum		width;
} StoredTree;

/* Reads a tree into the current context. */
extern StoredTree *stored_tree_read(int32 tree);

/* Reads the ends and the first width of a ladder, and nothing else. */
extern StoredTree *stored_ladder_read(int32 tree);

/*
 * The nodes of a level that hold nodes of these names: [n] of names, NULL for an unknown one, and for one above the level
 * that is no leaf, since it may stand for several.  A leaf above the level stands for itself.
 */
extern char **nodes_at_level(int32 tree, int level, char *const *names, Code n);

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

struct Coding;

typedef struct TreeAges
{
	int32		ntrees;
	const int32 *tree;			/* [ntrees] ascending: each is an extension of the one before */
	Code	   *cell;			/* [cells] the first tree that has the node; 0 for NULL */
	Code	   *code;			/* [codes of the coding] likewise */
} TreeAges;

/*
 * Returns the ages of nodes under the trees of n releases; NULL where all
 * releases used the column's own tree, which is the last.
 */
extern TreeAges *tree_ages(const DeclaredColumn *column, const Cells *cells, const struct Coding *coding,
						   const int32 *tree, int32 n);

/* Returns the second span of a cell, given the tree that its release was made with. */
extern Span age_span(const TreeAges *ages, Cell cell, int32 tree);

#endif							/* PPREPUB_FRAME_READ_TAXONOMY_H */
