/*
 * test_tree.c
 *		Trees of shared prefixes, beside those that a plain definition makes.
 */
#include "shim.h"

#include "frame/domain.h"
#include "mb/pg_wchar.h"
#include "partition/mondrian.h"

#include <stdlib.h>
#include <string.h>

#define MAX_TEXT	12

static uint32
characters(const char *text)
{
	uint32		n = 0;

	for (; *text != '\0'; text += pg_mblen(text))
		n++;
	return n;
}

/* How many characters two texts share, the plain way. */
static uint32
shared(const char *a, const char *b)
{
	uint32		n = 0;

	while (n < characters(a) && prefix_bytes(a, n + 1) == prefix_bytes(b, n + 1) &&
		   memcmp(a, b, prefix_bytes(a, n + 1)) == 0)
		n++;
	return n;
}

static int
compare_texts(const void *a, const void *b)
{
	return strcmp(*(char *const *) a, *(char *const *) b);
}

/* Draws distinct texts of few characters, some of two bytes, in order; returns how many. */
static Code
draw_texts(char **texts, Code most)
{
	static const char *const letters[] = {"a", "b", "\303\251"};
	Code		n = 0;

	for (Code i = 0; i < most; i++)
	{
		texts[i] = palloc0(2 * MAX_TEXT + 1);
		for (uint32 length = any_below(MAX_TEXT); length > 0; length--)
			strcat(texts[i], letters[any_below(8) == 0 ? 1 + any_below(2) : 0]);
	}
	qsort(texts, most, sizeof(char *), compare_texts);
	for (Code i = 0; i < most; i++)
		if (n == 0 || strcmp(texts[n - 1], texts[i]) != 0)
			texts[n++] = texts[i];
	return n;
}

/* Children hold what their parent holds, side by side, and differ in the first character below it. */
static void
check_children(const Tree *tree, uint32 number, char *const *texts, Code ntexts)
{
	const TreeNode *node = &tree->nodes[number];
	Code		next = node->leaves.lo;

	for (uint32 child = node->first_child; child < node->first_child + node->nchildren; child++)
	{
		Span		leaves = tree->nodes[child].leaves;

		check(tree->nodes[child].parent == number);
		check(leaves.lo == next);
		next = leaves.hi + 1;
		if (leaves.lo > node->leaves.lo && leaves.lo < ntexts)
			check(shared(texts[leaves.lo - 1], texts[leaves.lo]) == node->level);
		for (Code code = leaves.lo + 1; code <= leaves.hi; code++)
			check(shared(texts[leaves.lo], texts[code]) > node->level);
	}
	check(next == node->leaves.hi + 1);
}

/* Breadth-first; a node's level is what all below it share, in characters. */
static void
check_tree(const Tree *tree, char *const *texts, Code ntexts, bool has_null)
{
	uint32		next_child = 1;

	check(tree->nodes[0].level == 0);
	check(span_equal(tree->nodes[0].leaves, (Span) {0, ntexts - (has_null ? 0 : 1)}));
	for (uint32 i = 0; i < tree->nnodes; i++)
	{
		const TreeNode *node = &tree->nodes[i];

		if (node->nchildren == 0)
		{
			check(node->leaves.lo == node->leaves.hi && tree->leaf[node->leaves.lo] == i);
			check(node->level == (node->leaves.lo == ntexts ? 1 : characters(texts[node->leaves.lo])));
			continue;
		}
		check(node->first_child == next_child);
		next_child += node->nchildren;
		if (i > 0)
			check(node->level == shared(texts[node->leaves.lo], texts[node->leaves.hi]));
		check_children(tree, i, texts, ntexts);
	}
	check(next_child == tree->nnodes);
}

static void
test_random_texts(void)
{
	for (int i = 0; i < 2000; i++)
	{
		char	   *texts[60];
		Code		n = draw_texts(texts, 1 + any_below(60));

		check_tree(tree_of_prefixes(texts, n, false), texts, n, false);
		check_tree(tree_of_prefixes(texts, n, true), texts, n, true);
	}
}

static void
test_null_alone(void)
{
	Tree	   *tree = tree_of_prefixes(NULL, 0, true);

	check(tree->nnodes == 2 && tree->leaf[0] == 1 && tree->nodes[1].level == 1);
}

static void
test_no_texts(void)
{
	check(tree_of_prefixes(NULL, 0, false)->nnodes == 1);
}

/* The ends of one text are texts, each the beginning of the next: a, aa, aaa, ... */
#define DEPTH 5000

