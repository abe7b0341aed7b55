/*
 * joint.c
 *		Searching for worlds, from what was published to others.
 *
 * NOTES
 *		People hang together if they were in a class; worlds of sets that do not
 *		hang together are independent, so each set is looked at by itself.
 *
 *		The values as published are a world.  A version is given another value, and
 *		then a version that contradicts it another one, until none contradicts a value
 *		that was given; values that were given stay, and where there is none to
 *		give, the last choice is taken back.  So only what differs from what was
 *		published is looked at, and where versions have two candidates, nothing is
 *		ever chosen.  Each world that is found shows candidates of all who changed.
 *
 *		A version is a step of a person; a node is one of the values that its
 *		class shows, by its place among them, and NULL's the last one.
 */
#include "postgres.h"

#include "audit/update/risk.h"
#include "frame/arrays.h"
#include "miscadmin.h"

#define NO_VERSION PG_UINT64_MAX

/* Steps of a first search, and how many times as many the next one takes */
#define FIRST_EFFORT	1000
#define MORE_EFFORT		10

/* Knowledge of a version's node */
typedef enum Finding
{
	OPEN,
	POSSIBLE,
	EXCLUDED
} Finding;

/* A version that has another node than before. */
typedef struct Change
{
	uint64		version;
	uint32		before;
	uint64		settled;		/* changes that were not contradicted, when it was made */
	uint64		alternative;	/* its number among those that there were */
} Change;

/* People who contradict a change: one of them must have another node. */
typedef struct Conflict
{
	const uint64 *version;		/* NO_VERSION for invented rows */
	uint64		n;
	uint64		one;			/* where version points to, if it is only one */
	uint32		node;			/* which they have */
	uint32		preferred;		/* the one to be tried first: what the change has left */
	uint32		first;			/* the one to be tried first */
} Conflict;

/* People who hang together. */
typedef struct Component
{
	uint64		begin;			/* in person[] */
	uint64		end;
	uint64		nodes;			/* of all versions */
} Component;

typedef struct Joint
{
	const Statistics *statistics;
	const Updates *updates;
	uint64		npeople;
	uint64		budget;			/* steps that are left */
	uint64		limit;			/* those that a search must leave */

	/* Classes of all releases in one row */
	uint64	   *base;			/* [releases + 1] */
	uint64	   *nulls;			/* [classes] rows of each */
	uint64	   *first_row;		/* [classes + 1] */
	uint64	   *version;		/* [rows] class by class, or NO_VERSION */

	/* Versions */
	Individual *individual;		/* [versions] */
	uint32	   *node;			/* [versions] in the world at hand */
	bool	   *is_given;		/* [versions] was it changed? */
	uint64	   *first_node;		/* [versions] of components that are looked at */

	/* People component by component, those with the fewest nodes first */
	Individual *person;			/* [people] */
	Component  *component;
	uint64		ncomponents;

	uint8	   *finding;		/* [nodes] */
	Change	   *change;			/* [versions] */
	uint64		nchanges;
} Joint;

/* Pays for so many steps; false if those that may be taken are used up. */
static bool
pay(Joint *joint, uint64 steps)
{
	steps = Min(steps, joint->budget);
	if (joint->budget / 65536 != (joint->budget - steps) / 65536)
		CHECK_FOR_INTERRUPTS();
	joint->budget -= steps;
	return joint->budget > joint->limit;
}

/* ----------------------------------------------------------------
 * Versions and nodes
 * ----------------------------------------------------------------
 */

static inline Step
step_of(const Joint *joint, uint64 version)
{
	return joint->statistics->step[version];
}

static inline uint64
class_of(const Joint *joint, uint64 version)
{
	Step		at = step_of(joint, version);

	return joint->base[at.release] + at.class;
}

/* The person's version before, or behind. */
static uint64
neighbor(const Joint *joint, uint64 version, bool behind)
{
	const uint64 *first = joint->statistics->first + joint->individual[version];

	if (behind)
		return version + 1 < first[1] ? version + 1 : NO_VERSION;
	return version > first[0] ? version - 1 : NO_VERSION;
}

/* Values that the class shows, but for NULL. */
static inline uint32
count_values(const Joint *joint, Step at)
{
	const ShownValues *shown = &joint->statistics->shown[at.release];

	return shown->first[at.class + 1] - shown->first[at.class];
}

