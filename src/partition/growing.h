/*
 * growing.h
 *		Classes while they grow: what the steps of grow_classes() hand to each other (grow.c).
 */
#ifndef PPREPUB_PARTITION_GROWING_H
#define PPREPUB_PARTITION_GROWING_H

#include "partition/groups.h"
#include "partition/grow.h"

#define NO_CLASS PG_UINT32_MAX

/* ----------------------------------------------------------------
 * Demands and crowds (crowds.c)
 * ----------------------------------------------------------------
 */

static inline bool
base_is_met(const Ratios *ratios, uint64 size, uint64 count)
{
	return size >= ratios->base * count;
}

/* The values of a row: those that are protected, or NO_CODE alone. */
static inline const Code *
values_of(const Ratios *ratios, RowId row, uint64 *n)
{
	bool		is_one = ratios->first_value == NULL || ratios->value[row] == NO_CODE;

	*n = is_one ? 1 : ratios->first_value[row + 1] - ratios->first_value[row];
	return is_one ? &ratios->value[row] : &ratios->values[ratios->first_value[row]];
}

/* The greatest of a row's demands, of whatever value, or NULL. */
static inline const Demand *
greatest_demand(const Ratios *ratios, RowId row)
{
	return ratios->first == NULL || ratios->first[row] == ratios->first[row + 1] ? NULL : &ratios->demands[ratios->first[row]];
}

/* The smallest class that links the row to its own values, if no other row has them; PG_UINT64_MAX for none. */
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
extern void crowd_add(Crowd *crowd, RowId row);
extern void crowd_count(Crowd *crowd, RowId row);	/* whatever it demands */

/* Would a class of the goal be allowed with so many more of a value, as far as these rows go? */
extern bool crowd_has_room(const Crowd *crowd, Code value, uint32 more);

/* Would a class of the goal be allowed, as far as these rows and one more go? */
extern bool crowd_admits(const Crowd *crowd, RowId row);

/* Would one of a row's demands be met by a class of the goal, as far as these rows and that one go? */
extern bool crowd_meets(const Crowd *crowd, RowId row, const Demand *demand);

/* ----------------------------------------------------------------
 * Growth
 * ----------------------------------------------------------------
 */

typedef enum RowNeed
{
	NEEDS_CLASS,				/* rows with a protected value */
	ONLY_HELPS,					/* rows that were not asked for */
	NEEDS_NONE					/* rows that leave anyway, in a class or as they are */
} RowNeed;

/* Equal rows of one need that are in no class yet: records->rows[from] and so on. */
typedef struct Batch
{
	uint32		record;
	RowNeed		need;
	uint32		from;
	uint32		rows;
} Batch;

typedef struct Grown
{
	uint64		size;
	double		loss;			/* of one row */
	uint64		asked;			/* rows that lose it */
	RowId		head;			/* its first member */
} Grown;

typedef struct Growth
{
	/* Input, borrowed */
	const Frame *frame;
	const Ratios *ratios;
	Records    *records;
	uint64		least;			/* the size of a class in which no row demands more than all do */

	/* Rows that are in no class yet, in the order of the cuts */
	uint32		nbatches;
	Batch	   *batches;
	uint32		nblocks;
	uint32	   *block;			/* [nblocks + 1] its first batch */
	uint64		most;			/* rows of a block */
	RowId	   *spare;			/* [rows of the largest record] */

	/* Classes */
	uint32		nclasses;
	uint32		classes_allocated;
	Grown	   *classes;
	Span	   *hulls;			/* [classes * dimensions] */
	RowId	   *next;			/* [rows of the frame] the next member, or NO_ROW */
	uint32	   *record_of;		/* [rows of the frame] */
	double	   *own;			/* [rows of the frame] what each demands of its own value; NULL if none demands more
								 * than all do */

	Crowd	   *crowd;			/* empty between uses */
} Growth;

static inline Span *
grown_hull(const Growth *growth, uint32 c)
{
	return &growth->hulls[(Size) c * growth->records->ndimensions];
}

static inline bool
is_asked_for(const Growth *growth, RowId row)
{
	return growth->frame->asked == NULL || growth->frame->asked[row];
}

/* grow.c */
extern uint32 grown_create(Growth *growth);
extern void grown_add(Growth *growth, uint32 c, RowId row);

/* grow_seed.c: grows classes from these batches; returns how many rows that need a class are left there. */
typedef struct Seeder Seeder;
extern Seeder *seeder_create(Growth *growth);
extern uint32 grow_from_batches(Seeder *seeder, uint32 first, uint32 end);

/*
 * grow_adopt.c: classes that are not farther than reach from one take in rows of
 * these batches that need a class; returns how many find none.  Where a row was taken in, there
 * may be no place any more for another, which looks again in the next pass; and a
 * larger class may take in a row that it could not before.
 */
extern uint32 adopt_from_batches(Growth *growth, uint32 first, uint32 end, uint32 near, uint32 reach, int passes);

#endif							/* PPREPUB_PARTITION_GROWING_H */
