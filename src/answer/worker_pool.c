/*
 * worker_pool.c
 *		Slots of workers in shared memory, and how a question gets one.
 *
 * LOCKING
 *		One lightweight lock covers all slots, of which there are
 *		max_worker_processes.  Code that holds it only reads and writes slots and
 *		cannot fail, so no process exits with the lock.  Latches are set and
 *		condition variables signalled after it has been released.
 *
 * LAYOUT
 *		The memory's name carries a version, to be raised with each change of the
 *		structs (shared/progress.h).
 *
 * DEADLOCKS
 *		Every wait for a worker looks now and then whether the worker waits for
 *		this backend.  The graph has two kinds of edges: a process waits for
 *		those that pg_blocking_pids() names, and a backend that has asked waits
 *		for its worker.
 */
#include "answer/worker_pool.h"

#include <unistd.h>

#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "pgstat.h"
#include "release/stopwatch.h"
#include "shared/progress.h"
#include "storage/condition_variable.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "storage/lwlock.h"
#include "storage/proc.h"
#include "storage/shmem.h"
#include "utils/array.h"
#include "utils/fmgrprotos.h"
#include "utils/timestamp.h"

#define POOL_NAME		"pprepub workers 8"
#define TRANCHE_NAME	"pprepub_workers"

#define IN_USE_MS		1000	/* a worker idle for less may be needed soon */
#define SHARE_MS		1000	/* a backend waits this long for active workers before it has one more started */
#define CHECK_WORKER_MS	20		/* a backend looks at the slots this often even if no worker tells it to */
#define CHECK_SLOT_MS	5		/* PostgreSQL has no signal for a background worker slot that becomes free */

typedef enum SlotState
{
	SLOT_FREE,
	SLOT_STARTING,				/* reserved for a worker that is being started */
	SLOT_ASSIGNED,				/* has a question that it has not picked up yet */
	SLOT_WORKING,
	SLOT_DELIVERING,			/* waits for the time grid, or for the reader of its rows */
	SLOT_FINISHING,				/* the answer is out: idle in a moment */
	SLOT_IDLE,
	SLOT_EVICTED				/* is exiting, or is to exit */
} SlotState;

typedef struct WorkerSlot
{
	SlotState	state;
	uint32		generation;		/* of the question at hand */
	int			pid;
	PGPROC	   *proc;			/* NULL while it starts */
	Oid			database;
	Oid			owner;
	int32		cached[CACHED_PUBLICATIONS];	/* that this worker, and no other, answered about last; the question's
												 * at hand first; 0 for none */
	int			asker;			/* pid of the backend whose question it is */
	dsm_handle	channel;
	TimestampTz idle_since;
	ConditionVariable available;	/* signalled when it becomes idle, delivers, finishes or exits */
} WorkerSlot;

typedef struct WorkerPool
{
	LWLock		lock;
	int			nslots;
	WorkerSlot	slots[FLEXIBLE_ARRAY_MEMBER];
} WorkerPool;

static WorkerPool *pool = NULL;
static bool is_out_of_memory = false;

/* The slot of this process, if it is a worker. */
static WorkerSlot *own = NULL;

/* ----------------------------------------------------------------
 * The memory
 * ----------------------------------------------------------------
 */

/* Makes all slots free. */
static void
initialize(void *memory)
{
	WorkerPool *fresh = memory;

	LWLockInitialize(&fresh->lock, LWLockNewTrancheId());
	fresh->nslots = max_worker_processes;
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
			LWLockRegisterTranche(pool->lock.tranche, TRANCHE_NAME);
	}
	return pool != NULL;
}

/* ----------------------------------------------------------------
 * States of slots; the caller holds the lock
 * ----------------------------------------------------------------
 */

static bool
is_owners(const WorkerSlot *slot, Oid owner)
{
	return slot->database == MyDatabaseId && slot->owner == owner;
}

/* Is a process making, or sending, the answer to a question? */
static bool
has_question(const WorkerSlot *slot)
{
	return slot->state >= SLOT_ASSIGNED && slot->state <= SLOT_FINISHING;
}

