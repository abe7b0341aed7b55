/*
 * hooks.h
 *		What the rooms above do when something is declared, changed or dropped.
 *
 * Reading a source, and what rows and parameters mean for the people in the
 * releases, is beyond declare/: it calls up through these pointers, which
 * pprepub.c sets at load time.  Each may raise an error.
 */
#ifndef PPREPUB_DECLARE_HOOKS_H
#define PPREPUB_DECLARE_HOOKS_H

#include "declare/publication.h"

/*
 * Called when a publication has been declared, and when its parameters have
 * changed from those before, which are NULL in a declaration: can the source
 * be published?
 */
typedef void (*SourceHook) (const DeclaredPublication *publication, Jsonb *before);

extern SourceHook source_hook;

/*
 * Called when a publication that has releases gets new parameters, with the
 * publication as it was.
 */
typedef void (*ParametersHook) (const DeclaredPublication *publication, Jsonb *params);

extern ParametersHook parameters_hook;

/*
 * Called for each new copy of a table that a parameter names, as the owner,
 * inside SPI, before the copy is sealed; the copy that it replaces still
 * stands, or is InvalidOid.  The method refuses rows that make no sense, and
 * may add rows.
 */
typedef void (*TableHook) (const DeclaredPublication *publication, const char *param,
						   Oid old_copy, Oid new_copy, bool accept_weakening);

extern TableHook table_hook;

/* Called when a publication is dropped, while all of it still stands: its schedule, for one, ends too. */
typedef void (*DropHook) (const DeclaredPublication *publication);

extern DropHook drop_hook;

#endif							/* PPREPUB_DECLARE_HOOKS_H */
