/*
 * worker_pool.c
 *		The background workers that make answers: a slot in shared memory for each, and how a question gets one.
 *
 * Starting a process and filling its catalog caches takes longer than most answers, so a worker that has answered stays
 * for a while (pprepub.answer_linger), for the next question about its publication.  It acts for one owner in one
 * database, all its life.
 *
 * WHICH WORKER ANSWERS
 *		Answers of a publication are made one after the other, so a question waits while a worker makes one.  It takes the
 *		publication's worker when that is idle, and else has one started.  One that waits for the time grid, or for the
 *		reader of a long answer, does not count: nobody waits for it, and another one is started beside it.
 *
 *		A new worker needs a slot of max_worker_processes.  While none is free, workers that are idle exit to make room,
 *		one at a time, which takes pprepub.answer_wait at most, once more.  A crowd that never leaves its worker idle must
 *		not keep others waiting: one backend claims the room, the next worker that has answered exits, and nobody else
 *		starts one meanwhile.
 *
 * LOCKING
 *		One lightweight lock covers all slots.  Code that holds it only reads and writes slots and cannot fail, so no
 *		process exits with the lock.  Latches are set and condition variables signalled after it has been released.
 *
 * MEMORY
 *		Nothing is preloaded, so the slots lie in what shared memory the server has to spare when the first question is
 *		asked.  Where that does not suffice, each question has a worker of its own, at the price of the time to start it.
 *		The memory's name carries a version, to be raised with each change of the structs (shared/progress.h).
 *
 * DEADLOCKS
 *		Every wait for a worker looks now and then whether the worker waits for this backend.  The graph has two kinds of
 *		edges: a process waits for those that pg_blocking_pids() names, and a backend that has asked, for its worker.
 */
#include "answer/answer.h"

#include "compat.h"
#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "pgstat.h"
#include "shared/progress.h"
#include "storage/condition_variable.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "storage/lwlock.h"
#include "storage/proc.h"
#include "utils/array.h"
#include "utils/fmgrprotos.h"
#include "utils/timestamp.h"

#define POOL_NAME		"pprepub workers 13"
#define TRANCHE_NAME	"pprepub_workers"

#define IN_USE_MS		1000	/* a worker idle for less may be needed soon */
#define CHECK_WORKER_MS	20		/* a backend looks at the slots this often even if no worker tells it to */
#define CHECK_SLOT_MS	5		/* PostgreSQL has no signal for a background worker slot that becomes free */
#define EXIT_MS			20		/* a worker that has left the pool has exited, and PostgreSQL has noticed */

typedef enum SlotState
{
	SLOT_FREE,
	SLOT_BUSY,					/* has a question; its worker may not have started yet, or not have noticed */
	SLOT_DELIVERING,			/* waits for the time grid, or for the reader of its rows */
	SLOT_IDLE,
	SLOT_ENDING					/* is exiting, or is to exit */
} SlotState;

typedef struct WorkerSlot
{
	SlotState	state;
	int			pid;			/* 0 while it starts */
	PGPROC	   *proc;
	Oid			database;
	Oid			owner;
	int32		publication;	/* that it answers about */
	int			asker;			/* pid of the backend whose question it has, or 0 */
	dsm_handle	channel;		/* of a question that it has not noticed yet, or DSM_HANDLE_INVALID */
	TimestampTz idle_since;
	ConditionVariable available;	/* signalled when it becomes idle, delivers or exits */
} WorkerSlot;

typedef struct WorkerPool
{
	LWLock		lock;
	int			nslots;			/* max_worker_processes */
	Stopwatch	since_left;		/* a worker left last */
	int			claimant;		/* pid of the backend that is to have the next room, or 0 */
	WorkerSlot	slots[FLEXIBLE_ARRAY_MEMBER];
} WorkerPool;

static WorkerPool *pool = NULL;
static bool is_out_of_memory = false;

/* The slot of this process, if it is a worker. */
static WorkerSlot *own = NULL;

/* Makes all slots free. */
static void
initialize(void *memory)
{
	WorkerPool *fresh = memory;

	LWLockInitialize(&fresh->lock, new_tranche(TRANCHE_NAME));
	fresh->nslots = max_worker_processes;
	fresh->since_left = stopwatch_start();
	fresh->claimant = 0;
	memset(fresh->slots, 0, sizeof(WorkerSlot) * fresh->nslots);
	for (int i = 0; i < fresh->nslots; i++)
		ConditionVariableInit(&fresh->slots[i].available);
}

/* Attaches to the pool at first use; false where shared memory had no room for it, which is not tried again. */
static bool
has_pool(void)
{
	if (pool == NULL && !is_out_of_memory)
	{
		pool = memory_of_sessions(POOL_NAME,
								  add_size(offsetof(WorkerPool, slots), mul_size(sizeof(WorkerSlot), max_worker_processes)),
								  initialize);
		is_out_of_memory = pool == NULL;
		if (pool != NULL)
			name_tranche(pool->lock.tranche, TRANCHE_NAME);
	}
	return pool != NULL;
}

