/*
 * cells.c
 *		Printed cells of each kind, and their intersections.
 *
 * NOTES
 *		A node of a taxonomy keeps its name and its ancestors for ever, so the
 *		publication's current tree also serves for cells that were printed with
 *		an earlier one.
 */
#include "frame/cells.h"

#include "catalog/pg_type.h"
#include "compat.h"
#include "fmgr.h"
#include "frame/print.h"
#include "miscadmin.h"
#include "shared/string_map.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rangetypes.h"
#include "utils/typcache.h"

#define NO_NODE PG_UINT32_MAX

/* The leaves below a node, and the number of nodes above it. */
typedef struct PrintedNode
{
	int32		first_leaf;
	int32		leaves;
	int32		depth;
} PrintedNode;

struct Cells
{
	Kind		kind;
	Dictionary *dictionary;
	Cell		whole;
	MemoryContext context;

	/* Ranges */
	TypeCacheEntry *range;
	FmgrInfo	output;

	/* Taxonomies */
	PrintedNode *nodes;
	string_map_hash *by_name;
	uint32	   *node;			/* [allocated] of each cell, or NO_NODE */
	uint32		allocated;
};

/* ----------------------------------------------------------------
 * Numbers
 * ----------------------------------------------------------------
 */

/* Reads the nodes of a taxonomy's tree, to be found by their names. */
static void
read_tree(Cells *cells, int32 tree)
{
	CatalogAccess access;

	catalog_enter(&access);
	catalog_read("SELECT node, depth, first_leaf::int, leaves::int FROM pprepub_internal.catalog_tree_node WHERE tree = $1",
				 CATALOG_PARAM(INT4OID, Int32GetDatum(tree)));
	cells->nodes = MemoryContextAllocExtended(cells->context, sizeof(PrintedNode) * (SPI_processed + 1), MCXT_ALLOC_HUGE);
	cells->by_name = string_map_create(cells->context, SPI_processed, NULL);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		bool		found;

		CHECK_FOR_INTERRUPTS();
		string_map_insert(cells->by_name, catalog_text(&access, i, "node"), &found)->number = i;
		cells->nodes[i] = (PrintedNode) {
			.first_leaf = catalog_int(i, "first_leaf"),
			.leaves = catalog_int(i, "leaves"),
			.depth = catalog_int(i, "depth"),
		};
	}
	catalog_leave(&access);
}

Cells *
cells_create(const DeclaredColumn *column)
{
	Cells	   *cells = palloc0(sizeof(Cells));
	Oid			type = printed_type(column->kind, column->type);
	Oid			output;
	bool		varlena;

	cells->kind = column->kind;
	cells->dictionary = dictionary_create(type);
	cells->context = CurrentMemoryContext;
	if (column->kind == KIND_RANGE)
	{
		cells->range = lookup_type_cache(type, TYPECACHE_RANGE_INFO);
		getTypeOutputInfo(type, &output, &varlena);
		fmgr_info(output, &cells->output);
	}
	if (column->kind == KIND_TAXONOMY)
		read_tree(cells, column->tree);
	cells->whole = cells_number(cells, print_withheld(column), false);
	return cells;
}

/* Looks up the node that a new cell names, so that later calls need not. */
static void
note_node(Cells *cells, Cell cell, Datum printed)
{
	StringMapEntry *entry = string_map_lookup(cells->by_name, TextDatumGetCString(printed));

	if (cell >= cells->allocated)
	{
		cells->allocated = Max(64, cell * 2);
		cells->node = cells->node == NULL ?
			MemoryContextAllocHuge(cells->context, sizeof(uint32) * cells->allocated) :
			repalloc_huge(cells->node, sizeof(uint32) * cells->allocated);
	}
	cells->node[cell] = entry == NULL ? NO_NODE : entry->number;
}

Cell
cells_number(Cells *cells, Datum printed, bool isnull)
{
	uint32		known = dictionary_size(cells->dictionary);
	Cell		cell = dictionary_number(cells->dictionary, printed, isnull);

	if (cells->kind == KIND_TAXONOMY && cell >= known)
		note_node(cells, cell, printed);
	return cell;
}

