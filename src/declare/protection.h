/*
 * protection.h
 *		Releases and history stay: relations made for a publication are neither
 *		changed nor dropped behind its back.
 *
 * Two fences.  A statement trigger on each release and log table refuses
 * INSERT, UPDATE, DELETE and TRUNCATE; it is fired whatever
 * session_replication_role says, and pg_dump restores it after the data.  An
 * event trigger of the extension refuses the DDL that would drop, rewrite or
 * rename such a table, change its columns or take down the first fence.  What
 * pg_restore issues (OWNER, GRANT, ENABLE ALWAYS, indexes) passes.
 */
#ifndef PPREPUB_DECLARE_PROTECTION_H
#define PPREPUB_DECLARE_PROTECTION_H

#include "postgres.h"

/* Creates the trigger of the first fence on a new table. As the owner, inside SPI. */
extern void seal_table(Oid table);

/* Executes a statement that the second fence lets through. As the owner, inside SPI. */
extern void execute_own_ddl(const char *sql);

#endif							/* PPREPUB_DECLARE_PROTECTION_H */
