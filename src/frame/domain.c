/*
 * domain.c
 *		Cells over a domain, the information that they lose, and the trees that
 *		domains are built on.
 */
#include "postgres.h"

#include "frame/arrays.h"
#include "frame/domain.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"

Span
domain_whole(const Domain *domain)
{
	Assert(domain->size > 0);
	return (Span) {0, domain->size - 1};
}

Span
domain_cover(const Domain *domain, Span i)
{
	if (i.lo == i.hi)
		return i;
	if (domain->tree != NULL)
		return domain->tree->nodes[tree_common_ancestor(domain->tree, i.lo, i.hi)].leaves;
	if (i.hi == domain->null_code)
		return domain_whole(domain);
	return i;
}

double
domain_loss(const Domain *domain, Span cell)
{
	Code		last;

	if (cell.lo == cell.hi || domain->size <= 1)
		return 0;
	if (domain->tree != NULL)
		return (double) (cell.hi - cell.lo) / (domain->size - 1);
	if (cell.hi == domain->null_code)
		return 1;
	last = domain->null_code == NO_CODE ? domain->size - 1 : domain->size - 2;
	return (domain->position[cell.hi] - domain->position[cell.lo]) /
		Max(domain->source_width, domain->position[last] - domain->position[0]);
}

double
domain_printed_loss(const Domain *domain, Span cell)
{
	double		width;
	double		whole;

	if (domain->end == NULL || cell.hi == domain->null_code)
		return domain_loss(domain, cell);
	width = domain->end[cell.hi] - domain->position[cell.lo];
	whole = domain->end[domain_values(domain) - 1] - domain->position[0];
	whole = Max(whole, domain->source_width);
	return cell.lo == cell.hi && width >= whole ? 0 : width / whole;
}

uint32
tree_common_ancestor(const Tree *tree, Code a, Code b)
{
	uint32		node = tree->leaf[a];

	while (tree->nodes[node].leaves.lo > b || tree->nodes[node].leaves.hi < b)
		node = tree->nodes[node].parent;
	return node;
}

uint32
tree_child_holding(const Tree *tree, uint32 node, Code code)
{
	const TreeNode *children = tree->nodes + tree->nodes[node].first_child;
	uint32		child;

	find_first(child, tree->nodes[node].nchildren, i, children[i].leaves.hi >= code);
	return tree->nodes[node].first_child + child;
}

uint32
tree_node(const Tree *tree, Span cell)
{
	uint32		node = tree_common_ancestor(tree, cell.lo, cell.hi);

	Assert(span_equal(tree->nodes[node].leaves, cell));
	return node;
}

/* ---- Building trees: from stored nodes, from bare leaves, from prefixes ---- */

/* Allocates a tree that has room for nodes, but none yet. */
static Tree *
tree_allocate(Size nnodes, Code nleaves)
{
	Tree	   *tree = palloc(sizeof(Tree));

	tree->nnodes = 0;
	tree->nodes = new_zeros(TreeNode, nnodes);
	tree->leaf = new_zeros(uint32, nleaves);
	return tree;
}

/* Appends a node; the first one is the root. */
static uint32
tree_add(Tree *tree, uint32 parent, Span leaves, uint32 level)
{
	uint32		number = tree->nnodes++;
	TreeNode   *node = &tree->nodes[number];

	node->leaves = leaves;
	node->parent = parent;
	node->level = level;
	if (number == 0)
		return number;
	if (tree->nodes[parent].nchildren++ == 0)
		tree->nodes[parent].first_child = number;
	return number;
}

/* Sets the node of each code: the leaf that holds only this code. */
static Tree *
tree_index_leaves(Tree *tree)
{
	for (uint32 i = 0; i < tree->nnodes; i++)
		if (tree->nodes[i].nchildren == 0)
			tree->leaf[tree->nodes[i].leaves.lo] = i;
	return tree;
}

