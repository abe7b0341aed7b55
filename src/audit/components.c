/*
 * components.c
 *		Joining groups of people class by class.
 */
#include "postgres.h"

#include "audit/components.h"
#include "audit/covers.h"
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
join_groups(const Deduction *deduction, const uint32 *group, uint64 n, uint32 *parent)
{
	uint32		joined = NO_GROUP;

	for (uint64 i = 0; i < n; i++)
	{
		uint32		root;

		if (!deduction_is_open(deduction, group[i]))
			continue;
		root = find_root(parent, group[i]);
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
	const Peers *peers = deduction->peers;
	Components *components = palloc0(sizeof(Components));
	uint32	   *parent = new_array(uint32, peers->n);

	for (uint32 g = 0; g < peers->n; g++)
		parent[g] = g;
	for (uint64 class = 0; class < peers_nclasses(peers); class++)
	{
		CHECK_FOR_INTERRUPTS();
		join_groups(deduction, peers->in + peers->first_in[class], peers->first_in[class + 1] - peers->first_in[class], parent);
	}
	for (uint32 i = 0; deduction->covers != NULL && i < deduction->covers->n; i++)
		if (cover_binds(deduction, &deduction->covers->cover[i]))
			join_groups(deduction, deduction->covers->cover[i].group, deduction->covers->cover[i].n, parent);
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
