/*
 * promises_candidates.h
 *		Who judges m-invariance and cor-split.
 */
#ifndef PPREPUB_SERVE_PROMISES_CANDIDATES_H
#define PPREPUB_SERVE_PROMISES_CANDIDATES_H

#include "postgres.h"

#include "serve/promises.h"

extern void judge_invariance(const DeclaredPublication *publication, const Frame *frame,
							 const Past *past, const Draft *draft);
extern void judge_cor_split(const DeclaredPublication *publication, const Frame *frame,
							const Past *past, const Draft *draft);
extern void check_invariance(Audit *audit);
extern void check_cor_split(Audit *audit);

#endif							/* PPREPUB_SERVE_PROMISES_CANDIDATES_H */
