/*
 * stored_tree.c
 *		Reading trees from the catalog.
 */
#include "frame/stored_tree.h"

#include "catalog/pg_type.h"
#include "declare/catalog.h"
#include "declare/strmap.h"
#include "frame/arrays.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/memutils.h"
#include "utils/numeric.h"

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

/* A row of the result, and where its node belongs. */
typedef struct NodeRow
{
	int32		depth;
	int64		first_leaf;
	uint64		row;
} NodeRow;

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

/* Parents come before their children. */
static NodeRow *
order_nodes(uint64 n)
{
	NodeRow    *rows = new_array(NodeRow, n);

	for (uint64 i = 0; i < n; i++)
		rows[i] = (NodeRow) {catalog_int(i, "depth"), big_field(i, "first_leaf"), i};
	qsort(rows, n, sizeof(NodeRow), compare_nodes);
	return rows;
}

static void
read_nodes(CatalogAccess *access, StoredTree *tree, int32 number)
{
	strmap_hash *nodes;
	NodeRow    *rows;

	if (catalog_read("SELECT node, parent, depth, first_leaf, leaves FROM pprepub.catalog_tree_node WHERE tree = $1",
					 CATALOG_PARAM(INT4OID, Int32GetDatum(number))) == 0)
		elog(ERROR, "tree %d has no nodes", number);
	rows = order_nodes(SPI_processed);
	allocate_nodes(tree, SPI_processed, access->context);
	nodes = strmap_create(CurrentMemoryContext, tree->nnodes, NULL);
	for (uint32 i = 0; i < tree->nnodes; i++)
	{
		uint64		row = rows[i].row;
		char	   *parent = catalog_text(access, row, "parent");
		bool		found;

		CHECK_FOR_INTERRUPTS();
		tree->names[i] = catalog_text(access, row, "node");
		strmap_insert(nodes, tree->names[i], &found)->number = i;
		tree->parent[i] = parent == NULL ? 0 : strmap_lookup(nodes, parent)->number;
		tree->first_leaf[i] = rows[i].first_leaf;
		tree->leaves[i] = big_field(row, "leaves");
	}
}

static void
read_ladder(CatalogAccess *access, StoredTree *tree, int32 number)
{
	MemoryContext old;
	bool		is_null = true;
	Datum		ladder = (Datum) 0;
	Datum	   *bounds;
	int			n;

	if (catalog_read("SELECT ladder FROM pprepub.catalog_tree WHERE tree = $1",
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

char *
stored_tree_root(int32 tree)
{
	CatalogAccess access;
	char	   *name;

	catalog_enter(&access);
	catalog_read("SELECT node FROM pprepub.catalog_tree_node WHERE tree = $1 AND parent IS NULL",
				 CATALOG_PARAM(INT4OID, Int32GetDatum(tree)));
	name = catalog_text(&access, 0, "node");
	catalog_leave(&access);
	return name;
}
