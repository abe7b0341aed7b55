/*
 * living.h
 *		Which row numbers may an index still be asked for?
 *
 * A row that was rolled back is in no group, and its number is never given again,
 * but an index has an entry of it.  VACUUM takes such entries away.
 */
#ifndef PPREPUB_STORE_LIVING_H
#define PPREPUB_STORE_LIVING_H

#include "postgres.h"

#include "utils/rel.h"

typedef struct Living Living;

/* The caller holds the merging lock: no group that has a row goes away meanwhile. */
extern Living *find_living(Relation rel);

/* Are there numbers that were in doubt, or not yet given, when indexes were cleaned last, and are dead? */
extern bool any_newly_dead(const Living *living);

/* Or numbers that cannot die any more? */
extern bool any_newly_settled(const Living *living);

extern bool number_is_dead(const Living *living, uint64 row);

/* No number below this one, which is not dead by now, can ever be. */
extern uint64 settled_below(const Living *living);

#endif							/* PPREPUB_STORE_LIVING_H */
