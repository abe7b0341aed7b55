/*
 * taxonomy.h
 *		Taxonomies by name, and the unchanging trees that names point at.
 */
#ifndef PPREPUB_DECLARE_TAXONOMY_H
#define PPREPUB_DECLARE_TAXONOMY_H

#include "postgres.h"

#include "declare/string_map.h"
#include "fmgr.h"
#include "utils/array.h"

/* ----------------------------------------------------------------
 * A tree under construction, from rows of leaf, parent, …, root
 * ----------------------------------------------------------------
 */

#define MAX_NODES	1048576		/* of a tree */
#define MAX_LEVELS	1600		/* columns of a row */
#define NO_NODE		PG_UINT32_MAX

/* The part of a node in the rows read so far: one that is both is an error. */
typedef enum Standing
{
	STANDING_LEAF,
	STANDING_INNER
} Standing;

typedef struct TaxonomyNode
{
	char	   *name;
	uint32		parent;			/* NO_NODE for the root */
	uint32		depth;
	Standing	standing;
	bool		is_old;			/* was there before the extension */

	/* Set when the tree is complete */
	uint32		first_child;
	uint32		next_sibling;
	int64		first_leaf;
	int64		leaves;
} TaxonomyNode;

typedef struct TreeBuilder
{
	const char *taxonomy;
	bool		keep_order;		/* children in order of appearance, not name */
	TaxonomyNode *nodes;
	uint32		nnodes;
	uint32		capacity;
	uint32		root;
	string_map_hash *by_name;
} TreeBuilder;

/* With keep_order, leaves are numbered in order of appearance, else by the names of siblings. */
extern TreeBuilder *builder_create(const char *taxonomy, bool keep_order);

/* Adds a row: leaf, its parent, …, the root; a value repeated on consecutive levels is one node. */
extern void builder_add_row(TreeBuilder *builder, char *const *values, int nvalues);

/* The steps of builder_add_row(): finds or makes a node, and hangs it below its parent. */
extern uint32 builder_node(TreeBuilder *builder, const char *name, Standing standing);
extern void builder_link(TreeBuilder *builder, uint32 child, uint32 parent);

/* Walks the tree depth-first without recursion and numbers the leaves; an error if it is empty. */
extern void builder_finish(TreeBuilder *builder);

/* ----------------------------------------------------------------
 * Taxonomies
 * ----------------------------------------------------------------
 */

/* A function's argument that names a taxonomy. */
extern char *taxonomy_argument(FunctionCallInfo fcinfo, int n);

/* Inside SPI: feeds the rows of a query to the builder, a batch at a time. */
extern void add_rows_of(TreeBuilder *builder, const char *sql, MemoryContext context);

/* Stores a finished tree under the builder's name, for the caller; ladder is NULL but for ladders. */
extern void store_taxonomy(const TreeBuilder *builder, ArrayType *ladder);

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
