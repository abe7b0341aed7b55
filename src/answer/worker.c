/*
 * worker.c
 *		The background worker that makes an answer, in a transaction of its own.
 *
 * IDENTITY
 *		The owner of a publication may be a role that cannot log in, so the
 *		worker connects as nobody in particular, which the server takes for its
 *		superuser, and is the owner's before it opens anything.  A source's own
 *		code must not find the way back.  Two locks, each of them enough, are the
 *		flags of the security context that act_as() sets: by each, the server
 *		refuses to set role or session, be it by SET, by RESET, or by settings of a
 *		function.  The context is entered when the transaction starts and left
 *		when it has committed, deferred triggers being refused in it.  And the
 *		session is the owner's, so that there is no other role to go back to; this
 *		is no lock by itself, since SET SESSION AUTHORIZATION asks who has connected.
 *
 * ORDER
 *		The publication is locked before the first snapshot is taken, so that no
 *		release is missed and nobody has to be told to try again.  History and
 *		rows are made under one snapshot.  Then the commit; then, without any
 *		lock, the rows.
 *
 * WAITING
 *		ask.c finds a wait for a lock of the asker's own transaction.  Any other
 *		is waited for PATIENCE_S seconds: before the beginning in steps of
 *		STEP_S, in between of which a worker sees that nobody asks any more.
 */
#include "postgres.h"

#include "access/xact.h"
#include "answer/channel.h"
#include "answer/directory_cache.h"
#include "answer/idle.h"
#include "answer/outcome.h"
#include "answer/respond.h"
#include "answer/vacuum_history.h"
#include "answer/worker_registry.h"
#include "answer/worker_settings.h"
#include "declare/publication.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/bgworker.h"
#include "postmaster/interrupt.h"
#include "release/stopwatch.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "tcop/tcopprot.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

#define PATIENCE_S	60
#define STEP_S		1

extern PGDLLEXPORT void pprepub_answer_worker(Datum channel);

/* What this process is working on. */
static Channel *serving = NULL;
static Stopwatch serving_since;

static void
set_lock_timeout(int seconds)
{
	SetConfigOption("lock_timeout", psprintf("%ds", seconds), PGC_USERSET, PGC_S_SESSION);
}

void
answer_begins(void)
{
	if (!channel_begin(serving))
		ereport(ERROR,
				(errcode(ERRCODE_QUERY_CANCELED),
				 errmsg("the question was withdrawn")));
	set_lock_timeout(PATIENCE_S);
	serving_since = stopwatch_start();
}

static bool
has_begun(void)
{
	return channel_stage(serving) == STAGE_BEGUN;
}

/* ----------------------------------------------------------------
 * Errors
 * ----------------------------------------------------------------
 */

/* What may be said to whoever asked: of an error after the beginning, no more than its first line. */
static ErrorData *
presentable(ErrorData *error)
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

static void
begin_transaction(const Question *question, Identity *before)
{
	SetCurrentStatementStartTimestamp();
	StartTransactionCommand();
	act_as(before, question->owner);
	set_lock_timeout(STEP_S);
	lock_publication_number(question->publication, ExclusiveLock);
	PushActiveSnapshot(GetTransactionSnapshot());
}

/* Restricted to the end: code may still run while it commits. */
static void
commit_transaction(const Identity *before)
{
	PopActiveSnapshot();
	AtEOXact_GUC(false, before->guc_level);
	commit_durably();
	CommitTransactionCommand();
	SetUserIdAndSecContext(before->userid, before->security_context);
}

/* What has been committed, or the error for which nothing was. */
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
		answer = respond(question, context);
		SPI_finish();
		commit_transaction(&before);
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		*error = CopyErrorData();
		FlushErrorState();
		AbortCurrentTransaction();
		kept_forget(question->publication);
		answer = NULL;
	}
	PG_END_TRY();
	MemoryContextSwitchTo(context);
	return answer;
}

/* Was it a lock, and is it worth while to wait on? */
static bool
may_wait_on(const ErrorData *error, const Stopwatch *watch)
{
	return error->sqlerrcode == ERRCODE_LOCK_NOT_AVAILABLE && channel_stage(serving) == STAGE_ASKED &&
		stopwatch_seconds(watch) < PATIENCE_S;
}

/* Whoever asks may go away while a lock is waited for: then a worker waits no longer. */
static Answer *
make_patiently(const Question *question, MemoryContext context, ErrorData **error)
{
	Stopwatch	watch = stopwatch_start();
	Answer	   *answer;

	do
	{
		answer = make_and_commit(question, context, error);
	} while (answer == NULL && may_wait_on(*error, &watch));
	return answer;
}

/* ----------------------------------------------------------------
 * The process
 * ----------------------------------------------------------------
 */

/* How long the answer took is seen to a multiple of the grid only. */
static void
wait_for_grid(int grid)
{
	double		passed = stopwatch_seconds(&serving_since) * 1000.0;
	double		until;

	if (grid == 0 || !has_begun())
		return;
	until = ((int64) (passed / grid) + 1) * (double) grid;
	while ((passed = stopwatch_seconds(&serving_since) * 1000.0) < until)
	{
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
						 (long) (until - passed) + 1, PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
	}
}

static void
send_outcome(Channel *channel, const Answer *answer, ErrorData *error)
{
	if (answer != NULL && !send_answer(channel, answer))
		return;
	registry_hold_up(false);
	if (answer != NULL)
		send_end(channel);
	else
		send_error(channel, presentable(error));
}

/* False when the worker is to go. */
static bool
serve_question(Channel *channel)
{
	MemoryContext context = AllocSetContextCreate(TopMemoryContext, "answer", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	const Question *question = channel_question(channel);
	ErrorData  *error;
	Answer	   *answer;
	bool		stays;

	serving = channel;
	answer = make_patiently(question, context, &error);
	if (question->time_grid > 0 || (answer != NULL && takes_long_to_send(answer)))
		registry_hold_up(true);
	wait_for_grid(question->time_grid);
	send_outcome(channel, answer, error);
	serving = NULL;
	channel_close(channel);
	stays = begin_rest();
	if (stays)
		kept_learn(question);
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
	BackgroundWorkerInitializeConnectionByOid(channel_database(channel), InvalidOid, 0);
	be_quiet();
	SetSessionAuthorization(channel_owner(channel), false);
	registry_enter(channel_owner(channel), channel_publication(channel), MyBgworkerEntry->bgw_notify_pid);
	while (channel != NULL && serve_question(channel))
		channel = rest();
	proc_exit(0);
}
