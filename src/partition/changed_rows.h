/*
 * changed_rows.h
 *		May a set of people with several rows each show their rows of today, where another release showed earlier ones?
 *
 * How many rows anybody has is known, and who was away, and may have come back with others.  So observers who compare the two
 * suppose whose rows came, whose went, and whose stayed: the people of each of these, with these rows alone, must be a set
 * that is allowed, and so must those whose number tells it.  Then rows may be exchanged within each set, and whatever observers
 * know of a person's number, each release could have been as it was.
 */
#ifndef PPREPUB_PARTITION_CHANGED_ROWS_H
#define PPREPUB_PARTITION_CHANGED_ROWS_H

#include "partition/principle.h"

/* The sensitive values of n people, earlier and today; people with one row each may always change them. */
extern bool changes_are_allowed(const Principle *principle, const Aspects *aspects, const Code *before, const Code *after, uint64 n);

#endif							/* PPREPUB_PARTITION_CHANGED_ROWS_H */
