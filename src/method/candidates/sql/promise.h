/*
 * promise.h
 *		Who judges m-invariance and cor-split.
 */
#ifndef PPREPUB_METHOD_CANDIDATES_SQL_PROMISE_H
#define PPREPUB_METHOD_CANDIDATES_SQL_PROMISE_H

#include "postgres.h"

#include "release/promises.h"

extern void judge_invariance(const DeclaredPublication *publication, const Frame *frame,
							 const Past *past, const Draft *draft);
extern void judge_cor_split(const DeclaredPublication *publication, const Frame *frame,
							const Past *past, const Draft *draft);
extern void check_invariance(Audit *audit);
extern void check_cor_split(Audit *audit);

#endif							/* PPREPUB_METHOD_CANDIDATES_SQL_PROMISE_H */
