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

static void
read_nodes(CatalogAccess *access, StoredTree *tree, int32 number)
{
	strmap_hash *nodes;

	catalog_read("SELECT node, parent, first_leaf::int, leaves::int FROM pprepub.catalog_tree_node"
				 " WHERE tree = $1 ORDER BY depth, first_leaf",
				 CATALOG_PARAM(INT4OID, Int32GetDatum(number)));
	if (SPI_processed == 0)
		elog(ERROR, "tree %d has no nodes", number);
	allocate_nodes(tree, SPI_processed, access->context);
	nodes = strmap_create(CurrentMemoryContext, tree->nnodes, NULL);
	for (uint32 i = 0; i < tree->nnodes; i++)
	{
		char	   *parent = catalog_text(access, i, "parent");
		bool		found;

		CHECK_FOR_INTERRUPTS();
		tree->names[i] = catalog_text(access, i, "node");
		strmap_insert(nodes, tree->names[i], &found)->number = i;
		tree->parent[i] = parent == NULL ? 0 : strmap_lookup(nodes, parent)->number;
		tree->first_leaf[i] = catalog_int(i, "first_leaf");
		tree->leaves[i] = catalog_int(i, "leaves");
	}
}

static Datum
copy_bound(Datum bound, MemoryContext context)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	Datum		copy = NumericGetDatum(DatumGetNumericCopy(bound));

	MemoryContextSwitchTo(old);
	return copy;
}

static void
read_ladder(CatalogAccess *access, StoredTree *tree, int32 number)
{
	bool		is_null = true;
	Datum		ladder = (Datum) 0;
	Datum	   *bounds;
	int			n;

	if (catalog_look_up("catalog_tree_pkey", number) > 0)
		ladder = catalog_field(0, "ladder", &is_null);
	tree->is_ladder = !is_null;
	if (is_null)
		return;
	deconstruct_array(DatumGetArrayTypeP(ladder), NUMERICOID, -1, false, TYPALIGN_INT, &bounds, NULL, &n);
	tree->low = copy_bound(bounds[0], access->context);
	tree->high = copy_bound(bounds[1], access->context);
	tree->width = copy_bound(bounds[2], access->context);
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
