/*
 * tree_builder.c
 *		Building a taxonomy's tree, and refusing rows that do not form one, with
 *		the name of the node in the message.
 */
#include "declare/taxonomy.h"

#include "mb/pg_wchar.h"

#define MAX_NAME_BYTES	1024

TreeBuilder *
builder_create(const char *taxonomy, bool keep_order)
{
	TreeBuilder *builder = palloc0(sizeof(TreeBuilder));

	builder->taxonomy = taxonomy;
	builder->keep_order = keep_order;
	builder->capacity = 64;
	builder->nodes = palloc(sizeof(TaxonomyNode) * builder->capacity);
	builder->root = NO_NODE;
	builder->by_name = string_map_create(CurrentMemoryContext, 64, NULL);
	return builder;
}

/* Raises an error if the name of a new node is too long, or the tree has too many nodes already. */
static void
verify_name_of_node(const TreeBuilder *builder, const char *name)
{
	if (strlen(name) > MAX_NAME_BYTES)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("node \"%.*s…\" of taxonomy \"%s\" is longer than %d bytes",
						pg_mbcliplen(name, strlen(name), 40), name, builder->taxonomy, MAX_NAME_BYTES),
				 errhint("Give it a shorter name.")));
	if (builder->nnodes >= MAX_NODES)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("taxonomy \"%s\" has more than %d nodes, \"%s\" being one too many",
						builder->taxonomy, MAX_NODES, name),
				 errhint("Leave out the leaves that do not occur, or generalize the column in a view first.")));
}

uint32
builder_node(TreeBuilder *builder, const char *name, Standing standing)
{
	bool		found;
	StringMapEntry *entry = string_map_insert(builder->by_name, name, &found);
	TaxonomyNode *node;

	if (found)
	{
		node = &builder->nodes[entry->number];
		if (node->standing != standing)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_TABLE_DEFINITION),
					 errmsg("node \"%s\" of taxonomy \"%s\" is a leaf in one row and has children in another",
							name, builder->taxonomy),
					 errhint("A leaf of a ragged tree repeats its name on the levels that it skips.")));
		return entry->number;
	}
	verify_name_of_node(builder, name);
	if (builder->nnodes == builder->capacity)
	{
		builder->capacity *= 2;
		builder->nodes = repalloc_huge(builder->nodes, sizeof(TaxonomyNode) * (Size) builder->capacity);
	}
	node = &builder->nodes[builder->nnodes];
	memset(node, 0, sizeof(TaxonomyNode));
	node->name = pstrdup(name);
	node->parent = NO_NODE;
	node->standing = standing;
	entry->key = node->name;
	entry->number = builder->nnodes;
	return builder->nnodes++;
}

void
builder_link(TreeBuilder *builder, uint32 child, uint32 parent)
{
	TaxonomyNode *node = &builder->nodes[child];

	if (child == builder->root)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TABLE_DEFINITION),
				 errmsg("node \"%s\" of taxonomy \"%s\" is the root in one row and has a parent in another",
						node->name, builder->taxonomy)));
	if (node->parent != NO_NODE && node->parent != parent)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TABLE_DEFINITION),
				 errmsg("node \"%s\" of taxonomy \"%s\" has two parents, \"%s\" and \"%s\"",
						node->name, builder->taxonomy,
						builder->nodes[node->parent].name, builder->nodes[parent].name)));
	if (node->name[0] != '\0' && node->name[strspn(node->name, "*")] == '\0')
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TABLE_DEFINITION),
				 errmsg("node \"%s\" of taxonomy \"%s\" is not the root", node->name, builder->taxonomy),
				 errhint("A cell of nothing but stars reads as withheld. Give the node another name.")));
	node->parent = parent;
}

/* Notes the last node of a row, which must be the same root in every row. */
static void
builder_set_root(TreeBuilder *builder, uint32 root)
{
	TaxonomyNode *node = &builder->nodes[root];

	if (node->parent != NO_NODE)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TABLE_DEFINITION),
				 errmsg("node \"%s\" of taxonomy \"%s\" is the root in one row and has a parent in another",
						node->name, builder->taxonomy)));
	if (builder->root != NO_NODE && builder->root != root)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TABLE_DEFINITION),
				 errmsg("taxonomy \"%s\" has two roots, \"%s\" and \"%s\"",
						builder->taxonomy, builder->nodes[builder->root].name, node->name),
				 errhint("The last column must hold the same value in every row.")));
	builder->root = root;
}

