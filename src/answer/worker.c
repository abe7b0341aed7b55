/*
 * worker.c
 *		The background worker that makes answers, each in a transaction of its own, and what it does between two of them.
 *
 * IDENTITY
 *		The owner of a publication may be a role that cannot log in, so the worker connects without a role, which the
 *		server takes for its bootstrap superuser, and becomes the owner before it opens anything.  The source's own code
 *		must not find the way back.  Two locks, each of them enough, are the flags of the security context that act_as()
 *		sets: by each, the server refuses to set role or session, be it by SET, by RESET, or by settings of a function.
 *		The context is entered when the transaction starts and left when it has committed; deferred triggers are refused
 *		in it.  In addition the session is the owner's, so that there is no other role to go back to; this is no lock by
 *		itself, since SET SESSION AUTHORIZATION checks the role that has connected.
 *
 * ORDER
 *		The publication is locked before the first snapshot is taken, so that no release is missed and no question has to
 *		be tried again.  History and rows are made under one snapshot.  Then the commit; then, without any lock, the rows.
 *
 * WAITING
 *		ask.c detects a wait for a lock of the asking transaction.  Any other lock is waited for LOCK_WAIT_S seconds:
 *		before the beginning in steps of LOCK_STEP_S, between which a worker notices that the backend has gone.
 *
 * BETWEEN QUESTIONS
 *		Settings that the source's code changed are undone with the transaction.  Everything else that lives as long as a
 *		session is reset when the worker is idle.  Roles cannot change, nor can there be anything that the restricted
 *		context forbids: temporary tables, prepared statements, held cursors, LISTEN.
 *
 *		Then there is optional work, which may fail: VACUUM of the tables that answers write.  Workers count nothing into
 *		the cumulative statistics, which all may read, so autovacuum does not learn of the rows that answers replace.
 */
#include "answer/answer.h"

#include "access/xact.h"
#include "catalog/pg_database.h"
#include "commands/sequence.h"
#include "commands/vacuum.h"
#include "compat.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "postmaster/bgworker.h"
#include "postmaster/interrupt.h"
#include "storage/bufmgr.h"
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
 * The transaction
 * ----------------------------------------------------------------
 */

/* The answer that was committed, or NULL and the error for which nothing was. */
static Answer *
make_and_commit(const Question *question, MemoryContext context, ErrorData **error)
{
	Answer	   *volatile answer = NULL;

	*error = NULL;
	PG_TRY();
	{
		Identity	before;

		SetCurrentStatementStartTimestamp();
		StartTransactionCommand();
		act_as(&before, question->owner);
		set_lock_timeout(LOCK_STEP_S);
		lock_publication_number(question->publication, ExclusiveLock);	/* before the snapshot (ORDER) */
		PushActiveSnapshot(GetTransactionSnapshot());
		MemoryContextSwitchTo(context);
		SPI_connect();
		answer = make_answer(question, begin_answer, context);
		SPI_finish();
		PopActiveSnapshot();
		AtEOXact_GUC(false, before.guc_level);
		commit_durably();

		/*
		 * The security context stays restricted to the end: code of the source's may run while the transaction
		 * commits.
		 */
		CommitTransactionCommand();
		SetUserIdAndSecContext(before.userid, before.security_context);
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		*error = CopyErrorData();
		FlushErrorState();
		AbortCurrentTransaction();
		answer = NULL;
	}
	PG_END_TRY();
	MemoryContextSwitchTo(context);
	return answer;
}

/* ----------------------------------------------------------------
 * Giving it out
 * ----------------------------------------------------------------
 */

/* Waits until a multiple of the grid has passed since the answer was begun: how long it took tells less of its people. */
static void
wait_for_time_grid(int grid)
{
	double		passed = stopwatch_seconds(&begun_at) * 1000.0;
	double		until;

	if (grid == 0 || !has_begun())
		return;
	until = ((int64) (passed / grid) + 1) * (double) grid;
	while ((passed = stopwatch_seconds(&begun_at) * 1000.0) < until)
	{
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
						 (long) (until - passed) + 1, PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
	}
}

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

/*
 * Sends rows or an error.  With rows that do not fit the queue, this waits for the reader.  The worker is free for the
 * next question before the last message leaves, since that may follow at once.  Returns whether it stays.
 */
static bool
give_out(Channel *channel, const Answer *answer, ErrorData *error)
{
	bool		stays = answer_linger > 0 && !TimestampDifferenceExceeds(MyStartTimestamp, GetCurrentTimestamp(), LIFE_S * 1000);
	bool		has_rows = answer != NULL && answer->failure == NULL;
	bool		is_there = !has_rows || send_answer(channel, answer);

	stays = pool_idle(stays);
	if (!is_there)
		return stays;
	if (has_rows)
		send_end(channel);
	else
		send_error(channel, answer != NULL ? answer->failure : redact_error(error));
	return stays;
}

/* ----------------------------------------------------------------
 * Between questions
 * ----------------------------------------------------------------
 */

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

/* The next question's channel, or NULL when the worker is to exit.  Outside of transactions. */
static Channel *
wait_for_question(void)
{
	Stopwatch	watch = stopwatch_start();
	dsm_handle	handle;

	while (pool_check(stopwatch_seconds(&watch) * 1000.0 >= answer_linger || is_database_wanted(), &handle))
	{
		Channel    *channel = handle == DSM_HANDLE_INVALID ? NULL : channel_attach(handle);

		if (channel != NULL)
			return channel;
		if (handle != DSM_HANDLE_INVALID)
			(void) pool_idle(true); /* the backend has gone */
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
						 Min(CHECK_IDLE_MS, answer_linger), PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
		if (ConfigReloadPending)
		{
			ConfigReloadPending = false;
			ProcessConfigFile(PGC_SIGHUP);
			apply_worker_settings();
		}
	}
	return NULL;
}

