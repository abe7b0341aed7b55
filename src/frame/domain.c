/*
 * domain.c
 *		Cells over a domain: what covers what, and what it loses.
 */
#include "postgres.h"

#include "frame/domain.h"

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

uint32
tree_common_ancestor(const Tree *tree, Code a, Code b)
{
	uint32		node = tree->leaf[a];

	while (tree->nodes[node].leaves.lo > b || tree->nodes[node].leaves.hi < b)
		node = tree->nodes[node].parent;
	return node;
}

uint32
tree_node(const Tree *tree, Span cell)
{
	uint32		node = tree_common_ancestor(tree, cell.lo, cell.hi);

	Assert(span_equal(tree->nodes[node].leaves, cell));
	return node;
}