static void
test_nested_texts(void)
{
	static char text[DEPTH + 1];
	static char *texts[DEPTH];
	Tree	   *tree;

	memset(text, 'a', DEPTH);
	for (Code i = 0; i < DEPTH; i++)
		texts[i] = text + DEPTH - 1 - i;
	tree = tree_of_prefixes(texts, DEPTH, false);
	/* a* of the root alone; then each a...a* has the text itself and the longer ones. */
	check(tree->nnodes == 2 * DEPTH);
	for (Code i = 0; i < DEPTH - 1; i++)
	{
		uint32		node = i == 0 ? 1 : 2 * i + 1;

		check(span_equal(tree->nodes[node].leaves, (Span) {i, DEPTH - 1}));
		check(tree->nodes[node].level == i + 1);
		check(tree->nodes[node].nchildren == 2);
		check(tree->nodes[tree->leaf[i]].parent == node);
	}
	check(tree_common_ancestor(tree, DEPTH - 2000, DEPTH - 1000) == tree->nodes[tree->leaf[DEPTH - 2000]].parent);
}

/* ab, aab, aaab, ...: in order the longest come first. */
static void
test_texts_nested_from_behind(void)
{
	static char text[DEPTH + 2];
	static char *texts[DEPTH];
	Tree	   *tree;

	memset(text, 'a', DEPTH);
	text[DEPTH] = 'b';
	for (Code i = 0; i < DEPTH; i++)
		texts[i] = text + i;
	tree = tree_of_prefixes(texts, DEPTH, true);
	check(tree->nnodes == 2 * DEPTH + 1);
	for (Code i = 1; i < DEPTH; i++)
	{
		uint32		node = tree_common_ancestor(tree, i - 1, i);

		check(span_equal(tree->nodes[node].leaves, (Span) {0, i}));
		check(tree->nodes[node].level == DEPTH - i);
		check(tree->nodes[tree->leaf[i]].parent == node);
		check(tree->nodes[tree->leaf[i]].level == DEPTH - i + 1);
	}
	check(tree_common_ancestor(tree, 0, DEPTH) == 0);
}

/* Two lots of texts nested from behind, beside lines by which rows are cut as well. */
#define DEEP_QIS 4
#define DEEP	1000

static void
test_classes_over_a_deep_tree(void)
{
	static char text[2][DEEP + 2];
	static char *texts[2 * DEEP];
	static double position[2 * DEEP];
	Principle	principle = principle_k_l(10, 1);
	Frame		frame = {.nrows = 2 * DEEP,.nqis = DEEP_QIS};
	Domain		domains[DEEP_QIS];
	Code	   *codes[DEEP_QIS];
	RowId	   *rows = palloc(sizeof(RowId) * frame.nrows);
	Classes    *classes;

	for (int lot = 0; lot < 2; lot++)
	{
		memset(text[lot], "ac"[lot], DEEP);
		text[lot][DEEP] = "bd"[lot];
		for (Code i = 0; i < DEEP; i++)
			texts[lot * DEEP + i] = text[lot] + i;
	}
	domains[0] = (Domain) {.size = 2 * DEEP,.null_code = NO_CODE,
	.tree = tree_of_prefixes(texts, 2 * DEEP, false)};
	for (Code i = 0; i < 2 * DEEP; i++)
		position[i] = i;
	for (int q = 0; q < DEEP_QIS; q++)
	{
		if (q > 0)
			domains[q] = (Domain) {.size = 2 * DEEP,.null_code = NO_CODE,.position = position};
		codes[q] = palloc(sizeof(Code) * frame.nrows);
		for (RowId row = 0; row < frame.nrows; row++)
			codes[q][row] = any_below(2 * DEEP);
	}
	frame.domain = domains;
	frame.code = codes;
	frame.sensitive = palloc0(sizeof(Code) * frame.nrows);
	for (RowId row = 0; row < frame.nrows; row++)
		rows[row] = row;
	classes = mondrian(&frame, rows, frame.nrows, &principle, 1);
	check(classes->nclasses > DEEP / 10);
	for (uint32 c = 0; c < classes->nclasses; c++)
	{
		Span		hull = span_of(codes[0][classes->rows[classes->first[c]]]);

		for (uint64 i = classes->first[c]; i < classes->first[c + 1]; i++)
			hull = span_hull(hull, span_of(codes[0][classes->rows[i]]));
		check(span_equal(class_region(classes, c)[0], domain_cover(&domains[0], hull)));
	}
}

static const Test tests[] = {
	{"random texts", test_random_texts},
	{"NULL alone", test_null_alone},
	{"no texts", test_no_texts},
	{"nested texts", test_nested_texts},
	{"texts nested from behind", test_texts_nested_from_behind},
	{"classes over a deep tree", test_classes_over_a_deep_tree},
};

RUN(tests)
