/*
 * backend.c
 *		Asking in the analyst's backend: hands the question to a worker and the
 *		rows of the answer to the query.
 *
 * Two faces ask.  The SQL functions beside the releases, TARGET.NAME(cohort,
 * columns), call pprepub_internal.answer() as the publication's owner; live tables ask by
 * live_scan.c.  The worker remembers the answer and commits before it sends the
 * first row (worker.c), so an answer whose rows were seen is remembered, whatever
 * happens here afterwards.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "answer/answer.h"
#include "answer/worker_pool.h"
#include "declare/publication.h"
#include "executor/executor.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "release/cohort/cohort.h"
#include "release/stopwatch.h"
#include "storage/latch.h"
#include "utils/acl.h"
#include "utils/builtins.h"

PG_FUNCTION_INFO_V1(pprepub_answer);

/* ----------------------------------------------------------------
 * Checks, and the question
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

/* Spares a worker a request that is far too long to be accepted. */
static void
verify_size(const Request *request)
{
	if (request->cohort != NULL)
		verify_cohort_length(request->cohort);
	if (request->columns != NULL &&
		ArrayGetNItems(ARR_NDIM(request->columns), ARR_DIMS(request->columns)) > MaxHeapAttributeNumber)
		ereport(ERROR,
				(errcode(ERRCODE_TOO_MANY_COLUMNS),
				 errmsg("a release shows %d columns at most", MaxHeapAttributeNumber),
				 errhint("Name each column once.")));
}

/*
 * May the role that asks see errors of the source?  The owner may, and sees them anyhow when the source is read.  The role
 * is that of the session, not that of a function which asks on its behalf.  Code that asks by SPI could keep the
 * error, and may be somebody else's: it sees none.
 */
static bool
sees_source_errors(Oid owner)
{
	return has_privs_of_role(GetSessionUserId(), owner) && has_privs_of_role(GetOuterUserId(), owner) &&
		SPI_unregister_relation("") == SPI_ERROR_UNCONNECTED;
}

/* The question of TARGET.NAME(): an error unless the caller has the rights of the publication's owner, as that function has. */
static Question *
make_question(FunctionCallInfo fcinfo)
{
	Question   *question = palloc0(sizeof(Question));
	FoundPublication found;

	question->name = text_argument(fcinfo, 0, "the name of a publication");
	question->request.cohort = PG_ARGISNULL(1) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(1));
	question->request.columns = PG_ARGISNULL(2) ? NULL : PG_GETARG_ARRAYTYPE_P(2);
	found = publication_find(question->name);
	question->publication = found.id;
	question->owner = found.owner;
	question->method = found.method;
	question->params = found.params;
	return question;
}

/* ----------------------------------------------------------------
 * Receiving the answer
 * ----------------------------------------------------------------
 */

static void
refuse_deadlock(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_T_R_DEADLOCK_DETECTED),
			 errmsg("the answer waits for a lock that your own transaction holds"),
			 errdetail("Answers are made in a transaction of their own."),
			 errhint("End the transaction first, and ask then.")));
}

/* A worker that ended after the beginning may have committed the answer before. */
static void
refuse_dead_worker(const Channel *channel)
{
	bool		was_begun = channel_stage(channel) == STAGE_BEGUN;

	ereport(ERROR,
			(errcode(ERRCODE_OPERATOR_INTERVENTION),
			 errmsg("the worker that was to make the answer has ended"),
			 was_begun ? errdetail("No row was given out. The answer may have been remembered all the same.")
			 : errdetail("No row was given out, and nothing was remembered."),
			 errhint("Ask again.")));
}

/* True when the last message was received; is_idle when there was none to receive. */
static bool
receive_next(Channel *channel, RowTarget *target, bool *is_idle)
{
	Size		size;
	void	   *message;
	shm_mq_result result = shm_mq_receive(channel->queue, &size, &message, true);

	*is_idle = result == SHM_MQ_WOULD_BLOCK;
	if (result == SHM_MQ_DETACHED)
		refuse_dead_worker(channel);
	return result == SHM_MQ_SUCCESS && receive_message(target, message, size);
}

/*
 * Receives messages to the last one.  In each silence of DEADLOCK_CHECK_MS it
 * looks whether the worker is still there and does not wait for this backend.
 */
static void
receive_answer(Channel *channel, const AcquiredWorker *worker, RowTarget *target)
{
	Stopwatch	silence = stopwatch_start();
	bool		is_idle;
	bool		was_gone = false;

	while (!receive_next(channel, target, &is_idle))
	{
		CHECK_FOR_INTERRUPTS();
		if (!is_idle)
			continue;
		if (was_gone)			/* and the queue is empty */
			refuse_dead_worker(channel);
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
						 DEADLOCK_CHECK_MS, PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
		if (stopwatch_seconds(&silence) * 1000.0 < DEADLOCK_CHECK_MS)
			continue;
		silence = stopwatch_start();
		was_gone = is_worker_gone(worker);
		if (!was_gone && is_blocked_by_me(worker_pid(worker)))
			refuse_deadlock();
	}
}

void
ask(Question *question, RowTarget *target)
{
	Channel    *channel;
	AcquiredWorker worker;

	verify_size(&question->request);
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

Datum
pprepub_answer(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	Question   *question;
	RowTarget	target;

	verify_may_ask();
	question = make_question(fcinfo);
	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	target.desc = result->setDesc;
	target.store = result->setResult;
	ask(question, &target);
	return (Datum) 0;
}
