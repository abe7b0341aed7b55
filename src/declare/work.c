/*
 * work.c
 *		Work on a publication, as its owner, and reports.
 */
#include "declare/work.h"

#include "executor/spi.h"
#include "funcapi.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/tuplestore.h"

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

void
work_close(OwnersWork *work)
{
	work_end(work);
	MemoryContextDelete(work->context);
}

/* ----------------------------------------------------------------
 * Reports
 * ----------------------------------------------------------------
 */

void
report_open(OwnersWork *work, FunctionCallInfo fcinfo, LOCKMODE lock)
{
	work->publication = publication_open(text_argument(fcinfo, 0, "the name of a publication"), lock);
	work->lock = lock;
	work->result = (ReturnSetInfo *) fcinfo->resultinfo;
	if (lock == AccessShareLock)
		work->publication->releases = releases_seen(work->publication);
}

bool
report_begin(OwnersWork *work, FunctionCallInfo fcinfo)
{
	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	if (work->publication->releases == 0)
		return false;
	work_begin(work, work->publication->owner,
			   work->lock == AccessShareLock ? GetActiveSnapshot() :
			   work->lock == RowShareLock ? GetLatestSnapshot() : GetTransactionSnapshot());
	return true;
}

void
report_row(const OwnersWork *work, Datum *values, bool *nulls)
{
	tuplestore_putvalues(work->result->setResult, work->result->setDesc, values, nulls);
}

Datum
report(FunctionCallInfo fcinfo, LOCKMODE lock, void (*put) (const OwnersWork *work))
{
	OwnersWork	work;

	report_open(&work, fcinfo, lock);
	if (report_begin(&work, fcinfo))
	{
		put(&work);
		work_close(&work);
	}
	return (Datum) 0;
}
