/*
 * cutting.h
 *		A set of records while cuts of it are tried: what cut_runs.c lays out, and cuts.c weighs.
 */
#ifndef PPREPUB_PARTITION_CUTTING_H
#define PPREPUB_PARTITION_CUTTING_H

#include "partition/groups.h"

/* Consecutive items that a dimension does not part: those of a code, or of a child. */
typedef struct CutRun
{
	uint32		from;			/* order[from] is the first */
	uint32		rows;
	double		left_loss;		/* of all before this one */
	bool		allowed;		/* by itself */
} CutRun;

typedef enum Shape
{
	NO_CUT,
	TWO_SIDES,					/* runs before one, and from it on */
	CHILD_AND_REST,				/* one run, and all others */
	ALL_CHILDREN				/* each run that is allowed, and the others */
} Shape;

typedef struct Cut
{
	Shape		shape;
	int			d;				/* dimension */
	uint32		run;
	double		saved;			/* loss, over all rows */
	double		spent;			/* bits, over all rows */
} Cut;

/* One side of a cut while runs come to it. */
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

	/* The set to be cut: a part of the stack.  An item is a place in it. */
	uint32		nitems;
	uint32	   *record;			/* [nitems] */
	Code	   *tuples;			/* [nitems * dimensions] */
	uint32	   *nrows;			/* [nitems] */
	uint64		rows;
	double		loss;			/* of all rows together */
	bool		finely;			/* is it looked at code by code, however large it is? */
	Span	   *hull;			/* [dimensions] */

	CutStack	sample;			/* some items of a large set, MAX_SAMPLE at most; no parts */

	/* The set along one dimension */
	int			d;				/* -1: it is not laid out yet */
	uint32	   *order;			/* [nitems] the items by their codes */
	uint32	   *spare;			/* [nitems] where they are sorted from, or to */
	Code	   *held;			/* [dimensions] a tuple that is being moved */
	uint32		nruns;
	CutRun	   *runs;			/* [nruns + 1] the last one is an end mark */
	Part	   *parts;			/* [nruns + 1] room for those that a cut makes, counted from the set's start */
	Span	   *run_hulls;		/* [MAX_HULLS * dimensions] of the first ones */
	uint32	   *place;			/* [nitems + MIN_COUNTED + 1] */
	Side		side;

	/* The values on both sides of a boundary, where the principle is not monotonous */
	Tally	   *all;			/* of the set; empty until it is asked for */
	Tally	   *before;
	Tally	   *behind;
	uint32		boundary;		/* a run, the first one behind; 0 if nothing was counted yet */

	/* Which dimension to look along first; kept from set to set */
	int		   *ranked;			/* [dimensions] */
	double	   *promise;		/* [dimensions] what may be saved per bit; 0 if no cut was offered */

	/* The best cuts so far */
	Cut			densest;		/* saves most per bit */
	Cut			greatest;		/* saves most */
};

/* Sets of more items than a few times that are sampled. */
#define MAX_SAMPLE	256

/* cut_runs.c */

/* Makes a part of the stack the set to be cut. */
extern void measure_set(Cutter *cutter, CutStack *stack, Part part);

/* Makes items of a part that are so many apart the set to be cut, if only to see along which dimension. */
extern void measure_sample(Cutter *cutter, const CutStack *stack, Part part, uint32 step);

/* Lays the set out along a dimension, if it is not: in order, and in runs. */
extern void turn_to(Cutter *cutter, int d);

/* One side, to which runs come. */
extern void clear_side(Cutter *cutter);
extern void add_run(Cutter *cutter, const CutRun *run);
extern double side_loss(Cutter *cutter);

/*
 * How many items it takes until the necessary principle allows them, counted from the
 * given one on in steps of 1 or -1; 0 if all n do not suffice.
 */
extern uint32 items_needed(Cutter *cutter, const uint32 *items, uint32 n, int step);

/* Does the principle allow these items? */
extern bool items_allowed(Cutter *cutter, const uint32 *items, uint32 n);

/* Are the runs before this one allowed, and those from it on?  Runs are asked of from the last one down. */
extern bool sides_are_allowed(Cutter *cutter, uint32 b);

/* Puts the items of the set in this order, circle by circle, and forgets the order. */
extern void arrange_items(Cutter *cutter, uint32 *order);

#endif							/* PPREPUB_PARTITION_CUTTING_H */
