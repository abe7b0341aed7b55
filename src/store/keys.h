/*
 * keys.h
 *		The groups of a query with GROUP BY, by their keys: values of some of a batch's columns.
 *
 * Equal is what the query's grouping operators say; the table is PostgreSQL's own.  Rows are looked up
 * by their codes where there are some, and where keys change from one row to the next.
 */
#ifndef PPREPUB_STORE_KEYS_H
#define PPREPUB_STORE_KEYS_H

#include "postgres.h"

#include "nodes/execnodes.h"
#include "store/batch.h"
#include "store/tally.h"

typedef struct Keys Keys;

/*
 * Each key is a column of the batch (places), of which the description has the types; ncounts is how many counts
 * a group has.
 */
extern Keys *make_keys(PlanState *parent, TupleDesc desc, const int *places, List *operators, List *collations, int ncounts,
					   double ngroups);

/* Forgets all groups. */
extern void reset_keys(Keys *keys);

/* Where values live that counts keep. */
extern MemoryContext keys_context(const Keys *keys);

/* Do groups take as much memory as a hash table may? */
extern bool keys_are_many(const Keys *keys);

/* The batch has entered another group of rows; then, another vector. */
extern void keys_enter(Keys *keys);
extern void keys_go(Keys *keys, Batch *batch);

/* The counts of a row's group, and how many of n rows from it on are in the same one. */
extern Count *counts_of_rows(Keys *keys, Batch *batch, const uint16 *rows, uint32 n, uint32 *same);

/* All groups, in turn: first, then until NULL is returned.  The slot has the keys. */
extern void begin_groups(Keys *keys);
extern Count *next_group(Keys *keys, TupleTableSlot **slot);

#endif							/* PPREPUB_STORE_KEYS_H */
