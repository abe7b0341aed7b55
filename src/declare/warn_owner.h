/*
 * warn_owner.h
 *		Warnings to owners, which a release keeps.
 *
 * A schedule's warnings reach nobody: the server's log is not for owners.  So
 * each WARNING about a publication is raised here, and while a release is made
 * it is remembered, too, whatever client_min_messages says.
 */
#ifndef PPREPUB_DECLARE_WARN_OWNER_H
#define PPREPUB_DECLARE_WARN_OWNER_H

#include "declare/publication.h"
#include "utils/array.h"

/* In the parts that ereport() knows; all but the message may be NULL. */
typedef struct OwnerWarning
{
	const char *message;
	const char *detail;
	const char *log_detail;		/* in place of the detail, in the server's log */
	const char *hint;
	bool		starves;		/* does the release withhold rows that its schedule should not lose? */
} OwnerWarning;

/* Raises a WARNING, and remembers it if warnings about the publication are remembered. */
extern void warn_owner(const DeclaredPublication *publication, const OwnerWarning *warning);

/* The last release, which was made elsewhere, breaks what the publication promises: the caller says how, and what follows. */
extern void warn_of_weak_release(const DeclaredPublication *publication, const OwnerWarning *warning);

/* From now on warnings are remembered, in the current context. */
extern void remember_warnings(DeclaredPublication *publication);

/* Returns what was remembered, as text[], each warning with its detail and hint in one line; NULL if nothing was. */
extern ArrayType *remembered_warnings(const DeclaredPublication *publication);

/* Did one of the warnings that were remembered say that the release starves? */
extern bool remembers_starving(const DeclaredPublication *publication);

#endif							/* PPREPUB_DECLARE_WARN_OWNER_H */
