/*
 * lots.h
 *		The people of the new release, and how specific their records are so far.
 *
 * People who have the same nodes in all earlier releases, and the same values in
 * the new one, are a *band*; those of a band who have the same cells there, too,
 * are a *lot*: whatever is done to one of them might as well be done to another.
 * A *region* is a cell for each column, a *piece* are the records of a region with
 * the same sensitive value, and a *place* what of a piece other releases show,
 * too: it is a node of the web for as long as there is a record in it.
 */
#ifndef PPREPUB_METHOD_SEQUENTIAL_LOTS_H
#define PPREPUB_METHOD_SEQUENTIAL_LOTS_H

#include "frame/tuple_numbers.h"
#include "method/sequential/specialise.h"
#include "method/sequential/web.h"

#define NOTHING PG_UINT32_MAX

/* A table has no more columns */
#define MAX_SEQ_COLUMNS 1600

typedef struct Lot
{
	uint32		band;
	uint32		piece;
	uint32		size;			/* people */
	uint32		next;			/* of the band, or NOTHING */
} Lot;

/* Its pieces that have records */
typedef struct Region
{
	uint32		first;			/* or NOTHING */
	uint32		npieces;
} Region;

typedef struct RegionPiece
{
	uint32		region;
	Code		value;			/* NO_CODE where it is not shown */
	uint32		size;			/* records */
	uint32		place;
	uint32		next;			/* of those of the region that have records, or NOTHING */
	uint32		prev;
} RegionPiece;

typedef struct SeqPlace
{
	uint32		size;			/* records */
	uint32		node;			/* of the web; NOTHING without records */
} SeqPlace;

/* People who were made more specific */
typedef struct Shift
{
	uint32		from;			/* lots */
	uint32		to;
	uint32		size;
	uint32		from_node;		/* of their places, as they were before */
	uint32		to_node;
} Shift;

typedef struct SeqPeople
{
	const SeqTask *task;		/* borrowed */
	const JoinGraph *graph;		/* borrowed; of the new release, only which columns are shared */
	int32		last;			/* number of the new release */
	int32		ncolumns;
	bool	   *shared;			/* [columns] shown by an earlier release, too */
	bool		value_shared;	/* so is the sensitive value */
	uint32	   *first_node;		/* [releases] of each release, in the web */
	Web		   *web;
	MemoryContext web_context;

	/* Bands */
	uint32		nbands;
	uint64	   *first_member;	/* [bands + 1] */
	uint32	   *member;			/* [records] of the new release, band by band */
	uint32	   *node;			/* [bands * last] their nodes in the web */
	Code	   *code;			/* [bands * columns] */
	Code	   *value;			/* [bands] */
	uint32	   *fixed;			/* [bands] other columns of the new release that are shared */
	uint32	   *fixed_record;	/* [of those] a record */
	uint32	   *lots;			/* [bands] first lot */

	/* Lots */
	uint32		nlots;
	uint32		lot_room;
	Lot		   *lot;

	/* Regions by fixed columns and the nodes of cells; pieces by region and value; places */
	TupleNumbers *regions;
	uint32		region_room;
	Region	   *region;			/* [regions] */
	TupleNumbers *piece_numbers;
	uint32		piece_room;
	RegionPiece *piece;
	TupleNumbers *place_numbers;
	uint32		place_room;
	SeqPlace   *place;
	uint32		node_room;
	uint32	   *place_of;		/* [nodes of the web, from the last release's on] */

	double		loss;			/* of all cells, as far as it was added up */
	uint64		version;		/* changes with every shift, and with every web */
	Shift	   *shift;			/* what was done */
	uint32		nshifts;
	uint32		shift_room;
} SeqPeople;

/* All cells withheld; the web is settled. */
extern SeqPeople *people_create(const SeqTask *task, const JoinGraph *graph);

/* The tree node of a lot's cell in a column. */
static inline uint32
lot_cell(const SeqPeople *people, uint32 lot, int32 column)
{
	return tuple_words(people->regions, people->piece[people->lot[lot].piece].region)[1 + column];
}

static inline Code
lot_code(const SeqPeople *people, uint32 lot, int32 column)
{
	return people->code[(Size) people->lot[lot].band * people->ncolumns + column];
}

/* The cell of a region, or a place, in a column.  Absent people are withheld: ANYTHING. */
static inline Span
cell_of_key(const SeqPeople *people, const uint32 *key, int32 column)
{
	return is_record_of_absent(people->task, people->fixed_record[key[0]]) ? ANYTHING :
		people->task->column[column].span[key[1 + column]];
}

/* Is a column of the join one whose cells are to be found? */
extern bool is_cell_column(const SeqPeople *people, int32 column);

/* The next node of a tree towards a leaf that says more. */
extern uint32 step_down(const Tree *tree, uint32 node, Code code);

static inline bool
is_leaf(const Tree *tree, uint32 node)
{
	return tree->nodes[node].leaves.lo == tree->nodes[node].leaves.hi;
}

/* Can a lot's cell become more specific? */
static inline bool
can_step(const SeqPeople *people, uint32 lot, int32 column)
{
	return people->lot[lot].size > 0 && lot_code(people, lot, column) != NO_CODE &&
		!is_leaf(people->task->column[column].tree, lot_cell(people, lot, column));
}

/* The piece whose records a lot's would be. */
extern uint32 piece_below(SeqPeople *people, uint32 lot, int32 column);

/* Makes so many of a lot more specific in a column; the web is not settled.  Returns their lot. */
extern uint32 people_shift(SeqPeople *people, uint32 lot, int32 column, uint32 size);

/* Makes so many of a lot as they were in a node above; the web must then be made anew. */
extern uint32 people_lift(SeqPeople *people, uint32 lot, uint32 region, uint32 size);

/* Makes the web anew, and settles it. */
extern void people_weave(SeqPeople *people);

static inline uint32
people_mark(const SeqPeople *people)
{
	return people->nshifts;
}

/* Undoes what was done since a mark, but for the web. */
extern void people_undo(SeqPeople *people, uint32 mark);

static inline void
people_commit(SeqPeople *people)
{
	people->nshifts = 0;
}

/* Adds up the loss of all cells. */
extern double people_loss(const SeqPeople *people);

/* Writes the cells of all people. */
extern void people_write(const SeqPeople *people);

#endif							/* PPREPUB_METHOD_SEQUENTIAL_LOTS_H */
