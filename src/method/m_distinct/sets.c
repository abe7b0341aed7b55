/*
 * sets.c
 *		Candidate update sets, their intersections and unions, and values that
 *		represent them.
 */
#include "postgres.h"

#include "frame/arrays.h"
#include "frame/domain.h"
#include "method/m_distinct/m_distinct.h"

SetId
set_find(Sets *sets, const Code *value, Code n)
{
	return tuple_number(sets->values, value, n);
}

Sets *
sets_create(const Updates *updates)
{
	Sets	   *sets = palloc0(sizeof(Sets));

	sets->updates = updates;
	sets->values = tuple_numbers_create(ANY_WIDTH);
	sets->of_value = new_array(SetId, updates->nvalues);
	for (Code v = 0; v < updates->nvalues; v++)
		sets->of_value[v] = updates_size(updates, v) == 0 ? NO_SET :
			set_find(sets, updates->to + updates->first[v], updates_size(updates, v));
	sets->component = updates_components(updates, &sets->ncomponents);
	return sets;
}

bool
set_has(const Sets *sets, SetId id, Code value)
{
	ValueSet	set = set_at(sets, id);

	return find_code(set.value, set.n, value) < set.n;
}

/* Merges two sets: what is in both, or in either. */
static SetId
merge_sets(Sets *sets, SetId a, SetId b, bool both)
{
	ValueSet	x = set_at(sets, a);
	ValueSet	y = set_at(sets, b);
	Code	   *merged = new_array(Code, (Size) x.n + y.n);
	Code		n = 0;
	SetId		result;

	for (Code i = 0, j = 0; i < x.n || j < y.n;)
	{
		bool		in_x = j == y.n || (i < x.n && x.value[i] <= y.value[j]);
		bool		in_y = i == x.n || (j < y.n && y.value[j] <= x.value[i]);

		if (!both || (in_x && in_y))
			merged[n++] = in_x ? x.value[i] : y.value[j];
		i += in_x;
		j += in_y;
	}
	result = set_find(sets, merged, n);
	pfree(merged);
	return result;
}

SetId
set_intersection(Sets *sets, SetId a, SetId b)
{
	return a == b ? a : merge_sets(sets, a, b, true);
}

SetId
set_union(Sets *sets, SetId a, SetId b)
{
	return a == b ? a : merge_sets(sets, a, b, false);
}

bool
sets_apart(const Sets *sets, SetId a, SetId b)
{
	return sets->component[set_at(sets, a).value[0]] != sets->component[set_at(sets, b).value[0]];
}

bool
sets_meet(const Sets *sets, SetId a, SetId b)
{
	ValueSet	x = set_at(sets, a);
	ValueSet	y = set_at(sets, b);

	for (Code i = 0, j = 0; i < x.n && j < y.n;)
	{
		if (x.value[i] == y.value[j])
			return true;
		if (x.value[i] < y.value[j])
			i++;
		else
			j++;
	}
	return false;
}

/* ----------------------------------------------------------------
 * Distinct representatives
 * ----------------------------------------------------------------
 */

typedef struct Representing
{
	const Sets *sets;
	const SetId *set;
	uint32		n;
	Code	   *value;
	bool	   *visited;		/* [n] */
} Representing;

static uint32
represented_by(const Representing *by, Code value)
{
	for (uint32 i = 0; i < by->n; i++)
		if (by->value[i] == value)
			return i;
	return by->n;
}

/* Finds a value for a set, having others take other ones where need be. */
static bool
find_value(Representing *by, uint32 i)
{
	ValueSet	set = set_at(by->sets, by->set[i]);

	by->visited[i] = true;
	for (Code k = 0; k < set.n && k <= by->n; k++)	/* among so many, one is free */
	{
		if (represented_by(by, set.value[k]) < by->n)
			continue;
		by->value[i] = set.value[k];
		return true;
	}
	for (uint32 j = 0; j < by->n; j++)
	{
		Code		value = by->value[j];

		if (value == NO_CODE || by->visited[j] || !set_has(by->sets, by->set[i], value))
			continue;
		if (find_value(by, j))
		{
			by->value[i] = value;
			return true;
		}
	}
	return false;
}

bool
represent(const Sets *sets, const SetId *set, uint32 n, Code *value)
{
	Representing by = {.sets = sets, .set = set, .n = n, .value = value};
	bool		all = true;

	by.visited = palloc(sizeof(bool) * (n + 1));
	for (uint32 i = 0; i < n && all; i++)
	{
		if (value[i] != NO_CODE)
			continue;
		memset(by.visited, 0, sizeof(bool) * n);
		all = find_value(&by, i);
	}
	pfree(by.visited);
	return all;
}
