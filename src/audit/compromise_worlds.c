/*
 * compromise_worlds.c
 *		Worlds in which people have values that the rules of deductions leave them.
 *
 * NOTES
 *		In a world each person has one of the own candidates, and the people of each class have what it shows.  The
 *		truth is one.  The people of a group who have a value are a cell of audit/worlds.h; lines are the people of a
 *		group, and the rows of a class with a value.  A cover is a line, too: the invented rows with its value, and a
 *		spare cell for as many as they are fewer than they may be.
 *
 *		People whose value is open hang together if they are in a class, or in the classes of a cover, since what one
 *		of them has may depend on what another has.  Each such component is searched by itself.
 */
#include "postgres.h"

#include "audit/compromise.h"
#include "audit/worlds.h"
#include "frame/arrays.h"
#include "frame/domain.h"
#include "miscadmin.h"
#include "shared/progress.h"
#include "utils/memutils.h"

#define BUILDING_STEPS	16		/* for each line that a cell is on */
#define SMALL			100		/* what building takes at most, times a search */
#define NO_LINE			PG_UINT64_MAX

typedef struct Component
{
	Deduction  *deduction;
	const Peers *peers;
	MemoryContext context;		/* of the component at hand */
	uint64	   *first_line;		/* [classes] of a class, or NO_LINE */
	uint32	   *cell_of;		/* [values] of a group's candidates */

	const uint32 *group;		/* [n] */
	uint32		n;
	const Cover **cover;		/* [ncovers] */
	uint32		ncovers;
	uint64		ncells;			/* the last ones are spare, one for each cover */
	uint64		nlines;			/* a group's line has the group's number in the component */
	uint64		first_cover;	/* line */
	uint64		incidences;
	uint32	   *first_cell;		/* [n + 1] */
} Component;

/* ---- A component as cells and lines ---- */

/* Has an invented row of the group the value of the cover in some world, and not in all? */
static inline bool
is_on_cover(const Deduction *deduction, const Cover *cover, uint32 group)
{
	return deduction_is_open(deduction, group) && deduction_may_have(deduction, group, cover->value);
}

/*
 * Counts cells, and the lines that they are on.  Lines of groups come first, then those of each class, one for each
 * value that it shows, and then covers.
 */
static void
count_cells(Component *component)
{
	const Deduction *deduction = component->deduction;
	const Statistics *statistics = component->peers->statistics;

	component->ncells = component->incidences = 0;
	component->nlines = component->n;
	for (uint32 i = 0; i < component->n; i++)
	{
		uint32		ncandidates = deduction->ncandidates[component->group[i]];
		uint64		nsteps;
		const Step *step = peers_steps(component->peers, component->group[i], &nsteps);

		component->ncells += ncandidates;
		component->incidences += (nsteps + 1) * ncandidates;
		for (uint64 s = 0; s < nsteps; s++)
		{
			const uint64 *shown = &statistics->shown[step[s].release].first[step[s].class];
			uint64	   *first = &component->first_line[peers_class(component->peers, step[s])];

			if (*first != NO_LINE)
				continue;
			*first = component->nlines;
			component->nlines += shown[1] - shown[0];
		}
	}
	component->first_cover = component->nlines;
	component->nlines += component->ncovers;
	component->ncells += component->ncovers;
	component->incidences += component->ncovers;
	for (uint32 i = 0; i < component->ncovers; i++)
		for (uint32 k = 0; k < component->cover[i]->n; k++)
			component->incidences += is_on_cover(deduction, component->cover[i], component->cover[i]->group[k]);
}

