/*
 * changed_rows.h
 *		May a set of people with several rows each show their rows of today, where another release showed earlier ones?
 *
 * How many rows anybody has is known.  So observers who compare the two know whose number has changed, and that the rows
 * that came, or went, are theirs: these people, with these rows alone, must be a set that is allowed.
 */
#ifndef PPREPUB_PARTITION_CHANGED_ROWS_H
#define PPREPUB_PARTITION_CHANGED_ROWS_H

#include "partition/principle.h"

/* The sensitive values of n people, earlier and today; people with one row each may always change them. */
extern bool changes_are_allowed(const Principle *principle, const Aspects *aspects, const Code *before, const Code *after, uint64 n);

#endif							/* PPREPUB_PARTITION_CHANGED_ROWS_H */
