/*
 * arrays.h
 *		Arrays as long as there are rows, or people: more than PostgreSQL's usual
 *		gigabyte, if need be.
 *
 * New arrays live in the current context.  Each has room for one element more
 * than asked: so an array of no elements can be allocated, and an array of
 * beginnings can also hold the end of the last part.
 */
#ifndef PPREPUB_FRAME_ARRAYS_H
#define PPREPUB_FRAME_ARRAYS_H

#include "postgres.h"

#include "utils/palloc.h"

#define new_array(type, n) \
	((type *) palloc_extended(sizeof(type) * ((Size) (n) + 1), MCXT_ALLOC_HUGE))
#define new_zeros(type, n) \
	((type *) palloc_extended(sizeof(type) * ((Size) (n) + 1), MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO))

/*
 * Arrays that grow.  An array that is NULL is made in the current context; any
 * other stays in its own.  "room" is the variable that counts the elements that
 * have room.  Several arrays can share one:
 *
 *		if (n == room)
 *		{
 *			room = array_room(room, n + 1);
 *			array_resize(a, room);
 *			array_resize(b, room * width);
 *		}
 */
#define array_room(room, needed)	array_room_after(room, needed, sizeof(room))
#define array_resize(array, n)		((array) = array_resized(array, sizeof(*(array)), n))
#define array_reserve(array, room, needed) \
	do { \
		if (unlikely((needed) > (room))) \
		{ \
			(room) = array_room(room, needed); \
			array_resize(array, room); \
		} \
	} while (0)

/* Like array_reserve(), but the new elements are zeros. */
#define array_reserve_zeros(array, room, needed) \
	do { \
		uint64		room_before = (room); \
		array_reserve(array, room, needed); \
		memset((array) + room_before, 0, sizeof(*(array)) * ((room) - room_before)); \
	} while (0)

/* Doubles the room, or takes what is needed; a room variable of 4 bytes must not overflow. */
static inline uint64
array_room_after(uint64 room, uint64 needed, Size bytes)
{
	uint64		most = bytes <= sizeof(uint32) ? PG_UINT32_MAX : PG_INT64_MAX;
	uint64		doubled = Min(Max(room * 2, 4), most);

	return Max(needed, doubled);
}

static inline void *
array_resized(void *array, Size width, uint64 n)
{
	Size		size = width * ((Size) n + 1);

	return array == NULL ? palloc_extended(size, MCXT_ALLOC_HUGE) : repalloc_huge(array, size);
}

/*
 * Sets a variable to the first i of n places for which a condition holds, which then holds for all behind it, too; to n where
 * there is none.
 */
#define find_first(first, n, i, condition) \
	do { \
		uint64		behind_ = (n); \
		(first) = 0; \
		while ((first) < behind_) \
		{ \
			uint64		i = (first) + (behind_ - (first)) / 2; \
			if (condition) \
				behind_ = i; \
			else \
				(first) = i + 1; \
		} \
	} while (0)

/*
 * Functions for qsort() that order structs by one field after the other, as in
 *
 *		DEFINE_ORDER(compare_ranked, Ranked, DESCENDING(amount) ASCENDING(what));
 *
 * and for qsort_arg(), that order indexes by what an array has there: those come first that are < to others, or >.
 */
#define ASCENDING(field) \
	if (x->field != y->field) \
		return x->field < y->field ? -1 : 1;
#define DESCENDING(field) \
	if (x->field != y->field) \
		return x->field > y->field ? -1 : 1;
#define DEFINE_ORDER(name, type, fields) \
	static int \
	name(const void *a, const void *b) \
	{ \
		const type *x = a; \
		const type *y = b; \
		fields \
		return 0; \
	} \
	static int	name(const void *a, const void *b)
#define DEFINE_ORDER_BY_KEY(name, index, key, comes_first) \
	static int \
	name(const void *a, const void *b, void *keys) \
	{ \
		key			x = ((const key *) keys)[*(const index *) a]; \
		key			y = ((const key *) keys)[*(const index *) b]; \
		return x comes_first y ? -1 : y comes_first x; \
	} \
	static int	name(const void *a, const void *b, void *keys)

/*
 * Lists the members of each group, in ascending order: those of group g are member[first[g]] up to, not including,
 * member[first[g + 1]].
 */
static inline void
list_by_group(const uint32 *group, uint64 n, uint64 ngroups, uint64 **first, uint32 **member)
{
	uint64	   *end = new_zeros(uint64, ngroups + 1);

	*member = new_array(uint32, n);
	for (uint64 i = 0; i < n; i++)
		end[group[i] + 2]++;
	for (uint64 g = 0; g < ngroups; g++)
		end[g + 2] += end[g + 1];
	for (uint64 i = 0; i < n; i++)
		(*member)[end[group[i] + 1]++] = i;
	*first = end;				/* each group ends now where the next one begins */
}

/*
 * Which of many things hang together, as pairs of them are united.  Each points to another one of its set, and so on up to the
 * root, which is the first of them and points to itself.  At first each is by itself.
 */
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

#endif							/* PPREPUB_FRAME_ARRAYS_H */
