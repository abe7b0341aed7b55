/*
 * load.c
 *		Reading a source into columns of codes.
 *
 * NOTES
 *		The executor hands its rows to a receiver of ours one by one, so that
 *		no row is ever copied.  Each column numbers its distinct values as they
 *		come; codes that mean something by their order can only be given when
 *		all values are known, in a second pass over bare integers.
 *
 *		Columns grow by a quarter or so when full: memory is counted in bytes a row.
 */
#include "frame/loading.h"

#include "executor/spi.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#define FIRST_CAPACITY	1024
#define MORE_ROWS		16		/* a quarter of a few rows is none */

static void
resize(FrameLoad *state, uint64 capacity)
{
	for (int i = 0; i < state->ncolumns; i++)
		if (state->columns[i].dictionary != NULL)
			state->columns[i].number = repalloc_huge(state->columns[i].number,
													 sizeof(uint32) * Max(capacity, 1));
	state->capacity = capacity;
}

static void
make_room(FrameLoad *state)
{
	if (state->nrows >= MAX_FRAME_ROWS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("the source of publication \"%s\" has more than " UINT64_FORMAT " rows",
						state->publication->name, MAX_FRAME_ROWS),
				 errhint("Declare a publication for each of several views that divide the people among them.")));
	resize(state, Min(state->capacity + state->capacity / 4 + MORE_ROWS, MAX_FRAME_ROWS));
}

static bool
lacks_key(FrameLoad *state, const TupleTableSlot *slot)
{
	state->left_out += slot->tts_isnull[state->key];
	return slot->tts_isnull[state->key];
}

