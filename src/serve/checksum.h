/*
 * checksum.h
 *		A checksum over the logical rows of a release, in any order.
 *
 * It must be the same after the table was dumped and restored, or rewritten:
 * so it is made of values, not of pages.  The seed is secret, so that nobody
 * who changes rows can make the sum come out the same.
 */
#ifndef PPREPUB_SERVE_CHECKSUM_H
#define PPREPUB_SERVE_CHECKSUM_H

#include "postgres.h"

#include "access/tupdesc.h"
#include "utils/uuid.h"

typedef struct Checksum Checksum;

extern Checksum *checksum_create(TupleDesc columns, uint64 seed);
extern void checksum_add(Checksum *checksum, const Datum *values, const bool *nulls);
extern pg_uuid_t *checksum_result(const Checksum *checksum);

#endif							/* PPREPUB_SERVE_CHECKSUM_H */
