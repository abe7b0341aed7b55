/*
 * launch.h
 *		Finding a background worker for a question.
 */
#ifndef PPREPUB_SERVE_LAUNCH_H
#define PPREPUB_SERVE_LAUNCH_H

#include "postgres.h"

#include "serve/channel.h"

/*
 * Waits for a free slot, as long as pprepub.answer_wait allows.  The handle of
 * the worker, from which the channel learns when it has ended.
 */
extern BackgroundWorkerHandle *launch_worker(Channel *channel);

#endif							/* PPREPUB_SERVE_LAUNCH_H */
