/*
 * ratios.h
 *		How much larger than frequent: what a class must be before it may link
 *		its members to a sensitive value.
 *
 * A class of n rows, c of which have a value, links each of its members to that
 * value with the chance of c in n.  So each member demands that n / c be a
 * ratio at least.  Unlike a principle this is not monotonous: one more row may
 * bring a value once too often, or a member who demands more.
 */
#ifndef PPREPUB_PARTITION_RATIOS_H
#define PPREPUB_PARTITION_RATIOS_H

#include "frame/frame.h"

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

static inline bool
base_is_met(const Ratios *ratios, uint64 size, uint64 count)
{
	return size >= ratios->base * count;
}

extern bool demand_is_met(const Ratios *ratios, RowId row, const Demand *demand, uint64 size, uint64 count);

/* The demand of a row on its own value, or NULL if no more than all rows demand. */
extern const Demand *own_demand(const Ratios *ratios, RowId row);

/* The greatest of a row's demands, of whatever value, or NULL. */
extern const Demand *greatest_demand(const Ratios *ratios, RowId row);

/* The smallest class that links the row to its own value, if no other row has it; PG_UINT64_MAX for none. */
extern uint64 least_size(const Ratios *ratios, RowId row);

/*
 * Rows on their way to become a class of a goal, which is a number of rows: how
 * often they have each value, and who demands most of it.
 */
typedef struct Crowd
{
	const Ratios *ratios;		/* borrowed */
	uint64		goal;
	uint64		size;
	uint32	   *count;			/* [values] */
	uint32		most;			/* of them */
	const Demand **worst;		/* [values] or NULL; of the values demanded */
	RowId	   *worst_of;		/* [values] whose it is */
	bool	   *is_close;		/* [values] another row demands nearly as much */

	/* Values that are counted or demanded */
	Code		ntouched;
	Code	   *touched;
	bool	   *is_touched;		/* [values] */
} Crowd;

extern Crowd *crowd_create(const Ratios *ratios);
extern void crowd_clear(Crowd *crowd);
extern uint64 crowd_add(Crowd *crowd, RowId row);	/* returns how many steps that took */
extern void crowd_count(Crowd *crowd, RowId row);	/* whatever it demands */

/* Would a class of the goal be allowed with one more row of a value, as far as these rows go? */
extern bool crowd_has_room(const Crowd *crowd, Code value);

/* Would a class of the goal be allowed, as far as these rows and one more go? */
extern bool crowd_admits(const Crowd *crowd, RowId row);

/* Would one of a row's demands be met by a class of the goal, as far as these rows and that one go? */
extern bool crowd_meets(const Crowd *crowd, RowId row, const Demand *demand);

/* Are the rows allowed as a class of the goal? */
extern bool crowd_is_allowed(const Crowd *crowd);

/* All that a crowd knows of its rows, kept in the current context; recalled into an empty one. */
typedef struct CrowdKept CrowdKept;
extern CrowdKept *crowd_keep(const Crowd *crowd);
extern void crowd_recall(Crowd *crowd, const CrowdKept *kept);

#endif							/* PPREPUB_PARTITION_RATIOS_H */