/* Raises an error about a NULL in the row, or a node that stands on two separate levels of it. */
static void
verify_row(const TreeBuilder *builder, char *const *values, int nvalues)
{
	for (int i = 0; i < nvalues; i++)
		if (values[i] == NULL)
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("a row of taxonomy \"%s\" has a NULL in column %d",
							builder->taxonomy, i + 1),
					 i > 0 && values[0] != NULL
					 ? errdetail("It is the row of leaf \"%s\".", values[0])
					 : values[nvalues - 1] != NULL
					 ? errdetail("It is a row of root \"%s\".", values[nvalues - 1]) : 0,
					 errhint("NULLs in the data need no node: NULL is a value of its own.")));
	for (int i = 2; i < nvalues; i++)
		for (int j = 0; j < i - 1; j++)
			if (strcmp(values[i], values[j]) == 0 && strcmp(values[i], values[i - 1]) != 0)
				ereport(ERROR,
						(errcode(ERRCODE_INVALID_TABLE_DEFINITION),
						 errmsg("node \"%s\" of taxonomy \"%s\" stands on two levels of a row with another node between",
								values[i], builder->taxonomy)));
}

void
builder_add_row(TreeBuilder *builder, char *const *values, int nvalues)
{
	uint32		child;

	verify_row(builder, values, nvalues);
	child = builder_node(builder, values[0], STANDING_LEAF);
	for (int i = 1; i < nvalues; i++)
	{
		uint32		parent;

		if (strcmp(values[i], values[i - 1]) == 0)
			continue;
		parent = builder_node(builder, values[i], STANDING_INNER);
		builder_link(builder, child, parent);
		child = parent;
	}
	builder_set_root(builder, child);
}

static int
compare_by_name(const void *a, const void *b, void *nodes)
{
	return strcmp(((TaxonomyNode *) nodes)[*(const uint32 *) a].name,
				  ((TaxonomyNode *) nodes)[*(const uint32 *) b].name);
}

/* Links the children of each node in the order in which their leaves are numbered. */
static void
link_children(TreeBuilder *builder)
{
	uint32	   *order = palloc_extended(sizeof(uint32) * (Size) builder->nnodes, MCXT_ALLOC_HUGE);

	for (uint32 i = 0; i < builder->nnodes; i++)
	{
		order[i] = i;
		builder->nodes[i].first_child = NO_NODE;
		builder->nodes[i].next_sibling = NO_NODE;
	}
	if (!builder->keep_order)
		qsort_arg(order, builder->nnodes, sizeof(uint32), compare_by_name, builder->nodes);
	for (uint32 i = builder->nnodes; i-- > 0;)	/* backwards: each is put in front of its later siblings */
	{
		TaxonomyNode *node = &builder->nodes[order[i]];

		if (node->parent == NO_NODE)
			continue;
		node->next_sibling = builder->nodes[node->parent].first_child;
		builder->nodes[node->parent].first_child = order[i];
	}
	pfree(order);
}

void
builder_finish(TreeBuilder *builder)
{
	int64		next_leaf = 0;
	uint32		at = builder->root;

	if (builder->nnodes == 0)
		ereport(ERROR,
				(errcode(ERRCODE_NO_DATA_FOUND),
				 errmsg("taxonomy \"%s\" would be empty", builder->taxonomy),
				 errhint("Its table needs a row for each leaf: the leaf, its parent, and so on up to the root.")));
	link_children(builder);
	builder->nodes[at].depth = 0;
	for (;;)
	{
		TaxonomyNode *node = &builder->nodes[at];

		node->first_leaf = next_leaf;
		if (node->first_child != NO_NODE)
		{
			builder->nodes[node->first_child].depth = node->depth + 1;
			at = node->first_child;
			continue;
		}
		next_leaf++;
		node->leaves = 1;
		/* Climb until a sibling is left to visit. */
		while (at != builder->root && builder->nodes[at].next_sibling == NO_NODE)
		{
			at = builder->nodes[at].parent;
			builder->nodes[at].leaves = next_leaf - builder->nodes[at].first_leaf;
		}
		if (at == builder->root)
			break;
		builder->nodes[builder->nodes[at].next_sibling].depth = builder->nodes[at].depth;
		at = builder->nodes[at].next_sibling;
	}
}