Tree *
tree_of_nodes(uint32 nnodes, const uint32 *parent, const Code *first_leaf,
			  const Code *leaves, bool has_null, uint32 **number)
{
	Code		nleaves = leaves[0];
	Tree	   *tree = tree_allocate((Size) nnodes + 2, nleaves + 1);
	bool		null_is_due = has_null;

	*number = new_array(uint32, ((Size) nnodes + 2));
	(*number)[0] = tree_add(tree, 0, (Span) {0, nleaves - (has_null ? 0 : 1)}, 0);
	/* A lone root is a leaf itself: beside NULL it needs a leaf below it. */
	if (nnodes == 1 && has_null)
		(void) tree_add(tree, 0, span_of(0), 1);
	for (uint32 i = 1; i < nnodes; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (null_is_due && parent[i] != 0)
		{
			(void) tree_add(tree, 0, span_of(nleaves), 1);
			null_is_due = false;
		}
		(*number)[i] = tree_add(tree, (*number)[parent[i]],
								(Span) {first_leaf[i], first_leaf[i] + leaves[i] - 1},
								tree->nodes[(*number)[parent[i]]].level + 1);
	}
	if (null_is_due)
		(void) tree_add(tree, 0, span_of(nleaves), 1);
	return tree_index_leaves(tree);
}

Tree *
tree_of_leaves(Code nleaves, bool has_null)
{
	Code		size = nleaves + (has_null ? 1 : 0);
	Tree	   *tree = tree_allocate((Size) size + 1, size);

	(void) tree_add(tree, 0, (Span) {0, size - 1}, 0);
	for (Code code = 0; code < size; code++)
		(void) tree_add(tree, 0, span_of(code), 1);
	return tree_index_leaves(tree);
}

int
prefix_bytes(const char *text, uint32 characters)
{
	const char *p = text;

	while (characters-- > 0 && *p != '\0')
		p += pg_mblen(p);
	return p - text;
}

/* The number of characters that two texts share from the start. */
static uint32
shared_characters(const char *a, const char *b)
{
	uint32		n = 0;

	while (*a != '\0' && *b != '\0')
	{
		/* A byte without the high bit is a character in each encoding that a server can have. */
		int			length = IS_HIGHBIT_SET(*a) ? pg_mblen(a) : 1;

		if (*a != *b || (length > 1 && (pg_mblen(b) != length || memcmp(a, b, length) != 0)))
			break;
		a += length;
		b += length;
		n++;
	}
	return n;
}

/*
 * Adds the children of a node, which holds values up to the last: a group for each character that follows their common
 * prefix.  A group of several values shares as many characters as the last step, from one value to the next that shares
 * fewer, came down to.
 */
static void
add_prefix_children(Tree *tree, uint32 node, Code last, char *const *values, const uint32 *shared, const Code *fewer)
{
	Code		start = tree->nodes[node].leaves.lo;
	uint32		level = tree->nodes[node].level;

	while (start <= last)
	{
		Code		next = start + 1;
		uint32		kept = 0;

		CHECK_FOR_INTERRUPTS();
		while (next <= last && shared[next] > level)
		{
			kept = shared[next];
			next = fewer[next];
		}
		(void) tree_add(tree, node, (Span) {start, next - 1},
						next == start + 1 ? shared_characters(values[start], values[start]) : kept);
		start = next;
	}
}

Tree *
tree_of_prefixes(char *const *values, Code nvalues, bool has_null)
{
	Code		size = nvalues + (has_null ? 1 : 0);
	Tree	   *tree = tree_allocate(2 * (Size) size + 1, size);
	uint32	   *shared = new_array(uint32, nvalues);
	Code	   *fewer = new_array(Code, nvalues);

	/*
	 * The number of characters that each value shares with the one before, and for each value the next one that shares
	 * fewer with its own predecessor (nvalues if none does).  Values are sorted, so the prefix that several of them
	 * share is the shortest that two neighbours among them share.
	 */
	for (Code i = 1; i < nvalues; i++)
	{
		CHECK_FOR_INTERRUPTS();
		shared[i] = shared_characters(values[i - 1], values[i]);
	}
	for (Code i = nvalues; i-- > 1;)
	{
		CHECK_FOR_INTERRUPTS();
		fewer[i] = i + 1;
		while (fewer[i] < nvalues && shared[fewer[i]] >= shared[i])
			fewer[i] = fewer[fewer[i]];
	}
	(void) tree_add(tree, 0, (Span) {0, size - 1}, 0);
	if (nvalues > 0)
		add_prefix_children(tree, 0, nvalues - 1, values, shared, fewer);
	if (has_null)
		(void) tree_add(tree, 0, span_of(nvalues), 1);
	/* Nodes are appended while the loop walks over them: breadth-first. */
	for (uint32 i = 1; i < tree->nnodes; i++)
		if (tree->nodes[i].leaves.lo != tree->nodes[i].leaves.hi)
			add_prefix_children(tree, i, tree->nodes[i].leaves.hi, values, shared, fewer);
	pfree(fewer);
	pfree(shared);
	return tree_index_leaves(tree);
}
