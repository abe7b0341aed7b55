/*
 * tree_ages.h
 *		Which of a taxonomy's nodes were there when a release was made.
 *
 * A tree that is extended keeps all nodes that it had, but they get more leaves.
 * What a node covered in an earlier tree is what it covers today, and is not
 * younger than that tree.  So beside the leaves of a cell stands a second line:
 * the trees from the first one that has the node up to the release's own.  A
 * leaf is in both if and only if the cell covered it when the release was made;
 * and two cells that overlap in both have such a leaf in common, since one of
 * their nodes stands below the other.
 */
#ifndef PPREPUB_FRAME_TREE_AGES_H
#define PPREPUB_FRAME_TREE_AGES_H

#include "postgres.h"

#include "frame/cells.h"
#include "frame/coding.h"

typedef struct TreeAges
{
	int32		ntrees;
	const int32 *tree;			/* [ntrees] ascending, and so each an extension of those before */
	Code	   *cell;			/* [cells] the first tree that has the node; 0 for NULL */
	Code	   *code;			/* [codes of the coding] likewise */
} TreeAges;

/* NULL where these trees, of releases, are all the column's own, which is the last. */
extern TreeAges *tree_ages(const DeclaredColumn *column, const Cells *cells, const Coding *coding,
						   const int32 *tree, int32 n);

/* A cell of a release that was made with a tree, on the second line. */
extern Span age_span(const TreeAges *ages, Cell cell, int32 tree);

#endif							/* PPREPUB_FRAME_TREE_AGES_H */
