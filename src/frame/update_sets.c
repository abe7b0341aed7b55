/*
 * update_sets.c
 *		Sorting declared updates, and their closure.
 */
#include "postgres.h"

#include "frame/arrays.h"
#include "frame/span.h"
#include "frame/union_find.h"
#include "frame/update_sets.h"
#include "miscadmin.h"
#include "utils/memutils.h"

/* Sorts updates by one of their ends; the counting sort is stable, so that two passes sort by both. */
static void
sort_by_end(const Update *list, Update *sorted, uint64 n, Code nvalues, bool by_from)
{
	uint64	   *place = new_zeros(uint64, nvalues);

	for (uint64 i = 0; i < n; i++)
		place[(by_from ? list[i].from : list[i].to) + 1]++;
	for (Code v = 0; v < nvalues; v++)
		place[v + 1] += place[v];
	for (uint64 i = 0; i < n; i++)
		sorted[place[by_from ? list[i].from : list[i].to]++] = list[i];
	pfree(place);
}

static void
sort_updates(Update *list, uint64 n, Code nvalues)
{
	Update	   *aside = new_array(Update, n);

	sort_by_end(list, aside, n, nvalues, false);
	sort_by_end(aside, list, n, nvalues, true);
	pfree(aside);
}

Updates *
updates_create(Code nvalues, Update *list, uint64 n, bool has_probabilities)
{
	Updates    *updates = palloc0(sizeof(Updates));
	uint64		kept = 0;

	sort_updates(list, n, nvalues);
	updates->nvalues = nvalues;
	updates->first = new_zeros(uint64, nvalues);
	updates->to = new_array(Code, n);
	if (has_probabilities)
		updates->probability = new_array(double, n);
	for (uint64 i = 0; i < n; i++)
	{
		if (i > 0 && list[i - 1].from == list[i].from && list[i - 1].to == list[i].to)
			continue;
		updates->first[list[i].from + 1]++;
		updates->to[kept] = list[i].to;
		if (has_probabilities)
			updates->probability[kept] = list[i].probability;
		kept++;
	}
	for (Code v = 0; v < nvalues; v++)
		updates->first[v + 1] += updates->first[v];
	return updates;
}

uint64
updates_find(const Updates *updates, Code from, Code to)
{
	uint64		first = updates->first[from];
	uint64		n = updates->first[from + 1] - first;
	uint64		at = find_code(updates->to + first, n, to);

	return at < n ? first + at : NO_UPDATE;
}

/* A set under construction, and for each value the last set that it was added to. */
typedef struct Closure
{
	Code	   *seen_from;		/* [nvalues] or NO_CODE */
	Code	   *reached;		/* [nvalues] */
	Code		n;
} Closure;

static void
reach(Closure *closure, Code from, Code value)
{
	if (closure->seen_from[value] == from)
		return;
	closure->seen_from[value] = from;
	closure->reached[closure->n++] = value;
}

/* Collects all values that a value can become in any number of steps, itself included. */
static void
close_value(Closure *closure, const Updates *updates, Code from)
{
	closure->n = 0;
	reach(closure, from, from);
	for (Code i = 0; i < closure->n; i++)
	{
		Code		value = closure->reached[i];

		CHECK_FOR_INTERRUPTS();
		for (uint64 at = updates->first[value]; at < updates->first[value + 1]; at++)
			reach(closure, from, updates->to[at]);
	}
	sort_codes(closure->reached, closure->n);
}

/* Marks the values that occur in a declared update, on either side. */
static bool *
mentioned_values(const Updates *updates)
{
	bool	   *mentioned = new_zeros(bool, updates->nvalues);

	for (Code v = 0; v < updates->nvalues; v++)
	{
		mentioned[v] |= updates_size(updates, v) > 0;
		for (uint64 at = updates->first[v]; at < updates->first[v + 1]; at++)
			mentioned[updates->to[at]] = true;
	}
	return mentioned;
}

Updates *
updates_close(const Updates *updates)
{
	Updates    *closed = palloc0(sizeof(Updates));
	bool	   *mentioned = mentioned_values(updates);
	Closure		closure;
	uint64		allocated = 1024;

	closed->nvalues = updates->nvalues;
	closed->first = new_zeros(uint64, updates->nvalues);
	closed->to = palloc(sizeof(Code) * allocated);
	closure.seen_from = new_array(Code, updates->nvalues);
	memset(closure.seen_from, 0xff, sizeof(Code) * updates->nvalues);	/* NO_CODE */
	closure.reached = new_array(Code, updates->nvalues);
	for (Code v = 0; v < updates->nvalues; v++)
	{
		closure.n = 0;
		if (mentioned[v])
			close_value(&closure, updates, v);
		array_reserve(closed->to, allocated, closed->first[v] + closure.n);
		memcpy(closed->to + closed->first[v], closure.reached, sizeof(Code) * closure.n);
		closed->first[v + 1] = closed->first[v] + closure.n;
	}
	pfree(closure.seen_from);
	pfree(closure.reached);
	pfree(mentioned);
	return closed;
}

uint32 *
updates_components(const Updates *updates, uint32 *n)
{
	uint64	   *parent = union_find_create(updates->nvalues);
	uint32	   *component = new_array(uint32, updates->nvalues);

	*n = 0;
	for (Code v = 0; v < updates->nvalues; v++)
		for (uint64 at = updates->first[v]; at < updates->first[v + 1]; at++)
			union_unite(parent, updates->to[at], v);
	for (Code v = 0; v < updates->nvalues; v++)
		component[v] = parent[v] == v ? (*n)++ : component[union_root(parent, v)];
	pfree(parent);
	return component;
}
