/*
 * count_bins.c
 *		Bins to count by: as the caller gives them, or a choice that covers all that a column shows.
 */
#include "postgres.h"

#include "release/counts/counts.h"

#include "catalog/pg_type.h"
#include "declare/catalog.h"
#include "declare/taxonomy.h"
#include "frame/arrays.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/numeric.h"

#define CHOSEN_PREFIXES 20		/* at most, if one character is not too many */

const char *
bins_hint(const CountColumn *column)
{
	switch (column->form)
	{
		case COUNT_RANGES:
			return "Bins of ranges are a width (of dates in days, of times in seconds), or a list: 10, [\"[20,30)\", \"[30,65)\", null].";
		case COUNT_NODES:
			return psprintf("Bins of nodes are a list: [\"Europe\", \"Asia\", null]. View pprepub.taxonomy_node lists those of taxonomy \"%s\".",
							column->taxonomy);
		case COUNT_TEXTS:
			return column->is_prefix ? "Bins of prefixes are a number of characters, or a list: 2, [\"53*\", \"54*\", null]." :
				"Bins are a list of values: [\"F\", \"M\", null].";
		case COUNT_VALUES:
			break;
	}
	return "Bins are a list of values: [\"asthma\", \"flu\", null].";
}

void
refuse_bins(const CountColumn *column, const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("invalid bins of column \"%s\"", column->name),
			 errdetail("%s", detail),
			 errhint("%s", bins_hint(column))));
}

CountBin *
add_bin(CountColumn *column, char *label)
{
	CountBin   *bin;

	if (column->nbins == MAX_BINS)
		refuse_bins(column, psprintf("They are more than %d.", MAX_BINS));
	array_reserve(column->bins, column->room, column->nbins + 1);
	bin = &column->bins[column->nbins++];
	*bin = (CountBin) {.label = label};
	if (label != NULL)
		bin->text = text_cell(label, strlen(label));
	return bin;
}

/* ----------------------------------------------------------------
 * Nodes
 * ----------------------------------------------------------------
 */

/* A node of the release's own tree. */
static void
add_node_bin(CountColumn *column, char *node)
{
	int64		first;
	int64		leaves;

	if (!node_leaves(column->tree, node, &first, &leaves))
		refuse_bins(column, psprintf("There was no node \"%s\" when the release was made.", node));
	add_bin(column, node)->range = leaves_range(first, leaves);
}

/* Adds a bin for each leaf, from left to right. */
static void
choose_leaves(CountColumn *column)
{
	CatalogAccess access;
	uint64		n;

	catalog_enter(&access);
	n = catalog_read("SELECT n.node, n.first_leaf FROM pprepub_internal.catalog_tree_node n WHERE n.tree = $1 AND n.leaves = 1"
					 " AND NOT EXISTS (SELECT FROM pprepub_internal.catalog_tree_node c WHERE c.tree = n.tree AND c.parent = n.node)"
					 " ORDER BY n.first_leaf LIMIT $2",
					 CATALOG_PARAM(INT4OID, Int32GetDatum(column->tree)),
					 CATALOG_PARAM(INT4OID, Int32GetDatum(MAX_BINS + 1)));
	for (uint64 i = 0; i < n; i++)
	{
		bool		isnull;
		int64		leaf = DatumGetInt64(catalog_field(i, "first_leaf", &isnull));
		char	   *node = catalog_text(&access, i, "node");
		MemoryContext old = MemoryContextSwitchTo(access.context);

		add_bin(column, node)->range = leaves_range(leaf, 1);
		MemoryContextSwitchTo(old);
	}
	catalog_leave(&access);
}

/* ----------------------------------------------------------------
 * Texts and values
 * ----------------------------------------------------------------
 */

/* The bin in which a finest cell lies: so many characters of it, or all of a shorter one.  0 takes it whole. */
static char *
prefix_label(TextCell cell, int characters)
{
	if (characters > 0 && pg_mbstrlen_with_len(cell.bytes, cell.n) >= characters)
		return psprintf("%.*s*", pg_mbcharcliplen(cell.bytes, cell.n, characters), cell.bytes);
	return psprintf("%.*s%s", (int) cell.n, cell.bytes, cell.is_prefix ? "*" : "");
}

