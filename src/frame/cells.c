/*
 * cells.c
 *		Printed cells of each kind: their numbers, their intersections, and their places on a line.
 *
 * NOTES
 *		A node of a taxonomy keeps its name and its ancestors for ever, so the publication's current tree also serves for
 *		cells that were printed with an earlier one.
 */
#include "frame/cells.h"

#include "catalog/pg_type.h"
#include "compat.h"
#include "declare/taxonomy.h"
#include "fmgr.h"
#include "frame/arrays.h"
#include "frame/print.h"
#include "miscadmin.h"
#include "shared/string_map.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rangetypes.h"
#include "utils/typcache.h"

PG_FUNCTION_INFO_V1(pprepub_text_lies_in);
PG_FUNCTION_INFO_V1(pprepub_text_touches);
PG_FUNCTION_INFO_V1(pprepub_taxonomy_leaves);
PG_FUNCTION_INFO_V1(pprepub_tree_leaves);

#define NO_NODE PG_UINT32_MAX

struct Cells
{
	Kind		kind;
	Dictionary *dictionary;
	Cell		whole;

	/* Ranges */
	TypeCacheEntry *range;
	FmgrInfo	output;

	/* Taxonomies */
	StoredTree *tree;
	string_map_hash *by_name;
	uint32	   *node;			/* [allocated] of each cell, or NO_NODE */
	uint32		allocated;
};

/* A text, or a prefix, which stands for all texts that begin with it. */
typedef struct TextCell
{
	const char *bytes;			/* borrowed; without the "*" */
	Size		n;
	bool		is_prefix;
} TextCell;

static TextCell
text_cell(const char *bytes, Size n, bool may_be_prefix)
{
	bool		is_prefix = may_be_prefix && n > 0 && bytes[n - 1] == '*';

	return (TextCell) {.bytes = bytes, .n = n - is_prefix, .is_prefix = is_prefix};
}

static bool
text_lies_in(TextCell cell, TextCell other)
{
	return cell.n >= other.n && memcmp(cell.bytes, other.bytes, other.n) == 0 &&
		(other.is_prefix || (cell.n == other.n && !cell.is_prefix));
}

/* ---- Numbers ---- */

Cells *
cells_create(const DeclaredColumn *column)
{
	Cells	   *cells = palloc0(sizeof(Cells));
	Oid			type = printed_type(column->kind, column->type);
	Oid			output;
	bool		varlena;

	cells->kind = column->kind;
	cells->dictionary = dictionary_create(type);
	if (column->kind == KIND_RANGE)
	{
		cells->range = lookup_type_cache(type, TYPECACHE_RANGE_INFO);
		getTypeOutputInfo(type, &output, &varlena);
		fmgr_info(output, &cells->output);
	}
	if (column->kind == KIND_TAXONOMY)
	{
		cells->tree = stored_tree_read(column->tree);
		cells->by_name = string_map_create(CurrentMemoryContext, cells->tree->nnodes, NULL);
		array_reserve(cells->node, cells->allocated, 64);
		for (uint32 i = 0; i < cells->tree->nnodes; i++)
		{
			bool		found;

			string_map_insert(cells->by_name, cells->tree->names[i], &found)->number = i;
		}
	}
	cells->whole = cells_number(cells, print_withheld(column), false);
	return cells;
}

