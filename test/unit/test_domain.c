/*
 * test_domain.c
 *		Cells over lines and trees: covers, losses, ancestors.
 *
 * The tree, by codes; node 1 is an only child of the root's first child:
 *
 *		root 0..5 ── a 0..2 ── a' 0..2 ── 0, 1, 2
 *		          ├─ b 3..4 ── 3, 4
 *		          └─ NULL 5
 */
#include "shim.h"

#include "frame/domain.h"

static TreeNode nodes[] = {
	{.leaves = {0, 5},.parent = 0,.first_child = 1,.nchildren = 3},
	{.leaves = {0, 2},.parent = 0,.first_child = 4,.nchildren = 1,.level = 1},	/* a */
	{.leaves = {3, 4},.parent = 0,.first_child = 5,.nchildren = 2,.level = 1},	/* b */
	{.leaves = {5, 5},.parent = 0,.level = 1},	/* NULL */
	{.leaves = {0, 2},.parent = 1,.first_child = 7,.nchildren = 3,.level = 2},	/* a' */
	{.leaves = {3, 3},.parent = 2,.level = 2},
	{.leaves = {4, 4},.parent = 2,.level = 2},
	{.leaves = {0, 0},.parent = 4,.level = 3},
	{.leaves = {1, 1},.parent = 4,.level = 3},
	{.leaves = {2, 2},.parent = 4,.level = 3},
};
static uint32 leaf[] = {7, 8, 9, 5, 6, 3};
static const Tree tree = {.nnodes = 10,.nodes = nodes,.leaf = leaf};
static const Domain forest = {.size = 6,.null_code = 5,.tree = &tree};

static const double position[] = {10, 11, 20, 50};
static const Domain line = {.size = 4,.null_code = NO_CODE,.position = position};
static const Domain line_with_null = {.size = 5,.null_code = 4,.position = position};

static Span
span(Code lo, Code hi)
{
	return (Span) {lo, hi};
}

static void
test_spans(void)
{
	check(span_width(span_of(7)) == 1);
	check(span_width(span(0, PG_UINT32_MAX)) == UINT64CONST(4294967296));
	check(span_equal(span_hull(span(3, 4), span(1, 1)), span(1, 4)));
	check(span_overlaps(span(1, 3), span(3, 5)) && !span_overlaps(span(1, 2), span(3, 5)));
	check(span_contains(span(1, 3), span(2, 3)) && !span_contains(span(1, 3), span(3, 4)));
}

static void
test_cover_on_a_line(void)
{
	check(span_equal(domain_cover(&line, span(1, 2)), span(1, 2)));
	check(span_equal(domain_cover(&line, span(3, 3)), span(3, 3)));
	check(span_equal(domain_whole(&line), span(0, 3)));
}

static void
test_cover_of_null_on_a_line(void)
{
	check(span_equal(domain_cover(&line_with_null, span(4, 4)), span(4, 4)));
	check(span_equal(domain_cover(&line_with_null, span(3, 4)), span(0, 4)));
	check(span_equal(domain_cover(&line_with_null, span(0, 3)), span(0, 3)));
}

static void
test_cover_on_a_tree(void)
{
	check(span_equal(domain_cover(&forest, span(1, 1)), span(1, 1)));
	check(span_equal(domain_cover(&forest, span(0, 1)), span(0, 2)));
	check(span_equal(domain_cover(&forest, span(2, 3)), span(0, 5)));
	check(span_equal(domain_cover(&forest, span(4, 5)), span(0, 5)));
	check(span_equal(domain_cover(&forest, span(5, 5)), span(5, 5)));
}

static void
test_loss_on_a_line(void)
{
	Domain		part = line;

	check_near(domain_loss(&line, span(2, 2)), 0);
	check_near(domain_loss(&line, span(0, 1)), 1.0 / 40);
	check_near(domain_loss(&line, span(1, 3)), 39.0 / 40);
	check_near(domain_loss(&line, domain_whole(&line)), 1);
	part.source_width = 80;
	check_near(domain_loss(&part, span(0, 1)), 1.0 / 80);
	check_near(domain_loss(&part, domain_whole(&part)), 40.0 / 80);
}

