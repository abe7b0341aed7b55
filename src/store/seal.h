/*
 * seal.h
 *		Rows become the chunks of a group.
 */
#ifndef PPREPUB_STORE_SEAL_H
#define PPREPUB_STORE_SEAL_H

#include "postgres.h"

#include "access/tupdesc.h"
#include "store/chunks.h"

/* Rows, column by column.  No varlena is external or compressed. */
typedef struct Rows
{
	uint64		first;			/* the first one's number */
	const uint32 *numbers;		/* of each, less first; NULL: one after the other */
	uint32		nrows;
	int			natts;
	Datum	  **values;
	bool	  **nulls;
} Rows;

/* Takes the chunks of a group, in any order but the header last. */
typedef void (*ChunkSink) (void *arg, uint64 first, uint32 part, uint64 stamp, const char *bytes, Size length);

/* Memory: the encoded columns, and what encoding a column takes. */
extern void seal_rows(TupleDesc desc, const Rows *rows, ChunkSink sink, void *arg);

/* Writes a group of rows into a table. */
extern void write_rows(Store *store, TupleDesc desc, const Rows *rows, CommandId cid, int options);

/* A reservation, before any of its rows. */
extern void write_reservation(Store *store, uint64 first, uint32 rows, CommandId cid, int options);

#endif							/* PPREPUB_STORE_SEAL_H */
