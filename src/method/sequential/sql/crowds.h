/*
 * crowds.h
 *		People who came or left between two releases that show sensitive values.
 */
#ifndef PPREPUB_METHOD_SEQUENTIAL_SQL_CROWDS_H
#define PPREPUB_METHOD_SEQUENTIAL_SQL_CROWDS_H

#include "postgres.h"

#include "method/method.h"
#include "report/linkability/reading.h"

#define NOT_THERE	(NO_CODE - 1)

/* The value with which the log has each person in a release: [threads] NO_CODE for NULL, or NOT_THERE. */
extern Code *values_in(const Reading *reading, const ReadRelease *release);

/* An error if they are too few, or too much alike: the last release read is a draft. */
extern void verify_crowds(const Reading *reading, const Method *method, const int64 *params);

#endif							/* PPREPUB_METHOD_SEQUENTIAL_SQL_CROWDS_H */
