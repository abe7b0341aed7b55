/*
 * tree_builder.h
 *		A taxonomy's tree under construction, from rows of leaf, parent, …, root.
 */
#ifndef PPREPUB_DECLARE_TREE_BUILDER_H
#define PPREPUB_DECLARE_TREE_BUILDER_H

#include "postgres.h"

#include "declare/strmap.h"

#define MAX_NODES	1048576		/* of a tree */
#define MAX_LEVELS	1600		/* columns of a row */
#define NO_NODE		PG_UINT32_MAX

/* How a node stood in the rows read so far. */
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

/* A tree under construction. */
typedef struct TreeBuilder
{
	const char *taxonomy;
	bool		keep_order;		/* children in order of appearance, not name */
	TaxonomyNode *nodes;
	uint32		nnodes;
	uint32		capacity;
	uint32		root;
	strmap_hash *by_name;
} TreeBuilder;

/* Children get their leaves' numbers in order of their names, or of their appearance. */
extern TreeBuilder *builder_create(const char *taxonomy, bool keep_order);

/* One row: leaf, its parent, …, the root; a value repeated on consecutive levels is one node. */
extern void builder_add_row(TreeBuilder *builder, char *const *values, int nvalues);

/* The parts of a row: a node by its name, made when it is new, and its place. */
extern uint32 builder_node(TreeBuilder *builder, const char *name, Standing standing);
extern void builder_link(TreeBuilder *builder, uint32 child, uint32 parent);

/* Walks the tree depth-first without recursion and numbers the leaves; an error if it is empty. */
extern void builder_finish(TreeBuilder *builder);

#endif							/* PPREPUB_DECLARE_TREE_BUILDER_H */
