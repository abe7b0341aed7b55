/*
 * stopwatch.h
 *		Where the time of a release went.
 */
#ifndef PPREPUB_RELEASE_STOPWATCH_H
#define PPREPUB_RELEASE_STOPWATCH_H

#include "postgres.h"

#include "portability/instr_time.h"

typedef struct Stopwatch
{
	instr_time	start;
} Stopwatch;

static inline Stopwatch
stopwatch_start(void)
{
	Stopwatch	watch;

	INSTR_TIME_SET_CURRENT(watch.start);
	return watch;
}

static inline double
stopwatch_seconds(const Stopwatch *watch)
{
	instr_time	now;

	INSTR_TIME_SET_CURRENT(now);
	INSTR_TIME_SUBTRACT(now, watch->start);
	return INSTR_TIME_GET_DOUBLE(now);
}

/* The seconds since the start, and starts again. */
static inline double
stopwatch_lap(Stopwatch *watch)
{
	double		seconds = stopwatch_seconds(watch);

	*watch = stopwatch_start();
	return seconds;
}

#endif							/* PPREPUB_RELEASE_STOPWATCH_H */
