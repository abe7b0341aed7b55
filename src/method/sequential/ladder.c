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

#include <math.h>

#include "frame/arrays.h"
#include "method/sequential/specialise.h"
#include "miscadmin.h"
#include "utils/memutils.h"

static void
add_child(Tree *tree, uint32 parent, Span leaves)
{
	TreeNode   *node = &tree->nodes[tree->nnodes];

	if (tree->nodes[parent].nchildren++ == 0)
		tree->nodes[parent].first_child = tree->nnodes;
	*node = (TreeNode) {.leaves = leaves,.parent = parent,.level = tree->nodes[parent].level + 1};
	if (leaves.lo == leaves.hi)
		tree->leaf[leaves.lo] = tree->nnodes;
	tree->nnodes++;
}

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

static double
f_log_f(uint64 f)
{
	return f > 1 ? f * log2((double) f) : 0;
}

/* With F the sum of the frequencies f in a cell, its entropy is log2 F - (sum f log2 f) / F. */
static void
measure_entropies(const Domain *domain, const Tree *tree, double *loss)
{
	uint64	   *rows = new_zeros(uint64, (Size) domain->size + 1);
	double	   *bits = new_zeros(double, (Size) domain->size + 1);

	for (Code i = 0; i < domain->size; i++)
	{
		rows[i + 1] = rows[i] + domain->frequency[i];
		bits[i + 1] = bits[i] + f_log_f(domain->frequency[i]);
	}
	for (uint32 i = 0; i < tree->nnodes; i++)
	{
		Span		leaves = tree->nodes[i].leaves;
		uint64		all = rows[(Size) leaves.hi + 1] - rows[leaves.lo];

		if (leaves.lo < leaves.hi && all > 0)
			loss[i] = Max(0.0, log2((double) all) - (bits[(Size) leaves.hi + 1] - bits[leaves.lo]) / all);
	}
	pfree(rows);
	pfree(bits);
}

double *
losses_of(const Domain *domain, const Tree *tree, bool entropy)
{
	double	   *loss = new_zeros(double, tree->nnodes);

	if (entropy)
		measure_entropies(domain, tree, loss);
	else
		for (uint32 i = 0; i < tree->nnodes; i++)
			loss[i] = domain_loss(domain, tree->nodes[i].leaves);
	return loss;
}