static inline Code
value_of(const Joint *joint, Step at, uint32 node)
{
	const ShownValues *shown = &joint->statistics->shown[at.release];

	return node == count_values(joint, at) ? NO_CODE : shown->value[shown->first[at.class] + node];
}

/* How many rows of the class show it? */
static inline uint64
rows_of(const Joint *joint, Step at, uint32 node)
{
	const ShownValues *shown = &joint->statistics->shown[at.release];

	return node == count_values(joint, at) ? joint->nulls[joint->base[at.release] + at.class]
		: shown->count[shown->first[at.class] + node];
}

static inline uint32
count_nodes(const Joint *joint, Step at)
{
	uint32		n = count_values(joint, at);

	return n + (rows_of(joint, at, n) > 0);
}

static uint32
node_of(const Joint *joint, Step at, Code value)
{
	if (value == NO_CODE)
		return count_values(joint, at);
	return statistics_find(joint->statistics, at, value) - joint->statistics->shown[at.release].first[at.class];
}

/* NULL tells nothing of what comes before or behind. */
static bool
can_become(const Joint *joint, uint64 from, uint32 from_node, uint64 to, uint32 to_node)
{
	Code		before = value_of(joint, step_of(joint, from), from_node);
	Code		after = value_of(joint, step_of(joint, to), to_node);

	return before == NO_CODE || after == NO_CODE || updates_allow(joint->updates, before, after);
}

static bool
agree(const Joint *joint, uint64 version, uint32 node, uint64 other, uint32 other_node)
{
	return other < version ? can_become(joint, other, other_node, version, node)
		: can_become(joint, version, node, other, other_node);
}

/* Lists the rows of all classes, and the node of each version. */
static void
gather_versions(Joint *joint)
{
	const Statistics *statistics = joint->statistics;
	const Seen *seen = statistics->seen;
	uint64	   *next = new_array(uint64, seen->nindividuals);
	uint64		rows = 0;

	memcpy(next, statistics->first, sizeof(uint64) * seen->nindividuals);
	for (int32 r = 0; r < seen->nreleases; r++)
	{
		const SeenRelease *release = &seen->release[r];

		CHECK_FOR_INTERRUPTS();
		for (uint32 c = 0; c < release->nclasses; c++)
		{
			joint->first_row[joint->base[r] + c] = rows;
			for (uint64 i = release->first[c]; i < release->first[c + 1]; i++, rows++)
			{
				Individual	t = release->individual[i];
				uint64		version = next[t]++;

				joint->nulls[joint->base[r] + c] += release->value[i] == NO_CODE;
				joint->version[rows] = t < joint->npeople ? version : NO_VERSION;
				if (t >= joint->npeople)
					continue;
				joint->individual[version] = t;
				joint->node[version] = node_of(joint, (Step) {r, c}, release->value[i]);
			}
		}
	}
	joint->first_row[joint->base[seen->nreleases]] = rows;
	pfree(next);
}

/* ----------------------------------------------------------------
 * People who hang together
 * ----------------------------------------------------------------
 */

/* Reaches all people of a class in which one was reached. */
static void
reach_class(Joint *joint, uint64 class, bool *is_reached, uint64 *n)
{
	for (uint64 i = joint->first_row[class]; i < joint->first_row[class + 1]; i++)
	{
		Individual	t;

		if (joint->version[i] == NO_VERSION)
			continue;
		t = joint->individual[joint->version[i]];
		if (!is_reached[t])
			joint->person[(*n)++] = t;
		is_reached[t] = true;
	}
}

/* Counts a person's nodes; false if what was published of him cannot have been. */
static bool
count_person(const Joint *joint, Individual t, uint64 *nodes)
{
	const uint64 *first = joint->statistics->first + t;
	bool		can_have_been = true;

	for (uint64 v = first[0]; v < first[1]; v++)
	{
		*nodes += count_nodes(joint, step_of(joint, v));
		can_have_been &= v == first[0] || can_become(joint, v - 1, joint->node[v - 1], v, joint->node[v]);
	}
	return can_have_been;
}

