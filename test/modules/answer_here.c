/*
 * answer_here.c
 *		answer_here(publication, cohort, columns): an answer made in the caller's
 *		own transaction, for tests.
 *
 * Such an answer could be read and rolled back, so it is no part of pprepub:
 * "make ASSERT=1" links this file into the library, and only tests create an SQL
 * function of it.  It is no library of its own since it calls functions that
 * pprepub does not export.
 */
#include "postgres.h"

#include "answer/answer.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "release/release.h"
#include "utils/builtins.h"
#include "utils/snapmgr.h"
#include "utils/tuplestore.h"

PG_FUNCTION_INFO_V1(pprepub_answer_here);

/* Makes and writes the answer as the worker does, but under the snapshot of the caller's statement. */
static Answer *
answer_as_owner(DeclaredPublication *publication, const Request *request, MemoryContext context)
{
	Identity	caller;
	Scope		scope;
	Answer	   *answer;

	PushActiveSnapshot(GetTransactionSnapshot());
	act_as(&caller, publication->owner);
	SPI_connect();
	scope = scope_of(publication, request, true);
	answer = remember_answer(publication, build_release(publication, &scope, context), NULL, 0, context);
	SPI_finish();
	act_as_before(&caller);
	PopActiveSnapshot();
	return answer;
}

/* (publication text, cohort text, columns name[]) RETURNS SETOF record */
Datum
pprepub_answer_here(PG_FUNCTION_ARGS)
{
	char	   *name = text_argument(fcinfo, 0, "the name of a publication");
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	Request		request = {
		.cohort = PG_ARGISNULL(1) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(1)),
		.columns = PG_ARGISNULL(2) ? NULL : PG_GETARG_ARRAYTYPE_P(2),
		.by = GetUserNameFromId(GetSessionUserId(), false),
		.by_role = GetUserNameFromId(GetOuterUserId(), false)
	};
	DeclaredPublication *publication;
	Answer	   *answer;

	verify_may_change("answer_here()");
	publication = publication_open(name, ExclusiveLock);
	verify_may_have_answer(publication, request.by);
	verify_may_release(publication);
	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	answer = answer_as_owner(publication, &request, CurrentMemoryContext);
	for (uint64 i = 0; i < answer->nrows; i++)
	{
		HeapTuple	tuple = heap_tuple_from_minimal_tuple(answer->rows[i]);

		tuplestore_puttuple(result->setResult, tuple);
		heap_freetuple(tuple);
	}
	return (Datum) 0;
}
