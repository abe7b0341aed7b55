/*
 * hooks.h
 *		Questions of declare/ that only higher rooms can answer.
 *
 * Reading a source, and what parameters mean for people who were published, are
 * beyond declare/: release/ fills this in when the module is loaded.
 */
#ifndef PPREPUB_DECLARE_HOOKS_H
#define PPREPUB_DECLARE_HOOKS_H

#include "postgres.h"

#include "declare/publication.h"

typedef struct DeclareHooks
{
	/*
	 * A publication has been declared, or its parameters have changed from those before, which are NULL in a
	 * declaration: can the source be published?
	 */
	void		(*look_at_source) (const DeclaredPublication *publication, Jsonb *before);

	/*
	 * A publication that has releases, as it was, gets new parameters: what do they mean for the people in these?  An
	 * error if some of them can never be published again and that is not accepted.
	 */
	void		(*judge_parameters) (const DeclaredPublication *publication, Jsonb *params, bool accept_lockout);

	/*
	 * A table that a parameter names was copied, while the copy that it replaces still stands (or is InvalidOid):
	 * called as the owner, inside SPI, before the new one is sealed.  The method refuses rows that make no sense, and
	 * may add rows.
	 */
	void		(*check_table) (const DeclaredPublication *publication, const char *param,
								Oid old_copy, Oid new_copy, bool accept_weakening);

	/* A publication is dropped, while all of it still stands: what was made for it by higher rooms ends, too. */
	void		(*end_publication) (const DeclaredPublication *publication);
} DeclareHooks;

extern const DeclareHooks *declare_hooks;

#endif							/* PPREPUB_DECLARE_HOOKS_H */
