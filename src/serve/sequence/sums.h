/*
 * sums.h
 *		What adding and subtracting releases that show sensitive values tells.
 */
#ifndef PPREPUB_SERVE_SEQUENCE_SUMS_H
#define PPREPUB_SERVE_SEQUENCE_SUMS_H

#include "postgres.h"

#include "method/method.h"
#include "serve/linkability/reading.h"

/* An error if that singles out people who are too few, or too much alike: the last release read is a draft. */
extern void verify_sums(const Reading *reading, const Method *method, const int64 *params);

#endif							/* PPREPUB_SERVE_SEQUENCE_SUMS_H */
