/*
 * taxonomy.h
 *		Taxonomies by name, and the unchanging trees that names point at.
 */
#ifndef PPREPUB_DECLARE_TAXONOMY_H
#define PPREPUB_DECLARE_TAXONOMY_H

#include "postgres.h"

#include "declare/tree_builder.h"
#include "fmgr.h"
#include "utils/array.h"

/* The argument that names a taxonomy. */
extern char *taxonomy_argument(FunctionCallInfo fcinfo, int n);

/* Inside SPI: feeds the rows of a query to the builder, a batch at a time. */
extern void add_rows_of(TreeBuilder *builder, const char *sql, MemoryContext context);

/* Stores a finished tree under the builder's name, for the caller; ladder is NULL but for ladders. */
extern void store_taxonomy(const TreeBuilder *builder, ArrayType *ladder);

/* These two are to be called between catalog_enter() and catalog_leave(). */

/* The tree that a taxonomy stands for now; an unknown name is an error. */
extern int32 find_taxonomy(const char *name);

/* Deletes the trees that no taxonomy, publication or release points at. */
extern void forget_unused_trees(void);

#endif							/* PPREPUB_DECLARE_TAXONOMY_H */
