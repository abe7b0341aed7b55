/*
 * tables.h
 *		Tables that parameters name: {"updates": "hospital.progress"}.
 *
 * The name is resolved as the caller would, once, and kept with its schema.
 * The rows that a method needs are copied into a plain table of
 * TARGET_private, NAME_<parameter>, read as the publication's owner: what was
 * declared is dumped and restored with the publication, and does not change
 * when somebody changes the table.  alter_publication() copies them again.
 */
#ifndef PPREPUB_DECLARE_TABLES_H
#define PPREPUB_DECLARE_TABLES_H

#include "postgres.h"

#include "declare/param_spec.h"
#include "declare/publication.h"

/* The parameters, with the names of tables resolved for the caller and qualified. */
extern Jsonb *resolve_tables(const MethodDeclaration *method, Jsonb *given);

/*
 * Copies the tables that the publication's parameters name, and drops the
 * copies that there were.  named: those that the call at hand gave; of others a
 * copy stays, with a NOTICE, where the table is gone or may not be read any more.
 */
extern void copy_tables(const DeclaredPublication *publication, Jsonb *named, bool accept_weakening);

/* The copy that a parameter's table has, or InvalidOid where none was named. */
extern Oid	copied_table(const DeclaredPublication *publication, const char *param);

/*
 * Has its say on each new copy, while the one that it replaces still stands (or
 * is InvalidOid): as the owner, inside SPI, before the new one is sealed.  What
 * rows mean is beyond declare/, so the method refuses here what makes no sense, and
 * may add rows.
 */
typedef void (*TableHook) (const DeclaredPublication *publication, const char *param,
						   Oid old_copy, Oid new_copy, bool accept_weakening);

extern TableHook table_hook;

#endif							/* PPREPUB_DECLARE_TABLES_H */
