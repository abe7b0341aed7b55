/*
 * source_overlap.h
 *		Publications whose sources reach the same tables.
 */
#ifndef PPREPUB_DECLARE_SOURCE_OVERLAP_H
#define PPREPUB_DECLARE_SOURCE_OVERLAP_H

#include "postgres.h"

/*
 * Refuses a source that reaches a table which another publication reaches too
 * (through views, materialized views, partitions and inheritance, up and
 * down), unless one of the two was declared beside the other: each would be
 * judged without the other.  publication is 0 when it does not exist yet.
 */
extern void verify_shares_no_data(Oid source, Oid owner, int32 publication,
								  const int32 *beside, int nbeside);

#endif							/* PPREPUB_DECLARE_SOURCE_OVERLAP_H */
