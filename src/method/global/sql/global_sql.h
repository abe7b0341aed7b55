/*
 * global_sql.h
 *		What method global promises, and what its tables mean.
 */
#ifndef PPREPUB_METHOD_GLOBAL_SQL_GLOBAL_SQL_H
#define PPREPUB_METHOD_GLOBAL_SQL_GLOBAL_SQL_H

#include "postgres.h"

#include "history/recall.h"
#include "release/release.h"

/* The l of parameters. */
extern uint32 l_of(const DeclaredPublication *publication, Jsonb *params);

/* Warns where people are linked too well already, by what was published before, under a new l. */
extern void warn_of_new_l(const DeclaredPublication *publication, Jsonb *params);

/* Refuses a registry, or a list of values, that makes no sense: see declare/parameters.h. */
extern void check_global_table(const DeclaredPublication *publication, const char *param,
							   Oid old_copy, Oid new_copy, bool accept_weakening);

/* Counts in the people of a registry, and notes the values of a list: as the owner, inside SPI. */
extern void load_global_tables(const DeclaredPublication *publication, FrameLoad *load);

#endif							/* PPREPUB_METHOD_GLOBAL_SQL_GLOBAL_SQL_H */