/* Orders components by their size, smallest first, then by their place. */
static int
compare_components(const void *a, const void *b)
{
	const Component *x = a;
	const Component *y = b;

	if (x->nodes != y->nodes)
		return x->nodes < y->nodes ? -1 : 1;
	return x->begin < y->begin ? -1 : x->begin > y->begin;
}

/* Components in which the published values are a world. */
static void
find_components(Joint *joint)
{
	const Statistics *statistics = joint->statistics;
	bool	   *is_reached = new_zeros(bool, joint->npeople);
	bool	   *is_class_reached = new_zeros(bool, joint->base[statistics->seen->nreleases]);
	uint64		n = 0;

	for (Individual t = 0; t < joint->npeople; t++)
	{
		Component	component = {.begin = n};
		bool		is_world = true;

		if (is_reached[t])
			continue;
		is_reached[t] = true;
		joint->person[n++] = t;
		for (uint64 i = component.begin; i < n; i++)
		{
			CHECK_FOR_INTERRUPTS();
			for (uint64 v = statistics->first[joint->person[i]]; v < statistics->first[joint->person[i] + 1]; v++)
			{
				if (!is_class_reached[class_of(joint, v)])
					reach_class(joint, class_of(joint, v), is_reached, &n);
				is_class_reached[class_of(joint, v)] = true;
			}
			is_world &= count_person(joint, joint->person[i], &component.nodes);
		}
		component.end = n;
		if (is_world)
			joint->component[joint->ncomponents++] = component;
	}
	qsort(joint->component, joint->ncomponents, sizeof(Component), compare_components);
	pfree(is_reached);
	pfree(is_class_reached);
}

/* ----------------------------------------------------------------
 * Searching a world
 * ----------------------------------------------------------------
 */

static inline uint8 *
finding_of(const Joint *joint, uint64 version, uint32 node)
{
	return &joint->finding[joint->first_node[version] + node];
}

/* How many people of a class have a node, or were given it? */
static uint64
count_with(Joint *joint, uint64 class, uint32 node, bool given)
{
	uint64		n = 0;

	(void) pay(joint, joint->first_row[class + 1] - joint->first_row[class]);
	for (uint64 i = joint->first_row[class]; i < joint->first_row[class + 1]; i++)
	{
		uint64		v = joint->version[i];

		n += v != NO_VERSION && joint->node[v] == node && (!given || joint->is_given[v]);
	}
	return n;
}

/* Finds people who contradict a change, if there are any. */
static bool
find_conflict(Joint *joint, const Change *change, Conflict *conflict)
{
	uint64		version = change->version;
	uint64		class = class_of(joint, version);
	uint32		node = joint->node[version];

	for (int behind = 0; behind < 2; behind++)
	{
		uint64		other = neighbor(joint, version, behind);

		if (other == NO_VERSION || agree(joint, version, node, other, joint->node[other]))
			continue;
		*conflict = (Conflict) {.n = 1, .one = other, .node = joint->node[other]};
		conflict->version = &conflict->one;
		return true;
	}
	if (count_with(joint, class, node, false) <= rows_of(joint, step_of(joint, version), node))
		return false;
	*conflict = (Conflict) {
		.version = joint->version + joint->first_row[class], .n = joint->first_row[class + 1] - joint->first_row[class],
		.node = node, .preferred = change->before
	};
	return true;
}

/* May a version be given a node, by what others were given? */
static bool
may_be_given(Joint *joint, uint64 version, uint32 node)
{
	if (node == joint->node[version] || *finding_of(joint, version, node) == EXCLUDED)
		return false;
	for (int behind = 0; behind < 2; behind++)
	{
		uint64		other = neighbor(joint, version, behind);

		if (other != NO_VERSION && joint->is_given[other] &&
			!agree(joint, version, node, other, joint->node[other]))
			return false;
	}
	return count_with(joint, class_of(joint, version), node, true) < rows_of(joint, step_of(joint, version), node);
}

static void
give(Joint *joint, uint64 version, uint32 node, uint64 settled, uint64 alternative)
{
	joint->change[joint->nchanges++] = (Change) {version, joint->node[version], settled, alternative};
	joint->node[version] = node;
	joint->is_given[version] = true;
}

