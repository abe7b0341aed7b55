/*
 * coding.c
 *		From distinct values to a domain, kind by kind; and the trees of taxonomies, as the catalog has them.
 */
#include "frame/coding.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "declare/catalog.h"
#include "executor/spi.h"
#include "frame/arrays.h"
#include "frame/domain.h"
#include "frame/line.h"
#include "miscadmin.h"
#include "port/pg_bswap.h"
#include "shared/string_map.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/numeric.h"

/* ---- Stored trees ---- */

/* Reads the ends and the first width of a ladder, if the tree is one. */
static void
read_ladder(CatalogAccess *access, StoredTree *tree, int32 number)
{
	MemoryContext old;
	bool		is_null = true;
	Datum		ladder = (Datum) 0;
	Datum	   *bounds;
	int			n;

	if (catalog_read("SELECT ladder FROM pprepub_internal.catalog_tree WHERE tree = $1", CATALOG_INT(number)) > 0)
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
	string_map_hash *nodes;
	MemoryContext old;
	CatalogAccess access;

	catalog_enter(&access);
	read_ladder(&access, tree, number);
	tree->nnodes = catalog_read("SELECT node, parent, first_leaf, leaves FROM pprepub_internal.catalog_tree_node WHERE tree = $1 ORDER BY depth, first_leaf",
								CATALOG_INT(number));
	if (tree->nnodes == 0)
		elog(ERROR, "tree %d has no nodes", number);
	old = MemoryContextSwitchTo(access.context);
	tree->names = new_array(char *, tree->nnodes);
	tree->parent = new_array(uint32, tree->nnodes);
	tree->first_leaf = new_array(Code, tree->nnodes);
	tree->leaves = new_array(Code, tree->nnodes);
	MemoryContextSwitchTo(old);
	nodes = string_map_create(CurrentMemoryContext, tree->nnodes, NULL);
	for (uint32 i = 0; i < tree->nnodes; i++)
	{
		char	   *parent = catalog_text(&access, i, "parent");
		bool		found;

		CHECK_FOR_INTERRUPTS();
		tree->names[i] = catalog_text(&access, i, "node");
		string_map_insert(nodes, tree->names[i], &found)->number = i;
		tree->parent[i] = parent == NULL ? 0 : string_map_lookup(nodes, parent)->number;
		tree->first_leaf[i] = catalog_int(i, "first_leaf");
		tree->leaves[i] = catalog_int(i, "leaves");
	}
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
						 CATALOG_INT(tree), CATALOG_INT(level),
						 CATALOG_PARAM(TEXTARRAYOID, PointerGetDatum(construct_array(elements, n, TEXTOID, -1, false, TYPALIGN_INT))));
	for (uint64 row = 0; row < found; row++)
		nodes[catalog_int(row, "i") - 1] = catalog_text(&access, row, "node");
	catalog_leave(&access);
	return nodes;
}

/* A column on its way to codes. */
typedef struct CodingState
{
	const DeclaredColumn *column;
	const RangeStep *step;		/* the dictionary's values are bins of it, or NULL */
	Oid			type;			/* of the dictionary's values */
	const Dictionary *dictionary;
	bool		has_null;
	Code	   *code;
	Uncodable  *uncodable;
} CodingState;

/* Marks a value as one that no code stands for, and keeps it as an example while there is room. */
static void
set_uncodable(CodingState *state, uint32 number, const char *reason, const char *hint)
{
	Uncodable  *uncodable = state->uncodable;

	state->code[number] = NO_CODE;
	uncodable->reason = reason;
	uncodable->hint = hint;
	if (uncodable->nexamples < (int) lengthof(uncodable->examples))
		uncodable->examples[uncodable->nexamples++] = number;
}

/* Makes a domain of values that have codes; NULL, where it occurs, gets the last code. */
static Domain *
make_domain(const CodingState *state, Code nvalues, const Tree *tree)
{
	Domain	   *domain = palloc0(sizeof(Domain));

	domain->size = nvalues + (state->has_null ? 1 : 0);
	domain->null_code = state->has_null ? nvalues : NO_CODE;
	domain->tree = tree;
	domain->frequency = new_zeros(uint64, domain->size);
	state->code[DICTIONARY_NULL] = domain->null_code;
	return domain;
}