/* Will others wait for the answer at hand?  Not for one that waits for its reader. */
static bool
is_answering(const WorkerSlot *slot)
{
	return slot->state == SLOT_STARTING || (has_question(slot) && slot->state != SLOT_DELIVERING);
}

/* Does it use a processor?  Not while it waits for a lock.  The lock status is a hint, read without the lock manager's locks. */
static bool
is_active(const WorkerSlot *slot)
{
	return is_answering(slot) && (slot->proc == NULL || slot->proc->waitStatus != PROC_WAIT_STATUS_WAITING);
}

/* Index of a publication in the slot's list, or -1. */
static int
find_cached(const WorkerSlot *slot, int32 publication)
{
	for (int i = 0; i < CACHED_PUBLICATIONS; i++)
		if (slot->cached[i] == publication)
			return i;
	return -1;
}

/* The workers of one owner that acquire_worker() chooses from. */
typedef struct Workers
{
	int			nactive;
	WorkerSlot *active;			/* preferably one that has cached the publication */
	WorkerSlot *answering;		/* about the publication */
	WorkerSlot *cached;			/* idle, and has cached the publication */
	WorkerSlot *idle;			/* the one idle for longest */
	WorkerSlot *finishing;
} Workers;

/* Looks for an owner's workers in one pass over the slots; the caller holds the pool's lock. */
static Workers
find_workers(Oid owner, int32 publication)
{
	Workers		workers = {0};

	for (int i = 0; i < pool->nslots; i++)
	{
		WorkerSlot *slot = &pool->slots[i];
		int			cached = find_cached(slot, publication);

		if (!is_owners(slot, owner))
			continue;
		if (is_active(slot) && (workers.nactive++ == 0 || cached >= 0))
			workers.active = slot;
		if (is_answering(slot) && cached == 0)
			workers.answering = slot;
		if (slot->state == SLOT_FINISHING)
			workers.finishing = slot;
		if (slot->state != SLOT_IDLE)
			continue;
		if (cached >= 0)
			workers.cached = slot;
		if (workers.idle == NULL || slot->idle_since < workers.idle->idle_since)
			workers.idle = slot;
	}
	return workers;
}

/* pprepub.answer_workers; the number of processors, which takes system calls to find out, is asked for once. */
static int
most_active(void)
{
	static int	processors = 0;

	if (processors == 0)
		processors = (int) sysconf(_SC_NPROCESSORS_ONLN);
	return answer_workers > 0 ? answer_workers : Max(1, processors);
}

/* The worker's directory is current after this answer, and those that other workers have cached are not. */
static void
set_publication(WorkerSlot *slot, int32 publication)
{
	int			at;

	for (int i = 0; i < pool->nslots; i++)
	{
		WorkerSlot *other = &pool->slots[i];

		if (other != slot && is_owners(other, slot->owner) && (at = find_cached(other, publication)) >= 0)
			other->cached[at] = 0;
	}
	at = find_cached(slot, publication);
	if (at < 0)
		at = CACHED_PUBLICATIONS - 1;
	memmove(&slot->cached[1], &slot->cached[0], sizeof(int32) * at);
	slot->cached[0] = publication;
}

static WorkerSlot *
find_free_slot(void)
{
	for (int i = 0; i < pool->nslots; i++)
		if (pool->slots[i].state == SLOT_FREE)
			return &pool->slots[i];
	return NULL;
}

/* Sets up a free or reserved slot for a worker's first question. */
static void
occupy(WorkerSlot *slot, SlotState state, Oid owner, int32 publication, int asker)
{
	slot->state = state;
	slot->generation++;
	slot->pid = 0;
	slot->proc = NULL;
	slot->database = MyDatabaseId;
	slot->owner = owner;
	slot->asker = asker;
	memset(slot->cached, 0, sizeof(slot->cached));
	slot->cached[0] = publication;	/* others keep theirs until the worker has come */
}

