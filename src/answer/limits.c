/*
 * limits.c
 *		Whether a publication's method answers, and how many answers an analyst
 *		may have of it, in a statement and in all.
 *
 * NOTES
 *		Questions of one statement have one statement start time: this holds for
 *		a loop in a function, and for the calls that LATERAL or a select list
 *		make.  The count outlives a subtransaction that is rolled back, as an
 *		answer does.
 */
#include "answer/answer.h"

#include "access/xact.h"
#include "catalog/pg_type.h"
#include "declare/parameters.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/timestamp.h"

void
verify_method_answers(const DeclaredPublication *publication)
{
	if (find_method(publication->method)->declaration.answers)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("method \"%s\" does not answer", publication->method),
			 errhint("Read the releases of publication \"%s\".", publication->name)));
}

typedef struct QuestionCount
{
	int32		publication;	/* hash key */
	TimestampTz statement;
	int64		questions;
} QuestionCount;

static HTAB *counts = NULL;

/* The count of the current statement, which starts at 0. */
static QuestionCount *
count_of(int32 publication)
{
	QuestionCount *count;
	bool		found;

	if (counts == NULL)
	{
		HASHCTL		control = {.keysize = sizeof(int32), .entrysize = sizeof(QuestionCount)};

		counts = hash_create("pprepub questions", 8, &control, HASH_ELEM | HASH_BLOBS);
	}
	count = hash_search(counts, &publication, HASH_ENTER, &found);
	if (!found || count->statement != GetCurrentStatementStartTimestamp())
	{
		count->statement = GetCurrentStatementStartTimestamp();
		count->questions = 0;
	}
	return count;
}

/* ----------------------------------------------------------------
 * Of a role
 * ----------------------------------------------------------------
 */

static int64
role_limit(const char *method, Jsonb *params)
{
	return param_named(method_declaration(method), params, "max_answers_per_role");
}

int64
answers_had(int32 publication, const char *by)
{
	CatalogAccess access;
	bool		isnull;
	int64		answers;

	catalog_enter(&access);
	catalog_read("SELECT count(*) AS answers FROM pprepub_internal.catalog_release"
				 " WHERE publication = $1 AND kind = 'query' AND published_by = $2::text::name",
				 CATALOG_PARAM(INT4OID, Int32GetDatum(publication)),
				 CATALOG_TEXT(by));
	answers = DatumGetInt64(catalog_field(0, "answers", &isnull));
	catalog_leave(&access);
	return answers;
}

int64
answers_left(const char *method, Jsonb *params, int64 had)
{
	int64		limit = role_limit(method, params);

	return limit == PARAM_ABSENT ? PARAM_ABSENT : Max((int64) 0, limit - had);
}

/* A sentence on how many answers the role has left, behind a blank; nothing where there is no limit. */
static const char *
describe_left(const Question *question)
{
	int64		limit = role_limit(question->method, question->params);

	if (limit == PARAM_ABSENT)
		return "";
	return psprintf(" Role \"%s\" has " INT64_FORMAT " of " INT64_FORMAT " answer(s) left.", question->request.by,
					answers_left(question->method, question->params, answers_had(question->publication, question->request.by)), limit);
}

void
verify_answers_left(const DeclaredPublication *publication, const char *asked_by)
{
	int64		limit = role_limit(publication->method, publication->params);

	if (limit != PARAM_ABSENT && answers_had(publication->id, asked_by) >= limit)
		ereport(ERROR,
				(errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
				 errmsg("role \"%s\" has had all " INT64_FORMAT " answer(s) of publication \"%s\" that it may have",
						asked_by, limit, publication->name),
				 errdetail("No answer is left."),
				 errhint("The publication's owner can raise \"max_answers_per_role\".")));
}

/* ----------------------------------------------------------------
 * Of a statement
 * ----------------------------------------------------------------
 */

void
count_question(const Question *question)
{
	int64		limit = param_named(method_declaration(question->method), question->params, "max_answers_per_statement");
	QuestionCount *count = count_of(question->publication);

	if (limit != PARAM_ABSENT && count->questions >= limit)
		ereport(ERROR,
				(errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
				 errmsg("a statement may have " INT64_FORMAT " answer(s) of this publication", limit),
				 errdetail("Each place in which a query names the live table is an answer. So is each call of the function, also where LATERAL repeats it for each row.%s",
						   describe_left(question)),
				 errhint("Ask once, WITH answer AS MATERIALIZED (…), and use that; or have the publication's owner raise \"max_answers_per_statement\".")));
	count->questions++;
}