/* ---- Ranges: a line ---- */

/* A value's number, which is sorted by the value's place, or by the value where places are equal: doubles are coarse. */
typedef struct PlacedNumber
{
	double		place;
	uint32		number;
} PlacedNumber;

static int
compare_placed(const PlacedNumber *a, const PlacedNumber *b, const CodingState *state)
{
	if (a->place != b->place)
		return a->place > b->place ? 1 : -1;
	return compare_values(state->type, dictionary_value(state->dictionary, a->number), dictionary_value(state->dictionary, b->number));
}

#define ST_SORT sort_placed
#define ST_ELEMENT_TYPE PlacedNumber
#define ST_COMPARE(a, b, state) compare_placed((a), (b), (state))
#define ST_COMPARE_ARG_TYPE const CodingState
#define ST_CHECK_FOR_INTERRUPTS
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

/* Sorts the numbers of the finite values; all other values are noted as uncodable. */
static PlacedNumber *
sorted_numbers(CodingState *state, uint32 *count)
{
	uint32		size = dictionary_size(state->dictionary);
	PlacedNumber *order = new_array(PlacedNumber, size);

	*count = 0;
	for (uint32 i = 1; i < size; i++)
	{
		Datum		value = dictionary_value(state->dictionary, i);

		CHECK_FOR_INTERRUPTS();
		if (is_finite(state->type, value))
			order[(*count)++] = (PlacedNumber) {place_of(state->type, value), i};
		else
			set_uncodable(state, i, "with NaN or infinity, which no range can hold",
						  "Declare a view that turns them into NULL.");
	}
	sort_placed(order, *count, state);
	return order;
}

/* Are the places of a line ranks?  No other frame shares these. */
static bool
is_ranked(const Coding *coding)
{
	Code		n = domain_values(coding->domain);
	const double *position = coding->domain->position;

	return n > 0 && line_width(coding->type, coding->values[0], coding->values[n - 1]) != position[n - 1] - position[0];
}

/* The domain of a range: the finite values in their order. */
static void
code_range(CodingState *state, Coding *coding)
{
	uint32		count;
	PlacedNumber *order = sorted_numbers(state, &count);
	double	   *place = new_array(double, count);
	Code		n = 0;

	coding->values = new_array(Datum, count);
	for (uint32 i = 0; i < count; i++)
	{
		Datum		value = dictionary_value(state->dictionary, order[i].number);

		CHECK_FOR_INTERRUPTS();

		/*
		 * -0 and 0, 1.0 and 1.00: equal values of unequal bytes share a code, for which the shortest stands in any
		 * order of rows.
		 */
		if (i == 0 || compare_placed(&order[i - 1], &order[i], state) != 0)
		{
			place[n] = order[i].place;
			coding->values[n++] = value;
		}
		else if (strlen(value_text(state->type, value)) < strlen(value_text(state->type, coding->values[n - 1])))
			coding->values[n - 1] = value;
		state->code[order[i].number] = n - 1;
	}
	coding->domain = make_domain(state, n, NULL);
	/* Places are ranks where doubles cannot hold the width of the line, or cannot tell its ends apart. */
	if (n > 1 && (!isfinite(place[n - 1] - place[0]) || place[n - 1] - place[0] <= 0))
		for (Code i = 0; i < n; i++)
			place[i] = i;
	coding->domain->position = place;
	coding->type = state->type;
	coding->step = state->step;
	if (coding->step != NULL)
	{
		/* Each bin ends where the next one begins. */
		double	   *end = new_array(double, n);
		bool		ranked = is_ranked(coding);

		for (Code i = 0; i < n; i++)
			end[i] = place[i] + (ranked ? 1 : bin_width(coding->step, coding->values[i]));
		coding->domain->end = end;
	}
	pfree(order);
}

/* ---- Prefixes and suppression: trees over the values that occur ---- */

