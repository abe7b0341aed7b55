/*
 * growing.h
 *		Classes while they grow: what the steps of grow_classes() hand to each
 *		other.
 *
 * grow.c leaves out the rows for which there is no class whatever is done;
 * grow_blocks.c cuts the others into blocks, or from the top down into classes;
 * grow_seed.c grows classes in a block, or from the rest of several; grow_adopt.c
 * finds classes for single rows that are left.  Each of them leaves every class
 * allowed.
 */
#ifndef PPREPUB_PARTITION_GROWING_H
#define PPREPUB_PARTITION_GROWING_H

#include "partition/grow.h"
#include "partition/groups.h"

#define NO_CLASS PG_UINT32_MAX

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

/* Whether a class has a value is told by a bit; values share bits where they are more than that. */
#define VALUE_BITS 256

typedef struct Grown
{
	uint64		size;
	double		loss;			/* of one row */
	uint64		asked;			/* rows that lose it */
	RowId		head;			/* its first member */
	CrowdKept  *crowd;			/* what its members have and demand, or NULL: see grow_adopt.c */
	uint64		values[VALUE_BITS / 64];
} Grown;

typedef struct Growth
{
	/* Input, borrowed */
	const Frame *frame;
	const Ratios *ratios;
	const GrowOptions *options;
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

static inline uint64 *
value_word(Grown *class, Code value)
{
	return &class->values[value % VALUE_BITS / 64];
}

static inline uint64
value_bit(Code value)
{
	return UINT64CONST(1) << (value % 64);
}

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

/*
 * grow_blocks.c: puts all rows into batches, in blocks of so many rows at least.
 * split_records() makes classes of sets that are allowed as they are, and puts only the rest into batches.
 */
extern void cut_into_blocks(Growth *growth, Work *work, uint64 size);
extern void split_records(Growth *growth, Work *work, uint64 size);

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
typedef struct Adoption
{
	uint32		near;
	uint32		reach;
	int			best;			/* passes in which all look for the class where they lose least */
	int			any;			/* passes in which they take any */
} Adoption;

extern uint32 adopt_from_batches(Growth *growth, uint32 first, uint32 end, const Adoption *adoption);

/* grow.c */
extern uint32 grown_create(Growth *growth);
extern void grown_add(Growth *growth, uint32 c, RowId row);
extern double grown_loss(Growth *growth, uint32 c); /* of one row */

#endif							/* PPREPUB_PARTITION_GROWING_H */
