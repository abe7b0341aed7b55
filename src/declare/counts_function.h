/*
 * counts_function.h
 *		TARGET.NAME_counts(by, bins): the SQL function through which analysts count rows of the newest full release.
 *
 * It runs with the rights of whoever calls it, and calls pprepub_internal.counts(), which is everybody's: the right that counts
 * is SELECT on the view TARGET.NAME.  So everybody may execute it.
 */
#ifndef PPREPUB_DECLARE_COUNTS_FUNCTION_H
#define PPREPUB_DECLARE_COUNTS_FUNCTION_H

#include "declare/publication.h"

/* The function, or InvalidOid when there is none. */
extern Oid	counts_function(const DeclaredPublication *publication);

/* Quoted schema, name and argument types, as DDL statements name the function. */
extern char *counts_function_sql(const DeclaredPublication *publication);

/* Creates the function.  Called as the owner, inside SPI. */
extern void create_counts_function(const DeclaredPublication *publication);

#endif							/* PPREPUB_DECLARE_COUNTS_FUNCTION_H */
