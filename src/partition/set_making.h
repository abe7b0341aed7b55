/*
 * set_making.h
 *		Sets of signatures on their way: what their makers hand to each other.
 */
#ifndef PPREPUB_PARTITION_SET_MAKING_H
#define PPREPUB_PARTITION_SET_MAKING_H

#include "common/pg_prng.h"
#include "frame/tuple_numbers.h"
#include "partition/buckets.h"
#include "partition/groups.h"

typedef struct MadeSet
{
	uint32		signature;
	uint32		true_rows;
	uint64		first;			/* its cells */
} MadeSet;

typedef struct Making
{
	const Frame *frame;
	const Paths *paths;
	uint32		m;
	uint32		together;		/* sets that newcomers form at once */
	bool		shares;			/* do local sets take signatures that others have, if that costs little? */
	pg_prng_state random;
	Refusal    *refusal;

	TupleNumbers *signatures;	/* their values, ascending */
	uint64		nsets;
	uint64		returning;		/* the first so many have people who were published before */
	uint64		sets_allocated;
	MadeSet    *sets;
	Span	   *hulls;			/* [sets * dimensions] of true rows */
	uint64		ncells;
	uint64		cells_allocated;
	RowId	   *cells;			/* NO_ROW: nobody yet */
	const Records *measure;		/* of no row: its dimensions, which hulls have */

	/* Newcomers by value: those from first_new[v] up to, not including, end_new[v] are not yet in a set */
	uint64	   *first_new;		/* [values + 1] */
	uint64	   *end_new;		/* [values] */
	RowId	   *newcomer;
	bool	   *was_shown;		/* [values] in an earlier release, as far as the past tells */

	/*
	 * Where signatures are not of values, or else NULL: which newcomers may take a free cell, by the frame's codes,
	 * and one by one
	 */
	Code		(*code_of_cell) (const struct Making *making, uint64 set, uint32 cell); /* or NO_CODE */
	bool		(*fits) (const struct Making *making, uint64 set, uint32 cell, RowId row);
} Making;

static inline Span *
set_hull(const Making *making, uint64 set)
{
	return making->hulls + set * making->measure->ndimensions;
}

static inline uint32
set_values(const Making *making, uint64 set)
{
	return tuple_width(making->signatures, making->sets[set].signature);
}

static inline Code
row_code(const Making *making, int d, RowId row)
{
	return making->frame->code[making->measure->dimensions[d].qi][row];
}

/* The loss of a row of a set with this hull and one row more, over all its cells. */
static inline double
loss_with_row(const Making *making, const Span *hull, RowId row)
{
	double		loss = 0;

	for (int d = 0; d < making->measure->ndimensions; d++)
	{
		Code		code = row_code(making, d, row);

		loss += span_loss(&making->measure->dimensions[d], Min(hull[d].lo, code), Max(hull[d].hi, code));
	}
	return loss;
}

static inline void
hull_add_row(const Making *making, Span *hull, RowId row)
{
	for (int d = 0; d < making->measure->ndimensions; d++)
		span_widen(&hull[d], row_code(making, d, row));
}

/* In rows withheld: what all rows of a set lose more if one joins it. */
static inline double
cost_of_joining(const Making *making, uint64 set, RowId row)
{
	const Span *hull = set_hull(making, set);
	double		rows = making->sets[set].true_rows;

	if (rows == 0)
		return 0;
	return ((rows + 1) * loss_with_row(making, hull, row) - rows * hull_loss(making->measure, hull)) /
		Max(making->measure->ndimensions, 1);
}

/* Newcomers are promised m candidates; people who came when m was smaller stay with what they have. */
static inline bool
is_large(const Making *making, uint64 set)
{
	return set_values(making, set) >= making->m;
}

/* signature_sets.c: no set yet; a set of a signature, without any row; and a row in a cell of it, or all rows. */
extern void making_clear(Making *making);
extern uint64 set_create(Making *making, uint32 signature);
extern void set_put(Making *making, uint64 set, uint32 cell, RowId row);
extern void set_fill(Making *making, uint64 set, const RowId *cell);

/* A row, or a place, or a set of other rows. */
typedef struct Point
{
	uint64		key;			/* where it lies, along the quasi-identifier at hand */
	uint64		set;			/* NO_PLACE for a newcomer */
	uint32		cell;
	RowId		row;			/* NO_ROW while a place is free; of a newcomer in a set, too */
} Point;

#define NO_PLACE PG_UINT64_MAX

typedef void (*MeetPoints) (Making *making, Point *points, uint32 n, void *state);

/*
 * follow.c: halves points until they are few, at best between two places, and has these meet, if they are to; those that lie in
 * one place are mixed.
 */
extern void halve_points(Making *making, Point *points, uint64 n, uint32 few, MeetPoints meet, void *state);

/* Newcomers take places that are free near them, and leave the lists. */
extern void follow(Making *making);

/* settle.c: people of small sets move to places that are free in other sets of their signature. */
extern void dissolve_small_sets(Making *making);

/*
 * Returns all sets, signature by signature, those that lie close together beside each other: those of signature b are from
 * first[b] up to, not including, first[b + 1], [signatures + 2].
 */
extern Point *order_sets(Making *making, uint64 *first);

/*
 * local_sets.c: all newcomers of the lists make sets, but for those of fewer than m values, who
 * are returned in the order of these.
 */
extern uint64 make_local_sets(Making *making, RowId *rows);

#endif							/* PPREPUB_PARTITION_SET_MAKING_H */
