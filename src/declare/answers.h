/*
 * answers.h
 *		TARGET.NAME(cohort, columns): the function through which a publication
 *		answers on the fly.
 *
 * It runs as the publication's owner, and calls pprepub.answer(), which
 * refuses other callers.  It is named, as the view of the newest release is,
 * after the publication, and found by that name.
 */
#ifndef PPREPUB_DECLARE_ANSWERS_H
#define PPREPUB_DECLARE_ANSWERS_H

#include "declare/publication.h"

/* The function, or InvalidOid when there is none. */
extern Oid	answer_function(const DeclaredPublication *publication);

/* The function as a statement names it: schema, name and arguments. */
extern char *answer_function_sql(const DeclaredPublication *publication);

/*
 * Creates the function, if the method answers, for no other role to call yet.
 * As the owner, inside SPI.
 */
extern void create_answer_function(const DeclaredPublication *publication);

#endif							/* PPREPUB_DECLARE_ANSWERS_H */
