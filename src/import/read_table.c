/*
 * read_table.c
 *		Reading the table into columns of numbers.
 */
#include "postgres.h"

#include "executor/spi.h"
#include "executor/tuptable.h"
#include "import/import.h"
#include "miscadmin.h"
#include "tcop/dest.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#define FIRST_CAPACITY	1024

/* The executor hands its rows over one by one. */
typedef struct TableReceiver
{
	DestReceiver receiver;		/* must be first */
	Import	   *import;
	uint64		capacity;
} TableReceiver;

static void
make_room(TableReceiver *state)
{
	Import	   *import = state->import;

	if (import->nrows >= MAX_FRAME_ROWS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("\"%s\" has more than " UINT64_FORMAT " rows", import->table_name, MAX_FRAME_ROWS),
				 errhint("Divide it among several tables, and import these one after the other.")));
	state->capacity = Min(state->capacity + state->capacity / 4, MAX_FRAME_ROWS);
	for (int i = 0; i < import->ncolumns; i++)
		import->columns[i].number = repalloc_huge(import->columns[i].number, sizeof(uint32) * state->capacity);
}

static bool
receive_row(TupleTableSlot *slot, DestReceiver *self)
{
	TableReceiver *state = (TableReceiver *) self;
	Import	   *import = state->import;

	slot_getallattrs(slot);
	if (import->nrows == state->capacity)
		make_room(state);
	for (int i = 0; i < import->ncolumns; i++)
	{
		ImportColumn *column = &import->columns[i];
		bool		isnull = slot->tts_isnull[i];

		column->number[import->nrows] =
			dictionary_number(column->values, isnull ? (Datum) 0 : as_stored(slot->tts_values[i], column->word), isnull);
	}
	import->nrows++;
	return true;
}

static void
receiver_startup(DestReceiver *self, int operation, TupleDesc typeinfo)
{
}

static void
receiver_end(DestReceiver *self)
{
}

static char *
table_query(const Import *import)
{
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "SELECT");
	for (int i = 0; i < import->ncolumns; i++)
		appendStringInfo(&sql, "%s%s", i == 0 ? " " : ", ", quote_identifier(import->columns[i].name));
	appendStringInfo(&sql, " FROM %s", relation_words(import->table));
	return sql.data;
}

void
read_table(Import *import)
{
	TableReceiver state = {.import = import,.capacity = FIRST_CAPACITY};
	SPIExecuteOptions options = {0};
	int			result;

	state.receiver.receiveSlot = receive_row;
	state.receiver.rStartup = receiver_startup;
	state.receiver.rShutdown = receiver_end;
	state.receiver.rDestroy = receiver_end;
	state.receiver.mydest = DestTuplestore; /* any that is not SPI's own */
	for (int i = 0; i < import->ncolumns; i++)
	{
		import->columns[i].values = dictionary_create(import->columns[i].type);
		import->columns[i].number = palloc(sizeof(uint32) * FIRST_CAPACITY);
	}
	options.read_only = true;	/* and so under the active snapshot */
	options.must_return_tuples = true;
	options.dest = &state.receiver;
	result = SPI_execute_extended(table_query(import), &options);
	if (result < 0)
		elog(ERROR, "could not read the table: %s", SPI_result_code_string(result));
	fix_settings();				/* the table's code may have changed them */
	if (import->nrows == 0)
		ereport(ERROR,
				(errcode(ERRCODE_NO_DATA_FOUND),
				 errmsg("\"%s\" has no rows", import->table_name)));
}
