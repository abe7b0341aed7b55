/*
 * metapage.h
 *		How many rows a table has ever reserved, and which of them count.
 *
 * LAYOUT
 *		Block 0 of the main fork is all that the main fork has.  A fork without
 *		it is a table without rows, whatever the TOAST relation still holds:
 *		TRUNCATE rebuilds the table's indexes before it comes to that.
 *
 * LOCKING
 *		The page's own lock guards the counters.  The reserving lock is held
 *		from before a reservation until its row stands in the TOAST relation,
 *		so whoever takes it, once, knows that every number below the counter
 *		has a row there, unless its transaction is dead.  It is a tuple lock on
 *		a TID that no row has, and nobody holds it for long.
 */
#ifndef PPREPUB_STORE_METAPAGE_H
#define PPREPUB_STORE_METAPAGE_H

#include "postgres.h"

#include "utils/rel.h"

typedef struct Counters
{
	uint64		next;			/* the next row's number */
	uint64		valid;			/* rows below it were truncated away */
	uint64		last;			/* the first number of the last reservation: numbers below it are never given again */
	uint64		cleaned;		/* of numbers below it that are dead, indexes have no entries */
	uint32		small;			/* small groups written since the last merge */
} Counters;

/* False for a table that never had a row, since it was made or truncated. */
extern bool read_counters(Relation rel, Counters *counters);

extern void lock_reserving(Relation rel);
extern void unlock_reserving(Relation rel);

/*
 * Reserves numbers for rows and returns the first; sets *small to the number
 * of small groups that wait to be merged.
 */
extern uint64 reserve_rows(Relation rel, uint32 rows, uint32 *small);

/*
 * Takes back the numbers from used on, which no row got, unless others were
 * reserved behind them; counts a small group.
 */
extern void return_rows(Relation rel, uint64 used, uint64 end, bool is_small);

/*
 * From now on no number that was given is given again, and each has its reservation's row,
 * or is dead.  False for a table that never had a row.
 */
extern bool end_reservations(Relation rel, Counters *counters);

/* Indexes have no entries of numbers below this one that are dead. */
extern void note_cleaned(Relation rel, uint64 cleaned);

/* Small groups were merged: count anew. */
extern void forget_small_groups(Relation rel);

/* From now on the table has no rows; its numbers go on. */
extern void invalidate_rows(Relation rel);

/* Gives a new and empty main fork the counters of another. */
extern void write_counters(Relation rel, const Counters *counters);

/* One merger at a time: false if there is another.  Held to the end of the transaction. */
extern bool lock_merging(Relation rel, bool wait);

#endif							/* PPREPUB_STORE_METAPAGE_H */
