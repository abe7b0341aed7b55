/*
 * acquire_worker.h
 *		Finding a background worker for a question: one that rests, or a new one.
 */
#ifndef PPREPUB_ANSWER_ACQUIRE_WORKER_H
#define PPREPUB_ANSWER_ACQUIRE_WORKER_H

#include "postgres.h"

#include "answer/channel.h"
#include "answer/worker_registry.h"

/* One of the two is how it is known. */
typedef struct Hired
{
	BackgroundWorkerHandle *handle; /* of a new one, or NULL */
	Engagement	engagement;		/* of one that rested */
} Hired;

/* Waits for a free worker or slot, as long as pprepub.answer_wait allows. */
extern Hired hire_worker(Channel *channel, const Question *question);

/* Its process, or 0 while it is not there yet. */
extern int	worker_pid(const Hired *hired);

/*
 * Is there no hope of an outcome that the queue has not got?  A queue tells of
 * a process that let go of it; this, of one that never came to it.
 */
extern bool is_worker_gone(const Hired *hired);

#endif							/* PPREPUB_ANSWER_ACQUIRE_WORKER_H */