/* A text's number, which is sorted by the text's bytes: the first ones are at hand. */
typedef struct TextNumber
{
	uint64		head;			/* the first bytes, the first one highest; 0 behind the text's end */
	const char *text;
	uint32		number;
} TextNumber;

static int
compare_texts(const TextNumber *a, const TextNumber *b)
{
	if (a->head != b->head)
		return a->head > b->head ? 1 : -1;
	return strcmp(a->text, b->text);
}

#define ST_SORT sort_texts
#define ST_ELEMENT_TYPE TextNumber
#define ST_COMPARE(a, b) compare_texts((a), (b))
#define ST_CHECK_FOR_INTERRUPTS
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

/* The domain of prefixes or of suppression: the values' texts, sorted by their bytes. */
static void
code_texts(CodingState *state, Coding *coding)
{
	char	  **texts = dictionary_texts(state->dictionary);
	uint32		size = dictionary_size(state->dictionary);
	TextNumber *order = new_array(TextNumber, size);
	uint32		count = 0;
	Code		n = 0;

	for (uint32 i = 1; i < size; i++)
	{
		Size		length = strlen(texts[i]);

		CHECK_FOR_INTERRUPTS();
		if (length > 0 && texts[i][length - 1] == '*')
			set_uncodable(state, i, "with values that end in \"*\", which generalised values end in",
						  "Declare a view that writes them differently.");
		else
		{
			uint64		head = 0;

			memcpy(&head, texts[i], Min(length, sizeof(head)));
			order[count++] = (TextNumber) {pg_ntoh64(head), texts[i], i};
		}
	}
	sort_texts(order, count);
	for (uint32 i = 0; i < count; i++)
	{
		if (i == 0 || compare_texts(&order[i - 1], &order[i]) != 0)
			n++;
		state->code[order[i].number] = n - 1;
	}
	coding->texts = new_array(char *, n);
	for (uint32 i = 0; i < count; i++)
		coding->texts[state->code[order[i].number]] = unconstify(char *, order[i].text);
	coding->domain = make_domain(state, n,
								 state->column->kind == KIND_PREFIX
								 ? tree_of_prefixes(coding->texts, n, state->has_null)
								 : tree_of_leaves(n, state->has_null));
	pfree(order);
	pfree(texts);
}

/* ---- Taxonomies: a stored tree, of which leaves need not occur ---- */

Code
rung_of(const StoredTree *tree, Oid type, Datum value)
{
	Datum		number;

	if (!is_finite(type, value))
		return NO_CODE;
	number = exact_number(type, value);
	if (DatumGetBool(DirectFunctionCall2(numeric_lt, number, tree->low)) ||
		!DatumGetBool(DirectFunctionCall2(numeric_lt, number, tree->high)))
		return NO_CODE;
	return DatumGetInt64(DirectFunctionCall1(numeric_int8,
											 DirectFunctionCall2(numeric_div_trunc,
																 DirectFunctionCall2(numeric_sub, number, tree->low),
																 tree->width)));
}

/* Maps each value to the code of the leaf that it names, or of the rung that it falls onto. */
static void
map_leaves(CodingState *state, const StoredTree *tree, const uint32 *number, const Tree *domain_tree)
{
	uint32		size = dictionary_size(state->dictionary);
	string_map_hash *leaves = string_map_create(CurrentMemoryContext, tree->is_ladder ? 1 : tree->nnodes, NULL);
	char	  **texts = tree->is_ladder ? NULL : dictionary_texts(state->dictionary);

	for (uint32 i = 0; i < tree->nnodes && !tree->is_ladder; i++)
	{
		const TreeNode *node = &domain_tree->nodes[number[i]];
		bool		found;

		/* A lone root is a leaf, though NULL may stand beside it. */
		if (node->nchildren == 0 || tree->nnodes == 1)
			string_map_insert(leaves, tree->names[i], &found)->number = node->leaves.lo;
	}
	for (uint32 i = 1; i < size; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (tree->is_ladder)
			state->code[i] = rung_of(tree, state->column->type, dictionary_value(state->dictionary, i));
		else
		{
			StringMapEntry *entry = string_map_lookup(leaves, texts[i]);

			state->code[i] = entry == NULL ? NO_CODE : entry->number;
		}
		if (state->code[i] == NO_CODE)
			set_uncodable(state, i,
						  psprintf("with values that taxonomy \"%s\" lacks", state->column->taxonomy),
						  tree->is_ladder
						  ? "Declare the publication with a ladder that holds them, or a view that turns them into NULL."
						  : "Add them with pprepub.extend_taxonomy() and adopt the extension with pprepub.alter_publication().");
	}
}

