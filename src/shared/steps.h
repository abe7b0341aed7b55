/*
 * steps.h
 *		How much a search may do.
 *
 * A search that may take very long runs within a number of steps, and code in all rooms, pure rooms, too, takes them: for
 * whatever its time and its memory grow with.  Steps and not seconds, so that the same data lead to the same end.
 */
#ifndef PPREPUB_SHARED_STEPS_H
#define PPREPUB_SHARED_STEPS_H

#include "postgres.h"

/* How many are left of the search under way; NULL for any number.  Whoever sets it sets it back, on error, too. */
extern uint64 *steps_left;

/* Takes so many steps; an error, and none are left, if they are not. */
extern void take_steps(uint64 n);

#endif							/* PPREPUB_SHARED_STEPS_H */