Datum
cells_printed(const Cells *cells, Cell cell, bool *isnull)
{
	*isnull = cell == CELL_NULL;
	return *isnull ? (Datum) 0 : dictionary_value(cells->dictionary, cell);
}

uint32
cells_size(const Cells *cells)
{
	return dictionary_size(cells->dictionary);
}

bool
cells_leaves(const Cells *cells, Cell cell, Span *leaves)
{
	const PrintedNode *node;

	if (cell == CELL_NULL || cells->node[cell] == NO_NODE)
		return false;
	node = &cells->nodes[cells->node[cell]];
	*leaves = (Span) {node->first_leaf, node->first_leaf + node->leaves - 1};
	return true;
}

Cell
cells_whole(const Cells *cells)
{
	return cells->whole;
}

char *
cells_text(const Cells *cells, Cell cell)
{
	Datum		printed;

	if (cell == CELL_NULL)
		return NULL;
	printed = dictionary_value(cells->dictionary, cell);
	return cells->kind == KIND_RANGE ?
		OutputFunctionCall(unconstify(FmgrInfo *, &cells->output), printed) : TextDatumGetCString(printed);
}

/* ----------------------------------------------------------------
 * Intersections of cells that differ, neither being NULL nor withheld
 * ----------------------------------------------------------------
 */

static Cell
meet_ranges(Cells *cells, Datum a, Datum b)
{
	RangeType  *both = range_intersect_internal(cells->range, DatumGetRangeTypeP(a), DatumGetRangeTypeP(b));

	return RangeIsEmpty(both) ? NO_CELL : cells_number(cells, RangeTypePGetDatum(both), false);
}

/* Does a shared prefix, printed with its "*", cover a value or a longer prefix? */
static bool
prefix_covers(const text *prefix, const text *other)
{
	Size		length = VARSIZE_ANY_EXHDR(prefix);

	if (length == 0 || VARDATA_ANY(prefix)[length - 1] != '*')
		return false;
	return VARSIZE_ANY_EXHDR(other) >= length - 1 &&
		memcmp(VARDATA_ANY(prefix), VARDATA_ANY(other), length - 1) == 0;
}

/* Prefixes meet in the longer one, if the shorter one covers it. */
static Cell
meet_prefixes(Cells *cells, Cell a, Cell b)
{
	const text *x = (const text *) DatumGetPointer(dictionary_value(cells->dictionary, a));
	const text *y = (const text *) DatumGetPointer(dictionary_value(cells->dictionary, b));

	if (prefix_covers(x, y))
		return b;
	return prefix_covers(y, x) ? a : NO_CELL;
}

/* Compares depths, too, since a node and its only child have the same leaves. */
static bool
lies_below(const PrintedNode *node, const PrintedNode *above)
{
	return node->depth >= above->depth && node->first_leaf >= above->first_leaf &&
		node->first_leaf + node->leaves <= above->first_leaf + above->leaves;
}

static Cell
meet_nodes(const Cells *cells, Cell a, Cell b)
{
	if (cells->node[a] == NO_NODE || cells->node[b] == NO_NODE)
		return NO_CELL;
	if (lies_below(&cells->nodes[cells->node[a]], &cells->nodes[cells->node[b]]))
		return a;
	return lies_below(&cells->nodes[cells->node[b]], &cells->nodes[cells->node[a]]) ? b : NO_CELL;
}

Cell
cells_meet(Cells *cells, Cell a, Cell b)
{
	if (a == b || b == cells->whole)
		return a;
	if (a == cells->whole)
		return b;
	if (a == CELL_NULL || b == CELL_NULL)
		return NO_CELL;
	switch (cells->kind)
	{
		case KIND_RANGE:
			return meet_ranges(cells, dictionary_value(cells->dictionary, a), dictionary_value(cells->dictionary, b));
		case KIND_PREFIX:
			return meet_prefixes(cells, a, b);
		case KIND_TAXONOMY:
			return meet_nodes(cells, a, b);
		case KIND_SUPPRESS:
			break;
	}
	return NO_CELL;
}
