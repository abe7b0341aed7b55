/*
 * sets.c
 *		Candidate update sets, their intersections and unions, and values that
 *		represent them.
 */
#include "postgres.h"

#include "frame/arrays.h"
#include "method/m_distinct/m_distinct.h"
#include "common/hashfn.h"
#include "miscadmin.h"

static uint32
hash_set(const Code *value, Code n)
{
	return hash_bytes((const unsigned char *) value, sizeof(Code) * n);
}

static void
enter_slot(Sets *sets, SetId id)
{
	uint32		at = sets->set[id].hash & (sets->nslots - 1);

	while (sets->slot[at] != NO_SET)
		at = (at + 1) & (sets->nslots - 1);
	sets->slot[at] = id;
}

static void
grow_slots(Sets *sets)
{
	sets->nslots *= 2;
	pfree(sets->slot);
	sets->slot = new_array(SetId, sets->nslots);
	memset(sets->slot, 0xff, sizeof(SetId) * sets->nslots); /* NO_SET */
	for (SetId id = 0; id < sets->nsets; id++)
		enter_slot(sets, id);
}

SetId
set_find(Sets *sets, const Code *value, Code n)
{
	uint32		hash = hash_set(value, n);
	ValueSet   *set;

	for (uint32 at = hash & (sets->nslots - 1); sets->slot[at] != NO_SET; at = (at + 1) & (sets->nslots - 1))
	{
		set = &sets->set[sets->slot[at]];
		if (set->hash == hash && set->n == n && memcmp(set->value, value, sizeof(Code) * n) == 0)
			return sets->slot[at];
	}
	if (sets->nsets == sets->allocated)
	{
		sets->allocated *= 2;
		sets->set = repalloc_huge(sets->set, sizeof(ValueSet) * sets->allocated);
	}
	set = &sets->set[sets->nsets++];
	set->value = memcpy(new_array(Code, n), value, sizeof(Code) * n);
	set->n = n;
	set->hash = hash;
	if (sets->nsets * 2 > sets->nslots)
		grow_slots(sets);
	else
		enter_slot(sets, sets->nsets - 1);
	return sets->nsets - 1;
}

Sets *
sets_create(const Updates *updates)
{
	Sets	   *sets = palloc0(sizeof(Sets));

	sets->updates = updates;
	sets->allocated = 64;
	sets->set = palloc(sizeof(ValueSet) * sets->allocated);
	sets->nslots = 256;
	sets->slot = palloc(sizeof(SetId) * sets->nslots);
	memset(sets->slot, 0xff, sizeof(SetId) * sets->nslots);
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
	const ValueSet *set = &sets->set[id];
	Code		low = 0;
	Code		high = set->n;

	while (low < high)
	{
		Code		middle = low + (high - low) / 2;

		if (set->value[middle] < value)
			low = middle + 1;
		else
			high = middle;
	}
	return low < set->n && set->value[low] == value;
}

/* Merges two sets: what is in both, or in either. */
static SetId
merge_sets(Sets *sets, SetId a, SetId b, bool both)
{
	const ValueSet *x = &sets->set[a];
	const ValueSet *y = &sets->set[b];
	Code	   *merged = new_array(Code, (Size) x->n + y->n);
	Code		n = 0;
	SetId		result;

	for (Code i = 0, j = 0; i < x->n || j < y->n;)
	{
		bool		in_x = j == y->n || (i < x->n && x->value[i] <= y->value[j]);
		bool		in_y = i == x->n || (j < y->n && y->value[j] <= x->value[i]);

		if (!both || (in_x && in_y))
			merged[n++] = in_x ? x->value[i] : y->value[j];
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
	return sets->component[sets->set[a].value[0]] != sets->component[sets->set[b].value[0]];
}

bool
sets_meet(const Sets *sets, SetId a, SetId b)
{
	const ValueSet *x = &sets->set[a];
	const ValueSet *y = &sets->set[b];

	for (Code i = 0, j = 0; i < x->n && j < y->n;)
	{
		if (x->value[i] == y->value[j])
			return true;
		if (x->value[i] < y->value[j])
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
	const ValueSet *set = &by->sets->set[by->set[i]];

	by->visited[i] = true;
	for (Code k = 0; k < set->n && k <= by->n; k++)	/* among so many, one is free */
	{
		if (represented_by(by, set->value[k]) < by->n)
			continue;
		by->value[i] = set->value[k];
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
	Representing by = {.sets = sets,.set = set,.n = n,.value = value};
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
