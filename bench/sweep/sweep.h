/*
 * sweep.h
 *		The paper's own way to publish again: Listing 1 of Barbosa, Pinto and
 *		Gomes, a peer for tests and for the bench.
 *
 * A release is cut as if there had been none before it, and then its classes
 * are swept in some order, each being tested against the neighborhoods that it
 * meets.  Taken literally the listing leaks, rejects without need, or cannot
 * be carried out; what it takes to be safe are the points below.
 */
#ifndef PPREPUB_BENCH_SWEEP_H
#define PPREPUB_BENCH_SWEEP_H

#include "known.h"

#include "method/method.h"

/* The points of the safe reading.  Where one is left out, the listing is taken literally. */
typedef enum SweepPoint
{
	POINT_EMPTY = 1 << 0,		/* P(empty set) holds, and sets of just k are not attacked */
	POINT_CLEAR = 1 << 1,		/* reject is cleared for every class */
	POINT_SPLIT = 1 << 2,		/* the update splits every E0, not the last one */
	POINT_ID = 1 << 3,			/* neighborhoods are known by id, not by region */
	POINT_UNPUBLISHED = 1 << 4, /* who was never published has no neighborhood */
	POINT_NEWCOMERS = 1 << 5,	/* the newcomers of a class are tested by themselves */
	POINT_REST = 1 << 6,		/* E0 - E1 is tested again after E1 has grown */
	POINT_TAKE_BACK = 1 << 7,	/* rejecting takes back the bits of dirty records */
	POINT_ZEROS = 1 << 8,		/* newcomers get zeros for the releases before, and
								 * the deleted still count in E0 */
	POINT_BOX = 1 << 9,			/* the union of two regions is a box */
	POINT_ORIGINAL = 1 << 10	/* only the members that E1 was cut with are
								 * iterated over */
} SweepPoint;

/* Point 12 is not a switch: the result depends on the order of classes. */
typedef enum SweepOrder
{
	ORDER_AS_CUT,
	ORDER_LARGEST_FIRST,
	ORDER_SMALLEST_FIRST,
	ORDER_RANDOM
} SweepOrder;

typedef enum SweepRepair
{
	SWEEP_DIRTY,				/* all of E0 that are not in the release join */
	SWEEP_MINIMAL,				/* as few of them as will do */
	SWEEP_NONE
} SweepRepair;

typedef Classes *(*SweepCutter) (const Frame *frame, RowId *rows, uint64 nrows,
								 const Principle *principle, uint64 seed);

typedef struct SweepOptions
{
	uint64		k;
	uint32		l;
	SweepRepair repair;
	SweepOrder	order;
	uint32		left_out;		/* a set of SweepPoints */
	bool		by_signature;	/* who was in different releases is cut apart */
	uint64		reserve;		/* times k that classes are cut to have, where there
								 * are enough; what is allowed is k all the same */
	SweepCutter cut;
} SweepOptions;

typedef struct Sweep
{
	SweepOptions options;
	Known	   *known;			/* the paper's db, but for its signatures */

	/*
	 * Signatures are strings of bits of the same length, one for each release,
	 * so it does to number those that occur.
	 */
	uint32	   *signature;		/* [people] or NO_SIGNATURE for who is not stored */
	uint32		nsignatures;
	uint32		zeros;			/* the signature of zeros only */

	uint64		visits;			/* times that lines 10 to 27 were gone through */
} Sweep;

#define NO_SIGNATURE PG_UINT32_MAX

/* A db of so many people, none of whom has been published. */
extern Sweep *sweep_create(uint32 npeople, int nqis, const SweepOptions *options);

/* Cuts a release of the rows asked for, and sweeps over it; person[] says whose rows these are. */
extern Draft *sweep_draft(Sweep *sweep, const Frame *frame, const uint32 *person, uint64 seed);

/* Drafts a release that is cut already. */
extern Draft *sweep_classes(Sweep *sweep, const Frame *frame, const uint32 *person,
							const Classes *cut, uint64 seed);

#endif							/* PPREPUB_BENCH_SWEEP_H */
