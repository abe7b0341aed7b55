/*
 * limits.h
 *		How many answers an analyst may have.
 */
#ifndef PPREPUB_ANSWER_LIMITS_H
#define PPREPUB_ANSWER_LIMITS_H

#include "declare/publication.h"

/*
 * By the asker, once for each question: no more than max_answers_per_statement
 * of a publication.  What a client sends at once is a statement.
 */
extern void count_question(int32 publication, const char *method, Jsonb *params);

/*
 * By the worker, when the publication is locked: has this session user had
 * max_answers_per_role answers already?
 */
extern void verify_answers_left(const DeclaredPublication *publication, const char *asked_by);

#endif							/* PPREPUB_ANSWER_LIMITS_H */
