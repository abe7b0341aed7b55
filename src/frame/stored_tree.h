/*
 * stored_tree.h
 *		A taxonomy, or a ladder of ranges, as the catalog has it.
 */
#ifndef PPREPUB_FRAME_STORED_TREE_H
#define PPREPUB_FRAME_STORED_TREE_H

#include "postgres.h"

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

/* Lives in the current context. */
extern StoredTree *stored_tree_read(int32 tree);

/* The name of its root. */
extern char *stored_tree_root(int32 tree);

#endif							/* PPREPUB_FRAME_STORED_TREE_H */
