/*
 * worker_pool.h
 *		The background workers that make answers, as the backends that ask see
 *		them: a slot in shared memory for each.
 *
 * Starting a process and filling its catalog caches takes longer than most
 * answers, so a worker that has answered stays idle for a while
 * (pprepub.answer_linger).  It serves one owner in one database, all its life,
 * and caches the directories of the publications that it answered about last.
 *
 * WHICH WORKER ANSWERS
 *		acquire_worker() looks at the workers of the publication's owner in this
 *		database.  The first line that holds decides:
 *
 *		state of the workers							decision
 *		one answers about this publication				wait for it: answers of a publication
 *														are made one after the other anyway
 *		pprepub.answer_workers of them are active		wait for one, up to a second
 *		an idle one has cached the publication			take it
 *		another one is idle								take it
 *		one has sent its answer, idle in a moment		wait for it, up to a second
 *		none of these									start one
 *
 *		A worker is active while it starts and while it makes an answer, but not
 *		while it waits for a lock, for the time grid, or for the reader of a long
 *		answer.  A new worker needs a slot of max_worker_processes; while none is
 *		free, idle workers of other owners are evicted.  All of this takes
 *		pprepub.answer_wait at most.
 *
 * Nothing is preloaded, so the slots lie in what shared memory the server has to
 * spare when the first question is asked.  Where that does not suffice, each
 * question has a worker of its own, at the price of the time to start it.
 */
#ifndef PPREPUB_ANSWER_WORKER_POOL_H
#define PPREPUB_ANSWER_WORKER_POOL_H

#include "postgres.h"

#include "answer/answer.h"
#include "postmaster/bgworker.h"

/* ----------------------------------------------------------------
 * For the backend that asks
 * ----------------------------------------------------------------
 */

/* The worker of a question: known by its handle if it was started for it, and else by its slot. */
typedef struct AcquiredWorker
{
	BackgroundWorkerHandle *handle; /* or NULL */
	int			slot;
	uint32		generation;		/* of the slot: changes with each question */
	int			pid;
} AcquiredWorker;

/* Hands the channel to a worker; an error when none is to be had within pprepub.answer_wait. */
extern AcquiredWorker acquire_worker(Channel *channel, const Question *question);

/* Its process, or 0 while that has not started. */
extern int	worker_pid(const AcquiredWorker *worker);

/*
 * Will nothing more come from a worker that was idle before?  The queue tells
 * of a process that detached from it; this, of one that never attached.
 */
extern bool is_worker_gone(const AcquiredWorker *worker);

/* A worker that has been silent for this long may be waiting for a lock of the backend's. */
#define DEADLOCK_CHECK_MS	150

/*
 * Does a process wait for a lock that this one holds, directly or through other
 * processes?  The backend waits for its worker on a latch, which PostgreSQL's
 * deadlock detector does not see, and holds its locks all that time.
 */
extern bool is_blocked_by_me(int pid);

/* ----------------------------------------------------------------
 * For a worker
 * ----------------------------------------------------------------
 */

/* To be called once, at work for the backend that started it.  The slot is given back when the process ends. */
extern void pool_enter(Oid owner, int32 publication, int asker);

/* The answer is committed, and waits for the time grid or for its reader: others need not wait for this worker. */
extern void pool_delivering(void);

/* Only the last message is still to be sent: the next question may follow at once. */
extern void pool_finishing(void);

/*
 * Becomes idle.  False when the worker is to exit instead: pprepub.answer_workers
 * others of its owner are active, or it has no slot.
 */
extern bool pool_idle(void);

typedef enum IdleState
{
	IDLE_CONTINUES,
	IDLE_ASSIGNED,				/* *channel has the next question */
	IDLE_ENDS					/* evicted */
} IdleState;

/*
 * Looks what has happened to this idle worker, which is to ask now and then.
 * With end, it is evicted unless it has a question; and so it is while more than
 * half of max_worker_processes are workers idle for more than a second.
 */
extern IdleState pool_check(bool end, dsm_handle *channel);

#endif							/* PPREPUB_ANSWER_WORKER_POOL_H */
