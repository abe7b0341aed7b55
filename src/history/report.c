/*
 * report.c
 *		The way in for all reports of the history.
 */
#include "history/report.h"

#include "funcapi.h"
#include "utils/memutils.h"

void
report_history_about(FunctionCallInfo fcinfo, void *what,
					 void (*put_rows) (const DeclaredPublication *publication, void *what, ReturnSetInfo *result))
{
	char	   *name = text_argument(fcinfo, 0, "the name of a publication");
	DeclaredPublication *publication = publication_open(name, AccessShareLock);
	MemoryContext context;
	MemoryContext old;
	Identity	caller;

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	publication->releases = releases_seen(publication);
	if (publication->releases == 0)
		return;
	context = AllocSetContextCreate(CurrentMemoryContext, "report", ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(context);
	act_as(&caller, publication->owner);
	put_rows(publication, what, (ReturnSetInfo *) fcinfo->resultinfo);
	act_as_before(&caller);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
}

typedef struct Plain
{
	void		(*put_rows) (const DeclaredPublication *publication, ReturnSetInfo *result);
} Plain;

static void
put_plain(const DeclaredPublication *publication, void *what, ReturnSetInfo *result)
{
	((Plain *) what)->put_rows(publication, result);
}

void
report_history(FunctionCallInfo fcinfo,
			   void (*put_rows) (const DeclaredPublication *publication, ReturnSetInfo *result))
{
	report_history_about(fcinfo, &(Plain) {put_rows}, put_plain);
}
