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

#endif							/* PPREPUB_DECLARE_WARNINGS_H */
