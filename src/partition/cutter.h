/*
 * cutter.h
 *		A set of records that is to be cut: how it lies along one dimension
 *		(layout.c), and which cut is the best (cuts.c).
 */
#ifndef PPREPUB_PARTITION_CUTTER_H
#define PPREPUB_PARTITION_CUTTER_H

#include "partition/groups.h"

/* Consecutive items that a dimension does not part: a code, or a child. */
typedef struct Bucket
{
	uint32		from;			/* order[from] is the first */
	uint32		rows;
	double		left_loss;		/* of all before this one */
	bool		allowed;		/* by itself */
} Bucket;

typedef enum Shape
{
	NO_CUT,
	TWO_SIDES,					/* buckets before one, and from it on */
	CHILD_AND_REST,				/* one bucket, and all others */
	ALL_CHILDREN				/* each bucket that is allowed, and the others */
} Shape;

typedef struct Cut
{
	Shape		shape;
	int			d;				/* dimension */
	uint32		bucket;
	double		saved;			/* loss, over all rows */
	double		spent;			/* bits, over all rows */
} Cut;

/* One side of a cut while buckets come to it. */
typedef struct Side
{
	Span	   *hull;			/* [dimensions] */
	double	   *losses;			/* [dimensions] of one row */
	double		loss;			/* their sum, unless widened since */
	bool		widened;
} Side;

struct Cutter
{
	Work	   *work;			/* borrowed */

	/* The set to be cut */
	uint32		nitems;
	uint64		rows;
	double		loss;			/* of all rows together */
	Span	   *hull;			/* [dimensions] */

	/* The same, along one dimension */
	int			d;
	uint32	   *order;			/* [nitems] the items by their codes */
	uint32	   *spare;			/* [nitems] where they are sorted from, or to */
	uint32		nbuckets;
	Bucket	   *buckets;		/* [nbuckets + 1] the last one is an end mark */
	Span	   *bucket_hulls;	/* [MAX_HULLS * dimensions] of the first ones */
	uint32	   *place;			/* [records + MIN_COUNTED + 1] */
	Side		side;

	/* What to look along first; kept from set to set */
	int		   *ranked;			/* [dimensions] */
	double	   *promise;		/* [dimensions] what may be saved per bit; 0 if no
								 * cut was offered */

	/* The best cuts so far */
	Cut			densest;		/* saves most per bit */
	Cut			greatest;		/* saves most */
};

/* Makes items the set to be cut. */
extern void measure_set(Cutter *cutter, const uint32 *items, uint32 nitems);

/* Lays the set out along a dimension. */
extern void turn_to(Cutter *cutter, const uint32 *items, int d);

/* One side: emptied, joined by a bucket, and what one row of it loses. */
extern void clear_side(Cutter *cutter);
extern void add_bucket(Cutter *cutter, const Bucket *bucket);
extern double side_loss(Cutter *cutter);

/*
 * How many items it takes until the principle allows them, counted from the
 * given one on in steps of 1 or -1; 0 if all n do not suffice.
 */
extern uint32 items_needed(Cutter *cutter, const uint32 *items, uint32 n, int step);

#endif							/* PPREPUB_PARTITION_CUTTER_H */
