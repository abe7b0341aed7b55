/*
 * tables.h
 *		The tables that a history stands in.
 */
#ifndef PPREPUB_HISTORY_TABLES_H
#define PPREPUB_HISTORY_TABLES_H

#include "declare/publication.h"

/*
 * As the owner, inside SPI: the table noted as a part of the publication, made
 * and sealed when it is not there yet.  Columns are as a statement lists them;
 * arrays stand in the row as they are while a page has room for them.
 */
extern Oid	ensure_history_table(const DeclaredPublication *publication, const char *part,
								 const char *suffix, const char *columns);

#endif							/* PPREPUB_HISTORY_TABLES_H */
