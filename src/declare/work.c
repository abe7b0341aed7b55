/*
 * work.c
 *		Work on a publication, as its owner.
 */
#include "declare/work.h"

#include "executor/spi.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

void
work_begin(OwnersWork *work, Oid owner, Snapshot snapshot)
{
	work->context = AllocSetContextCreate(CurrentMemoryContext, "work of an owner", ALLOCSET_DEFAULT_SIZES);
	PushActiveSnapshot(snapshot);
	act_as(&work->caller, owner);
	SPI_connect();
	MemoryContextSwitchTo(work->context);
}

void
work_end(OwnersWork *work)
{
	SPI_finish();
	act_as_before(&work->caller);
	PopActiveSnapshot();
}
