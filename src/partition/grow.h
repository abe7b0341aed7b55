/*
 * grow.h
 *		Classes in which no row is linked to a value too well, from the bottom up,
 *		losing little.
 *
 * A class of n rows, c of which have a value, links each of its members to that
 * value with the chance of c in n.  So each member demands that n / c be a
 * ratio at least.  Unlike a principle this is not monotonous: one more row may
 * bring a value once too often, or a member who demands more.
 */
#ifndef PPREPUB_PARTITION_GROW_H
#define PPREPUB_PARTITION_GROW_H

#include "partition/classes.h"

/* A row demands more of a value than all rows do of all values. */
typedef struct Demand
{
	Code		value;
	double		ratio;			/* beyond all numbers of rows: never */
} Demand;

typedef struct Ratios Ratios;

struct Ratios
{
	const Code *value;			/* [rows of the frame] that are to be protected, or NO_CODE */
	const uint64 *first_value;	/* [rows + 1] of a row that stands for several values, values[first_value[row]] and so
								 * on, value[row] is the most frequent; NULL: it is the only one */
	const Code *values;			/* equal ones side by side; each of them counts */
	Code		nvalues;
	double		base;			/* demanded by all rows, of every value; 1 or more */

	const uint64 *first;		/* [rows + 1] row's demands are first[row] up to, not including, first[row + 1]; NULL
								 * for none at all */
	const Demand *demands;		/* those of a row: the greatest first */

	/*
	 * Are so many rows, count of which have the value, enough?  Asked where a demand's ratio comes so near to size /
	 * count that rounding decides.
	 */
	bool		(*is_met) (const Ratios *self, RowId row, const Demand *demand, uint64 size, uint64 count);
};

/* The greatest demand of a row on a value of its own, or NULL if no more than all rows demand. */
extern const Demand *own_demand(const Ratios *ratios, RowId row);

/*
 * Cuts the given rows of the frame into classes that meet the ratios.  Rows that
 * were not asked for are in a class only where they help to make it large
 * enough.  A row without a protected value needs no company: what is left of
 * these stands in classes of equal rows.  Rows that no class can take are in
 * none.
 *
 * Regions are the smallest cells that cover their members.  The result is the
 * same for the same frame, rows and seed.  Everything returned is allocated in
 * the caller's context; the array rows is permuted.
 */
extern Classes *grow_classes(const Frame *frame, RowId *rows, uint64 nrows, const Ratios *ratios, uint64 seed);

#endif							/* PPREPUB_PARTITION_GROW_H */
