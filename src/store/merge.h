/*
 * merge.h
 *		Small groups become big ones; rows keep their numbers.
 *
 * The chunks of the groups are deleted and those of one group inserted, by the
 * ordinary heap: every snapshot sees either the ones or the other.
 */
#ifndef PPREPUB_STORE_MERGE_H
#define PPREPUB_STORE_MERGE_H

#include "postgres.h"

#include "utils/rel.h"

/*
 * After a small group was written: merges the last ones when there are many.  A
 * group is merged with others when they have half as many rows together, so a row
 * is written again some ten times until it stands in a big group.
 */
extern void merge_when_many(Relation rel);

/* Merges all small groups that stand side by side; returns how many there were. */
extern uint64 merge_all(Relation rel);

#endif							/* PPREPUB_STORE_MERGE_H */
