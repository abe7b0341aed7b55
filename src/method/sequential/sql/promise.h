/*
 * promise.h
 *		What all releases of a sequence together promise: checked by audit(), and
 *		when one of them was made elsewhere.
 */
#ifndef PPREPUB_METHOD_SEQUENTIAL_SQL_PROMISE_H
#define PPREPUB_METHOD_SEQUENTIAL_SQL_PROMISE_H

#include "postgres.h"

#include "release/promises.h"

extern void check_sequence(Audit *audit);
extern void judge_sequence_import(const DeclaredPublication *publication);

#endif							/* PPREPUB_METHOD_SEQUENTIAL_SQL_PROMISE_H */
