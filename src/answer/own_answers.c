/*
 * own_answers.c
 *		pprepub.answers(): what TARGET.NAME_answers shows its reader.
 *
 * NOTES
 *		It tells roles that may ask, and nobody else, how many answers they have had themselves, and parameters.  How
 *		many rows an answer had, and how many others had, it tells nobody.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "answer/answer.h"
#include "catalog/pg_proc_d.h"
#include "compat.h"
#include "declare/answer_function.h"
#include "declare/parameters.h"
#include "declare/promise.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

PG_FUNCTION_INFO_V1(pprepub_answers);

enum
{
	OWN_USED,
	OWN_LEFT,
	OWN_PER_STATEMENT,
	OWN_K,
	OWN_L,
	OWN_PRINCIPLE,
	OWN_REPAIR,
	OWN_MAX_ADDED,
	OWN_COLUMNS
};

/* May the caller ask, by one face or the other? */
static bool
may_ask(const DeclaredPublication *publication, Oid live)
{
	Oid			function = answer_function(publication);

	return has_rights_of(publication->owner) ||
		pg_class_aclcheck(live, GetUserId(), ACL_SELECT) == ACLCHECK_OK ||
		pg_attribute_aclcheck_all(live, GetUserId(), ACL_SELECT, ACLMASK_ANY) == ACLCHECK_OK ||
		(OidIsValid(function) && object_aclcheck(ProcedureRelationId, function, GetUserId(), ACL_EXECUTE) == ACLCHECK_OK);
}

/* The publication of a live table that the caller may ask. */
static DeclaredPublication *
publication_asked(Oid live)
{
	DeclaredPublication *publication = publication_of_live(live);

	if (publication == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("relation with OID %u is not the live table of a publication", live)));
	if (!may_ask(publication, live))
		aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_FOREIGN_TABLE, get_rel_name(live));
	return publication;
}

static void
set_number(Datum *values, bool *nulls, int column, int64 number)
{
	nulls[column] = number == PARAM_ABSENT;
	values[column] = Int64GetDatum(number);
}

static void
set_text(Datum *values, bool *nulls, int column, const char *text)
{
	nulls[column] = text == NULL;
	values[column] = text == NULL ? (Datum) 0 : CStringGetTextDatum(text);
}

Datum
pprepub_answers(PG_FUNCTION_ARGS)
{
	DeclaredPublication *publication = publication_asked(PG_GETARG_OID(0));
	const MethodDeclaration *method = method_declaration(publication->method);
	Datum		values[OWN_COLUMNS] = {0};
	bool		nulls[OWN_COLUMNS] = {false};
	TupleDesc	columns;

	if (get_call_result_type(fcinfo, NULL, &columns) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "answers() returns a row");
	values[OWN_USED] = Int64GetDatum(answers_had(publication->id, GetUserNameFromId(GetSessionUserId(), false)));
	set_number(values, nulls, OWN_LEFT, answers_left(publication->method, publication->params, DatumGetInt64(values[OWN_USED])));
	set_number(values, nulls, OWN_PER_STATEMENT, param_named(method, publication->params, "max_answers_per_statement"));
	values[OWN_K] = declared_number(publication, "k", &nulls[OWN_K]);
	values[OWN_L] = declared_number(publication, "l", &nulls[OWN_L]);
	set_text(values, nulls, OWN_PRINCIPLE, further_principle(publication));
	set_text(values, nulls, OWN_REPAIR, param_string(publication->params, "repair"));
	values[OWN_MAX_ADDED] = declared_number(publication, "max_added", &nulls[OWN_MAX_ADDED]);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(columns), values, nulls)));
}
