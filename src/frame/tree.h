/*
 * tree.h
 *		Building the trees over which taxonomy, prefix and suppress cells lie.
 *
 * All builders number nodes breadth-first, so that parents stand before their
 * children and siblings side by side.  With has_null the root gets one more
 * leaf, the last code: NULL.
 */
#ifndef PPREPUB_FRAME_TREE_H
#define PPREPUB_FRAME_TREE_H

#include "postgres.h"

#include "frame/domain.h"

/*
 * A tree of nodes that are given breadth-first: node i hangs on parent[i]
 * (below i, the root on itself), its first leaf has code first_leaf[i] and it
 * holds so many leaves.  *number[i] is set to the node's number in the result,
 * which can differ where NULL is put in between.
 */
extern Tree *tree_of_nodes(uint32 nnodes, const uint32 *parent, const Code *first_leaf,
						   const Code *leaves, bool has_null, uint32 **number);

/* A root with so many leaves and nothing between. */
extern Tree *tree_of_leaves(Code nleaves, bool has_null);

/*
 * The tree of shared prefixes over distinct values sorted by their bytes; a
 * node's level is the number of characters that all below it share.
 */
extern Tree *tree_of_prefixes(char *const *values, Code nvalues, bool has_null);

/* How many bytes the first so many characters of the text take. */
extern int	prefix_bytes(const char *text, uint32 characters);

#endif							/* PPREPUB_FRAME_TREE_H */