Cell
cells_number(Cells *cells, Datum printed, bool isnull)
{
	uint32		known = dictionary_size(cells->dictionary);
	Cell		cell = dictionary_number(cells->dictionary, printed, isnull);

	/* The node that a new cell names is looked up once. */
	if (cells->kind == KIND_TAXONOMY && cell >= known)
	{
		StringMapEntry *entry = string_map_lookup(cells->by_name, TextDatumGetCString(printed));

		array_reserve(cells->node, cells->allocated, cell + 1);
		cells->node[cell] = entry == NULL ? NO_NODE : entry->number;
	}
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

Datum
texts_by_column(const DeclaredColumn *const *columns, const char *const *texts, int n)
{
	Datum	   *names = palloc(sizeof(Datum) * (n + 1));
	Datum	   *values = palloc(sizeof(Datum) * (n + 1));
	bool	   *nulls = palloc(sizeof(bool) * (n + 1));
	int			lower = 1;

	for (int i = 0; i < n; i++)
	{
		names[i] = CStringGetTextDatum(columns[i]->name);
		nulls[i] = texts[i] == NULL;
		values[i] = nulls[i] ? (Datum) 0 : CStringGetTextDatum(texts[i]);
	}
	return DirectFunctionCall2(jsonb_object_two_arg, PointerGetDatum(construct_array(names, n, TEXTOID, -1, false, TYPALIGN_INT)),
							   PointerGetDatum(construct_md_array(values, nulls, 1, &n, &lower, TEXTOID, -1, false, TYPALIGN_INT)));
}

/* A cell of texts. */
static TextCell
printed_text(const Cells *cells, Cell cell)
{
	const text *printed = (const text *) DatumGetPointer(dictionary_value(cells->dictionary, cell));

	return text_cell(VARDATA_ANY(printed), VARSIZE_ANY_EXHDR(printed), cells->kind == KIND_PREFIX);
}

/* ----------------------------------------------------------------
 * Spans
 *
 * Withheld cells and the cell of NULL have the same spans for all kinds: NULL's code is the last one.
 * ----------------------------------------------------------------
 */

static inline bool
is_plain(const Cells *cells, Cell cell)
{
	return cell != CELL_NULL && cell != cells_whole(cells);
}

/* Sets the spans of NULL and of withheld cells, which are alike for all kinds. */
static void
end_line(CellSpans *line, const Cells *cells, const Coding *coding, Code null_code)
{
	line->span[CELL_NULL] = span_of(null_code);
	line->span[cells_whole(cells)] = (Span) {0, null_code};
	line->is_sound[CELL_NULL] = line->is_sound[cells_whole(cells)] = true;
	if (coding != NULL && coding->domain->null_code != NO_CODE)
		line->code[coding->domain->null_code] = null_code;
}

/* ---- Ranges ---- */

/* The finite ends of all ranges; each is kept as the lower bound of the piece of the line that it begins. */
typedef struct Cuts
{
	TypeCacheEntry *range;
	RangeBound *cut;			/* [n] ascending */
	uint32		n;
} Cuts;

static int
compare_cuts(const void *a, const void *b, void *arg)
{
	return range_cmp_bounds(arg, a, b);
}

/* The number of the piece of the line that begins at a bound: the number of cuts up to it, the bound included. */
static Code
piece_behind(const Cuts *cuts, const RangeBound *bound)
{
	Code		piece;

	find_first(piece, cuts->n, i, compare_cuts(&cuts->cut[i], bound, cuts->range) > 0);
	return piece;
}

/* Spans of ranges: the line is cut at every end of a range, and the pieces are numbered. */
static void
span_ranges(CellSpans *line, const DeclaredColumn *column, const Cells *cells, const Coding *coding)
{
	uint32		ncells = cells_size(cells);
	RangeBound *lower = new_zeros(RangeBound, ncells);
	RangeBound *behind = new_zeros(RangeBound, ncells);
	Cuts		cuts = {.range = range_over(column->type), .cut = new_zeros(RangeBound, 2 * (Size) ncells)};
	uint32		n = 0;

	for (Cell cell = 0; cell < ncells; cell++)
	{
		RangeBound	upper;
		bool		empty;

		if (!is_plain(cells, cell))
			continue;
		range_deserialize(cuts.range, DatumGetRangeTypeP(dictionary_value(cells->dictionary, cell)), &lower[cell], &upper, &empty);
		line->is_sound[cell] = !empty;
		if (empty)
			continue;
		behind[cell] = bound_behind(upper);
		if (!lower[cell].infinite)
			cuts.cut[cuts.n++] = lower[cell];
		if (!upper.infinite)
			cuts.cut[cuts.n++] = behind[cell];
	}
	qsort_arg(cuts.cut, cuts.n, sizeof(RangeBound), compare_cuts, cuts.range);
	for (uint32 i = 0; i < cuts.n; i++)
		if (n == 0 || compare_cuts(&cuts.cut[n - 1], &cuts.cut[i], cuts.range) != 0)
			cuts.cut[n++] = cuts.cut[i];
	cuts.n = n;
	for (Cell cell = 0; cell < ncells; cell++)
		if (is_plain(cells, cell) && line->is_sound[cell])
			line->span[cell] = (Span) {
				lower[cell].infinite ? 0 : piece_behind(&cuts, &lower[cell]),
				behind[cell].infinite ? cuts.n : piece_behind(&cuts, &behind[cell]) - 1
			};
	Assert(coding == NULL || coding->step == NULL);
	for (Code code = 0; coding != NULL && code < domain_values(coding->domain); code++)
	{
		RangeBound	value = bound_of(column->type, coding->values[code], true);

		line->code[code] = value.infinite ? 0 : piece_behind(&cuts, &value);
	}
	end_line(line, cells, coding, cuts.n + 1);
	pfree(cuts.cut);
	pfree(behind);
	pfree(lower);
}

/* ---- Texts, and prefixes ---- */

typedef struct Entry
{
	TextCell	text;
	Cell		cell;
	uint32		parent;			/* the longest prefix before it that covers it, or NO_ENTRY */
} Entry;

#define NO_ENTRY PG_UINT32_MAX

/* Compares texts by their bytes; a prefix stands before the texts that begin with it. */
static int
compare_entries(const void *a, const void *b)
{
	TextCell	x = ((const Entry *) a)->text;
	TextCell	y = ((const Entry *) b)->text;
	int			result = memcmp(x.bytes, y.bytes, Min(x.n, y.n));

	if (result != 0)
		return result;
	if (x.n != y.n)
		return x.n < y.n ? -1 : 1;
	return (int) y.is_prefix - (int) x.is_prefix;
}

/* Walks up from an entry through its parents to the first that covers the given one, or NO_ENTRY. */
static uint32
find_cover(const Entry *entries, uint32 from, const Entry *other)
{
	while (from != NO_ENTRY && !text_lies_in(other->text, entries[from].text))
		from = entries[from].parent;
	return from;
}

/*
 * Spans of texts and prefixes: entries are sorted, and a prefix covers those right behind it, up to the last that begins
 * with it.
 */
static void
span_texts(CellSpans *line, const Cells *cells, const Coding *coding)
{
	uint32		ncells = cells_size(cells);
	Entry	   *entries = new_zeros(Entry, ncells);
	uint32		n = 0;

	for (Cell cell = 0; cell < ncells; cell++)
		if (is_plain(cells, cell))
			entries[n++] = (Entry) {.text = printed_text(cells, cell), .cell = cell};
	qsort(entries, n, sizeof(Entry), compare_entries);
	for (uint32 i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		entries[i].parent = i == 0 ? NO_ENTRY : find_cover(entries, i - 1, &entries[i]);
		line->is_sound[entries[i].cell] = true;
		line->span[entries[i].cell] = span_of(i);
		for (uint32 up = entries[i].parent; up != NO_ENTRY; up = entries[up].parent)
			line->span[entries[up].cell].hi = i;
	}
	for (Code code = 0; coding != NULL && code < domain_values(coding->domain); code++)
	{
		Entry		value = {.text = text_cell(coding->texts[code], strlen(coding->texts[code]), false)};
		uint32		behind;
		uint32		cover;

		find_first(behind, n, i, compare_entries(&entries[i], &value) > 0);
		cover = behind == 0 ? NO_ENTRY : find_cover(entries, behind - 1, &value);
		line->code[code] = cover == NO_ENTRY ? n : cover;	/* n: only the whole covers it */
	}
	end_line(line, cells, coding, n + 1);
	pfree(entries);
}

/* ---- Taxonomies ---- */

CellSpans
cell_spans(const DeclaredColumn *column, const Cells *cells, const Coding *coding)
{
	CellSpans	line = {
		.span = new_zeros(Span, cells_size(cells)),
		.is_sound = new_zeros(bool, cells_size(cells)),
		.code = coding == NULL ? NULL : new_zeros(Code, coding->domain->size)
	};

	switch (column->kind)
	{
		case KIND_RANGE:
			span_ranges(&line, column, cells, coding);
			break;
		case KIND_PREFIX:
		case KIND_SUPPRESS:
			span_texts(&line, cells, coding);
			break;
		case KIND_TAXONOMY:
			/* Spans of a taxonomy's nodes: the leaves below them, which are coded as they stand in the tree. */
			for (Cell cell = 0; cell < cells_size(cells); cell++)
			{
				Code		first;

				if (!is_plain(cells, cell) || cells->node[cell] == NO_NODE)
					continue;
				line.is_sound[cell] = true;
				/* The leaves below a node. */
				first = cells->tree->first_leaf[cells->node[cell]];
				line.span[cell] = (Span) {first, first + cells->tree->leaves[cells->node[cell]] - 1};
			}
			for (Code code = 0; coding != NULL && code < domain_values(coding->domain); code++)
				line.code[code] = code;
			end_line(&line, cells, coding, cells->tree->leaves[0]);
			break;
	}
	return line;
}

/* ---- Ages ---- */

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

	/* The given trees and the column's own, each once: numbers of trees are positive, as codes are. */
	ages->tree = palloc(sizeof(int32) * (n + 1));
	memcpy(ages->tree, tree, sizeof(int32) * n);
	ages->tree[n] = column->tree;
	sort_codes((Code *) ages->tree, n + 1);
	for (int32 i = 0; i <= n; i++)
		if (i == 0 || ages->tree[i] != ages->tree[ages->ntrees - 1])
			ages->tree[ages->ntrees++] = ages->tree[i];
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

/* ----------------------------------------------------------------
 * Functions for everybody who reads cells.  A cell that is NULL means that the value is known to be missing, so it lies in no
 * bin; trees are for all to read.
 * ----------------------------------------------------------------
 */

static TextCell
text_argument_cell(FunctionCallInfo fcinfo, int n)
{
	text	   *cell = PG_GETARG_TEXT_PP(n);

	return text_cell(VARDATA_ANY(cell), VARSIZE_ANY_EXHDR(cell), true);
}

Datum
pprepub_text_lies_in(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(1))
		PG_RETURN_NULL();
	PG_RETURN_BOOL(!PG_ARGISNULL(0) && text_lies_in(text_argument_cell(fcinfo, 0), text_argument_cell(fcinfo, 1)));
}

