/*
 * tree_ages.c
 *		Finding the trees to which nodes were added.
 */
#include "frame/tree_ages.h"

#include "catalog/pg_type.h"
#include "declare/strmap.h"
#include "frame/arrays.h"
#include "miscadmin.h"
#include "utils/array.h"

static int
compare_trees(const void *a, const void *b)
{
	int32		x = *(const int32 *) a;
	int32		y = *(const int32 *) b;

	return x < y ? -1 : x > y;
}

/* The trees that differ, the column's own included. */
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

/* Nodes that the first tree does not have, with their ages. */
static strmap_hash *
read_added_nodes(const TreeAges *ages)
{
	Datum	   *trees = palloc(sizeof(Datum) * ages->ntrees);
	CatalogAccess access;
	strmap_hash *added;

	for (int32 i = 0; i < ages->ntrees; i++)
		trees[i] = Int32GetDatum(ages->tree[i]);
	catalog_enter(&access);
	catalog_read("SELECT node, pg_catalog.min(tree) AS tree FROM pprepub.catalog_tree_node WHERE tree = ANY ($1)"
				 " GROUP BY node HAVING pg_catalog.min(tree) > $2",
				 CATALOG_PARAM(INT4ARRAYOID, PointerGetDatum(construct_array(trees, ages->ntrees, INT4OID, 4, true, TYPALIGN_INT))),
				 CATALOG_PARAM(INT4OID, trees[0]));
	added = strmap_create(access.context, SPI_processed, NULL);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		bool		found;

		CHECK_FOR_INTERRUPTS();
		strmap_insert(added, catalog_text(&access, i, "node"), &found)->number = age_of_tree(ages, catalog_int(i, "tree"));
	}
	catalog_leave(&access);
	return added;
}

static Code
age_of_node(strmap_hash *added, const char *name)
{
	StrmapEntry *entry = name == NULL ? NULL : strmap_lookup(added, name);

	return entry == NULL ? 0 : entry->number;
}

TreeAges *
tree_ages(const DeclaredColumn *column, const Cells *cells, const Coding *coding, const int32 *tree, int32 n)
{
	TreeAges   *ages = palloc0(sizeof(TreeAges));
	strmap_hash *added;

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
