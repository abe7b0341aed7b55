/*
 * warnings.h
 *		What an owner should know before it is too late, but may decide.
 */
#ifndef PPREPUB_DECLARE_WARNINGS_H
#define PPREPUB_DECLARE_WARNINGS_H

#include "declare/publication.h"

/*
 * A WARNING when the insensitive columns together are unique for more than one
 * row in a hundred: whoever knows them of a person finds that person's row.
 */
extern void warn_of_unique_insensitive(const DeclaredPublication *publication);

/*
 * A WARNING when the parameters, other than those before, which are NULL in a
 * declaration, let invented rows take the places of people who have left, and
 * there are insensitive columns.  An invented row repeats those of somebody else,
 * so that the columns show which row has gone.
 */
extern void warn_of_stand_ins(const DeclaredPublication *publication, Jsonb *before);

#endif							/* PPREPUB_DECLARE_WARNINGS_H */
