/*
 * ladder.c
 *		Halving a line, again and again.
 *
 * NOTES
 *		Halves have equally many values, not equal width: however skewed they lie,
 *		every value is a few steps away.  NULL is a child of the root, since no
 *		other cell can hold it.
 */
#include "postgres.h"

#include "audit/metrics.h"
#include "frame/arrays.h"
#include "method/sequential/specialise.h"
#include "miscadmin.h"
#include "utils/memutils.h"

/* Appends a node as the last child of its parent; the children of one parent are added one after the other. */
static void
add_child(Tree *tree, uint32 parent, Span leaves)
{
	TreeNode   *node = &tree->nodes[tree->nnodes];

	if (tree->nodes[parent].nchildren++ == 0)
		tree->nodes[parent].first_child = tree->nnodes;
	*node = (TreeNode) {.leaves = leaves, .parent = parent, .level = tree->nodes[parent].level + 1};
	if (leaves.lo == leaves.hi)
		tree->leaf[leaves.lo] = tree->nnodes;
	tree->nnodes++;
}

/* Adds the two halves of a node as its children, or a leaf as its only one. */
static void
halve(Tree *tree, uint32 parent, Span leaves)
{
	Code		middle = leaves.lo + (leaves.hi - leaves.lo) / 2;

	if (leaves.lo == leaves.hi)
		add_child(tree, parent, leaves);
	else
	{
		add_child(tree, parent, (Span) {leaves.lo, middle});
		add_child(tree, parent, (Span) {middle + 1, leaves.hi});
	}
}

/* Breadth-first, as all trees are. */
static const Tree *
ladder_of(const Domain *domain)
{
	Tree	   *tree = palloc0(sizeof(Tree));
	bool		has_null = domain->null_code != NO_CODE;

	tree->nodes = new_zeros(TreeNode, (Size) domain->size * 2 + 2);
	tree->leaf = new_zeros(uint32, domain->size);
	tree->nodes[tree->nnodes++].leaves = (Span) {0, domain->size - 1};
	if (domain->size == 1)
		return tree;
	halve(tree, 0, (Span) {0, domain->size - 1 - has_null});
	if (has_null)
		add_child(tree, 0, span_of(domain->null_code));
	for (uint32 i = 1; i < tree->nnodes; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (tree->nodes[i].leaves.lo < tree->nodes[i].leaves.hi)
			halve(tree, i, tree->nodes[i].leaves);
	}
	return tree;
}

const Tree *
steps_of(const Domain *domain)
{
	return domain->tree != NULL ? domain->tree : ladder_of(domain);
}

double *
losses_of(const Domain *domain, const Tree *tree, bool entropy)
{
	double	   *loss = new_zeros(double, tree->nnodes);
	Entropies	entropies = entropy ? entropies_create(domain) : (Entropies) {.rows = NULL};

	for (uint32 i = 0; i < tree->nnodes; i++)
		loss[i] = entropy ? cell_entropy(&entropies, tree->nodes[i].leaves) : domain_loss(domain, tree->nodes[i].leaves);
	if (entropy)
		entropies_free(&entropies);
	return loss;
}