Datum
pprepub_text_touches(PG_FUNCTION_ARGS)
{
	TextCell	cell;
	TextCell	bin;

	if (PG_ARGISNULL(1))
		PG_RETURN_NULL();
	if (PG_ARGISNULL(0))
		PG_RETURN_BOOL(false);
	cell = text_argument_cell(fcinfo, 0);
	bin = text_argument_cell(fcinfo, 1);
	PG_RETURN_BOOL(text_lies_in(cell, bin) || text_lies_in(bin, cell));
}

/* The last node that a call asked about: cells repeat. */
typedef struct LastNode
{
	char	   *taxonomy;		/* or NULL, where trees are given by number */
	int32		tree;
	char	   *node;			/* or NULL, before the first one */
	bool		is_known;
	int64		first;
	int64		leaves;
} LastNode;

static LastNode *
last_node(FunctionCallInfo fcinfo)
{
	if (fcinfo->flinfo->fn_extra == NULL)
		fcinfo->flinfo->fn_extra = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(LastNode));
	return fcinfo->flinfo->fn_extra;
}

/* Replaces a string that is kept between calls; false if it is the same. */
static bool
keep_string(FunctionCallInfo fcinfo, char **kept, const char *string)
{
	if (*kept != NULL && strcmp(*kept, string) == 0)
		return false;
	if (*kept != NULL)
		pfree(*kept);
	*kept = MemoryContextStrdup(fcinfo->flinfo->fn_mcxt, string);
	return true;
}

