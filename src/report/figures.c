/*
 * figures.c
 *		Figures, lists and pages that SQL computes, behind the one gate to them.
 *
 * NOTES
 *		pprepub.NAME(publication, …) is one of the functions at the end, whatever the name.  It calls
 *		pprepub_internal.NAME with the same arguments, a function in SQL, as the owner: so that one may read releases
 *		and the log, and code that comes with these has no other rights than the owner's.  Its rows leave, and must be
 *		figures where auditors may call.  Called without this gate, it has the rights of its caller.
 *
 *		pprepub.NAME(source, …) is about any table, and goes another way.
 */
#include "postgres.h"

#include "declare/gate.h"
#include "declare/work.h"
#include "executor/tstoreReceiver.h"
#include "fmgr.h"
#include "funcapi.h"
#include "history/past_tables.h"
#include "release/past_releases.h"
#include "shared/progress.h"
#include "tcop/dest.h"
#include "utils/builtins.h"
#include "utils/snapmgr.h"

PG_FUNCTION_INFO_V1(pprepub_owners_list);
PG_FUNCTION_INFO_V1(pprepub_figures);
PG_FUNCTION_INFO_V1(pprepub_release_figures);
PG_FUNCTION_INFO_V1(pprepub_class_members);
PG_FUNCTION_INFO_V1(pprepub_source_figures);
PG_FUNCTION_INFO_V1(pprepub_report);
PG_FUNCTION_INFO_V1(pprepub_explore);
PG_FUNCTION_INFO_V1(pprepub_manifest);

static void
put_rows(FunctionCallInfo fcinfo)
{
	DestReceiver *receiver = CreateDestReceiver(DestTuplestore);

	SetTuplestoreDestReceiverParams(receiver, ((ReturnSetInfo *) fcinfo->resultinfo)->setResult, CurrentMemoryContext, false, NULL, NULL);
	call_internal(fcinfo, receiver);
}

/* Begins the work, puts its rows, of people in the log if it must be whole, and ends it. */
static Datum
report_rows(OwnersWork *work, FunctionCallInfo fcinfo, bool is_log_whole)
{
	if (report_begin(work, fcinfo))
	{
		if (is_log_whole)
			log_verify(work->publication);
		put_rows(fcinfo);
		work_close(work);
	}
	return (Datum) 0;
}

static Datum
report_figures(FunctionCallInfo fcinfo)
{
	OwnersWork	work;

	report_open_for_auditor(&work, fcinfo);
	return report_rows(&work, fcinfo, false);
}

/* Figures of a cohort are for nobody but the owner. */
static void
open_release(OwnersWork *work, FunctionCallInfo fcinfo)
{
	report_open_for_auditor(work, fcinfo);
	verify_not_null(fcinfo, 1, "the number of a release");
	verify_release_number(work->publication, PG_GETARG_INT32(1));
	verify_may_see_figures(work->publication, PG_GETARG_INT32(1));
}

static Datum
report_release_figures(FunctionCallInfo fcinfo)
{
	OwnersWork	work;

	open_release(&work, fcinfo);
	return report_rows(&work, fcinfo, false);
}

/* NAME(publication, …), which may list people and values: for the owner. */
Datum
pprepub_owners_list(PG_FUNCTION_ARGS)
{
	OwnersWork	work;

	PASS_TO_SHARDS(SHARDED_ROWS);
	report_open(&work, fcinfo);
	return report_rows(&work, fcinfo, false);
}

/* NAME(publication, …): for auditors, too. */
Datum
pprepub_figures(PG_FUNCTION_ARGS)
{
	return for_auditors(fcinfo, report_figures);
}

/* NAME(publication, release, …): for auditors, too, unless the release is about a cohort. */
Datum
pprepub_release_figures(PG_FUNCTION_ARGS)
{
	return for_auditors(fcinfo, report_release_figures);
}

/* NAME(publication), for the owner, of people in the log: that is whole, or it is an error. */
Datum
pprepub_class_members(PG_FUNCTION_ARGS)
{
	OwnersWork	work;

	PASS_TO_SHARDS(SHARDED_ROWS);
	report_open(&work, fcinfo);
	return report_rows(&work, fcinfo, true);
}

/*
 * NAME(source, …), about any table: with the rights of the caller, or as the owner of the table, restricted, if the caller
 * has those rights, too: a superuser runs nothing of others' as superuser.
 */
Datum
pprepub_source_figures(PG_FUNCTION_ARGS)
{
	Identity	caller;
	Oid			owner;
	bool		acts_as_owner;

	verify_not_null(fcinfo, 0, "the source");
	verify_source_kind(PG_GETARG_OID(0));
	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	owner = relation_owner(PG_GETARG_OID(0));
	acts_as_owner = has_rights_of(owner);
	if (acts_as_owner)
		act_as(&caller, owner);
	SPI_connect();
	put_rows(fcinfo);
	SPI_finish();
	if (acts_as_owner)
		act_as_before(&caller);
	return (Datum) 0;
}

/* ---- Pages, and the manifest ---- */

/* The one value that the function in SQL returns, of a type of varying length. */
static Datum
make_document(OwnersWork *work, FunctionCallInfo fcinfo)
{
	Datum		document;
	bool		isnull;

	work_begin(work, work->publication->owner, GetActiveSnapshot());
	call_internal(fcinfo, NULL);
	document = SPI_datumTransfer(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull), false, -1);
	work_close(work);
	return document;
}

/* The page names people only where the owner asks for that. */
static Datum
make_report(FunctionCallInfo fcinfo)
{
	bool		is_internal = !PG_ARGISNULL(1) && PG_GETARG_BOOL(1);
	OwnersWork	work;

	report_open_for_auditor(&work, fcinfo);
	if (is_internal && !has_rights_of(work.publication->owner))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("must be owner of publication \"%s\" for an internal report", work.publication->name),
				 errdetail("It names people."),
				 errhint("pprepub.report(%s) names nobody.", quote_literal_cstr(work.publication->name))));
	if (!is_internal)
		hide_data();
	return make_document(&work, fcinfo);
}

/* report(publication, …): for auditors, too, unless it is internal.  A publication without releases has a page. */
Datum
pprepub_report(PG_FUNCTION_ARGS)
{
	return for_auditors(fcinfo, make_report);
}

/* explore(publication, grid): for the owner. */
Datum
pprepub_explore(PG_FUNCTION_ARGS)
{
	OwnersWork	work;
	Datum		page;

	PASS_TO_SHARDS(SHARDED_WHOLE);
	report_open(&work, fcinfo);
	progress_begin("explore", work.publication->owner, work.publication->name);
	page = make_document(&work, fcinfo);
	progress_end();
	return page;
}

static Datum
make_manifest(FunctionCallInfo fcinfo)
{
	OwnersWork	work;

	open_release(&work, fcinfo);
	hide_data();
	return make_document(&work, fcinfo);
}

/* manifest(publication, release, format): for auditors, too, unless the release is about a cohort. */
Datum
pprepub_manifest(PG_FUNCTION_ARGS)
{
	return for_auditors(fcinfo, make_manifest);
}
