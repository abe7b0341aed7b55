/*
 * ask.c
 *		Asking in the analyst's backend: hands the question to a worker and the rows of the answer to the query; and how
 *		many answers an analyst may have.
 *
 * Two faces ask.  The SQL functions beside the releases, TARGET.NAME(cohort, columns), call pprepub_internal.answer() as
 * the publication's owner; live tables ask by live_scan.c.  The worker remembers the answer and commits before it sends
 * the first row (worker.c), so an answer whose rows were seen is remembered, whatever happens here afterwards.
 */
#include "answer/answer.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "catalog/pg_proc_d.h"
#include "catalog/pg_type.h"
#include "compat.h"
#include "declare/parameters.h"
#include "declare/target_objects.h"
#include "executor/executor.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "release/cohort/cohort.h"
#include "storage/latch.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"

PG_FUNCTION_INFO_V1(pprepub_answer);
PG_FUNCTION_INFO_V1(pprepub_answers);

/* ----------------------------------------------------------------
 * How many answers an analyst may have, of a publication
 * ----------------------------------------------------------------
 */

static int64
limit_of(const char *method, Jsonb *params, const char *name)
{
	return param_named(method_declaration(method), params, name);
}

/* The answers that a role has had. */
static int64
answers_had(int32 publication, const char *by)
{
	CatalogAccess access;
	int64		answers;

	catalog_enter(&access);
	catalog_read("SELECT count(*) AS answers FROM pprepub_internal.catalog_release"
				 " WHERE publication = $1 AND kind = 'query' AND published_by = $2::text::name",
				 CATALOG_INT(publication), CATALOG_TEXT(by));
	answers = catalog_int(0, "answers");
	catalog_leave(&access);
	return answers;
}

void
verify_may_have_answer(const DeclaredPublication *publication, const char *asked_by)
{
	int64		limit = limit_of(publication->method, publication->params, "max_answers_per_role");

	if (!find_method(publication->method)->declaration.answers)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("method \"%s\" does not answer", publication->method),
				 errhint("Read the releases of publication \"%s\".", publication->name)));
	if (limit != PARAM_ABSENT && strcmp(asked_by, NO_ROLE) != 0 && answers_had(publication->id, asked_by) >= limit)
		ereport(ERROR,
				(errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
				 errmsg("role \"%s\" has had all " INT64_FORMAT " answer(s) of publication \"%s\" that it may have",
						asked_by, limit, publication->name),
				 errdetail("No answer is left."),
				 errhint("The publication's owner can raise \"max_answers_per_role\".")));
}

/* A sentence on how many answers the role has left, behind a blank; nothing where there is no limit. */
static const char *
describe_left(const Question *question)
{
	int64		limit = limit_of(question->method, question->params, "max_answers_per_role");
	int64		had;

	if (limit == PARAM_ABSENT)
		return "";
	had = answers_had(question->publication, question->request.by);
	return psprintf(" Role \"%s\" has " INT64_FORMAT " of " INT64_FORMAT " answer(s) left.", question->request.by,
					limit - Min(had, limit), limit);
}

/* The questions about a publication in the statement that began at a time; what a client sends at once is one statement. */
typedef struct QuestionCount
{
	int32		publication;	/* hash key */
	TimestampTz statement;
	int64		questions;
} QuestionCount;

/*
 * Counts a question: an error beyond max_answers_per_statement.  Questions of one statement have one statement start
 * time: this holds for a loop in a function, and for the calls that LATERAL or a select list make.  The count outlives a
 * subtransaction that is rolled back, as an answer does.
 */
static void
count_question(const Question *question)
{
	static HTAB *counts = NULL;
	int64		limit = limit_of(question->method, question->params, "max_answers_per_statement");
	QuestionCount *count;
	bool		found;

	if (counts == NULL)
	{
		HASHCTL		control = {.keysize = sizeof(int32), .entrysize = sizeof(QuestionCount)};

		counts = hash_create("pprepub questions", 8, &control, HASH_ELEM | HASH_BLOBS);
	}
	count = hash_search(counts, &question->publication, HASH_ENTER, &found);
	if (!found || count->statement != GetCurrentStatementStartTimestamp())
	{
		count->statement = GetCurrentStatementStartTimestamp();
		count->questions = 0;
	}
	if (limit != PARAM_ABSENT && count->questions >= limit)
		ereport(ERROR,
				(errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
				 errmsg("a statement may have " INT64_FORMAT " answer(s) of this publication", limit),
				 errdetail("Each place in which a query names the live table is an answer. So is each call of the function, also where LATERAL repeats it for each row.%s",
						   describe_left(question)),
				 errhint("Ask once, WITH answer AS MATERIALIZED (…), and use that; or have the publication's owner raise \"max_answers_per_statement\".")));
	count->questions++;
}

/* ----------------------------------------------------------------
 * Asking
 * ----------------------------------------------------------------
 */

