/*
 * update_sets.c
 *		Sorting declared updates, and their closure.
 */
#include "postgres.h"

#include "frame/arrays.h"
#include "frame/domain.h"
#include "frame/update_sets.h"
#include "miscadmin.h"
#include "utils/memutils.h"

Updates *
updates_create(Code nvalues, Update *list, uint64 n, bool has_probabilities)
{
	Updates    *updates = palloc0(sizeof(Updates));
	uint64		kept = 0;
	Update	   *aside = new_array(Update, n);
	uint64	   *place = new_array(uint64, nvalues);

	/* Sorts updates by both of their ends: a counting sort is stable, so that two passes do. */
	for (int by_from = 0; by_from <= 1; by_from++)
	{
		memset(place, 0, sizeof(uint64) * ((uint64) nvalues + 1));
		for (uint64 i = 0; i < n; i++)
			place[(by_from ? list[i].from : list[i].to) + 1]++;
		for (Code v = 0; v < nvalues; v++)
			place[v + 1] += place[v];
		for (uint64 i = 0; i < n; i++)
			aside[place[by_from ? list[i].from : list[i].to]++] = list[i];
		memcpy(list, aside, sizeof(Update) * n);
	}
	pfree(place);
	pfree(aside);
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

Updates *
updates_close(const Updates *updates)
{
	Updates    *closed = palloc0(sizeof(Updates));
	Code		nvalues = updates->nvalues;
	bool	   *is_declared = new_zeros(bool, nvalues); /* does it occur in an update, on either side? */
	Code	   *seen_from = new_array(Code, nvalues);	/* the last value whose set it was added to, or NO_CODE */
	Code	   *reached = new_array(Code, nvalues); /* the set under construction */
	uint64		allocated = 1024;

	closed->nvalues = nvalues;
	closed->first = new_zeros(uint64, nvalues);
	closed->to = palloc(sizeof(Code) * allocated);
	memset(seen_from, 0xff, sizeof(Code) * nvalues);	/* NO_CODE */
	for (Code v = 0; v < nvalues; v++)
	{
		is_declared[v] |= updates_size(updates, v) > 0;
		for (uint64 at = updates->first[v]; at < updates->first[v + 1]; at++)
			is_declared[updates->to[at]] = true;
	}
	for (Code from = 0; from < nvalues; from++)
	{
		Code		n = 0;

		/* All values that it can become in any number of steps, itself included */
		if (is_declared[from])
		{
			seen_from[from] = from;
			reached[n++] = from;
		}
		for (Code i = 0; i < n; i++)
		{
			CHECK_FOR_INTERRUPTS();
			for (uint64 at = updates->first[reached[i]]; at < updates->first[reached[i] + 1]; at++)
			{
				Code		to = updates->to[at];

				if (seen_from[to] == from)
					continue;
				seen_from[to] = from;
				reached[n++] = to;
			}
		}
		sort_codes(reached, n);
		array_reserve(closed->to, allocated, closed->first[from] + n);
		memcpy(closed->to + closed->first[from], reached, sizeof(Code) * n);
		closed->first[from + 1] = closed->first[from] + n;
	}
	pfree(seen_from);
	pfree(reached);
	pfree(is_declared);
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
