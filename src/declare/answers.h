/*
 * answers.h
 *		TARGET.NAME(cohort, columns): the function through which a publication
 *		answers on the fly.
 *
 * It runs as the publication's owner, and calls pprepub.answer(), which
 * answers to nobody else.  It is named, as the view of the newest release is,
 * after the publication, and found by that name.
 */
#ifndef PPREPUB_DECLARE_ANSWERS_H
#define PPREPUB_DECLARE_ANSWERS_H

#include "declare/publication.h"

/* The function, or InvalidOid when there is none. */
extern Oid	answer_function(const DeclaredPublication *publication);

/* What a statement calls it: schema, name and arguments. */
extern char *answer_function_words(const DeclaredPublication *publication);

/* As the owner, inside SPI: makes it, for nobody else to call yet, where the method answers. */
extern void create_answer_function(const DeclaredPublication *publication);

#endif							/* PPREPUB_DECLARE_ANSWERS_H */