/* Lists the lines of all cells, and how many people they have as published. */
static void
build(Component *component, Worlds *worlds)
{
	const Deduction *deduction = component->deduction;
	const Peers *peers = component->peers;
	const Statistics *statistics = peers->statistics;
	uint64	   *first_through = new_array(uint64, component->ncells);
	uint32	   *through = new_array(uint32, component->incidences);
	uint32	   *people = new_zeros(uint32, component->ncells);
	uint64		at = 0;
	uint32		c = 0;

	component->first_cell = new_array(uint32, component->n);
	for (uint32 i = 0; i < component->n; i++)
	{
		uint32		g = component->group[i];
		uint64		nsteps;
		const Step *step = peers_steps(peers, g, &nsteps);

		CHECK_FOR_INTERRUPTS();
		component->first_cell[i] = c;
		for (uint32 k = 0; k < deduction->ncandidates[g]; k++)
		{
			Code		value = deduction->candidate[deduction->first[g] + k];

			component->cell_of[value] = c;
			first_through[c++] = at;
			through[at++] = i;
			for (uint64 s = 0; s < nsteps; s++)
				through[at++] = component->first_line[peers_class(peers, step[s])] +
					statistics_find(statistics, step[s], value) - statistics->shown[step[s].release].first[step[s].class];
			for (uint32 v = 0; v < component->ncovers; v++)
				for (uint32 k2 = 0; k2 < component->cover[v]->n && component->cover[v]->value == value; k2++)
					if (component->cover[v]->group[k2] == g)
						through[at++] = component->first_cover + v;
		}
		for (uint64 m = peers->first[g]; m < peers->first[g + 1]; m++)
			people[component->cell_of[peers->value[peers->individual[m]]]]++;
	}
	component->first_cell[component->n] = c;
	for (uint32 v = 0; v < component->ncovers; v++)
	{
		const Cover *cover = component->cover[v];
		uint64		spare = cover->most;	/* so many invented rows may have the value, too */

		for (uint32 k = 0; k < cover->n; k++)
			spare -= peers_having(peers, cover->group[k], cover->value);
		people[c] = spare;
		first_through[c++] = at;
		through[at++] = component->first_cover + v;
	}
	first_through[c] = at;
	*worlds = (Worlds) {.ncells = c, .first_through = first_through, .through = through, .nlines = component->nlines};
	worlds_begin(worlds, people, NULL);
}

/* Searches for each candidate that was in no world yet; is there one of which it is still not known? */
static bool
decide_cells(const Component *component, Worlds *worlds, uint64 effort, uint64 *budget, bool *is_possible, bool *is_excluded)
{
	bool		is_open = false;

	for (uint32 c = 0; c < worlds->ncells; c++)
		is_possible[c] |= worlds->cell[c].people > 0;
	for (uint32 c = 0; c < component->first_cell[component->n]; c++)
	{
		WorldFound	found = NOT_KNOWN;

		if (is_possible[c])
			continue;
		if (*budget > 0)
		{
			found = worlds_search(worlds, c, Min(effort, *budget), is_possible);
			*budget -= Min(worlds->steps, *budget);
		}
		is_open |= found == NOT_KNOWN;
		is_excluded[c] = found == IMPOSSIBLE;
		if (is_excluded[c])
			worlds_exclude(worlds, c);
	}
	return is_open;
}

/* Decides the cells of a component, and writes back which candidates are possible or excluded. */
static bool
search_component(Component *component, uint64 effort, uint64 *budget, void (*lost) (void *what, uint32 group), void *what)
{
	MemoryContext old = MemoryContextSwitchTo(component->context);
	Deduction  *deduction = component->deduction;
	bool	   *is_possible = new_zeros(bool, component->ncells);
	bool	   *is_excluded = new_zeros(bool, component->ncells);
	Worlds		worlds;
	bool		is_open;

	build(component, &worlds);
	for (uint32 i = 0; i < component->n; i++)
		memcpy(is_possible + component->first_cell[i], deduction->is_possible + deduction->first[component->group[i]],
			   sizeof(bool) * deduction->ncandidates[component->group[i]]);
	is_open = decide_cells(component, &worlds, effort, budget, is_possible, is_excluded);
	MemoryContextSwitchTo(old);
	for (uint32 i = 0; i < component->n; i++)
	{
		uint32		g = component->group[i];
		uint64		first = deduction->first[g];
		uint32		n = deduction->ncandidates[g];
		uint32		kept = 0;

		for (uint32 k = 0; k < n; k++)
		{
			if (is_excluded[component->first_cell[i] + k])
				continue;
			deduction->candidate[first + kept] = deduction->candidate[first + k];
			deduction->is_possible[first + kept++] = is_possible[component->first_cell[i] + k];
		}
		deduction->ncandidates[g] = kept;
		if (kept < n)
			lost(what, g);
	}
	MemoryContextReset(component->context);
	return is_open;
}