static bool
receive_row(TupleTableSlot *slot, DestReceiver *self)
{
	FrameLoad  *state = (FrameLoad *) self;
	uint64		row = state->nrows;

	slot_getallattrs(slot);
	if (row == state->capacity)
		make_room(state);
	if (state->is_lenient && lacks_key(state, slot))
		return true;
	if (state->is_registry && keys_find(state->keys, slot->tts_values[state->key]) != NO_KEY)
		return true;
	for (int i = 0; i < state->ncolumns; i++)
	{
		LoadingColumn *column = &state->columns[i];
		bool		isnull = slot->tts_isnull[i];
		Datum		value = isnull ? (Datum) 0 : as_stored(slot->tts_values[i], column->word);

		if (column->dictionary != NULL)
			column->number[row] = dictionary_number(column->dictionary, value, isnull);
		else if (isnull)
			state->null_keys++;
		else
			keys_append(state->keys, value);
	}
	state->nrows++;
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

static FrameLoad *
load_create(const DeclaredPublication *publication, const bool *shown, MemoryContext context)
{
	FrameLoad  *state = palloc0(sizeof(FrameLoad));
	const DeclaredColumn *key = publication_column(publication, ROLE_KEY);

	state->receiver.receiveSlot = receive_row;
	state->receiver.rStartup = receiver_startup;
	state->receiver.rShutdown = receiver_end;
	state->receiver.rDestroy = receiver_end;
	state->receiver.mydest = DestTuplestore;	/* any that is not SPI's own */
	state->publication = publication;
	state->shown = shown;
	state->context = context;
	state->columns = palloc0(sizeof(LoadingColumn) * publication->ncolumns);
	state->capacity = FIRST_CAPACITY;
	state->keys = keys_create(key->type, key->collation);
	for (int i = 0; i < publication->ncolumns; i++)
	{
		const DeclaredColumn *declared = &publication->columns[i];
		LoadingColumn *column = &state->columns[state->ncolumns];
		int16		length;
		bool		byval;

		/* What a release does not show is judged all the same, where it is sensitive. */
		if (!shown[i] && declared->role != ROLE_KEY && declared->role != ROLE_SENSITIVE)
			continue;
		state->ncolumns++;
		column->column = declared;
		get_typlenbyval(declared->type, &length, &byval);
		column->word = byval ? length : 0;
		if (declared->role == ROLE_QUASI_IDENTIFIER && declared->kind == KIND_TAXONOMY)
			column->tree = stored_tree_read(declared->tree);
		if (declared->role == ROLE_KEY)
		{
			state->key = state->ncolumns - 1;
			continue;
		}
		column->dictionary = dictionary_create(declared->type);
		column->number = palloc(sizeof(uint32) * FIRST_CAPACITY);
	}
	return state;
}

static char *
source_query(const FrameLoad *state, const char *condition)
{
	StringInfoData sql;

	initStringInfo(&sql);
	for (int i = 0; i < state->ncolumns; i++)
		appendStringInfo(&sql, "%s%s", i == 0 ? "SELECT " : ", ",
						 quote_identifier(state->columns[i].column->name));
	appendStringInfo(&sql, " FROM %s", relation_words(state->publication->pinned));
	if (condition != NULL)
		appendStringInfo(&sql, " WHERE %s", condition);
	return sql.data;
}

/* There is no portal, which a source's own code could fetch from, or close. */
void
read_query(FrameLoad *state, const char *sql, ParamListInfo params)
{
	SPIExecuteOptions options = {.params = params,.read_only = true,.dest = &state->receiver};
	int			result = SPI_execute_extended(sql, &options);

	if (result != SPI_OK_SELECT)
		elog(ERROR, "could not read the source: %s", SPI_result_code_string(result));
	resize(state, state->nrows);
	fix_settings();				/* the source's code may have changed them */
}

void
read_rows(FrameLoad *state, const char *condition, ParamListInfo params)
{
	read_query(state, source_query(state, condition), params);
}

/* Keys are people: one row each. */
static void
verify_keys(FrameLoad *state)
{
	const DeclaredColumn *key = publication_column(state->publication, ROLE_KEY);
	uint64		repeated;

	if (state->null_keys > 0)
		ereport(ERROR,
				(errcode(ERRCODE_NOT_NULL_VIOLATION),
				 errmsg("key \"%s\" of publication \"%s\" is NULL in " UINT64_FORMAT " row(s)",
						key->name, state->publication->name, state->null_keys),
				 errhint("A key tells people apart over time, so each row needs one.")));
	repeated = keys_index(state->keys);
	if (repeated > 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNIQUE_VIOLATION),
				 errmsg("key \"%s\" of publication \"%s\" is repeated in " UINT64_FORMAT " row(s)",
						key->name, state->publication->name, repeated),
				 errhint("A person has one row in a release: declare a view with one row for each key.")));
}

void
index_rows(FrameLoad *load, uint64 from)
{
	if (load->is_lenient)
		sieve_rows(load, from);
	else
		verify_keys(load);
}

const KeyTable *
load_keys(const FrameLoad *load)
{
	return load->keys;
}

const LoadingColumn *
sensitive_column(const FrameLoad *load)
{
	for (int i = 0; i < load->ncolumns; i++)
		if (load->columns[i].column->role == ROLE_SENSITIVE)
			return &load->columns[i];
	elog(ERROR, "the publication has no sensitive column");
}

void
load_sensitive_numbers(FrameLoad *load, const Datum *values, const bool *nulls, uint32 *numbers, int n)
{
	dictionary_numbers(sensitive_column(load)->dictionary, values, nulls, numbers, n);
}

FrameLoad *
load_rows(const DeclaredPublication *publication, const char *condition,
		  const bool *shown, bool is_lenient, MemoryContext context)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	FrameLoad  *load = load_create(publication, shown, context);

	load->condition = condition;
	load->is_lenient = is_lenient;
	read_rows(load, condition, NULL);
	load->nasked = load->nrows;
	index_rows(load, 0);
	load->left_out += load->nasked - load->nrows;
	load->nasked = load->nrows;
	MemoryContextSwitchTo(old);
	return load;
}
