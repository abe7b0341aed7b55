/*
 * waits.h
 *		Does a process wait for a lock that is not going to be given back?
 *
 * Whoever asks waits for the worker on a latch, which no deadlock detector
 * sees; and all that time, the asker's transaction holds its locks.
 */
#ifndef PPREPUB_SERVE_WAITS_H
#define PPREPUB_SERVE_WAITS_H

#include "postgres.h"

/* Straight, or through others who wait in between: for a lock of this process. */
extern bool waits_for_me(int pid);

#endif							/* PPREPUB_SERVE_WAITS_H */
