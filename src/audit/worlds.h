/*
 * worlds.h
 *		The search for worlds that agree with what is known.
 *
 * A world says how many people there are in each of many cells.  Cells are on lines, each of which has the same number
 * of people in all worlds.  So are the people of a class with a value, or the records of a node that are joined.  Is
 * there a world with people in a given cell?  From a world that is known another one is mostly near.
 *
 * That is NP-hard.  A search ends where its steps do, and says so; if it ends before, it has tried everything.
 */
#ifndef PPREPUB_AUDIT_WORLDS_H
#define PPREPUB_AUDIT_WORLDS_H

#include "postgres.h"

/* A cell's people: in the world at hand, and in those that are searched for */
typedef struct WorldCell
{
	uint32		people;
	uint32		least;
	uint32		most;
} WorldCell;

typedef struct WorldLine
{
	int64		off;			/* people of its cells who are too many, or too few */
	uint64		up;				/* how many more its cells may have */
	uint64		down;			/* how many less */
	uint32		place;			/* among the lines that are off, or NOWHERE */
} WorldLine;

typedef struct Worlds
{
	/* Given: borrowed */
	uint32		ncells;
	const uint64 *first_through;	/* [ncells + 1] */
	const uint32 *through;		/* lines of each cell */
	uint32		nlines;

	WorldCell  *cell;			/* [ncells] */
	WorldLine  *line;			/* [nlines] */
	uint64	   *first_on;		/* [nlines + 1] */
	uint32	   *on;				/* cells of each line */

	/* The search */
	uint64		steps;			/* taken by the last one */
	uint64		most_steps;
	uint64		nsearches;
	uint32	   *off;			/* [nlines] lines that are off */
	uint32		noff;
	struct CellChange *change;	/* private */
	uint64		nchanges;
	uint64		room_for_changes;
	struct LineTrial *trial;	/* private */
	uint64		ntrials;
	uint64		room_for_trials;
	bool	   *is_waiting;		/* [nlines] to be looked at, or NULL */
	uint32	   *waiting;		/* [nlines] */
} Worlds;

typedef enum WorldFound
{
	POSSIBLE, IMPOSSIBLE, NOT_KNOWN
} WorldFound;

/*
 * Begins with a world, or with something near one: the people of each cell, which are as many on each line as sum[]
 * says, or, if that is NULL, as many as they are.  Allocated in the current context.
 */
extern void worlds_begin(Worlds *worlds, const uint32 *people, const uint32 *sum);

#define NO_CELL PG_UINT32_MAX

/*
 * Is there a world with people in this cell, or any world, of NO_CELL?  If so, it is the one at hand then, and
 * is_possible[] is set for the cells that have got people by that.  Takes so many steps at most.
 */
extern WorldFound worlds_search(Worlds *worlds, uint32 cell, uint64 most_steps, bool *is_possible);

/*
 * The steps of a first search in each cell, and of the next one in those that are still not known.  Short ones come
 * first, wherever they are needed, so that hard ones do not leave nothing for others; and a search that begins anew,
 * from another world and in another order, mostly finds sooner what one that goes on does not.
 */
#define FIRST_EFFORT	1000

static inline uint64
more_effort(uint64 effort)
{
	return effort > PG_UINT64_MAX / 2 ? PG_UINT64_MAX : effort * 2;
}

/* From now on, no person is in this cell in any world. */
extern void worlds_exclude(Worlds *worlds, uint32 cell);

/*
 * Bounds the people of cells by what the others of each line have at the least, and at the most, until nothing more follows:
 * from a cell that was excluded, or, of NO_CELL, from all.  A cell of at most 0 is in no world.  No line is off.
 */
extern void worlds_narrow(Worlds *worlds, uint32 cell);

#endif							/* PPREPUB_AUDIT_WORLDS_H */
