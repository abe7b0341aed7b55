/*
 * blockers.h
 *		Does a process wait for a lock that is not going to be given back?
 *
 * Whoever asks waits for the worker on a latch, which no deadlock detector
 * sees; and all that time, the asker's transaction holds its locks.
 */
#ifndef PPREPUB_ANSWER_BLOCKERS_H
#define PPREPUB_ANSWER_BLOCKERS_H

#include "postgres.h"

/* A worker that was not heard of for so long may be waiting for us. */
#define LOOK_FOR_LOCKS_MS	150

/* Straight, or through others who wait in between: for a lock of this process. */
extern bool waits_for_me(int pid);

#endif							/* PPREPUB_ANSWER_BLOCKERS_H */
