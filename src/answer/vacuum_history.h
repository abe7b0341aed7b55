/*
 * vacuum_history.h
 *		VACUUM, for tables that nobody else vacuums: answers count nothing, so
 *		autovacuum does not learn of what they replace.
 */
#ifndef PPREPUB_ANSWER_VACUUM_HISTORY_H
#define PPREPUB_ANSWER_VACUUM_HISTORY_H

#include "postgres.h"

/* As the table's owner, outside of transactions; not where somebody has locked it. */
extern void vacuum_table(Oid table, Oid owner);

#endif							/* PPREPUB_ANSWER_VACUUM_HISTORY_H */
