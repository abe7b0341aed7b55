/*
 * census.h
 *		Where a table's rows are, among the numbers that it has given out.
 *
 * ANALYZE chooses blocks and believes that all have about as many rows; numbers may
 * have been used up by rows that were rolled back.  So blocks are made of rows.
 */
#ifndef PPREPUB_STORE_CENSUS_H
#define PPREPUB_STORE_CENSUS_H

#include "postgres.h"

#include "storage/block.h"
#include "utils/rel.h"
#include "utils/snapshot.h"

typedef struct Census Census;

/* Looks at all groups that the snapshot sees. */
extern Census *take_census(Relation rel, Snapshot snapshot);

extern double census_rows(const Census *census);

/*
 * The numbers from .. upto - 1 of a block, when all rows are divided among
 * blocks of about as many rows each.
 */
extern void census_block(const Census *census, BlockNumber block, BlockNumber blocks, uint64 *from, uint64 *upto);

#endif							/* PPREPUB_STORE_CENSUS_H */