/* Looks the first argument up in a tree. */
static Datum
leaves_in_tree(FunctionCallInfo fcinfo, LastNode *last, int32 tree)
{
	char	   *node = text_to_cstring(PG_GETARG_TEXT_PP(0));
	RangeBound	lower = {.inclusive = true, .lower = true};
	RangeBound	upper = {.lower = false};

	if (keep_string(fcinfo, &last->node, node) || last->tree != tree)
		last->is_known = node_leaves(tree, node, &last->first, &last->leaves);
	last->tree = tree;
	if (!last->is_known)
		PG_RETURN_NULL();
	lower.val = Int64GetDatum(last->first);
	upper.val = Int64GetDatum(last->first + last->leaves);
	PG_RETURN_RANGE_P(make_range(lookup_type_cache(INT8RANGEOID, TYPECACHE_RANGE_INFO), &lower, &upper, false, NULL));
}

Datum
pprepub_taxonomy_leaves(PG_FUNCTION_ARGS)
{
	LastNode   *last = last_node(fcinfo);
	char	   *taxonomy = text_to_cstring(PG_GETARG_TEXT_PP(1));

	return leaves_in_tree(fcinfo, last, keep_string(fcinfo, &last->taxonomy, taxonomy) ? present_tree(taxonomy) : last->tree);
}

Datum
pprepub_tree_leaves(PG_FUNCTION_ARGS)
{
	return leaves_in_tree(fcinfo, last_node(fcinfo), PG_GETARG_INT32(1));
}
