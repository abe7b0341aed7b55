/*
 * figures.c
 *		Figures and lists that SQL computes, behind the one gate to them.
 *
 * NOTES
 *		pprepub.NAME(publication, …) is one of the functions at the end, whatever the name.  It calls
 *		pprepub_internal.NAME with the same arguments, a function in SQL, as the owner: so that one may read releases
 *		and the log, and code that comes with these has no other rights than the owner's.  Its rows leave, and must be
 *		figures where auditors may call.  Called without this gate, it has the rights of its caller.
 */
#include "postgres.h"

#include "declare/work.h"
#include "executor/tstoreReceiver.h"
#include "fmgr.h"
#include "history/past_tables.h"
#include "nodes/params.h"
#include "release/past_releases.h"
#include "tcop/dest.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

PG_FUNCTION_INFO_V1(pprepub_owners_list);
PG_FUNCTION_INFO_V1(pprepub_figures);
PG_FUNCTION_INFO_V1(pprepub_release_figures);
PG_FUNCTION_INFO_V1(pprepub_class_members);

/* Calls the function of the same name and arguments in pprepub_internal, and puts its rows. */
static void
put_rows(const OwnersWork *work, FunctionCallInfo fcinfo)
{
	Oid			function = fcinfo->flinfo->fn_oid;
	Oid		   *types;
	int			nargs;
	ParamListInfo params;
	StringInfoData sql;
	SPIExecuteOptions options = {.read_only = true, .must_return_tuples = true};

	(void) get_func_signature(function, &types, &nargs);
	params = makeParamList(nargs);
	initStringInfo(&sql);
	for (int i = 0; i < nargs; i++)
	{
		appendStringInfo(&sql, "%s$%d", i > 0 ? ", " : "", i + 1);
		params->params[i] = (ParamExternData) {fcinfo->args[i].value, fcinfo->args[i].isnull, PARAM_FLAG_CONST, types[i]};
	}
	options.params = params;
	options.dest = CreateDestReceiver(DestTuplestore);
	SetTuplestoreDestReceiverParams(options.dest, work->result->setResult, CurrentMemoryContext, false, NULL, NULL);
	if (SPI_execute_extended(psprintf("SELECT * FROM pprepub_internal.%s(%s)", quote_identifier(get_func_name(function)), sql.data),
							 &options) < 0)
		elog(ERROR, "could not compute figures");
}

/* Begins the work, puts its rows, and ends it. */
static Datum
report_rows(OwnersWork *work, FunctionCallInfo fcinfo)
{
	if (report_begin(work, fcinfo))
	{
		put_rows(work, fcinfo);
		work_close(work);
	}
	return (Datum) 0;
}

static Datum
report_figures(FunctionCallInfo fcinfo)
{
	OwnersWork	work;

	report_open_for_auditor(&work, fcinfo);
	return report_rows(&work, fcinfo);
}

/* Figures of a cohort are for nobody but the owner. */
static Datum
report_release_figures(FunctionCallInfo fcinfo)
{
	OwnersWork	work;

	report_open_for_auditor(&work, fcinfo);
	verify_not_null(fcinfo, 1, "the number of a release");
	verify_release_number(work.publication, PG_GETARG_INT32(1));
	verify_may_see_figures(work.publication, PG_GETARG_INT32(1));
	return report_rows(&work, fcinfo);
}

/* NAME(publication, …), which may list people and values: for the owner. */
Datum
pprepub_owners_list(PG_FUNCTION_ARGS)
{
	OwnersWork	work;

	report_open(&work, fcinfo);
	return report_rows(&work, fcinfo);
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

/* class_members(publication), for the owner: of a log that is whole, or it is an error. */
Datum
pprepub_class_members(PG_FUNCTION_ARGS)
{
	OwnersWork	work;

	report_open(&work, fcinfo);
	if (report_begin(&work, fcinfo))
	{
		log_verify(work.publication);
		put_rows(&work, fcinfo);
		work_close(&work);
	}
	return (Datum) 0;
}