static Change
take_back(Joint *joint)
{
	Change		last = joint->change[--joint->nchanges];

	joint->node[last.version] = last.before;
	joint->is_given[last.version] = false;
	return last;
}

/* Gives one of those in conflict another node, from that alternative on; false if there is none. */
static bool
resolve(Joint *joint, const Conflict *conflict, uint64 settled, uint64 alternative)
{
	uint32		nnodes = 0;

	for (uint64 i = 0; i < conflict->n && nnodes == 0; i++)
		if (conflict->version[i] != NO_VERSION)
			nnodes = count_nodes(joint, step_of(joint, conflict->version[i]));
	for (; alternative < conflict->n * nnodes && pay(joint, 1); alternative++)
	{
		uint64		version = conflict->version[alternative / nnodes];

		if (version == NO_VERSION || joint->is_given[version] || joint->node[version] != conflict->node)
			alternative += nnodes - 1 - alternative % nnodes;	/* the next one's */
		else
		{
			uint32		node = (conflict->preferred + alternative) % nnodes;

			if (may_be_given(joint, version, node))
			{
				give(joint, version, node, settled, alternative);
				return true;
			}
		}
	}
	return false;
}

/*
 * Is there a world in which the version has the node?  It is left in place if
 * there is one, and if the budget is used up.
 */
static bool
search(Joint *joint, uint64 version, uint32 node)
{
	uint64		settled = 0;
	uint64		alternative = 0;

	give(joint, version, node, 0, 0);
	while (settled < joint->nchanges)
	{
		Conflict	conflict;
		Change		last;

		if (!pay(joint, 1))
			return false;
		if (!find_conflict(joint, &joint->change[settled], &conflict))
			settled++;
		else if (resolve(joint, &conflict, settled, alternative))
			alternative = 0;
		else
		{
			last = take_back(joint);
			if (joint->nchanges == 0)
				return false;
			settled = last.settled;
			alternative = last.alternative + 1;
		}
	}
	return true;
}

/* ----------------------------------------------------------------
 * Candidates
 * ----------------------------------------------------------------
 */

/* Excludes nodes of a version that no node of the person's version before, or behind, agrees with. */
static void
exclude_alone(Joint *joint, uint64 version, bool behind)
{
	uint64		other = neighbor(joint, version, behind);
	uint32		n = count_nodes(joint, step_of(joint, version));
	uint32		nother = other == NO_VERSION ? 0 : count_nodes(joint, step_of(joint, other));

	for (uint32 i = 0; i < n && nother > 0 && pay(joint, nother); i++)
	{
		bool		any = false;

		for (uint32 j = 0; j < nother && !any; j++)
			any = *finding_of(joint, other, j) != EXCLUDED && agree(joint, version, i, other, j);
		if (!any)
			*finding_of(joint, version, i) = EXCLUDED;
	}
}

/* The published value is possible; a value that the person alone cannot have had is not. */
static void
begin_person(Joint *joint, Individual t, uint64 *nodes)
{
	const uint64 *first = joint->statistics->first + t;

	for (uint64 v = first[0]; v < first[1]; v++)
	{
		joint->first_node[v] = *nodes;
		*nodes += count_nodes(joint, step_of(joint, v));
	}
	for (uint64 v = first[0]; v < first[1]; v++)
		exclude_alone(joint, v, false);
	for (uint64 v = first[1]; v-- > first[0];)
	{
		exclude_alone(joint, v, true);
		*finding_of(joint, v, joint->node[v]) = POSSIBLE;
	}
}

/* Keeps the components that can be paid for. */
static void
begin_findings(Joint *joint)
{
	uint64		nodes = 0;
	uint64		n = 0;

	while (n < joint->ncomponents && nodes + joint->component[n].nodes <= joint->budget)
		nodes += joint->component[n++].nodes;
	joint->ncomponents = n;
	joint->finding = new_zeros(uint8, nodes);	/* OPEN */
	(void) pay(joint, nodes);
	nodes = 0;
	for (uint64 c = 0; c < n; c++)
		for (uint64 i = joint->component[c].begin; i < joint->component[c].end; i++)
			begin_person(joint, joint->person[i], &nodes);
}

