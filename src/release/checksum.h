/*
 * checksum.h
 *		A checksum over the logical rows of a release, in any order.
 *
 * The sum must be the same after the table was dumped and restored, or rewritten:
 * so it is made of values, not of pages.  The seed is secret: changed rows cannot be
 * made to have the same sum.
 */
#ifndef PPREPUB_RELEASE_CHECKSUM_H
#define PPREPUB_RELEASE_CHECKSUM_H

#include "postgres.h"

#include "access/tupdesc.h"
#include "utils/uuid.h"

typedef struct Checksum Checksum;

/* A sum of no rows yet, with these columns. */
extern Checksum *checksum_create(TupleDesc columns, uint64 seed);

/* A row is the sum of its values: many have most in common with the row before. */
typedef struct RowSum
{
	uint64		lane[2];
} RowSum;

extern RowSum checksum_value(Checksum *checksum, int column, Datum value, bool isnull);
extern void checksum_add_row(Checksum *checksum, RowSum row);

static inline RowSum
row_sum(RowSum a, RowSum b)
{
	return (RowSum) {{a.lane[0] + b.lane[0], a.lane[1] + b.lane[1]}};
}
extern pg_uuid_t *checksum_result(const Checksum *checksum);

#endif							/* PPREPUB_RELEASE_CHECKSUM_H */
