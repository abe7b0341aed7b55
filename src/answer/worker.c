/*
 * worker.c
 *		The background worker that makes an answer, in a transaction of its own.
 *
 * IDENTITY
 *		The owner of a publication may be a role that cannot log in, so the
 *		worker connects without a role, which the server takes for its bootstrap
 *		superuser, and becomes the owner before it opens anything.  The source's
 *		own code must not find the way back.  Two locks, each of them enough, are
 *		the flags of the security context that act_as() sets: by each, the server
 *		refuses to set role or session, be it by SET, by RESET, or by settings of
 *		a function.  The context is entered when the transaction starts and left
 *		when it has committed; deferred triggers are refused in it.  In addition
 *		the session is the owner's, so that there is no other role to go back to;
 *		this is no lock by itself, since SET SESSION AUTHORIZATION checks the role
 *		that has connected.
 *
 * ORDER
 *		The publication is locked before the first snapshot is taken, so that no
 *		release is missed and no question has to be tried again.  History and
 *		rows are made under one snapshot.  Then the commit; then, without any
 *		lock, the rows.
 *
 * WAITING
 *		backend.c detects a wait for a lock of the asking transaction.  Any other
 *		lock is waited for LOCK_WAIT_S seconds: before the beginning in steps of
 *		LOCK_STEP_S, between which a worker notices that the backend has gone.
 *
 * BETWEEN QUESTIONS
 *		Settings that the source's code changed are undone with the transaction.
 *		Everything else that lives as long as a session is reset when the worker
 *		becomes idle.  Roles cannot change, nor can there be anything that the
 *		restricted context forbids: temporary tables, prepared statements, held
 *		cursors, LISTEN.
 */
#include "postgres.h"

#include "access/xact.h"
#include "answer/answer.h"
#include "answer/worker_pool.h"
#include "catalog/pg_database.h"
#include "commands/sequence.h"
#include "declare/publication.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "postmaster/bgworker.h"
#include "postmaster/interrupt.h"
#include "release/stopwatch.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "storage/lock.h"
#include "tcop/tcopprot.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"
#include "utils/wait_event.h"

#define LOCK_WAIT_S		60
#define LOCK_STEP_S		1
#define CHECK_IDLE_MS	100		/* an idle worker looks this often whether it is in the way of others */
#define LIFE_S			600		/* then a new process applies settings that are read at its start only */

extern PGDLLEXPORT void pprepub_answer_worker(Datum channel);

/* The question at hand, and when its answer was begun. */
static Channel *current = NULL;
static Stopwatch begun_at;

static void
set_lock_timeout(int seconds)
{
	SetConfigOption("lock_timeout", psprintf("%ds", seconds), PGC_USERSET, PGC_S_SESSION);
}

/* From here on the question is charged, and waits for locks count as part of the answer. */
static void
begin_answer(void)
{
	if (!channel_begin(current))
		ereport(ERROR,
				(errcode(ERRCODE_QUERY_CANCELED),
				 errmsg("the question was withdrawn")));
	set_lock_timeout(LOCK_WAIT_S);
	begun_at = stopwatch_start();
}

static bool
has_begun(void)
{
	return channel_stage(current) == STAGE_BEGUN;
}

/* ----------------------------------------------------------------
 * Errors
 * ----------------------------------------------------------------
 */

/* An error as the analyst may see it: after the beginning, no more than its first line. */
static ErrorData *
redact_error(ErrorData *error)
{
	if (has_begun())
	{
		error->detail = "The answer was not made.";
		error->hint = NULL;
	}
	else if (error->sqlerrcode == ERRCODE_LOCK_NOT_AVAILABLE)
		error->hint = "Somebody publishes, or changes the publication. Ask again later.";
	return error;
}

/* ----------------------------------------------------------------
 * The transaction
 * ----------------------------------------------------------------
 */

/* Takes the publication's lock before the snapshot (ORDER). */
static void
begin_transaction(const Question *question, Identity *before)
{
	SetCurrentStatementStartTimestamp();
	StartTransactionCommand();
	act_as(before, question->owner);
	set_lock_timeout(LOCK_STEP_S);
	lock_publication_number(question->publication, ExclusiveLock);
	PushActiveSnapshot(GetTransactionSnapshot());
}

/* The security context stays restricted to the end: code of the source's may run while the transaction commits. */
static void
commit_transaction(const Identity *before)
{
	PopActiveSnapshot();
	AtEOXact_GUC(false, before->guc_level);
	commit_durably();
	CommitTransactionCommand();
	SetUserIdAndSecContext(before->userid, before->security_context);
}

/* The answer that was committed, or NULL and the error for which nothing was. */
static Answer *
make_and_commit(const Question *question, MemoryContext context, ErrorData **error)
{
	Answer	   *volatile answer = NULL;

	*error = NULL;
	PG_TRY();
	{
		Identity	before;

		begin_transaction(question, &before);
		MemoryContextSwitchTo(context);
		SPI_connect();
		answer = make_answer(question, begin_answer, context);
		SPI_finish();
		commit_transaction(&before);
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		*error = CopyErrorData();
		FlushErrorState();
		AbortCurrentTransaction();
		forget_directory(question->publication);
		answer = NULL;
	}
	PG_END_TRY();
	MemoryContextSwitchTo(context);
	return answer;
}

