/*
 * declared_tables.h
 *		Checking the tables that parameters name, whatever the method.
 */
#ifndef PPREPUB_RELEASE_DECLARED_TABLES_H
#define PPREPUB_RELEASE_DECLARED_TABLES_H

#include "postgres.h"

#include "declare/publication.h"

/* Has its say on each new copy of such a table: see declare/tables.h. */
extern void check_declared_table(const DeclaredPublication *publication, const char *param,
								 Oid old_copy, Oid new_copy, bool accept_weakening);

#endif							/* PPREPUB_RELEASE_DECLARED_TABLES_H */