void
verify_may_ask(void)
{
	if (RecoveryInProgress())
		ereport(ERROR,
				(errcode(ERRCODE_READ_ONLY_SQL_TRANSACTION),
				 errmsg("a standby cannot answer"),
				 errdetail("Each answer is remembered, and a standby cannot write."),
				 errhint("Ask the primary server.")));
	if (XactReadOnly)
		ereport(ERROR,
				(errcode(ERRCODE_READ_ONLY_SQL_TRANSACTION),
				 errmsg("cannot ask for an answer in a read-only transaction"),
				 errdetail("Each answer is remembered, which writes."),
				 errhint("Ask in a transaction that may write: SET TRANSACTION READ WRITE.")));
	PreventCommandIfParallelMode("an answer");
	if (InSecurityRestrictedOperation())
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("cannot ask for an answer within a security-restricted operation"),
				 errdetail("Code that a source brings along, for one, runs in such an operation; and so does what fills a materialized view."),
				 errhint("CREATE TABLE AS keeps the rows of an answer.")));
}

/*
 * May the role that asks see errors of the source?  The owner may, and sees them anyhow when the source is read.  The
 * role is that of the session, not that of a function which asks on its behalf.  Code that asks by SPI could keep the
 * error, and may be somebody else's: it sees none.
 */
static bool
sees_source_errors(Oid owner)
{
	return has_privs_of_role(GetSessionUserId(), owner) && has_privs_of_role(GetOuterUserId(), owner) &&
		SPI_unregister_relation("") == SPI_ERROR_UNCONNECTED;
}

/*
 * Receives messages to the last one.  In each silence of DEADLOCK_CHECK_MS it looks whether the worker is still there and
 * does not wait for this backend.
 */
static void
receive_answer(Channel *channel, const AcquiredWorker *worker, RowTarget *target)
{
	Stopwatch	silence = stopwatch_start();
	bool		was_gone = false;

	for (;;)
	{
		Size		size;
		void	   *message;
		shm_mq_result result = shm_mq_receive(channel->queue, &size, &message, true);

		if (result == SHM_MQ_SUCCESS && receive_message(target, message, size))
			return;
		CHECK_FOR_INTERRUPTS();
		if (result == SHM_MQ_SUCCESS)
			continue;
		if (result == SHM_MQ_DETACHED || was_gone)
		{
			bool		was_begun = channel_stage(channel) == STAGE_BEGUN;

			/* A worker that ended after the beginning may have committed the answer before. */
			ereport(ERROR,
					(errcode(ERRCODE_OPERATOR_INTERVENTION),
					 errmsg("the worker that was to make the answer has ended"),
					 was_begun ? errdetail("No row was given out. The answer may have been remembered all the same.")
					 : errdetail("No row was given out, and nothing was remembered."),
					 errhint("Ask again.")));
		}
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
						 DEADLOCK_CHECK_MS, PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
		if (stopwatch_seconds(&silence) * 1000.0 < DEADLOCK_CHECK_MS)
			continue;
		silence = stopwatch_start();
		was_gone = is_worker_gone(worker);	/* then there is what the queue has, and no more */
		if (!was_gone && is_blocked_by_me(worker_pid(worker)))
			ereport(ERROR,
					(errcode(ERRCODE_T_R_DEADLOCK_DETECTED),
					 errmsg("the answer waits for a lock that your own transaction holds"),
					 errdetail("Answers are made in a transaction of their own."),
					 errhint("End the transaction first, and ask then.")));
	}
}

void
ask(Question *question, RowTarget *target)
{
	const ArrayType *columns = question->request.columns;
	Channel    *channel;
	AcquiredWorker worker;

	/* A request that is far too long to be accepted spares a worker. */
	if (question->request.cohort != NULL)
		verify_cohort_length(question->request.cohort);
	if (columns != NULL && ArrayGetNItems(ARR_NDIM(columns), ARR_DIMS(columns)) > MaxHeapAttributeNumber)
		ereport(ERROR,
				(errcode(ERRCODE_TOO_MANY_COLUMNS),
				 errmsg("a release shows %d columns at most", MaxHeapAttributeNumber),
				 errhint("Name each column once.")));
	question->request = session_request(question->request.cohort, question->request.columns);
	question->time_grid = answer_time_grid;
	question->sees_errors = sees_source_errors(question->owner);
	count_question(question);
	target->slot = MakeSingleTupleTableSlot(target->desc, &TTSOpsMinimalTuple);
	channel = channel_open(question);
	worker = acquire_worker(channel, question);
	receive_answer(channel, &worker, target);
	channel_close(channel);
	ExecDropSingleTupleTableSlot(target->slot);
}

Question
question_about(const char *name)
{
	FoundPublication found = publication_find(name);

	return (Question) {.name = name, .publication = found.id, .owner = found.owner, .method = found.method, .params = found.params};
}

