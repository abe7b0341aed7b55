/*
 * acquire_worker.c
 *		Engaging a worker that rests, or starting one when there is room.
 *
 * NOTES
 *		Nobody is told when a slot becomes free, so one has to look.  Workers
 *		that rest give way to others' questions.
 */
#include "answer/acquire_worker.h"

#include "answer/blockers.h"
#include "answer/settings.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "release/stopwatch.h"
#include "storage/latch.h"

#define LOOK_AGAIN_MS	5
#define TURN_MS			20

/*
 * A worker that does not know its way about takes longer, and then the one that
 * did does not know it any more; and more workers than processors only take the
 * caches from each other.  So publications share workers, and wait for them.
 */
#define PATIENCE_MS		1000

static void
describe_worker(BackgroundWorker *worker, const Channel *channel)
{
	memset(worker, 0, sizeof(*worker));
	worker->bgw_flags = BGWORKER_SHMEM_ACCESS | BGWORKER_BACKEND_DATABASE_CONNECTION;
	worker->bgw_start_time = BgWorkerStart_RecoveryFinished;
	worker->bgw_restart_time = BGW_NEVER_RESTART;
	worker->bgw_notify_pid = MyProcPid;
	worker->bgw_main_arg = UInt32GetDatum(channel_handle(channel));
	strlcpy(worker->bgw_library_name, "pprepub", BGW_MAXLEN);
	strlcpy(worker->bgw_function_name, "pprepub_answer_worker", BGW_MAXLEN);
	strlcpy(worker->bgw_name, "pprepub answer", BGW_MAXLEN);
	strlcpy(worker->bgw_type, "pprepub answer", BGW_MAXLEN);
}

static void
refuse_without_slot(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_RESOURCES),
			 errmsg("no background worker was free to make the answer"),
			 errdetail("All of max_worker_processes, %d, were in use for %d ms.",
					   max_worker_processes, answer_wait),
			 errhint("Ask again later, or have max_worker_processes increased.")));
}

static void
wait_for_slot(Oid owner, const Stopwatch *watch)
{
	if (stopwatch_seconds(watch) * 1000.0 >= answer_wait)
		refuse_without_slot();
	(void) dismiss_resting(owner);
	(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
					 LOOK_AGAIN_MS, PG_WAIT_EXTENSION);
	ResetLatch(MyLatch);
	CHECK_FOR_INTERRUPTS();
}

/*
 * A worker that rests, or that soon will; but not one that waits for this
 * process's transaction.
 */
static bool
engage(const Channel *channel, const Question *question, const Stopwatch *watch, Engagement *engagement)
{
	Stopwatch	silence = stopwatch_start();
	Offer		offer;

	while ((offer = engage_worker(question->owner, question->publication,
								  stopwatch_seconds(watch) * 1000.0 < PATIENCE_MS,
								  channel_handle(channel), engagement)) == OFFER_SOON)
	{
		wait_for_rest(engagement, TURN_MS);
		CHECK_FOR_INTERRUPTS();
		if (stopwatch_seconds(watch) * 1000.0 >= answer_wait)
			break;
		if (stopwatch_seconds(&silence) * 1000.0 < LOOK_FOR_LOCKS_MS)
			continue;
		if (waits_for_me(engagement->pid))
			break;
		silence = stopwatch_start();
	}
	stop_waiting_for_rest();
	return offer == OFFER_ENGAGED;
}

/* Whoever goes away, or finds the worker dead, has nobody else wait for it. */
static void
expect_nobody(dsm_segment *segment, Datum arg)
{
	start_nobody();
}

Hired
hire_worker(Channel *channel, const Question *question)
{
	Stopwatch	watch = stopwatch_start();
	BackgroundWorker worker;
	Hired		hired = {.handle = NULL};

	describe_worker(&worker, channel);
	on_dsm_detach(channel->segment, expect_nobody, (Datum) 0);
	while (!engage(channel, question, &watch, &hired.engagement))
	{
		if (RegisterDynamicBackgroundWorker(&worker, &hired.handle))
		{
			shm_mq_set_handle(channel->queue, hired.handle);
			break;
		}
		start_nobody();
		wait_for_slot(question->owner, &watch);
	}
	return hired;
}

int
worker_pid(const Hired *hired)
{
	pid_t		pid;

	if (hired->handle == NULL)
		return hired->engagement.pid;
	return GetBackgroundWorkerPid(hired->handle, &pid) == BGWH_STARTED ? pid : 0;
}

bool
is_worker_gone(const Hired *hired)
{
	return hired->handle == NULL && !is_engaged(&hired->engagement);
}
