/*
 * promise.h
 *		What all releases of a sequence together promise: checked by audit(), and
 *		when one of them was made elsewhere.
 */
#ifndef PPREPUB_SERVE_SEQUENCE_PROMISE_H
#define PPREPUB_SERVE_SEQUENCE_PROMISE_H

#include "postgres.h"

#include "serve/promises.h"

extern void check_sequence(Audit *audit);
extern void judge_sequence_import(const DeclaredPublication *publication);

#endif							/* PPREPUB_SERVE_SEQUENCE_PROMISE_H */