/* ----------------------------------------------------------------
 * Deadlocks
 * ----------------------------------------------------------------
 */

/* Adds the processes that one waits for: by locks, and a backend that has asked for its worker, without a lock. */
static List *
add_blockers(List *pids, int pid)
{
	ArrayType  *blockers = DatumGetArrayTypeP(DirectFunctionCall1(pg_blocking_pids, Int32GetDatum(pid)));
	const int32 *values = (const int32 *) ARR_DATA_PTR(blockers);
	int			worker = 0;

	for (int i = 0; i < ArrayGetNItems(ARR_NDIM(blockers), ARR_DIMS(blockers)); i++)
		if (values[i] != 0)		/* a prepared transaction, which waits for nothing */
			pids = list_append_unique_int(pids, values[i]);
	if (has_pool())
	{
		LWLockAcquire(&pool->lock, LW_SHARED);
		for (int i = 0; i < pool->nslots && worker == 0; i++)
			if (pool->slots[i].asker == pid && pool->slots[i].state != SLOT_FREE)
				worker = pool->slots[i].pid;
		LWLockRelease(&pool->lock);
	}
	return worker == 0 ? pids : list_append_unique_int(pids, worker);
}

bool
is_blocked_by_me(int pid)
{
	/* pg_blocking_pids() names a group of parallel workers by its leader. */
	int			me = MyProc->lockGroupLeader != NULL ? MyProc->lockGroupLeader->pid : MyProcPid;
	List	   *pids = list_make1_int(pid);

	for (int i = 0; i < list_length(pids); i++)
	{
		CHECK_FOR_INTERRUPTS();
		pids = add_blockers(pids, list_nth_int(pids, i));
	}
	return list_member_int(pids, me);
}

/* ----------------------------------------------------------------
 * For the backend that asks
 * ----------------------------------------------------------------
 */

typedef enum Decision
{
	TAKE_WORKER,
	WAIT_FOR_WORKER,
	START_WORKER
} Decision;

/* Decides as the banner says; and assigns the question, or reserves a slot for a worker to be started. */
static Decision
try_to_acquire(const Channel *channel, const Question *question, bool may_wait, AcquiredWorker *worker)
{
	Decision	decision = START_WORKER;
	WorkerSlot *slot = NULL;
	WorkerSlot *idle = NULL;
	Latch	   *latch = NULL;

	*worker = (AcquiredWorker) {.slot = -1};
	if (!has_pool())
		return START_WORKER;
	LWLockAcquire(&pool->lock, LW_EXCLUSIVE);
	for (int i = 0; i < pool->nslots && decision == START_WORKER; i++)
	{
		WorkerSlot *one = &pool->slots[i];

		if (one->state == SLOT_FREE)
			slot = one;
		else if (one->database != MyDatabaseId || one->owner != question->owner || one->publication != question->publication)
			continue;
		else if (one->state == SLOT_BUSY && may_wait)
		{
			slot = one;
			decision = WAIT_FOR_WORKER;
		}
		else if (one->state == SLOT_IDLE && (idle == NULL || one->idle_since > idle->idle_since))
			idle = one;			/* of several, the one that answered last */
	}
	if (decision == START_WORKER && idle != NULL)
	{
		decision = TAKE_WORKER;
		slot = idle;
		slot->channel = dsm_segment_handle(channel->segment);
		latch = &slot->proc->procLatch;
	}
	else if (decision == START_WORKER && slot != NULL)
	{
		slot->pid = 0;
		slot->channel = DSM_HANDLE_INVALID;
		slot->database = MyDatabaseId;
		slot->owner = question->owner;
		slot->publication = question->publication;
	}
	if (decision != START_WORKER && pool->claimant == MyProcPid)
		pool->claimant = 0;		/* it needs no room */
	if (decision != WAIT_FOR_WORKER && slot != NULL)
	{
		slot->state = SLOT_BUSY;
		slot->asker = MyProcPid;
	}
	if (slot != NULL)
		*worker = (AcquiredWorker) {.slot = slot - pool->slots, .pid = slot->pid};
	LWLockRelease(&pool->lock);
	if (latch != NULL)
		SetLatch(latch);
	return decision;
}