/* The labels of all finest cells, each once, since those that begin alike are neighbours; at most so many. */
static char **
prefix_labels(const CountColumn *column, int characters, int most, int *n)
{
	char	  **labels = new_array(char *, most);

	*n = 0;
	for (uint32 i = 0; i < column->nfinest && *n < most; i++)
	{
		char	   *label = prefix_label(column->finest[i], characters);

		if (*n == 0 || strcmp(label, labels[*n - 1]) != 0)
			labels[(*n)++] = label;
		else
			pfree(label);
	}
	return labels;
}

static void
add_prefixes(CountColumn *column, int characters)
{
	int			n;
	char	  **labels = prefix_labels(column, characters, MAX_BINS + 1, &n);

	for (int i = 0; i < n; i++)
		add_bin(column, labels[i]);
}

/* The cells themselves if they are few, else as many characters as give few. */
static void
choose_prefixes(CountColumn *column)
{
	int			characters = 0;
	int			n = 0;

	if (column->nfinest > CHOSEN_PREFIXES && column->is_prefix)
	{
		while (n <= CHOSEN_PREFIXES)
			(void) prefix_labels(column, ++characters, CHOSEN_PREFIXES + 1, &n);
		characters = Max(characters - 1, 1);
	}
	add_prefixes(column, characters);
}

static int
compare_texts(const void *a, const void *b)
{
	return strcmp(*(char *const *) a, *(char *const *) b);
}

/* Adds a bin for each value, sorted by its bytes. */
static void
choose_values(CountColumn *column)
{
	uint32		n = dictionary_size(column->shown) - 1;
	char	  **sorted = new_array(char *, n);

	memcpy(sorted, column->texts + 1, sizeof(char *) * n);
	qsort(sorted, n, sizeof(char *), compare_texts);
	for (uint32 i = 0; i < n; i++)
		add_bin(column, sorted[i]);
}

/* ----------------------------------------------------------------
 * All forms
 * ----------------------------------------------------------------
 */

/* Adds bins in one of which every value lies that a column can have, or shows. */
static void
choose_bins(CountColumn *column)
{
	switch (column->form)
	{
		case COUNT_RANGES:
			choose_range_bins(column);
			break;
		case COUNT_NODES:
			choose_leaves(column);
			break;
		case COUNT_TEXTS:
			choose_prefixes(column);
			break;
		case COUNT_VALUES:
			choose_values(column);
			break;
	}
}

/* Adds the bins that a number stands for: a width, or so many characters. */
static void
add_bins_by_number(CountColumn *column, Numeric number)
{
	int32		characters;
	bool		is_too_large;

	if (column->form == COUNT_RANGES)
	{
		add_bins_of_width(column, number);
		return;
	}
	if (!column->is_prefix)
		refuse_bins(column, "A number says nothing of them.");
	characters = numeric_int4_opt_error(number, &is_too_large);
	if (is_too_large || characters < 1)
		refuse_bins(column, "There must be one character at least.");
	add_prefixes(column, characters);
}

/* Adds a bin that the caller gives. */
static void
add_given_bin(CountColumn *column, const JsonbValue *item)
{
	char	   *text;

	if (item->type == jbvNull)
	{
		add_bin(column, NULL);
		return;
	}
	if (item->type != jbvString)
		refuse_bins(column, "The list may hold strings and null only.");
	text = pnstrdup(item->val.string.val, item->val.string.len);
	if (column->form == COUNT_RANGES)
		add_range_bin(column, text);
	else if (column->form == COUNT_NODES)
		add_node_bin(column, text);
	else
		add_bin(column, text);
}

/* Adds the bins of a list that the caller gives. */
static void
add_given_bins(CountColumn *column, JsonbContainer *list)
{
	JsonbIterator *iterator = JsonbIteratorInit(list);
	JsonbValue	item;
	JsonbIteratorToken token;

	while ((token = JsonbIteratorNext(&iterator, &item, true)) != WJB_DONE)
	{
		CHECK_FOR_INTERRUPTS();
		if (token == WJB_ELEM)
			add_given_bin(column, &item);
	}
	if (column->nbins == 0)
		refuse_bins(column, "The list is empty.");
}

void
set_bins(CountColumn *column, const JsonbValue *given)
{
	if (given != NULL && given->type == jbvBinary && JsonContainerIsArray(given->val.binary.data) &&
		!JsonContainerIsScalar(given->val.binary.data))
	{
		add_given_bins(column, given->val.binary.data);
		return;
	}
	if (given == NULL)
		choose_bins(column);
	else if (given->type == jbvNumeric)
		add_bins_by_number(column, given->val.numeric);
	else
		refuse_bins(column, "They are of another JSON type.");
	if (column->shows_null)
		add_bin(column, NULL);
}