/* Evicts the longest idle worker, but none of the owner's; returns the latch that is to be set, or NULL. */
static Latch *
evict(Oid owner)
{
	WorkerSlot *found = NULL;

	for (int i = 0; i < pool->nslots; i++)
	{
		WorkerSlot *slot = &pool->slots[i];

		if (slot->state == SLOT_IDLE && !is_owners(slot, owner) &&
			(found == NULL || slot->idle_since < found->idle_since))
			found = slot;
	}
	if (found == NULL)
		return NULL;
	found->state = SLOT_EVICTED;
	return &found->proc->procLatch;
}

/* ----------------------------------------------------------------
 * Deadlocks
 * ----------------------------------------------------------------
 */

/* This process, as pg_blocking_pids() names it: a group of parallel workers by its leader. */
static int
my_pid(void)
{
	return MyProc->lockGroupLeader != NULL ? MyProc->lockGroupLeader->pid : MyProcPid;
}

/* Adds the backends that a process waits for, each once. */
static List *
add_blockers(List *pids, int pid)
{
	ArrayType  *blockers = DatumGetArrayTypeP(DirectFunctionCall1(pg_blocking_pids, Int32GetDatum(pid)));
	const int32 *values = (const int32 *) ARR_DATA_PTR(blockers);
	int			n = ArrayGetNItems(ARR_NDIM(blockers), ARR_DIMS(blockers));

	for (int i = 0; i < n; i++)
		if (values[i] != 0)		/* a prepared transaction, which waits for nothing */
			pids = list_append_unique_int(pids, values[i]);
	pfree(blockers);
	return pids;
}

/* Adds the worker that a backend has asked, and waits for without a lock. */
static List *
add_asked_worker(List *pids, int asker)
{
	int			pid = 0;

	if (!has_pool())
		return pids;
	LWLockAcquire(&pool->lock, LW_SHARED);
	for (int i = 0; i < pool->nslots && pid == 0; i++)
		if (pool->slots[i].asker == asker && has_question(&pool->slots[i]))
			pid = pool->slots[i].pid;
	LWLockRelease(&pool->lock);
	return pid == 0 ? pids : list_append_unique_int(pids, pid);
}

bool
is_blocked_by_me(int pid)
{
	List	   *pids = list_make1_int(pid);
	bool		found;

	for (int i = 0; i < list_length(pids); i++)
	{
		CHECK_FOR_INTERRUPTS();
		pids = add_blockers(pids, list_nth_int(pids, i));
		pids = add_asked_worker(pids, list_nth_int(pids, i));
	}
	found = list_member_int(pids, my_pid());
	list_free(pids);
	return found;
}

/* ----------------------------------------------------------------
 * Acquiring a worker
 * ----------------------------------------------------------------
 */

typedef enum Decision
{
	TAKE_WORKER,
	WAIT_FOR_WORKER,
	START_WORKER
} Decision;

/* The table of worker_pool.h; the slot is the one to take or to wait for. */
static Decision
decide(const Workers *workers, bool may_wait, int most, WorkerSlot **slot)
{
	*slot = workers->answering;
	if (*slot != NULL)
		return WAIT_FOR_WORKER;
	if (may_wait && workers->nactive >= most)
	{
		*slot = workers->active;
		return WAIT_FOR_WORKER;
	}
	*slot = workers->cached != NULL ? workers->cached : workers->idle;
	if (*slot != NULL)
		return TAKE_WORKER;
	*slot = may_wait && answer_linger > 0 ? workers->finishing : NULL;
	return *slot != NULL ? WAIT_FOR_WORKER : START_WORKER;
}

static void
assign(WorkerSlot *slot, int32 publication, dsm_handle channel)
{
	slot->state = SLOT_ASSIGNED;
	slot->generation++;
	slot->asker = MyProcPid;
	slot->channel = channel;
	set_publication(slot, publication);
}

