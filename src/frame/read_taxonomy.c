/*
 * read_taxonomy.c
 *		Reading taxonomies' trees from the catalog.
 */
#include "frame/read_taxonomy.h"

#include "catalog/pg_type.h"
#include "declare/catalog.h"
#include "frame/arrays.h"
#include "frame/coding.h"
#include "miscadmin.h"
#include "shared/string_map.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/numeric.h"

/* Allocates the arrays of a tree in a context that outlives the catalog access. */
static void
allocate_nodes(StoredTree *tree, uint32 nnodes, MemoryContext context)
{
	MemoryContext old = MemoryContextSwitchTo(context);

	tree->nnodes = nnodes;
	tree->names = new_array(char *, nnodes);
	tree->parent = new_array(uint32, nnodes);
	tree->first_leaf = new_array(Code, nnodes);
	tree->leaves = new_array(Code, nnodes);
	MemoryContextSwitchTo(old);
}

/* A row of the query's result, with the position of its node in the tree. */
typedef struct NodeRow
{
	int32		depth;
	int64		first_leaf;
	uint64		row;
} NodeRow;

/* Orders nodes by depth, and siblings by their leaves. */
static int
compare_nodes(const void *a, const void *b)
{
	const NodeRow *one = a;
	const NodeRow *other = b;

	if (one->depth != other->depth)
		return one->depth < other->depth ? -1 : 1;
	return (one->first_leaf > other->first_leaf) - (one->first_leaf < other->first_leaf);
}

static int64
big_field(uint64 row, const char *name)
{
	bool		isnull;

	return DatumGetInt64(catalog_field(row, name, &isnull));
}

/* The rows in breadth-first order, so that parents come before their children. */
static NodeRow *
order_nodes(uint64 n)
{
	NodeRow    *rows = new_array(NodeRow, n);

	for (uint64 i = 0; i < n; i++)
		rows[i] = (NodeRow) {catalog_int(i, "depth"), big_field(i, "first_leaf"), i};
	qsort(rows, n, sizeof(NodeRow), compare_nodes);
	return rows;
}

/* Reads the nodes of a tree. */
static void
read_nodes(CatalogAccess *access, StoredTree *tree, int32 number)
{
	string_map_hash *nodes;
	NodeRow    *rows;

	if (catalog_read("SELECT node, parent, depth, first_leaf, leaves FROM pprepub_internal.catalog_tree_node WHERE tree = $1",
					 CATALOG_PARAM(INT4OID, Int32GetDatum(number))) == 0)
		elog(ERROR, "tree %d has no nodes", number);
	rows = order_nodes(SPI_processed);
	allocate_nodes(tree, SPI_processed, access->context);
	nodes = string_map_create(CurrentMemoryContext, tree->nnodes, NULL);
	for (uint32 i = 0; i < tree->nnodes; i++)
	{
		uint64		row = rows[i].row;
		char	   *parent = catalog_text(access, row, "parent");
		bool		found;

		CHECK_FOR_INTERRUPTS();
		tree->names[i] = catalog_text(access, row, "node");
		string_map_insert(nodes, tree->names[i], &found)->number = i;
		tree->parent[i] = parent == NULL ? 0 : string_map_lookup(nodes, parent)->number;
		tree->first_leaf[i] = rows[i].first_leaf;
		tree->leaves[i] = big_field(row, "leaves");
	}
}

/* Reads the ends and the first width of a ladder, if the tree is one. */
static void
read_ladder(CatalogAccess *access, StoredTree *tree, int32 number)
{
	MemoryContext old;
	bool		is_null = true;
	Datum		ladder = (Datum) 0;
	Datum	   *bounds;
	int			n;

	if (catalog_read("SELECT ladder FROM pprepub_internal.catalog_tree WHERE tree = $1",
					 CATALOG_PARAM(INT4OID, Int32GetDatum(number))) > 0)
		ladder = catalog_field(0, "ladder", &is_null);
	tree->is_ladder = !is_null;
	if (is_null)
		return;
	deconstruct_array(DatumGetArrayTypeP(ladder), NUMERICOID, -1, false, TYPALIGN_INT, &bounds, NULL, &n);
	old = MemoryContextSwitchTo(access->context);
	tree->low = NumericGetDatum(DatumGetNumericCopy(bounds[0]));
	tree->high = NumericGetDatum(DatumGetNumericCopy(bounds[1]));
	tree->width = NumericGetDatum(DatumGetNumericCopy(bounds[2]));
	MemoryContextSwitchTo(old);
}

StoredTree *
stored_ladder_read(int32 number)
{
	StoredTree *tree = palloc0(sizeof(StoredTree));
	CatalogAccess access;

	catalog_enter(&access);
	read_ladder(&access, tree, number);
	catalog_leave(&access);
	return tree;
}

StoredTree *
stored_tree_read(int32 number)
{
	StoredTree *tree = palloc0(sizeof(StoredTree));
	CatalogAccess access;

	catalog_enter(&access);
	read_ladder(&access, tree, number);
	read_nodes(&access, tree, number);
	catalog_leave(&access);
	return tree;
}

