/*
 * promise.h
 *		What method m-distinct promises, judged and audited; update_risk().
 */
#ifndef PPREPUB_METHOD_M_DISTINCT_SQL_PROMISE_H
#define PPREPUB_METHOD_M_DISTINCT_SQL_PROMISE_H

#include "postgres.h"

#include "release/promises.h"

extern void judge_distinct_draft(const DeclaredPublication *publication, const Frame *frame,
								 const Past *past, const Draft *draft);
extern void check_distinct(Audit *audit);
extern void judge_distinct_import(const DeclaredPublication *publication);

#endif							/* PPREPUB_METHOD_M_DISTINCT_SQL_PROMISE_H */
