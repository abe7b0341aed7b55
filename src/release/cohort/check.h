/*
 * check.h
 *		The steps of reading a cohort, in their order.
 */
#ifndef PPREPUB_RELEASE_COHORT_CHECK_H
#define PPREPUB_RELEASE_COHORT_CHECK_H

#include "postgres.h"

#include "declare/publication.h"
#include "parser/parse_node.h"

/* As it is written: one expression of words that are on the lists. */
extern Node *read_written(ParseState *pstate, const DeclaredPublication *publication, const char *cohort);

/*
 * As PostgreSQL takes it: nothing but what is built in, over types that are on
 * the list.  To be asked before anything is computed.
 */
extern void verify_built_in(ParseState *pstate, Node *expression);

/* What is left to be computed for each row: it must have a result for each value. */
extern void verify_for_rows(ParseState *pstate, Node *expression);

#endif							/* PPREPUB_RELEASE_COHORT_CHECK_H */
