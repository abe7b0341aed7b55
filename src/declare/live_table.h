/*
 * live_table.h
 *		TARGET.NAME_now: the foreign table through which analysts ask a publication with plain SQL.
 *
 * Its columns are those of the source but the key, in their order, of the source's types (value_columns.h); behind
 * them stand "class", where the method has classes, and "cells".
 */
#ifndef PPREPUB_DECLARE_LIVE_TABLE_H
#define PPREPUB_DECLARE_LIVE_TABLE_H

#include "postgres.h"

#include "access/tupdesc.h"
#include "declare/publication.h"

/*
 * Creates the table, without any grants, if the method can answer.  Called as the owner, inside SPI; the caller notes
 * it as part "live".
 */
extern void create_live_table(const DeclaredPublication *publication);

/* Comments on the table and its columns, by the parameters of now. */
extern void comment_on_live_table(const DeclaredPublication *publication, Oid table);

/* A column of the table: a column of the publication, or one of those behind. */
typedef enum LiveColumn
{
	LIVE_CLASS = -1,
	LIVE_CELLS = -2
} LiveColumn;

/* Where the table's column comes from: the index of a column of the publication, or a LiveColumn. */
extern int	live_column(const DeclaredPublication *publication, AttrNumber attribute);

extern int	count_live_columns(const DeclaredPublication *publication);

/* An error unless the table has the columns that it was made with, which its owner could have changed. */
extern void verify_live_columns(const DeclaredPublication *publication, TupleDesc columns);

#endif							/* PPREPUB_DECLARE_LIVE_TABLE_H */
