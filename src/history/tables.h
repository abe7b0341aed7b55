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

#endif							/* PPREPUB_HISTORY_TABLES_H */