char **
nodes_at_level(int32 tree, int level, char *const *names, Code n)
{
	Datum	   *elements = new_array(Datum, n);
	char	  **nodes = new_zeros(char *, n);
	CatalogAccess access;
	uint64		found;

	for (Code i = 0; i < n; i++)
		elements[i] = CStringGetTextDatum(names[i]);
	catalog_enter(&access);
	found = catalog_read("WITH RECURSIVE up AS ("
						 " SELECT v.ordinality AS i, t.node, t.parent, t.depth, t.depth <= $2 AND NOT EXISTS (SELECT FROM pprepub_internal.catalog_tree_node c WHERE c.tree = $1 AND c.parent = t.node) AS is_leaf"
						 " FROM unnest($3) WITH ORDINALITY v (node) JOIN pprepub_internal.catalog_tree_node t ON t.tree = $1 AND t.node = v.node"
						 " UNION ALL SELECT up.i, t.node, t.parent, t.depth, false FROM up JOIN pprepub_internal.catalog_tree_node t ON t.tree = $1 AND t.node = up.parent"
						 " WHERE up.depth > $2)"
						 " SELECT i, node FROM up WHERE depth = $2 OR is_leaf",
						 CATALOG_PARAM(INT4OID, Int32GetDatum(tree)), CATALOG_PARAM(INT4OID, Int32GetDatum(level)),
						 CATALOG_PARAM(TEXTARRAYOID, PointerGetDatum(construct_array(elements, n, TEXTOID, -1, false, TYPALIGN_INT))));
	for (uint64 row = 0; row < found; row++)
		nodes[big_field(row, "i") - 1] = catalog_text(&access, row, "node");
	catalog_leave(&access);
	return nodes;
}

/* ----------------------------------------------------------------
 * Ages
 * ----------------------------------------------------------------
 */

static int
compare_trees(const void *a, const void *b)
{
	int32		x = *(const int32 *) a;
	int32		y = *(const int32 *) b;

	return x < y ? -1 : x > y;
}

/* Lists the given trees and the column's own, each once, ascending. */
static int32 *
different_trees(const DeclaredColumn *column, const int32 *tree, int32 n, int32 *ndifferent)
{
	int32	   *different = palloc(sizeof(int32) * (n + 1));

	memcpy(different, tree, sizeof(int32) * n);
	different[n] = column->tree;
	qsort(different, n + 1, sizeof(int32), compare_trees);
	*ndifferent = 0;
	for (int32 i = 0; i <= n; i++)
		if (i == 0 || different[i] != different[*ndifferent - 1])
			different[(*ndifferent)++] = different[i];
	return different;
}

static Code
age_of_tree(const TreeAges *ages, int32 tree)
{
	Code		age = 0;

	while (age + 1 < (Code) ages->ntrees && ages->tree[age] < tree)
		age++;
	return age;
}

/* Maps the names of nodes that were added after the first tree to their ages. */
static string_map_hash *
read_added_nodes(const TreeAges *ages)
{
	Datum	   *trees = palloc(sizeof(Datum) * ages->ntrees);
	CatalogAccess access;
	string_map_hash *added;

	for (int32 i = 0; i < ages->ntrees; i++)
		trees[i] = Int32GetDatum(ages->tree[i]);
	catalog_enter(&access);
	catalog_read("SELECT node, pg_catalog.min(tree) AS tree FROM pprepub_internal.catalog_tree_node WHERE tree = ANY ($1)"
				 " GROUP BY node HAVING pg_catalog.min(tree) > $2",
				 CATALOG_PARAM(INT4ARRAYOID, PointerGetDatum(construct_array(trees, ages->ntrees, INT4OID, 4, true, TYPALIGN_INT))),
				 CATALOG_PARAM(INT4OID, trees[0]));
	added = string_map_create(access.context, SPI_processed, NULL);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		bool		found;

		CHECK_FOR_INTERRUPTS();
		string_map_insert(added, catalog_text(&access, i, "node"), &found)->number = age_of_tree(ages, catalog_int(i, "tree"));
	}
	catalog_leave(&access);
	return added;
}

static Code
age_of_node(string_map_hash *added, const char *name)
{
	StringMapEntry *entry = name == NULL ? NULL : string_map_lookup(added, name);

	return entry == NULL ? 0 : entry->number;
}

TreeAges *
tree_ages(const DeclaredColumn *column, const Cells *cells, const Coding *coding, const int32 *tree, int32 n)
{
	TreeAges   *ages = palloc0(sizeof(TreeAges));
	string_map_hash *added;

	ages->tree = different_trees(column, tree, n, &ages->ntrees);
	if (ages->ntrees == 1)
		return NULL;
	added = read_added_nodes(ages);
	ages->cell = new_array(Code, cells_size(cells));
	for (Cell cell = 0; cell < cells_size(cells); cell++)
		ages->cell[cell] = age_of_node(added, cells_text(cells, cell));
	ages->code = new_array(Code, coding->domain->size);
	for (Code code = 0; code < coding->domain->size; code++)
		ages->code[code] = code == coding->domain->null_code ? 0 :
			age_of_node(added, coding->names[tree_node(coding->domain->tree, span_of(code))]);
	return ages;
}

Span
age_span(const TreeAges *ages, Cell cell, int32 tree)
{
	Code		born = ages->cell[cell];
	Code		age = age_of_tree(ages, tree);

	return (Span) {born, Max(born, age)};
}