/* False when a worker is to be started: as decided, for lack of time, or since the one waited for waits for this process. */
static bool
acquire_existing(const Channel *channel, const Question *question, const Stopwatch *watch, AcquiredWorker *worker)
{
	Stopwatch	since_check = stopwatch_start();
	bool		may_wait = true;
	Decision	decision;

	while ((decision = try_to_acquire(channel, question, may_wait, worker)) == WAIT_FOR_WORKER)
	{
		(void) ConditionVariableTimedSleep(&pool->slots[worker->slot].available, CHECK_WORKER_MS, PG_WAIT_EXTENSION);
		CHECK_FOR_INTERRUPTS();
		may_wait = stopwatch_seconds(watch) * 1000.0 < answer_wait;
		if (may_wait && stopwatch_seconds(&since_check) * 1000.0 >= DEADLOCK_CHECK_MS)
		{
			may_wait = !is_blocked_by_me(worker->pid);
			since_check = stopwatch_start();
		}
	}
	ConditionVariableCancelSleep();
	return decision == TAKE_WORKER;
}

/* Frees the slot reserved for a worker that has not come, so that no other backend waits for it. */
static void
cancel_start(void)
{
	if (!has_pool())
		return;
	LWLockAcquire(&pool->lock, LW_EXCLUSIVE);
	for (int i = 0; i < pool->nslots; i++)
	{
		WorkerSlot *slot = &pool->slots[i];

		if (slot->state == SLOT_BUSY && slot->pid == 0 && slot->asker == MyProcPid)
			slot->state = SLOT_FREE;
	}
	LWLockRelease(&pool->lock);
}

/* Leaves the next room to others: this backend has its worker, or asks no more. */
static void
cancel_claim(void)
{
	if (!has_pool())
		return;
	LWLockAcquire(&pool->lock, LW_EXCLUSIVE);
	if (pool->claimant == MyProcPid)
		pool->claimant = 0;
	LWLockRelease(&pool->lock);
}

/* The question is over, by whatever end. */
static void
cancel_all(dsm_segment *segment, Datum arg)
{
	cancel_start();
	cancel_claim();
}

/* True unless another backend has claimed the next room. */
static bool
may_take_room(void)
{
	int			claimant;

	if (!has_pool())
		return true;
	LWLockAcquire(&pool->lock, LW_SHARED);
	claimant = pool->claimant;
	LWLockRelease(&pool->lock);
	return claimant == 0 || claimant == MyProcPid;
}

/* Registers a worker that is to answer through a channel, and is never restarted; false where no process is free. */
static bool
start_worker(const Channel *channel, AcquiredWorker *worker)
{
	BackgroundWorker registration = {
		.bgw_name = "pprepub answer",
		.bgw_type = "pprepub answer",
		.bgw_flags = BGWORKER_SHMEM_ACCESS | BGWORKER_BACKEND_DATABASE_CONNECTION,
		.bgw_start_time = BgWorkerStart_RecoveryFinished,
		.bgw_restart_time = BGW_NEVER_RESTART,
		.bgw_library_name = "pprepub",
		.bgw_function_name = "pprepub_answer_worker",
		.bgw_main_arg = UInt32GetDatum(dsm_segment_handle(channel->segment)),
		.bgw_notify_pid = MyProcPid,
	};

	memcpy(registration.bgw_extra, &worker->slot, sizeof(int));
	if (!RegisterDynamicBackgroundWorker(&registration, &worker->handle))
		return false;
	shm_mq_set_handle(channel->queue, worker->handle);
	return true;
}

/* A worker exits, or has just exited, which makes room enough. */
static bool
is_one_leaving(void)
{
	bool		is_one = stopwatch_seconds(&pool->since_left) * 1000.0 < EXIT_MS;

	for (int i = 0; i < pool->nslots && !is_one; i++)
		is_one = pool->slots[i].state == SLOT_ENDING;
	return is_one;
}

/* The worker that is idle for longest, or NULL. */
static WorkerSlot *
find_idle_longest(void)
{
	WorkerSlot *found = NULL;

	for (int i = 0; i < pool->nslots; i++)
	{
		WorkerSlot *slot = &pool->slots[i];

		if (slot->state == SLOT_IDLE && (found == NULL || slot->idle_since < found->idle_since))
			found = slot;
	}
	return found;
}

/* Claims room, and has an idle worker exit, unless one does; a moment later a process may be free. */
static void
make_room(void)
{
	Latch	   *latch = NULL;

	if (has_pool())
	{
		WorkerSlot *found;

		LWLockAcquire(&pool->lock, LW_EXCLUSIVE);
		if (pool->claimant == 0)
			pool->claimant = MyProcPid;
		found = is_one_leaving() ? NULL : find_idle_longest();
		if (found != NULL)
		{
			found->state = SLOT_ENDING;
			latch = &found->proc->procLatch;
		}
		LWLockRelease(&pool->lock);
	}
	if (latch != NULL)
		SetLatch(latch);
	(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, CHECK_SLOT_MS, PG_WAIT_EXTENSION);
	ResetLatch(MyLatch);
	CHECK_FOR_INTERRUPTS();
}

