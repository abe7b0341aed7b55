/*
 * parameter_tables.h
 *		Tables that parameters name: {"updates": "hospital.progress"}.
 *
 * The name is resolved with the caller's search path, once, and kept with its
 * schema.  The rows that a method needs are copied into a plain table of
 * TARGET_private, NAME_<parameter>, read as the publication's owner: what was
 * declared is dumped and restored with the publication, and later changes of
 * the table do not reach it.  alter_publication() copies the tables again.
 */
#ifndef PPREPUB_DECLARE_PARAMETER_TABLES_H
#define PPREPUB_DECLARE_PARAMETER_TABLES_H

#include "postgres.h"

#include "declare/method_declaration.h"
#include "declare/publication.h"

/* Returns the parameters with the names of tables resolved for the caller and qualified. */
extern Jsonb *resolve_tables(const MethodDeclaration *method, Jsonb *given);

/*
 * Copies the tables that the publication's parameters name, and drops the
 * copies that there were.  A table that is not among those named in the call
 * at hand may be gone, or may not be readable any more: its old copy stays
 * then, with a NOTICE.
 */
extern void copy_tables(const DeclaredPublication *publication, Jsonb *named, bool accept_weakening);

/*
 * An error if a table is named: for calls that copy none, and use what was
 * copied before.
 */
extern void refuse_tables(const MethodDeclaration *method, Jsonb *given);

/* Returns the copy of a parameter's table, or InvalidOid where none was named. */
extern Oid	copied_table(const DeclaredPublication *publication, const char *param);

#endif							/* PPREPUB_DECLARE_PARAMETER_TABLES_H */