static void
test_loss_of_null_on_a_line(void)
{
	check_near(domain_loss(&line_with_null, span(4, 4)), 0);
	check_near(domain_loss(&line_with_null, span(0, 2)), 10.0 / 40);
	check_near(domain_loss(&line_with_null, domain_whole(&line_with_null)), 1);
}

/* Bins of 10: cells cost what they print, and cuts go by where bins begin. */
static void
test_loss_of_bins(void)
{
	static const double begin[] = {0, 10, 40};
	static const double end[] = {10, 20, 50};
	Domain		bins = {.size = 3,.null_code = NO_CODE,.position = begin,.end = end};
	Domain		with_null = {.size = 4,.null_code = 3,.position = begin,.end = end};
	Domain		one = {.size = 1,.null_code = NO_CODE,.position = begin,.end = end};
	Domain		one_and_null = {.size = 2,.null_code = 1,.position = begin,.end = end};

	check_near(domain_printed_loss(&bins, span(1, 1)), 10.0 / 50);
	check_near(domain_printed_loss(&bins, span(0, 1)), 20.0 / 50);
	check_near(domain_printed_loss(&bins, domain_whole(&bins)), 1);
	check_near(domain_loss(&bins, span(1, 1)), 0);
	check_near(domain_loss(&bins, span(0, 1)), 10.0 / 40);
	check_near(domain_printed_loss(&with_null, span(3, 3)), 0);
	check_near(domain_printed_loss(&with_null, span(0, 3)), 1);
	check_near(domain_printed_loss(&with_null, span(2, 2)), 10.0 / 50);
	check_near(domain_printed_loss(&one, span(0, 0)), 0);
	check_near(domain_printed_loss(&one_and_null, span(0, 0)), 0);
	check_near(domain_printed_loss(&one_and_null, span(0, 1)), 1);
	one.source_width = 50;
	check_near(domain_printed_loss(&one, span(0, 0)), 10.0 / 50);
	check_near(domain_printed_loss(&line, span(0, 1)), domain_loss(&line, span(0, 1)));
	check_near(domain_printed_loss(&forest, span(0, 2)), domain_loss(&forest, span(0, 2)));
}

static void
test_loss_on_a_tree(void)
{
	check_near(domain_loss(&forest, span(5, 5)), 0);
	check_near(domain_loss(&forest, span(0, 2)), 2.0 / 5);
	check_near(domain_loss(&forest, span(3, 4)), 1.0 / 5);
	check_near(domain_loss(&forest, domain_whole(&forest)), 1);
}

static void
test_domain_of_one_value_loses_nothing(void)
{
	static const double only[] = {3};
	Domain		single = {.size = 1,.null_code = NO_CODE,.position = only};
	Domain		null_only = {.size = 1,.null_code = 0,.position = only};
	Domain		null_and_one = {.size = 2,.null_code = 1,.position = only};

	check_near(domain_loss(&single, domain_whole(&single)), 0);
	check_near(domain_loss(&null_only, domain_whole(&null_only)), 0);
	check_near(domain_loss(&null_and_one, domain_whole(&null_and_one)), 1);
}

static void
test_ancestors(void)
{
	check(tree_common_ancestor(&tree, 3, 4) == 2);
	check(tree_common_ancestor(&tree, 4, 3) == 2);
	check(tree_common_ancestor(&tree, 0, 4) == 0);
	check(tree_common_ancestor(&tree, 5, 5) == 3);
}

/* Of a chain of only children the lowest node is the one. */
static void
test_node_of_a_cell(void)
{
	check(tree_node(&tree, span(0, 2)) == 4);
	check(tree_node(&tree, span(1, 1)) == 8);
	check(tree_node(&tree, span(0, 5)) == 0);
}

static const Test tests[] = {
	{"spans", test_spans},
	{"covers on a line", test_cover_on_a_line},
	{"covers of NULL on a line", test_cover_of_null_on_a_line},
	{"covers on a tree", test_cover_on_a_tree},
	{"loss on a line", test_loss_on_a_line},
	{"loss of NULL on a line", test_loss_of_null_on_a_line},
	{"loss of bins", test_loss_of_bins},
	{"loss on a tree", test_loss_on_a_tree},
	{"a domain of one value loses nothing", test_domain_of_one_value_loses_nothing},
	{"common ancestors", test_ancestors},
	{"the node of a cell", test_node_of_a_cell},
};

RUN(tests)
