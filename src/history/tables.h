/*
 * tables.h
 *		The tables that a history stands in.
 */
#ifndef PPREPUB_HISTORY_TABLES_H
#define PPREPUB_HISTORY_TABLES_H

#include "declare/publication.h"

typedef enum HistoryStorage
{
	IN_HEAP,					/* arrays stand in the row as they are while a page has room for them */
	IN_GROUPS					/* of the access method pprepub: only appended to */
} HistoryStorage;

/*
 * As the owner, inside SPI: the table noted as a part of the publication, made
 * and sealed when it is not there yet.  Columns are as a statement lists them.
 */
extern Oid	ensure_history_table(const DeclaredPublication *publication, const char *part,
								 const char *suffix, const char *columns, HistoryStorage storage);

/* Has a table columns of these types, and no others?  Rows are read and written by position: to take a number for an array would bring the server down. */
extern bool has_columns(Oid table, const Oid *types, int n);

/* The same, or an error that what is kept of the publication is malformed. */
extern void verify_columns(const DeclaredPublication *publication, const char *what, Oid table, const Oid *types, int n);

#endif							/* PPREPUB_HISTORY_TABLES_H */
