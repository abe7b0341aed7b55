/*
 * ask.c
 *		pprepub.answer(): asks a worker, and gives the rows to the query.
 *
 * The functions beside the releases, TARGET.NAME(cohort, columns), call it as
 * the publication's owner.  The worker remembers the answer and commits before
 * it sends the first row (worker.c), so nothing that happens here afterwards
 * can make anything unseen again.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "answer/acquire_worker.h"
#include "answer/blockers.h"
#include "answer/channel.h"
#include "answer/limits.h"
#include "answer/outcome.h"
#include "answer/settings.h"
#include "declare/publication.h"
#include "executor/executor.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "release/cohort/cohort.h"
#include "release/stopwatch.h"
#include "storage/latch.h"
#include "utils/builtins.h"

PG_FUNCTION_INFO_V1(pprepub_answer);

/* ----------------------------------------------------------------
 * Who may ask, and when
 * ----------------------------------------------------------------
 */

static void
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

/* What is far too long for a worker to accept is not even handed to one. */
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

/* The publication asked about, for a caller with its owner's rights, as the functions in TARGET have. */
static Question *
make_question(FunctionCallInfo fcinfo)
{
	Question   *question = palloc0(sizeof(Question));
	FoundPublication found;

	question->name = text_argument(fcinfo, 0, "the name of a publication");
	question->request.cohort = PG_ARGISNULL(1) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(1));
	question->request.columns = PG_ARGISNULL(2) ? NULL : PG_GETARG_ARRAYTYPE_P(2);
	question->request.by = GetUserNameFromId(GetSessionUserId(), false);
	verify_size(&question->request);
	question->time_grid = answer_time_grid;
	found = publication_find(question->name);
	question->publication = found.id;
	question->owner = found.owner;
	count_question(found.id, found.method, found.params);
	return question;
}

/* ----------------------------------------------------------------
 * Waiting for the outcome
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

/* What came of it: true when it was the last message. */
static bool
take_next(Channel *channel, Reception *reception, bool *is_idle)
{
	Size		size;
	void	   *message;
	shm_mq_result result = shm_mq_receive(channel->queue, &size, &message, true);

	*is_idle = result == SHM_MQ_WOULD_BLOCK;
	if (result == SHM_MQ_DETACHED)
		refuse_dead_worker(channel);
	return result == SHM_MQ_SUCCESS && take_message(reception, message, size);
}

static void
take_outcome(Channel *channel, const Hired *worker, Reception *reception)
{
	Stopwatch	silence = stopwatch_start();
	bool		is_idle;
	bool		was_gone = false;

	while (!take_next(channel, reception, &is_idle))
	{
		CHECK_FOR_INTERRUPTS();
		if (!is_idle)
			continue;
		if (was_gone)			/* and has left nothing behind */
			refuse_dead_worker(channel);
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
						 LOOK_FOR_LOCKS_MS, PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
		if (stopwatch_seconds(&silence) * 1000.0 < LOOK_FOR_LOCKS_MS)
			continue;
		silence = stopwatch_start();
		was_gone = is_worker_gone(worker);
		if (!was_gone && waits_for_me(worker_pid(worker)))
			refuse_deadlock();
	}
}

Datum
pprepub_answer(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	Question   *question;
	Channel    *channel;
	Reception	reception;
	Hired		worker;

	verify_may_ask();
	question = make_question(fcinfo);
	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	reception.desc = result->setDesc;
	reception.store = result->setResult;
	reception.slot = MakeSingleTupleTableSlot(result->setDesc, &TTSOpsMinimalTuple);

	channel = channel_open(question);
	worker = hire_worker(channel, question);
	take_outcome(channel, &worker, &reception);
	channel_close(channel);
	ExecDropSingleTupleTableSlot(reception.slot);
	return (Datum) 0;
}