/* Did one step of waiting for a lock end, and is the backend still there? */
static bool
may_retry(const ErrorData *error, const Stopwatch *watch)
{
	return error->sqlerrcode == ERRCODE_LOCK_NOT_AVAILABLE && channel_stage(current) == STAGE_ASKED &&
		stopwatch_seconds(watch) < LOCK_WAIT_S;
}

/* Each step that ends without the lock aborts the transaction, so the next one begins anew. */
static Answer *
make_with_retries(const Question *question, MemoryContext context, ErrorData **error)
{
	Stopwatch	watch = stopwatch_start();
	Answer	   *answer = make_and_commit(question, context, error);

	if (answer == NULL && may_retry(*error, &watch))
		send_waiting(current);
	while (answer == NULL && may_retry(*error, &watch))
		answer = make_and_commit(question, context, error);
	return answer;
}

/* ----------------------------------------------------------------
 * One question
 * ----------------------------------------------------------------
 */

/* Sends rows or an error.  With rows that do not fit the queue, this waits for the reader. */
static void
send_result(Channel *channel, const Answer *answer, ErrorData *error)
{
	if (answer != NULL && answer->failure == NULL && !send_answer(channel, answer))
		return;
	pool_finishing();
	if (answer != NULL && answer->failure != NULL)
		send_error(channel, answer->failure);
	else if (answer != NULL)
		send_end(channel);
	else
		send_error(channel, redact_error(error));
}

/* ----------------------------------------------------------------
 * Between questions
 * ----------------------------------------------------------------
 */

/* Lets go of everything of the last question that outlives its transaction. */
static void
reset_session(void)
{
	LockReleaseAll(USER_LOCKMETHOD, true);
	ResetSequenceCaches();
	ResetAllOptions();
	apply_worker_settings();
}

static void
reload_configuration(void)
{
	if (!ConfigReloadPending)
		return;
	ConfigReloadPending = false;
	ProcessConfigFile(PGC_SIGHUP);
	apply_worker_settings();
}

/* DROP, ALTER and CREATE DATABASE wait for all processes in the database to exit, holding a lock on it. */
static bool
is_database_wanted(void)
{
	LOCKTAG		tag;
	VirtualTransactionId *holders;
	int			count;

	SET_LOCKTAG_OBJECT(tag, InvalidOid, DatabaseRelationId, MyDatabaseId, 0);
	holders = GetLockConflicts(&tag, RowExclusiveLock, &count);
	pfree(holders);
	return count > 0;
}

/* False when the worker is to exit. */
static bool
become_idle(void)
{
	reset_session();
	return answer_linger > 0 &&
		!TimestampDifferenceExceeds(MyStartTimestamp, GetCurrentTimestamp(), LIFE_S * 1000) &&
		pool_idle();
}

/* The next question's channel, or NULL when the worker is to exit.  Outside of transactions. */
static Channel *
wait_for_question(void)
{
	Stopwatch	watch = stopwatch_start();
	dsm_handle	handle;
	IdleState	state;

	while ((state = pool_check(stopwatch_seconds(&watch) * 1000.0 >= answer_linger || is_database_wanted(), &handle)) != IDLE_ENDS)
	{
		if (state == IDLE_ASSIGNED)
		{
			Channel    *channel = channel_attach(handle);

			if (channel != NULL)
				return channel;
			(void) pool_idle(); /* the backend has gone */
			continue;
		}
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
						 Min(CHECK_IDLE_MS, answer_linger), PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
		reload_configuration();
	}
	return NULL;
}

/* ----------------------------------------------------------------
 * The process
 * ----------------------------------------------------------------
 */

/* False when the worker is to exit. */
static bool
serve_question(Channel *channel)
{
	MemoryContext context = AllocSetContextCreate(TopMemoryContext, "answer", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	const Question *question = channel_question(channel);
	ErrorData  *error;
	Answer	   *answer;
	bool		stays;

	current = channel;
	answer = make_with_retries(question, context, &error);
	if (question->time_grid > 0 || (answer != NULL && !fits_queue(answer)))
		pool_delivering();
	if (has_begun())
		wait_for_time_grid(&begun_at, question->time_grid);
	send_result(channel, answer, error);
	current = NULL;
	channel_close(channel);
	stays = become_idle();
	if (stays)
		cache_directory(question);
	if (answer != NULL)
		vacuum_after(answer);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	return stays;
}

void
pprepub_answer_worker(Datum handle)
{
	Channel    *channel;

	pqsignal(SIGTERM, die);
	pqsignal(SIGHUP, SignalHandlerForConfigReload);
	BackgroundWorkerUnblockSignals();
	channel = channel_attach(DatumGetUInt32(handle));
	if (channel == NULL)
		proc_exit(0);
	BackgroundWorkerInitializeConnectionByOid(channel->head->database, InvalidOid, 0);
	apply_worker_settings();
	SetSessionAuthorization(channel->head->owner, false);
	pool_enter(channel->head->owner, channel->head->publication, MyBgworkerEntry->bgw_notify_pid);
	while (channel != NULL && serve_question(channel))
		channel = wait_for_question();
	proc_exit(0);
}