/* A component that takes long to build waits for a round of longer searches. */
static bool
look_at_component(Component *component, uint64 effort, uint64 *budget, void (*lost) (void *what, uint32 group), void *what)
{
	const Deduction *deduction = component->deduction;
	uint32		ndecided = 0;
	bool		is_open = true;
	bool		is_small;
	uint64		building;

	/*
	 * People who are alone with others who are known can exchange their values as they like: of each candidate, a row
	 * is left in each of their classes, or the rules would have excluded it.
	 */
	if (component->n == 1)
		memset(deduction->is_possible + deduction->first[component->group[0]], true,
			   sizeof(bool) * deduction->ncandidates[component->group[0]]);
	while (ndecided < component->n && deduction_is_exact(deduction, component->group[ndecided]))
		ndecided++;
	if (ndecided == component->n)
		return false;
	count_cells(component);
	building = (component->incidences + component->nlines) * BUILDING_STEPS;
	is_small = building / SMALL <= effort;
	if (is_small && (building > *budget || component->incidences + component->nlines >= PG_UINT32_MAX))
		*budget = 0;
	else if (is_small)
	{
		*budget -= building;
		is_open = search_component(component, effort, budget, lost, what);
	}

	/* The next component shares the array */
	for (uint32 i = 0; i < component->n; i++)
	{
		uint64		nsteps;
		const Step *step = peers_steps(component->peers, component->group[i], &nsteps);

		for (uint64 s = 0; s < nsteps; s++)
			component->first_line[peers_class(component->peers, step[s])] = NO_LINE;
	}
	return is_open;
}

/* ---- All components ---- */

/* Unites the open ones of some groups. */
static void
unite_groups(const Deduction *deduction, const uint32 *group, uint64 n, uint64 *parent)
{
	uint32		first = NO_GROUP;

	for (uint64 i = 0; i < n; i++)
	{
		if (!deduction_is_open(deduction, group[i]))
			continue;
		if (first == NO_GROUP)
			first = group[i];
		union_unite(parent, first, group[i]);
	}
}

/* Lists the groups of people whose value is open by now, component by component; those that are not are components of their own. */
static void
find_components(const Deduction *deduction, uint64 *n, uint64 **first, uint32 **group)
{
	const Peers *peers = deduction->peers;
	uint64	   *parent = union_find_create(peers->n);
	uint32	   *component = new_array(uint32, peers->n);

	for (uint64 class = 0; class < peers_nclasses(peers); class++)
	{
		CHECK_FOR_INTERRUPTS();
		unite_groups(deduction, peers->in + peers->first_in[class], peers->first_in[class + 1] - peers->first_in[class], parent);
	}
	for (uint32 i = 0; i < deduction->ncovers; i++)
		if (cover_binds(deduction, &deduction->cover[i]))
			unite_groups(deduction, deduction->cover[i].group, deduction->cover[i].n, parent);
	*n = 0;
	for (uint32 g = 0; g < peers->n; g++)
	{
		uint64		root = union_root(parent, g);

		component[g] = root == g ? (*n)++ : component[root];
	}
	list_by_group(component, peers->n, *n, first, group);
	pfree(component);
	pfree(parent);
}

/* The covers of the component: all open groups of one are in it, or none. */
static void
find_covers(Component *component)
{
	const Deduction *deduction = component->deduction;

	component->ncovers = 0;
	for (uint32 i = 0; i < deduction->ncovers; i++)
	{
		const Cover *cover = &deduction->cover[i];
		bool		is_here = false;

		for (uint32 k = 0; k < cover->n && !is_here; k++)
			is_here = is_on_cover(deduction, cover, cover->group[k]) &&
				find_code(component->group, component->n, cover->group[k]) < component->n;
		if (is_here && cover_binds(deduction, cover))
			component->cover[component->ncovers++] = cover;
	}
}

bool
look_for_worlds(Deduction *deduction, uint64 effort, uint64 *budget,
				void (*lost) (void *what, uint32 group), void *what)
{
	const Peers *peers = deduction->peers;
	Component	component = {.deduction = deduction, .peers = peers};
	uint64		n;
	uint64	   *first;
	uint32	   *group;
	bool		is_open = false;

	find_components(deduction, &n, &first, &group);
	component.context = AllocSetContextCreate(CurrentMemoryContext, "worlds", ALLOCSET_DEFAULT_SIZES);
	component.first_line = new_array(uint64, peers_nclasses(peers));
	memset(component.first_line, 0xff, sizeof(uint64) * peers_nclasses(peers)); /* NO_LINE */
	component.cell_of = new_array(uint32, peers->statistics->seen->nvalues);
	component.cover = new_array(const Cover *, deduction->ncovers);
	progress_phase("search components", n);
	for (uint64 c = 0; c < n; c++)
	{
		CHECK_FOR_INTERRUPTS();
		component.group = group + first[c];
		component.n = first[c + 1] - first[c];
		if (deduction_is_open(deduction, component.group[0]))
		{
			find_covers(&component);
			is_open |= look_at_component(&component, effort, budget, lost, what);
		}
		progress_step(1);
	}
	pfree(component.first_line);
	pfree(component.cell_of);
	pfree(component.cover);
	MemoryContextDelete(component.context);
	pfree(first);
	pfree(group);
	return is_open;
}