AcquiredWorker
acquire_worker(Channel *channel, const Question *question)
{
	Stopwatch	watch = stopwatch_start();
	Stopwatch	full;
	bool		is_full = false;
	AcquiredWorker worker;

	on_dsm_detach(channel->segment, cancel_all, (Datum) 0);
	while (!acquire_existing(channel, question, &watch, &worker) &&
		   !(may_take_room() && start_worker(channel, &worker)))
	{
		cancel_start();

		/* Time spent on waiting for the publication's worker does not count: room is made only from now on. */
		if (!is_full)
			full = stopwatch_start();
		else if (stopwatch_seconds(&full) * 1000.0 >= answer_wait)
			ereport(ERROR,
					(errcode(ERRCODE_INSUFFICIENT_RESOURCES),
					 errmsg("no background worker was free to make the answer"),
					 errdetail("All of max_worker_processes, %d, were in use for %d ms.",
							   max_worker_processes, answer_wait),
					 errhint("Ask again later, or have max_worker_processes increased.")));
		is_full = true;
		make_room();
	}
	cancel_claim();
	return worker;
}

int
worker_pid(const AcquiredWorker *worker)
{
	pid_t		pid;

	if (worker->handle == NULL)
		return worker->pid;
	return GetBackgroundWorkerPid(worker->handle, &pid) == BGWH_STARTED ? pid : 0;
}

bool
is_worker_gone(const AcquiredWorker *worker)
{
	int			pid;

	if (worker->handle != NULL)
		return false;
	LWLockAcquire(&pool->lock, LW_SHARED);
	pid = pool->slots[worker->slot].pid;
	LWLockRelease(&pool->lock);
	return pid != worker->pid;
}

/* ----------------------------------------------------------------
 * For a worker
 * ----------------------------------------------------------------
 */

/* Sets the state of this worker's slot; several backends may wait for it, and each may decide anew. */
static void
set_state(SlotState state)
{
	LWLockAcquire(&pool->lock, LW_EXCLUSIVE);
	own->state = state;
	if (state == SLOT_IDLE || state == SLOT_FREE)
		own->asker = 0;
	if (state == SLOT_FREE)
	{
		own->pid = 0;
		pool->since_left = stopwatch_start();
	}
	LWLockRelease(&pool->lock);
	if (state == SLOT_IDLE)
		ConditionVariableSignal(&own->available);	/* the backend that has waited longest */
	else
		ConditionVariableBroadcast(&own->available);
}

static void
leave_pool(int code, Datum arg)
{
	set_state(SLOT_FREE);
}

void
pool_enter(void)
{
	int			slot;

	memcpy(&slot, MyBgworkerEntry->bgw_extra, sizeof(int));
	if (slot < 0 || !has_pool())
		return;
	LWLockAcquire(&pool->lock, LW_EXCLUSIVE);
	own = &pool->slots[slot];
	if (own->state == SLOT_BUSY && own->pid == 0 && own->asker == MyBgworkerEntry->bgw_notify_pid)
	{
		own->pid = MyProcPid;
		own->proc = MyProc;
	}
	else
		own = NULL;				/* the backend has gone, and the slot may be another worker's by now */
	LWLockRelease(&pool->lock);
	if (own != NULL)
		before_shmem_exit(leave_pool, (Datum) 0);
}

void
pool_delivering(void)
{
	if (own != NULL)
		set_state(SLOT_DELIVERING);
}

bool
pool_idle(bool stays)
{
	if (own == NULL)
		return false;
	own->idle_since = GetCurrentTimestamp();	/* nobody looks while it has a question */
	LWLockAcquire(&pool->lock, LW_SHARED);
	stays = stays && (pool->claimant == 0 || is_one_leaving());
	LWLockRelease(&pool->lock);
	set_state(stays ? SLOT_IDLE : SLOT_ENDING);
	return stays;
}

/* Others, above all parallel queries, need processes, too; but a worker in frequent use is left alone. */
static bool
is_surplus(TimestampTz now)
{
	TimestampTz unused_since = now - IN_USE_MS * INT64CONST(1000);
	int			nunused = 0;

	for (int i = 0; i < pool->nslots; i++)
		nunused += pool->slots[i].state == SLOT_IDLE && pool->slots[i].idle_since < unused_since;
	return nunused > pool->nslots / 2 && own->idle_since < unused_since;
}

bool
pool_check(bool end, dsm_handle *channel)
{
	TimestampTz now = GetCurrentTimestamp();

	LWLockAcquire(&pool->lock, LW_EXCLUSIVE);
	*channel = own->channel;
	own->channel = DSM_HANDLE_INVALID;
	if (own->state == SLOT_IDLE && (end || is_surplus(now)))
		own->state = SLOT_ENDING;
	end = own->state == SLOT_ENDING;
	LWLockRelease(&pool->lock);
	return !end;
}
