/*
 * changed_rows.h
 *		May a set of people with several rows each show their rows of today, where releases before showed earlier ones?
 *
 * How many rows anybody has is known, and rows are facts that stay as they are.  So observers who compare releases know whose
 * number has changed, and that the rows that came then, or went, are theirs.  Of somebody who got a row and lost one between
 * two releases they know as much, though the number is the same.  Rows that came together and went together, or are still
 * there, are a set that the releases tell apart: it must be allowed by itself, as if its people had no other rows.
 *
 * If all of these are, nobody's rows are known.  Exchange rows of one set with each other, whoever has them: nobody has
 * another number of rows then, and nothing else is shown.  So each person may have any row of each set, and none of certain l - 1
 * values in any of them.
 */
#ifndef PPREPUB_PARTITION_CHANGED_ROWS_H
#define PPREPUB_PARTITION_CHANGED_ROWS_H

#include "history/places.h"
#include "partition/principle.h"

/* How many rows has one of two sensitive values, and the other not? */
extern uint64 count_other_rows(const Aspects *aspects, Code a, Code b);

/*
 * epoch[e]: the sensitive values of n people, as releases showed them one after the other.  People with one row each may
 * always change.  A principle of NULL asks about any of the people, whichever they are: so nobody's rows may have changed.
 */
extern bool changes_are_allowed(const Principle *principle, const Aspects *aspects, const Code *const *epoch, uint64 nepochs, uint64 n);

/* For n places of a group in all epochs, and today, or NULL. */
extern bool changes_of_places_are_allowed(const Principle *principle, const Aspects *aspects, const Places *places, uint32 group,
										  const uint64 *place, uint64 n, const Code *today);

#endif							/* PPREPUB_PARTITION_CHANGED_ROWS_H */
