/*
 * work.c
 *		Work on a publication, as its owner, and reports.
 */
#include "declare/work.h"

#include "declare/subtransaction.h"
#include "executor/spi.h"
#include "funcapi.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/tuplestore.h"

/* Is an auditor's work under way, whose errors for_auditors() replaces? */
static bool is_hidden = false;

void
work_begin(OwnersWork *work, Oid owner, Snapshot snapshot)
{
	work->is_auditors = !has_rights_of(owner);
	work->was_hidden = is_hidden;
	is_hidden |= work->is_auditors;
	work->context = AllocSetContextCreate(CurrentMemoryContext, "work of an owner", ALLOCSET_DEFAULT_SIZES);
	PushActiveSnapshot(snapshot);
	act_as(&work->caller, owner);
	if (work->is_auditors)		/* code of the source may tell values in messages */
		(void) set_config_option("client_min_messages", "error", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_LOCAL, true, 0, false);
	SPI_connect();
	MemoryContextSwitchTo(work->context);
}

void
work_end(OwnersWork *work)
{
	is_hidden = work->was_hidden;
	SPI_finish();
	act_as_before(&work->caller);
	PopActiveSnapshot();
}

void
work_close(OwnersWork *work)
{
	work_end(work);
	/* No transaction of an auditor makes publishers wait for longer than it looks. */
	if (work->is_auditors && work->publication != NULL)
		unlock_publication_number(work->publication->id, work->lock);
	MemoryContextDelete(work->context);
}

/* Raises an error in place of one that may tell a value of the source. */
static void
hide_error(MemoryContext context)
{
	ErrorData  *error;

	MemoryContextSwitchTo(context);
	error = CopyErrorData();
	if (is_transient(error->sqlerrcode))
		PG_RE_THROW();
	FlushErrorState();
	ereport(ERROR,
			(errcode(error->sqlerrcode),
			 errmsg("the publication cannot be audited as it is"),
			 errdetail("An error that may tell a value of the source is shown to its owner only."),
			 errhint("Let its owner call the function.")));
}

Datum
for_auditors(FunctionCallInfo fcinfo, PGFunction body)
{
	MemoryContext context = CurrentMemoryContext;
	bool		before = is_hidden;
	Datum		result;

	is_hidden = false;
	PG_TRY();
	{
		result = body(fcinfo);
	}
	PG_CATCH();
	{
		bool		hides = is_hidden;

		is_hidden = before;
		if (hides)
			hide_error(context);
		PG_RE_THROW();
	}
	PG_END_TRY();
	is_hidden = before;
	return result;
}

/* ----------------------------------------------------------------
 * Reports
 * ----------------------------------------------------------------
 */

static void
open_report(OwnersWork *work, FunctionCallInfo fcinfo, LOCKMODE lock, DeclaredPublication *(*open) (const char *name, LOCKMODE lock))
{
	work->publication = open(text_argument(fcinfo, 0, "the name of a publication"), lock);
	work->lock = lock;
	work->result = (ReturnSetInfo *) fcinfo->resultinfo;
	if (lock == AccessShareLock)
		work->publication->releases = releases_seen(work->publication);
}

void
report_open(OwnersWork *work, FunctionCallInfo fcinfo, LOCKMODE lock)
{
	open_report(work, fcinfo, lock, publication_open);
}

void
report_open_for_auditor(OwnersWork *work, FunctionCallInfo fcinfo, LOCKMODE lock)
{
	open_report(work, fcinfo, lock, publication_open_for_auditor);
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
