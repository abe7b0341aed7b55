/*
 * gate.h
 *		Functions of schema pprepub that functions in SQL compute: as they are, and over all shards of a sharded publication.
 */
#ifndef PPREPUB_DECLARE_GATE_H
#define PPREPUB_DECLARE_GATE_H

#include "postgres.h"

#include "fmgr.h"
#include "tcop/dest.h"

/*
 * Calls pprepub_internal.NAME with the arguments of the call of pprepub.NAME, inside SPI.  Without a receiver, its rows are in
 * SPI_tuptable.
 */
extern void call_internal(FunctionCallInfo fcinfo, DestReceiver *receiver);

/* How all shards are called, if there is no pprepub_internal.sharded_NAME. */
typedef enum ShardedCall
{
	SHARDED_ROWS,				/* the rows of all shards are returned */
	SHARDED_WHOLE,				/* an error: they would make no sense */
	SHARDED_OWNERS,				/* likewise; and it is for the owner, and acts as the owner */
	SHARDED_CHANGE				/* likewise, and changes something */
} ShardedCall;

/*
 * Does the first argument name a sharded publication?  Then the call is done, and result is what it returns.  All that is read is
 * asked as the caller, whose rights each shard judges.
 */
extern bool done_by_shards(FunctionCallInfo fcinfo, ShardedCall how, Datum *result);

/* Behind the declarations of a function whose first argument names a publication. */
#define PASS_TO_SHARDS(how) \
	do { \
		Datum		passed_; \
\
		if (done_by_shards(fcinfo, (how), &passed_)) \
			return passed_; \
	} while (0)

#endif							/* PPREPUB_DECLARE_GATE_H */
