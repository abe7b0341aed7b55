/*
 * hire.c
 *		Engaging a worker that rests, or starting one when there is room.
 *
 * NOTES
 *		Nobody is told when a slot becomes free, so one has to look.  Workers
 *		that rest give way to others' questions.
 */
#include "serve/answer/hire.h"

#include "miscadmin.h"
#include "pgstat.h"
#include "serve/answer/settings.h"
#include "serve/answer/waits.h"
#include "serve/stopwatch.h"
#include "storage/latch.h"

#define LOOK_AGAIN_MS	5
#define TURN_MS			20

/*
 * A worker that does not know its way about takes longer, and then the one that
 * did does not know it any more.  So each publication that is asked about has
 * one of its own while slots are free, and beyond that some share one.
 */
#define PATIENCE_MS		100

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

static double
waited_ms(const Stopwatch *watch)
{
	return stopwatch_seconds(watch) * 1000.0;
}

static bool
is_patient(const Stopwatch *watch)
{
	return waited_ms(watch) < PATIENCE_MS;
}

/*
 * A worker that rests, or that soon will; but not one that waits for this
 * process's transaction.
 */
static Offer
engage(const Channel *channel, const Question *question, const Stopwatch *watch, Engagement *engagement)
{
	Stopwatch	silence = stopwatch_start();
	Offer		offer;

	while ((offer = engage_worker(question->owner, question->publication, is_patient(watch),
								  channel_handle(channel), engagement)) == OFFER_SOON)
	{
		wait_for_rest(engagement, TURN_MS);
		CHECK_FOR_INTERRUPTS();
		if (waited_ms(watch) >= answer_wait)
			break;
		if (waited_ms(&silence) < LOOK_FOR_LOCKS_MS)
			continue;
		if (waits_for_me(engagement->pid))
			break;
		silence = stopwatch_start();
	}
	return offer;
}

/* Until a slot may be free, or the worker that would be better than none. */
static void
wait_for_any(Offer offer, const Question *question, const Stopwatch *watch, const Engagement *engagement)
{
	if (waited_ms(watch) >= answer_wait)
		refuse_without_slot();
	if (offer == OFFER_LATER && is_patient(watch))
		wait_for_rest(engagement, LOOK_AGAIN_MS);
	else
	{
		(void) dismiss_resting(question->owner);
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
						 LOOK_AGAIN_MS, PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
	}
	CHECK_FOR_INTERRUPTS();
}

Hired
hire_worker(Channel *channel, const Question *question)
{
	Stopwatch	watch = stopwatch_start();
	BackgroundWorker worker;
	Hired		hired = {.handle = NULL};
	Offer		offer;

	describe_worker(&worker, channel);
	while ((offer = engage(channel, question, &watch, &hired.engagement)) != OFFER_ENGAGED)
	{
		if (RegisterDynamicBackgroundWorker(&worker, &hired.handle))
		{
			shm_mq_set_handle(channel->queue, hired.handle);
			break;
		}
		wait_for_any(offer, question, &watch, &hired.engagement);
	}
	stop_waiting_for_rest();
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