/* The domain of a taxonomy: all leaves of its tree, whether or not they occur. */
static void
code_taxonomy(CodingState *state, const StoredTree *stored, Coding *coding)
{
	uint32	   *number;
	Tree	   *tree = tree_of_nodes(stored->nnodes, stored->parent, stored->first_leaf, stored->leaves,
									 state->has_null, &number);

	coding->names = new_zeros(char *, tree->nnodes);
	for (uint32 i = 0; i < stored->nnodes; i++)
		coding->names[number[i]] = stored->names[i];
	if (stored->nnodes == 1 && state->has_null)
		coding->names[1] = stored->names[0];
	map_leaves(state, stored, number, tree);
	coding->domain = make_domain(state, stored->leaves[0], tree);
}

Coding *
code_column(const DeclaredColumn *column, const RangeStep *step, const StoredTree *tree,
			const Dictionary *dictionary, bool has_null, Code **code, Uncodable *uncodable)
{
	Coding	   *coding = palloc0(sizeof(Coding));
	CodingState state = {
		.column = column, .step = step, .type = step == NULL ? column->type : step->type,
		.dictionary = dictionary, .has_null = has_null, .uncodable = uncodable
	};

	memset(uncodable, 0, sizeof(Uncodable));
	state.code = new_array(Code, dictionary_size(dictionary));
	coding->column = column;
	switch (column->kind)
	{
		case KIND_RANGE:
			code_range(&state, coding);
			break;
		case KIND_PREFIX:
		case KIND_SUPPRESS:
			code_texts(&state, coding);
			break;
		case KIND_TAXONOMY:
			code_taxonomy(&state, tree, coding);
			break;
	}
	*code = state.code;
	return coding;
}

/* ---- Widths of the source, of which a cohort is a part ---- */

void
read_source_widths(Coding *const *codings, int ncodings, const DeclaredPublication *publication)
{
	StringInfoData sql;
	int			attribute = 1;

	initStringInfo(&sql);
	for (int q = 0; q < ncodings; q++)
	{
		const char *name = quote_identifier(codings[q]->column->name);

		if (codings[q]->column->kind == KIND_RANGE)
			appendStringInfo(&sql, "%s min(%s), max(%s)", sql.len == 0 ? "SELECT" : ",", name, name);
	}
	if (sql.len == 0)
		return;
	appendStringInfo(&sql, " FROM %s", quoted_relation(publication->pinned));
	if (SPI_execute(sql.data, true, 0) != SPI_OK_SELECT || SPI_processed != 1)
		elog(ERROR, "could not read the ends of the source's lines");
	fix_settings();				/* code of the source may have changed them */
	for (int q = 0; q < ncodings; q++)
	{
		const Coding *coding = codings[q];
		Oid			type = coding->column->type;
		bool		isnull[2];
		Datum		low;
		Datum		high;

		if (coding->column->kind != KIND_RANGE)
			continue;
		low = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, attribute++, &isnull[0]);
		high = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, attribute++, &isnull[1]);
		if (isnull[0] || isnull[1] || domain_values(coding->domain) == 0 || is_ranked(coding))
			continue;
		if (coding->step == NULL)
			coding->domain->source_width = line_width(type, low, high);
		else if (is_finite(type, low) && is_finite(type, high))
		{
			/* from the lowest bin to the highest one */
			Datum		last = bin_of(coding->step, type, high);

			coding->domain->source_width = line_width(coding->type, bin_of(coding->step, type, low), last) + bin_width(coding->step, last);
		}
	}
}
