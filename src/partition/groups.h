/*
 * groups.h
 *		Sets of rows on their way to become classes: what the steps of
 *		mondrian() hand to each other.
 *
 * cuts.c cuts records into blocks; gather.c gathers the records of a block
 * into groups; exchange.c moves rows between groups; deal.c deals groups that
 * are larger than need be into classes.  Each of them leaves every group
 * allowed by the principle.
 */
#ifndef PPREPUB_PARTITION_GROUPS_H
#define PPREPUB_PARTITION_GROUPS_H

#include "partition/classes.h"
#include "partition/principle.h"
#include "partition/records.h"

#define NO_PIECE PG_UINT32_MAX

/* Some of the rows of one record, in one group. */
typedef struct Piece
{
	uint32		record;
	uint32		begin;			/* rows[begin] up to, not including, rows[end] */
	uint32		end;
	uint32		next;			/* the group's next piece, or NO_PIECE */
} Piece;

typedef struct Group
{
	uint64		rows;			/* 0: the group is gone */
	double		loss;			/* of one row */
	uint32		head;			/* its first piece; some may be empty */
} Group;

/* The state of one call of mondrian(); all of it dies with the call. */
typedef struct Work
{
	/* Input */
	const Frame *frame;			/* borrowed */
	const Principle *principle; /* borrowed */
	Records    *records;

	/* Groups */
	uint32		ngroups;
	uint32		groups_allocated;
	Group	   *groups;
	Span	   *hulls;			/* [groups * dimensions] */
	uint32		npieces;
	uint32		pieces_allocated;
	Piece	   *pieces;

	/* Scratch; the tally is empty between uses */
	Tally	   *tally;
	Span	   *hull;			/* [dimensions] */
} Work;

/* An item of a cut: records stand in an array, and are cut by permuting it. */
typedef struct Part
{
	uint32		from;
	uint32		to;
} Part;

/* groups.c: the words that all steps use. */
extern Work *work_create(const Frame *frame, RowId *rows, uint64 nrows,
						 const Principle *principle, uint64 seed);
extern uint32 piece_create(Work *work, uint32 record, uint32 begin, uint32 end, uint32 next);
extern uint32 group_create(Work *work);
extern void group_measure(const Work *work, Group *group, Span *hull);

static inline Span *
group_hull(const Work *work, uint32 group)
{
	return &work->hulls[(Size) group * work->records->ndimensions];
}

static inline uint32
piece_rows(const Piece *piece)
{
	return piece->end - piece->begin;
}

/* Counts rows begin .. end in the tally, or no longer. */
extern void count_rows(Work *work, uint32 begin, uint32 end);
extern void uncount_rows(Work *work, uint32 begin, uint32 end);

/*
 * Does the principle allow what is in the tally, together with rows begin ..
 * end?  Counts only as many of them as it takes: *counted says up to where.
 */
extern bool count_until_allowed(Work *work, uint32 begin, uint32 end, uint32 *counted);

/* Does the principle allow a group, without the last rows of one piece? */
extern bool group_allowed(Work *work, const Group *group, uint32 spoiled, uint32 missing);

/* layout.c, cuts.c */
typedef struct Cutter Cutter;
extern Cutter *cutter_create(Work *work);
extern uint32 cut_records(Cutter *cutter, uint32 *items, uint32 nitems, Part *parts);

/* gather.c: at most so many records can be gathered in one block. */
#define MAX_BLOCK 64
typedef struct Gatherer Gatherer;
extern Gatherer *gatherer_create(Work *work);
extern void gather_records(Gatherer *gatherer, const uint32 *items, uint32 nitems);

/* exchange.c */
extern void exchange_rows(Work *work);

/* deal.c */
extern Classes *deal_classes(Work *work, uint64 nrows, MemoryContext context);

#endif							/* PPREPUB_PARTITION_GROUPS_H */