/* Finds out about a node; if there is a world with it, about all that were changed. */
static void
find_out(Joint *joint, uint64 version, uint32 node, uint64 effort)
{
	bool		is_world;

	joint->limit = joint->budget - Min(joint->budget, effort);
	is_world = search(joint, version, node);
	if (!is_world && joint->budget > joint->limit)
		*finding_of(joint, version, node) = EXCLUDED;
	joint->limit = 0;
	while (joint->nchanges > 0)
	{
		const Change *last = &joint->change[joint->nchanges - 1];

		if (is_world)
			*finding_of(joint, last->version, joint->node[last->version]) = POSSIBLE;
		(void) take_back(joint);
	}
}

/* How many nodes of a version are a finding? */
static uint32
count_findings(const Joint *joint, uint64 version, Finding finding)
{
	uint32		n = count_nodes(joint, step_of(joint, version));
	uint32		count = 0;

	for (uint32 node = 0; node < n; node++)
		count += *finding_of(joint, version, node) == finding;
	return count;
}

/* Returns how many nodes are open. */
static uint64
look_at_component(Joint *joint, const Component *component, uint64 effort)
{
	const uint64 *first = joint->statistics->first;
	uint64		open = 0;

	for (uint64 i = component->begin; i < component->end; i++)
	{
		CHECK_FOR_INTERRUPTS();
		for (uint64 v = first[joint->person[i]]; v < first[joint->person[i] + 1]; v++)
		{
			uint32		n = count_nodes(joint, step_of(joint, v));

			for (uint32 node = 0; node < n && joint->budget > 0; node++)
				if (*finding_of(joint, v, node) == OPEN)
					find_out(joint, v, node, effort);
			open += count_findings(joint, v, OPEN);
		}
	}
	return open;
}

/*
 * Searches that are short come first, wherever they are needed, so that hard
 * ones do not leave nothing for others.
 */
static void
look_at_all(Joint *joint)
{
	uint64		effort = FIRST_EFFORT;
	uint64		open;

	do
	{
		open = 0;
		for (uint64 c = 0; c < joint->ncomponents; c++)
			open += look_at_component(joint, &joint->component[c], effort);
		effort = Min(effort, PG_UINT64_MAX / MORE_EFFORT) * MORE_EFFORT;
	} while (open > 0 && joint->budget > 0);
}

/* Allocates the versions, people and components, and fills them from what was published. */
static void
begin_joint(Joint *joint)
{
	const Seen *seen = joint->statistics->seen;
	uint64		versions = joint->statistics->first[joint->npeople];

	joint->base = new_zeros(uint64, seen->nreleases);
	for (int32 r = 0; r < seen->nreleases; r++)
		joint->base[r + 1] = joint->base[r] + seen->release[r].nclasses;
	joint->nulls = new_zeros(uint64, joint->base[seen->nreleases]);
	joint->first_row = new_array(uint64, joint->base[seen->nreleases]);
	joint->version = new_array(uint64, joint->statistics->first[seen->nindividuals]);
	joint->individual = new_array(Individual, versions);
	joint->node = new_array(uint32, versions);
	joint->is_given = new_zeros(bool, versions);
	joint->first_node = new_array(uint64, versions);
	joint->change = new_array(Change, versions);
	joint->person = new_array(Individual, joint->npeople);
	joint->component = new_array(Component, joint->npeople);
	gather_versions(joint);
	find_components(joint);
	begin_findings(joint);
}

uint32 *
joint_candidates(const Statistics *statistics, const Updates *updates, uint64 npeople, uint64 budget)
{
	Joint		joint = {.statistics = statistics, .updates = updates, .npeople = npeople, .budget = budget};
	uint32	   *candidates = new_array(uint32, statistics->first[npeople]);

	memset(candidates, 0xff, sizeof(uint32) * statistics->first[npeople]);	/* NOT_KNOWN */
	if (budget == 0)
		return candidates;
	begin_joint(&joint);
	look_at_all(&joint);
	for (uint64 c = 0; c < joint.ncomponents; c++)
		for (uint64 i = joint.component[c].begin; i < joint.component[c].end; i++)
			for (uint64 v = statistics->first[joint.person[i]]; v < statistics->first[joint.person[i] + 1]; v++)
				if (count_findings(&joint, v, OPEN) == 0)
					candidates[v] = count_findings(&joint, v, POSSIBLE);
	return candidates;
}