/* Decides once, and does what needs the lock: assigns the question, or reserves a slot for a worker to be started. */
static Decision
try_to_acquire(const Channel *channel, const Question *question, bool may_wait, AcquiredWorker *worker)
{
	int			most = most_active();
	Workers		workers;
	WorkerSlot *slot;
	Latch	   *latch = NULL;
	Decision	decision;

	if (!has_pool())
		return START_WORKER;
	LWLockAcquire(&pool->lock, LW_EXCLUSIVE);
	workers = find_workers(question->owner, question->publication);
	decision = decide(&workers, may_wait, most, &slot);
	if (decision == TAKE_WORKER)
	{
		assign(slot, question->publication, dsm_segment_handle(channel->segment));
		latch = &slot->proc->procLatch;
	}
	else if (decision == START_WORKER && (slot = find_free_slot()) != NULL)
		occupy(slot, SLOT_STARTING, question->owner, question->publication, MyProcPid);
	if (slot != NULL)
		*worker = (AcquiredWorker) {NULL, slot - pool->slots, slot->generation, slot->pid};
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
	Decision	decision;

	while ((decision = try_to_acquire(channel, question, stopwatch_seconds(watch) * 1000.0 < SHARE_MS,
									  worker)) == WAIT_FOR_WORKER)
	{
		(void) ConditionVariableTimedSleep(&pool->slots[worker->slot].available, CHECK_WORKER_MS, PG_WAIT_EXTENSION);
		CHECK_FOR_INTERRUPTS();
		if (stopwatch_seconds(watch) * 1000.0 >= answer_wait)
			break;
		if (stopwatch_seconds(&since_check) * 1000.0 < DEADLOCK_CHECK_MS)
			continue;
		if (is_blocked_by_me(worker->pid))
			break;
		since_check = stopwatch_start();
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
		if (pool->slots[i].state == SLOT_STARTING && pool->slots[i].asker == MyProcPid)
			pool->slots[i].state = SLOT_FREE;
	LWLockRelease(&pool->lock);
}

/* The question is over, by whatever end. */
static void
cancel_start_on_detach(dsm_segment *segment, Datum arg)
{
	cancel_start();
}

/* Fills in the registration of a worker that is to answer through a channel; it is never restarted. */
static void
describe_worker(BackgroundWorker *worker, const Channel *channel)
{
	memset(worker, 0, sizeof(*worker));
	worker->bgw_flags = BGWORKER_SHMEM_ACCESS | BGWORKER_BACKEND_DATABASE_CONNECTION;
	worker->bgw_start_time = BgWorkerStart_RecoveryFinished;
	worker->bgw_restart_time = BGW_NEVER_RESTART;
	worker->bgw_notify_pid = MyProcPid;
	worker->bgw_main_arg = UInt32GetDatum(dsm_segment_handle(channel->segment));
	strlcpy(worker->bgw_library_name, "pprepub", BGW_MAXLEN);
	strlcpy(worker->bgw_function_name, "pprepub_answer_worker", BGW_MAXLEN);
	strlcpy(worker->bgw_name, "pprepub answer", BGW_MAXLEN);
	strlcpy(worker->bgw_type, "pprepub answer", BGW_MAXLEN);
}

/* Evicts an idle worker, since no slot of max_worker_processes was free, and waits for the next try. */
static void
wait_for_process_slot(Oid owner, const Stopwatch *watch)
{
	Latch	   *latch = NULL;

	if (stopwatch_seconds(watch) * 1000.0 >= answer_wait)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_RESOURCES),
				 errmsg("no background worker was free to make the answer"),
				 errdetail("All of max_worker_processes, %d, were in use for %d ms.",
						   max_worker_processes, answer_wait),
				 errhint("Ask again later, or have max_worker_processes increased.")));
	if (has_pool())
	{
		LWLockAcquire(&pool->lock, LW_EXCLUSIVE);
		latch = evict(owner);
		LWLockRelease(&pool->lock);
	}
	if (latch != NULL)
		SetLatch(latch);
	(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
					 CHECK_SLOT_MS, PG_WAIT_EXTENSION);
	ResetLatch(MyLatch);
	CHECK_FOR_INTERRUPTS();
}

