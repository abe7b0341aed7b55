/*
 * replace.c
 *		Deleting all rows of a table, and writing others.
 */
#include "history/replace.h"

#include "executor/spi.h"
#include "history/reader.h"
#include "history/writer.h"
#include "miscadmin.h"

static void
delete_all(Oid table)
{
	RowReader  *reader = reader_open(table);
	TupleTableSlot *slot;

	while ((slot = reader_next(reader)) != NULL)
		delete_rows(table, &slot->tts_tid, 1);
	reader_close(reader);
}

void
replace_all_rows(Oid table)
{
	int			natts = SPI_tuptable->tupdesc->natts;
	Datum	   *values = palloc(sizeof(Datum) * natts);
	bool	   *nulls = palloc(sizeof(bool) * natts);
	RowWriter  *writer;

	delete_all(table);
	writer = writer_open(table, true);
	for (uint64 row = 0; row < SPI_processed; row++)
	{
		CHECK_FOR_INTERRUPTS();
		heap_deform_tuple(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, values, nulls);
		writer_add(writer, values, nulls);
	}
	writer_close(writer);
}
