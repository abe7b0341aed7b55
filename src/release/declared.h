/*
 * declared.h
 *		Checking declarations, as far as they are about releases: declare/ calls these
 *		as its hooks.
 */
#ifndef PPREPUB_RELEASE_DECLARED_H
#define PPREPUB_RELEASE_DECLARED_H

#include "postgres.h"

#include "declare/publication.h"

/* The table hook: has the method check a new copy of a table that a parameter names. */
extern void check_declared_table(const DeclaredPublication *publication, const char *param,
								 Oid old_copy, Oid new_copy, bool accept_weakening);

/*
 * The source hook.  Where parameters changed, it is about what the new ones need
 * more, if they do.  A WARNING if there are rows, but fewer than they need, or fewer
 * different sensitive values; or if the source cannot be read, as it may be later.
 * An error if a key is declared that is NULL or repeated.
 */
extern void look_at_source(const DeclaredPublication *publication, Jsonb *before);

/* The parameters hook: a WARNING when stronger parameters shut people out for ever, with their number. */
extern void warn_of_lost_people(const DeclaredPublication *publication, Jsonb *params);

#endif							/* PPREPUB_RELEASE_DECLARED_H */
