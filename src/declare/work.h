/*
 * work.h
 *		Work on a publication, as its owner.
 */
#ifndef PPREPUB_DECLARE_WORK_H
#define PPREPUB_DECLARE_WORK_H

#include "postgres.h"

#include "declare/rights.h"
#include "utils/snapshot.h"

typedef struct OwnersWork
{
	MemoryContext context;		/* of all that is done meanwhile */
	Identity	caller;
} OwnersWork;

/* From here on inside SPI, under one snapshot, which may have to be taken after a lock. */
extern void work_begin(OwnersWork *work, Oid owner, Snapshot snapshot);

/*
 * As the caller again, in the context of before; what was found stays until the
 * work's context is deleted.  Nothing need be done on error.
 */
extern void work_end(OwnersWork *work);

#endif							/* PPREPUB_DECLARE_WORK_H */
