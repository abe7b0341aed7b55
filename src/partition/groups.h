/*
 * groups.h
 *		Sets of rows on their way to become classes: what the steps of mondrian() hand to each other (mondrian.c).
 */
#ifndef PPREPUB_PARTITION_GROUPS_H
#define PPREPUB_PARTITION_GROUPS_H

#include "frame/frame.h"
#include "partition/classes.h"
#include "partition/principle.h"

/* ----------------------------------------------------------------
 * Records: equal rows collapsed to the distinct tuples of quasi-identifiers, and
 * what covering several of them loses (records.c).  Everything that looks for
 * cuts works on records, not rows: a census has fifty times fewer of them.
 * ----------------------------------------------------------------
 */

/* One quasi-identifier, as records see it. */
typedef struct Dimension
{
	int			qi;				/* its number in the frame */
	const Domain *domain;		/* borrowed */
	Code		size;			/* of the domain */
	double		weight;			/* of losses */
	const float *losses;		/* [lo * size + hi] for small domains, or NULL */
	const double *position;		/* of a line, or NULL: the domain's, borrowed */
	double		width;			/* of the line, divided by the weight */
} Dimension;

/* The rows of a record that have one sensitive value, or none: NO_CODE. */
typedef struct ValueRows
{
	Code		value;
	uint32		rows;
} ValueRows;

typedef struct Records
{
	/*
	 * Dimensions stand with the smallest domain first: there a mismatch costs most, so that a search can give up on a
	 * candidate early.
	 */
	int			ndimensions;
	Dimension  *dimensions;

	/* Records, in the order of their tuples */
	uint32		nrecords;
	uint32	   *first;			/* [nrecords + 1] record r is rows[first[r]] up to, not including, rows[first[r + 1]] */
	Code	   *tuples;			/* [nrecords * ndimensions] */
	RowId	   *rows;			/* borrowed */

	/* Their values, where whole records are counted again and again (records_count_values), or NULL */
	uint32	   *first_value;	/* [nrecords + 1] */
	ValueRows  *values;
} Records;

/*
 * Sorts the rows by their tuples.  Inside a record they stand in an order that
 * is drawn from the seed, so that any run of them is as diverse as chance
 * makes it; sensitive codes fall in the same places however rows came.
 */
extern Records *records_collapse(const Frame *frame, RowId *rows, uint64 nrows,
								 uint64 seed);

/* No record, but the dimensions of the frame: what sets of single rows lose. */
extern Records *records_none(const Frame *frame);

/* Counts the values of each record, so that it can be added to a tally at once. */
extern void records_count_values(Records *records, const Frame *frame, Tally *tally);

static inline const Code *
record_tuple(const Records *records, uint32 record)
{
	return &records->tuples[(Size) record * records->ndimensions];
}

static inline uint32
record_rows(const Records *records, uint32 record)
{
	return records->first[record + 1] - records->first[record];
}

/* The loss of the smallest printable cell over these codes, as it weighs. */
static inline double
span_loss(const Dimension *dimension, Code lo, Code hi)
{
	const Tree *tree;
	const TreeNode *node;

	if (dimension->losses != NULL)
		return dimension->losses[(Size) lo * dimension->size + hi];
	if (lo == hi)
		return 0;
	/* Like domain_loss() of a line: most of the time goes here. */
	if (dimension->position != NULL)
		return hi == dimension->domain->null_code ? dimension->weight :
			(dimension->position[hi] - dimension->position[lo]) / dimension->width;
	/* Like domain_loss() of domain_cover(), of a tree that is climbed node by node. */
	tree = dimension->domain->tree;
	node = &tree->nodes[tree->leaf[lo]];
	while (node->leaves.hi < hi)
		node = &tree->nodes[node->parent];
	return dimension->weight * (node->leaves.hi - node->leaves.lo) / (dimension->size - 1);
}

/*
 * A hull is the codes between which a set lies, in every dimension: what
 * regions are before they are made printable.
 */
static inline void
hull_clear(const Records *records, Span *hull)
{
	for (int d = 0; d < records->ndimensions; d++)
		hull[d] = (Span) {NO_CODE, 0};
}

static inline void
hull_add_tuple(const Records *records, Span *hull, const Code *tuple)
{
	for (int d = 0; d < records->ndimensions; d++)
	{
		hull[d].lo = Min(hull[d].lo, tuple[d]);
		hull[d].hi = Max(hull[d].hi, tuple[d]);
	}
}

/* The loss of one row of a set with this hull, over all its cells. */
static inline double
hull_loss(const Records *records, const Span *hull)
{
	double		loss = 0;

	for (int d = 0; d < records->ndimensions; d++)
		loss += span_loss(&records->dimensions[d], hull[d].lo, hull[d].hi);
	return loss;
}

/* Like hull_loss(), of a hull together with a tuple.  Gives up, with no less than the limit, once the loss cannot be below it. */
static inline double
widened_loss(const Records *records, const Span *hull, const Code *tuple, double limit)
{
	double		loss = 0;

	for (int d = 0; d < records->ndimensions && loss < limit; d++)
		loss += span_loss(&records->dimensions[d],
						  Min(hull[d].lo, tuple[d]), Max(hull[d].hi, tuple[d]));
	return loss;
}

