/*
 * union_find.h
 *		Which of many things hang together, as pairs of them are united.
 *
 * Each points to another one of its set, and so on up to the root, which is the first of them and points to itself.
 */
#ifndef PPREPUB_FRAME_UNION_FIND_H
#define PPREPUB_FRAME_UNION_FIND_H

#include "frame/arrays.h"

/* Each of n by itself. */
static inline uint64 *
union_find_create(uint64 n)
{
	uint64	   *parent = new_array(uint64, n);

	for (uint64 i = 0; i < n; i++)
		parent[i] = i;
	return parent;
}

static inline uint64
union_root(uint64 *parent, uint64 i)
{
	while (parent[i] != i)
		i = parent[i] = parent[parent[i]];
	return i;
}

static inline void
union_unite(uint64 *parent, uint64 i, uint64 j)
{
	i = union_root(parent, i);
	j = union_root(parent, j);
	parent[Max(i, j)] = Min(i, j);
}

#endif							/* PPREPUB_FRAME_UNION_FIND_H */
