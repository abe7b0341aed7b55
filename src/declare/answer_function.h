/*
 * answer_function.h
 *		TARGET.NAME(cohort, columns): the SQL function through which analysts ask
 *		a publication.
 *
 * It is SECURITY DEFINER, owned by the publication's owner, and calls
 * pprepub_internal.answer(), which nobody but that owner may call.  Its name is the
 * publication's, as that of the view of the newest release is, and it is found
 * by that name.
 */
#ifndef PPREPUB_DECLARE_ANSWER_FUNCTION_H
#define PPREPUB_DECLARE_ANSWER_FUNCTION_H

#include "declare/publication.h"

/* The function, or InvalidOid when there is none. */
extern Oid	answer_function(const DeclaredPublication *publication);

/* Quoted schema, name and argument types, as DDL statements name the function. */
extern char *answer_function_sql(const DeclaredPublication *publication);

/* Creates the function, without any grants, if the method can answer.  Called as the owner, inside SPI. */
extern void create_answer_function(const DeclaredPublication *publication);

/*
 * Likewise of TARGET.NAME_counts(by, bins), which runs with the rights of its caller: the right that counts is SELECT on the
 * view TARGET.NAME, so everybody may execute it.
 */
extern Oid	counts_function(const DeclaredPublication *publication);
extern char *counts_function_sql(const DeclaredPublication *publication);
extern void create_counts_function(const DeclaredPublication *publication);

#endif							/* PPREPUB_DECLARE_ANSWER_FUNCTION_H */