/* ----------------------------------------------------------------
 * Pieces and groups
 * ----------------------------------------------------------------
 */

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

/* The state while some records are partitioned; all of it dies with mondrian(). */
typedef struct Work
{
	/* Input */
	const Frame *frame;			/* borrowed */
	const Principle *principle; /* borrowed */
	bool		monotonous;		/* is the principle? */
	bool		many_records;	/* are there many? */
	Principle	necessary;		/* a monotonous one that allows all that the principle does; itself, if it is */
	Records    *records;
	Code	   *sensitive;		/* [rows] of the records' rows, in their order: these are counted again and again */

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

/* groups.c: the words that all steps use. */
extern Work *work_create(const Frame *frame, Records *records, uint64 nrows, const Principle *principle);
extern uint32 piece_create(Work *work, uint32 record, uint32 begin, uint32 end, uint32 next);
extern uint32 group_create(Work *work);

/* Measures a group anew after its pieces have changed. */
extern void group_measure(Work *work, uint32 group);

/* Moves the last rows of a piece to another group; neither is measured. */
extern void take_rows(Work *work, uint32 taker, uint32 piece, uint32 rows);

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

/* Lets two rows of one record change places. */
extern void swap_rows(Work *work, uint32 a, uint32 b);

/* Counts rows begin .. end in the tally, or no longer. */
extern void count_rows(Work *work, uint32 begin, uint32 end);
extern void uncount_rows(Work *work, uint32 begin, uint32 end);

/* Adds a record's rows to a tally, or takes them away; only where the principle is not monotonous. */
extern void add_record(const Work *work, Tally *tally, uint32 record);
extern void remove_record(const Work *work, Tally *tally, uint32 record);

/* Adds a group's rows to a tally, or takes them away. */
extern void add_group(const Work *work, Tally *tally, const Group *group);
extern void remove_group(const Work *work, Tally *tally, const Group *group);

/* Does the principle allow what is in the tally?  Empties it. */
extern bool allowed_at_once(Work *work);

/*
 * Does the necessary principle allow what is in the tally, together with rows begin ..
 * end?  Counts only as many of them as it takes: *counted says up to where.
 */
extern bool count_until_allowed(Work *work, uint32 begin, uint32 end, uint32 *counted);

/* Does the principle allow a group, without the last rows of one piece? */
extern bool group_allowed(Work *work, const Group *group, uint32 spoiled, uint32 missing);

/* ----------------------------------------------------------------
 * Steps
 * ----------------------------------------------------------------
 */

/* Some of the records that are to be cut. */
typedef struct Part
{
	uint32		from;
	uint32		to;
} Part;

/* mondrian_cuts.c: cuts all records from the top down; first they are one part. */
typedef struct Cutter Cutter;

extern Cutter *cutter_create(Work *work);

/* Takes a part that is still to be cut, and its records; false if there is none. */
extern bool next_part(Cutter *cutter, Part *part, const uint32 **items);

/*
 * Cuts a part that was taken into parts that are all allowed, in the way that saves most; these count
 * from its start, and are the cutter's until its next cut.  Returns how many, 0 when no cut is allowed or none saves
 * anything.
 */
extern uint32 cut_part(Cutter *cutter, Part part, const Part **parts);

/* Leaves so many parts to be cut, which count from the start of the part that they are of. */
extern void leave_parts(Cutter *cutter, uint32 start, const Part *parts, uint32 nparts);

/*
 * Among so many records each has near ones also where few are looked at: then blocks of 20 lose a fortieth more than
 * blocks of 64, and take a third of the time.  Of so many rows little is lost in any case: there a fifth of the records
 * will do.
 */
#define MANY_RECORDS	50000
#define MANY_ROWS		100000

/* gather.c: at most so many records can be gathered in one block, and so many are where there are many records. */
#define MAX_BLOCK	64
#define SMALL_BLOCK 20

typedef struct Gatherer Gatherer;
extern Gatherer *gatherer_create(Work *work);
extern void gather_records(Gatherer *gatherer, const uint32 *items, uint32 nitems);
extern void exchange_rows(Work *work);

/* Where slice i of n rows begins, if so many slices are as long as each other, or the first ones longer by one. */
static inline uint64
slice_start(uint64 n, uint64 nslices, uint64 i)
{
	return i * (n / nslices) + Min(i, n % nslices);
}

/* deal.c */
extern Classes *deal_classes(Work *work, uint64 nrows, MemoryContext context);

/*
 * Lays out hands, one after the other.  Cards with one value stand together; hand i gets as many of each
 * value as if card i, i + nhands, … were its own, but rows that are near each other.
 */
extern void deal_near(const Frame *frame, RowId *cards, uint64 n, uint64 nhands, RowId *hands);

#endif							/* PPREPUB_PARTITION_GROUPS_H */
