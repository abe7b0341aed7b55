/*
 * identity.h
 *		On whose behalf code runs, and the rights on what it makes.
 */
#ifndef PPREPUB_DECLARE_IDENTITY_H
#define PPREPUB_DECLARE_IDENTITY_H

#include "postgres.h"

#include "utils/acl.h"
#include "utils/snapshot.h"

/* The identity to return to after acting as another role. */
typedef struct Identity
{
	Oid			userid;
	int			security_context;
	int			guc_level;
} Identity;

/*
 * Act as a role in a security-restricted context: code that a source, a type
 * or an operator brings along runs with that role's rights only, and cannot
 * get others'.  Settings that change the meaning of queries, the look of
 * values, or whether plans are compiled are fixed until act_as_before().
 * Nothing need be done on error.
 */
extern void act_as(Identity *before, Oid role);
extern void act_as_before(const Identity *before);

/* Sets the settings that act_as() fixes once more: hostile code may have changed them. */
extern void fix_settings(void);

/*
 * To be called first by every function that changes what is declared or
 * published.  An error in a read-only transaction, on a standby, while library and
 * objects are of different versions, and when the call comes from a source's own code: it could pull a publication away from
 * under the release that is being made.
 */
extern void verify_may_change(const char *command);

/* Raises an error if there is no such relation, or none that can be read like a table. */
extern void verify_source_kind(Oid relation);

extern Oid	relation_owner(Oid relation);

/* Does the current user have the rights of this role? */
extern bool has_rights_of(Oid role);

/* The access list of a relation, schema or function, or NULL for the default. */
extern Acl *rights_on(Oid classid, Oid object);

/*
 * Revokes every right on a new object from all roles but its owner, whatever
 * the default privileges say.  named is the object as a GRANT names it: "TABLE
 * a.b", "SCHEMA s", "FUNCTION f(text)".  To be called as the owner or a
 * superuser, inside SPI.
 */
extern void reset_rights(Oid classid, Oid object, const char *named);

/* A relation as a statement names it: schema and name, quoted. */
extern char *quoted_relation(Oid relation);

/* SPI_execute() of a utility statement, which must succeed. */
extern void execute_ddl(const char *sql);

#endif							/* PPREPUB_DECLARE_IDENTITY_H */