AcquiredWorker
acquire_worker(Channel *channel, const Question *question)
{
	Stopwatch	watch = stopwatch_start();
	BackgroundWorker description;
	AcquiredWorker worker = {.handle = NULL};

	describe_worker(&description, channel);
	on_dsm_detach(channel->segment, cancel_start_on_detach, (Datum) 0);
	while (!acquire_existing(channel, question, &watch, &worker))
	{
		if (RegisterDynamicBackgroundWorker(&description, &worker.handle))
		{
			shm_mq_set_handle(channel->queue, worker.handle);
			break;
		}
		cancel_start();
		wait_for_process_slot(question->owner, &watch);
	}
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
	const WorkerSlot *slot;
	bool		result;

	if (worker->handle != NULL)
		return false;
	slot = &pool->slots[worker->slot];
	LWLockAcquire(&pool->lock, LW_SHARED);
	result = slot->generation != worker->generation || !has_question(slot);
	LWLockRelease(&pool->lock);
	return result;
}

/* ----------------------------------------------------------------
 * For a worker
 * ----------------------------------------------------------------
 */

/* The slot that the backend reserved for this worker, unless it has cancelled the start. */
static WorkerSlot *
find_reserved_slot(Oid owner, int32 publication, int asker)
{
	for (int i = 0; i < pool->nslots; i++)
	{
		WorkerSlot *slot = &pool->slots[i];

		if (slot->state == SLOT_STARTING && is_owners(slot, owner) && slot->asker == asker &&
			slot->cached[0] == publication)
			return slot;
	}
	return NULL;
}

/* Frees the slot when the worker exits, and wakes the backends that wait for it. */
static void
leave_pool(int code, Datum arg)
{
	LWLockAcquire(&pool->lock, LW_EXCLUSIVE);
	own->state = SLOT_FREE;
	own->generation++;
	own->pid = 0;
	LWLockRelease(&pool->lock);
	ConditionVariableBroadcast(&own->available);
}

void
pool_enter(Oid owner, int32 publication, int asker)
{
	if (!has_pool())
		return;
	LWLockAcquire(&pool->lock, LW_EXCLUSIVE);
	own = find_reserved_slot(owner, publication, asker);
	if (own == NULL)
		own = find_free_slot();
	if (own != NULL)
	{
		occupy(own, SLOT_WORKING, owner, publication, asker);
		set_publication(own, publication);
		own->pid = MyProcPid;
		own->proc = MyProc;
	}
	LWLockRelease(&pool->lock);
	if (own != NULL)
		before_shmem_exit(leave_pool, (Datum) 0);
}

/* Several backends may wait for the worker, and each may decide anew. */
static void
set_state(SlotState state)
{
	if (own == NULL)
		return;
	LWLockAcquire(&pool->lock, LW_EXCLUSIVE);
	own->state = state;
	LWLockRelease(&pool->lock);
	ConditionVariableBroadcast(&own->available);
}

void
pool_delivering(void)
{
	set_state(SLOT_DELIVERING);
}

void
pool_finishing(void)
{
	set_state(SLOT_FINISHING);
}

bool
pool_idle(void)
{
	TimestampTz now = GetCurrentTimestamp();
	int			most = most_active();
	bool		is_needed;

	if (own == NULL)
		return false;
	LWLockAcquire(&pool->lock, LW_EXCLUSIVE);
	own->generation++;
	own->asker = 0;
	own->idle_since = now;
	own->state = SLOT_EVICTED;
	is_needed = find_workers(own->owner, 0).nactive < most;
	if (is_needed)
		own->state = SLOT_IDLE;
	LWLockRelease(&pool->lock);
	ConditionVariableSignal(&own->available);	/* the backend that has waited longest */
	return is_needed;
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

IdleState
pool_check(bool end, dsm_handle *channel)
{
	TimestampTz now = GetCurrentTimestamp();
	IdleState	result = IDLE_CONTINUES;

	LWLockAcquire(&pool->lock, LW_EXCLUSIVE);
	if (own->state == SLOT_ASSIGNED)
	{
		own->state = SLOT_WORKING;
		*channel = own->channel;
		result = IDLE_ASSIGNED;
	}
	else if (end || own->state == SLOT_EVICTED || is_surplus(now))
	{
		own->state = SLOT_EVICTED;
		result = IDLE_ENDS;
	}
	LWLockRelease(&pool->lock);
	return result;
}
