/*
 * sums.h
 *		What adding and subtracting releases that show sensitive values tells.
 */
#ifndef PPREPUB_METHOD_SEQUENTIAL_SQL_SUMS_H
#define PPREPUB_METHOD_SEQUENTIAL_SQL_SUMS_H

#include "postgres.h"

#include "method/method.h"
#include "report/linkability/reading.h"

/* An error if that singles out people who are too few, or too much alike: the last release read is a draft. */
extern void verify_sums(const Reading *reading, const Method *method, const int64 *params);

#endif							/* PPREPUB_METHOD_SEQUENTIAL_SQL_SUMS_H */