Datum
ask_for_result(FunctionCallInfo fcinfo, Question *question)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	RowTarget	target;

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	target.desc = result->setDesc;
	target.store = result->setResult;
	ask(question, &target);
	return (Datum) 0;
}

/* TARGET.NAME() asks: an error unless the caller has the rights of the publication's owner, as that function has. */
Datum
pprepub_answer(PG_FUNCTION_ARGS)
{
	Question	question;

	verify_may_ask();
	question = question_about(text_argument(fcinfo, 0, "the name of a publication"));
	question.request.cohort = PG_ARGISNULL(1) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(1));
	question.request.columns = PG_ARGISNULL(2) ? NULL : PG_GETARG_ARRAYTYPE_P(2);
	return ask_for_result(fcinfo, &question);
}

/* ----------------------------------------------------------------
 * pprepub.answers(): what TARGET.NAME_answers shows its reader
 *
 * It tells roles that may ask, and nobody else, how many answers they have had themselves, and parameters.  How many rows
 * an answer had, and how many others had, it tells nobody.
 * ----------------------------------------------------------------
 */

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
	OWN_NOISE_SPENT,
	OWN_NOISE_LEFT,
	OWN_COLUMNS
};

/* The publication of a live table, for a caller who may ask by one face or the other. */
static DeclaredPublication *
publication_asked(Oid live)
{
	DeclaredPublication *publication = publication_of_live(live);
	Oid			function;

	if (publication == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("relation with OID %u is not the live table of a publication", live)));
	function = answer_function(publication);
	if (!has_rights_of(publication->owner) &&
		pg_class_aclcheck(live, GetUserId(), ACL_SELECT) != ACLCHECK_OK &&
		pg_attribute_aclcheck_all(live, GetUserId(), ACL_SELECT, ACLMASK_ANY) != ACLCHECK_OK &&
		!(OidIsValid(function) && object_aclcheck(ProcedureRelationId, function, GetUserId(), ACL_EXECUTE) == ACLCHECK_OK))
		aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_FOREIGN_TABLE, get_rel_name(live));
	return publication;
}

static void
set_text(Datum *values, bool *nulls, int column, const char *text)
{
	nulls[column] = text == NULL;
	values[column] = text == NULL ? (Datum) 0 : CStringGetTextDatum(text);
}

/* Sets how much noisy counts have cost a role that may ask what is left, and how much they may cost still. */
static void
set_noise(const DeclaredPublication *publication, const char *role, Datum *values, bool *nulls)
{
	Oid			function = noise_function(publication, 1);
	CatalogAccess access;

	nulls[OWN_NOISE_SPENT] = nulls[OWN_NOISE_LEFT] = true;
	if (!OidIsValid(function) || object_aclcheck(ProcedureRelationId, function, GetUserId(), ACL_EXECUTE) != ACLCHECK_OK)
		return;
	catalog_enter(&access);
	catalog_read("SELECT trim_scale(own / 1e9), trim_scale(role_left / 1e9) FROM pprepub_internal.noise_account($1, $2::text::name)",
				 CATALOG_INT(publication->id), CATALOG_TEXT(role));
	for (int i = 0; i < 2; i++)
		values[OWN_NOISE_SPENT + i] = SPI_datumTransfer(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, i + 1, &nulls[OWN_NOISE_SPENT + i]), false, -1);
	catalog_leave(&access);
}

Datum
pprepub_answers(PG_FUNCTION_ARGS)
{
	DeclaredPublication *publication = publication_asked(PG_GETARG_OID(0));
	int64		per_role = limit_of(publication->method, publication->params, "max_answers_per_role");
	int64		per_statement = limit_of(publication->method, publication->params, "max_answers_per_statement");
	const char *role = GetUserNameFromId(GetSessionUserId(), false);
	int64		had = answers_had(publication->id, role);
	Datum		values[OWN_COLUMNS] = {0};
	bool		nulls[OWN_COLUMNS] = {false};
	TupleDesc	columns;

	if (get_call_result_type(fcinfo, NULL, &columns) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "answers() returns a row");
	values[OWN_USED] = Int64GetDatum(had);
	nulls[OWN_LEFT] = per_role == PARAM_ABSENT;
	values[OWN_LEFT] = Int64GetDatum(per_role - Min(had, per_role));
	nulls[OWN_PER_STATEMENT] = per_statement == PARAM_ABSENT;
	values[OWN_PER_STATEMENT] = Int64GetDatum(per_statement);
	values[OWN_K] = declared_number(publication, "k", &nulls[OWN_K]);
	values[OWN_L] = declared_number(publication, "l", &nulls[OWN_L]);
	set_text(values, nulls, OWN_PRINCIPLE, further_principle(publication));
	set_text(values, nulls, OWN_REPAIR, param_string(publication->params, "repair"));
	values[OWN_MAX_ADDED] = declared_number(publication, "max_added", &nulls[OWN_MAX_ADDED]);
	set_noise(publication, role, values, nulls);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(columns), values, nulls)));
}
