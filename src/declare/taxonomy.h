/*
 * taxonomy.h
 *		Taxonomies by name, and the unchanging trees that names point at.
 */
#ifndef PPREPUB_DECLARE_TAXONOMY_H
#define PPREPUB_DECLARE_TAXONOMY_H

#include "postgres.h"

/* The tree that a taxonomy stands for now; an unknown name is an error.  For whoever only looks: nothing is locked. */
extern int32 present_tree(const char *taxonomy);

/* The leaves below a node, numbered depth-first; false if the tree has no such node. */
extern bool node_leaves(int32 tree, const char *node, int64 *first, int64 *leaves);

/* The name of a tree's root. */
extern char *tree_root(int32 tree);

/* Is it a ladder, whose nodes are intervals over numbers? */
extern bool tree_is_ladder(int32 tree);

/* These two are to be called between catalog_enter() and catalog_leave(). */

/* Like present_tree(), but locks the taxonomy's name, so that nobody changes what it stands for. */
extern int32 find_taxonomy(const char *name);

/* Deletes the trees that no taxonomy, publication or release points at. */
extern void forget_unused_trees(void);

#endif							/* PPREPUB_DECLARE_TAXONOMY_H */