/* Runs work that begins and commits transactions.  False where it failed: then it is as if it had not been tried. */
static bool
try_in_background(void (*work) (void *what), void *what)
{
	MemoryContext old = CurrentMemoryContext;
	volatile bool is_done = false;

	PG_TRY();
	{
		work(what);
		is_done = true;
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(old);
		FlushErrorState();		/* the work is tried again, or the next question meets the error */
		AbortCurrentTransaction();
	}
	PG_END_TRY();
	MemoryContextSwitchTo(old);
	return is_done;
}

/* ----------------------------------------------------------------
 * Between questions: VACUUM
 * ----------------------------------------------------------------
 */

/* Analysts can see the numbers of answers, so a VACUUM after every so many of them tells nothing about what was answered. */
#define ANSWERS_PER_VACUUM 16

typedef struct Vacuuming
{
	Oid			table;
	MemoryContext context;		/* transactions end in between */
} Vacuuming;

/* Vacuums one table in a transaction of its own, unless another backend holds its lock. */
static void
run_vacuum(void *what)
{
	const Vacuuming *vacuuming = what;
	VacuumParams params = {
		.options = VACOPT_VACUUM | VACOPT_PROCESS_MAIN | VACOPT_PROCESS_TOAST | VACOPT_SKIP_LOCKED,
		.freeze_min_age = -1, .freeze_table_age = -1,
		.multixact_freeze_min_age = -1, .multixact_freeze_table_age = -1,
		.log_vacuum_min_duration = -1,
		.index_cleanup = VACOPTVALUE_UNSPECIFIED,
		.truncate = VACOPTVALUE_DISABLED,	/* which would need a stronger lock */
		.nworkers = -1
	};

	StartTransactionCommand();
	MemoryContextSwitchTo(vacuuming->context);
	vacuum_relations(list_make1(makeVacuumRelation(NULL, vacuuming->table, NIL)), &params, GetAccessStrategy(BAS_VACUUM), vacuuming->context);
	CommitTransactionCommand();
}

/*
 * Vacuums a table as its owner does: without these rights, VACUUM would only warn and skip it.  It runs code of the
 * table's indexes in a restricted context, and ends transactions, so the user that it runs as is set outside of them.
 */
static void
vacuum_table(Oid table, Oid owner)
{
	Vacuuming	vacuuming = {
		.table = table,
		.context = AllocSetContextCreate(TopMemoryContext, "vacuum", ALLOCSET_DEFAULT_SIZES),
	};
	Oid			user;
	int			security_context;

	GetUserIdAndSecContext(&user, &security_context);
	SetUserIdAndSecContext(owner, security_context);	/* transactions must not start restricted */
	PortalContext = vacuuming.context;
	(void) try_in_background(run_vacuum, &vacuuming);
	PortalContext = NULL;
	SetUserIdAndSecContext(user, security_context);
	MemoryContextDelete(vacuuming.context);
}

/* Each answer replaces a publication's row. */
typedef struct CatalogTable
{
	Oid			table;
	Oid			owner;
} CatalogTable;

/* Looks up the catalog's table and its owner, in a transaction of its own. */
static void
find_catalog(void *what)
{
	CatalogTable *catalog = what;

	StartTransactionCommand();
	catalog->table = catalog_relation("catalog_publication");
	catalog->owner = catalog_owner();
	CommitTransactionCommand();
}

/* After every so many answers of a publication, vacuums its groups and the catalog, unless they are locked. */
static void
vacuum_after(const Answer *answer)
{
	CatalogTable catalog = {InvalidOid, InvalidOid};

	if (answer->number % ANSWERS_PER_VACUUM != 0)
		return;
	if (OidIsValid(answer->groups))
		vacuum_table(answer->groups, GetUserId());
	if (try_in_background(find_catalog, &catalog) && OidIsValid(catalog.table))
		vacuum_table(catalog.table, catalog.owner);
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
	Question   *question = channel_question(channel);
	ErrorData  *error;
	Answer	   *answer;
	bool		stays;
	Stopwatch	watch;
	bool		has_told;

	current = channel;

	/*
	 * Each step of waiting for a lock that ends without it aborts the transaction, so the next one begins anew, if the
	 * backend is still there.
	 */
	watch = stopwatch_start();
	has_told = false;
	answer = make_and_commit(question, context, &error);
	while (answer == NULL && error->sqlerrcode == ERRCODE_LOCK_NOT_AVAILABLE &&
		   channel_stage(current) == STAGE_ASKED && stopwatch_seconds(&watch) < LOCK_WAIT_S)
	{
		if (!has_told)
			send_waiting(current);
		has_told = true;
		answer = make_and_commit(question, context, &error);
	}
	if (question->time_grid > 0 || (answer != NULL && !fits_queue(answer)))
		pool_delivering();
	wait_for_time_grid(question->time_grid);
	stays = give_out(channel, answer, error);
	current = NULL;
	channel_close(channel);
	/* Lets go of everything of the last question that outlives its transaction. */
	LockReleaseAll(USER_LOCKMETHOD, true);
	ResetSequenceCaches();
	ResetAllOptions();
	apply_worker_settings();
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
	pool_enter();
	while (channel != NULL && serve_question(channel))
		channel = wait_for_question();
	proc_exit(0);
}
