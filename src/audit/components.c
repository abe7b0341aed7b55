/*
 * components.c
 *		Joining groups of people class by class.
 */
#include "postgres.h"

#include "audit/components.h"
#include "frame/arrays.h"
#include "miscadmin.h"
#include "utils/memutils.h"

/* Roots are the first of their sets. */
static uint32
find_root(uint32 *parent, uint32 group)
{
	while (parent[group] != group)
	{
		parent[group] = parent[parent[group]];
		group = parent[group];
	}
	return group;
}

static void
join_class(const Deduction *deduction, uint64 class, uint32 *parent)
{
	const Peers *peers = deduction->peers;
	uint32		joined = NO_GROUP;

	for (uint64 i = peers->first_in[class]; i < peers->first_in[class + 1]; i++)
	{
		uint32		root;

		if (!deduction_is_open(deduction, peers->in[i]))
			continue;
		root = find_root(parent, peers->in[i]);
		if (joined == NO_GROUP)
			joined = root;
		parent[Max(joined, root)] = Min(joined, root);
		joined = Min(joined, root);
	}
}

/* Numbers the components by their roots: of[g] is in which one a group is. */
static void
list_groups(Components *components, const Deduction *deduction, uint32 *parent)
{
	uint32		ngroups = deduction->peers->n;
	uint32	   *of = new_array(uint32, ngroups);
	uint64	   *filled;

	components->first = new_zeros(uint64, ngroups);
	for (uint32 g = 0; g < ngroups; g++)
	{
		uint32		root = find_root(parent, g);

		if (!deduction_is_open(deduction, g))
			continue;
		of[g] = root == g ? components->n++ : of[root];
		components->first[of[g] + 1]++;
	}
	for (uint32 c = 0; c < components->n; c++)
		components->first[c + 1] += components->first[c];
	components->group = new_array(uint32, components->first[components->n]);
	filled = new_array(uint64, components->n);
	memcpy(filled, components->first, sizeof(uint64) * components->n);
	for (uint32 g = 0; g < ngroups; g++)
		if (deduction_is_open(deduction, g))
			components->group[filled[of[g]]++] = g;
	pfree(filled);
	pfree(of);
}

Components *
components_find(const Deduction *deduction)
{
	Components *components = palloc0(sizeof(Components));
	uint32	   *parent = new_array(uint32, deduction->peers->n);

	for (uint32 g = 0; g < deduction->peers->n; g++)
		parent[g] = g;
	for (uint64 class = 0; class < peers_nclasses(deduction->peers); class++)
	{
		CHECK_FOR_INTERRUPTS();
		join_class(deduction, class, parent);
	}
	list_groups(components, deduction, parent);
	pfree(parent);
	return components;
}

void
components_free(Components *components)
{
	pfree(components->first);
	pfree(components->group);
	pfree(components);
}
