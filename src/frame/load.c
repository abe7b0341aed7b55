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
 *		Columns grow by a quarter when full: memory is counted in bytes a row.
 */
#include "frame/load.h"

#include "access/htup_details.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "executor/spi.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "tcop/dest.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#define FIRST_CAPACITY	1024

/* A column of the source on its way into the frame. */
typedef struct LoadingColumn
{
	const DeclaredColumn *column;
	int16		word;			/* its length if it is passed by value, or 0 */
	Dictionary *dictionary;		/* NULL for the key */
	uint32	   *number;			/* [capacity] the dictionary's numbers */
} LoadingColumn;

struct FrameLoad
{
	DestReceiver receiver;		/* must be first */
	const DeclaredPublication *publication;
	const char *condition;		/* or NULL */
	const bool *shown;
	MemoryContext context;

	int			ncolumns;
	LoadingColumn *columns;
	KeyTable   *keys;			/* rows by their keys */

	uint64		nrows;
	uint64		nasked;			/* the first of them; all others are helpers */
	uint64		capacity;
	uint64		null_keys;
};

/* ----------------------------------------------------------------
 * First pass: rows to numbers
 * ----------------------------------------------------------------
 */

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
	resize(state, Min(state->capacity + state->capacity / 4, MAX_FRAME_ROWS));
}

/*
 * A value as a tuple or an array gives it.  Functions may leave other bits above
 * a short one, as hashtext() does above a negative number; but values are told
 * apart as words, and those of the past come from arrays.
 */
static inline Datum
as_stored(Datum value, int16 word)
{
	switch (word)
	{
		case 1:
			return CharGetDatum(DatumGetChar(value));
		case 2:
			return Int16GetDatum(DatumGetInt16(value));
		case 4:
			return Int32GetDatum(DatumGetInt32(value));
		default:
			return value;
	}
}

static bool
receive_row(TupleTableSlot *slot, DestReceiver *self)
{
	FrameLoad  *state = (FrameLoad *) self;
	uint64		row = state->nrows;

	slot_getallattrs(slot);
	if (row == state->capacity)
		make_room(state);
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
		if (declared->role == ROLE_KEY)
			continue;
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

static void
read_rows(FrameLoad *state, const char *condition, ParamListInfo params)
{
	SPIExecuteOptions options = {0};
	int			result;

	options.params = params;
	options.read_only = true;	/* and so under the active snapshot */
	options.must_return_tuples = true;
	options.dest = &state->receiver;
	result = SPI_execute_extended(source_query(state, condition), &options);
	if (result < 0)
		elog(ERROR, "could not read the source: %s", SPI_result_code_string(result));
	resize(state, state->nrows);
	fix_settings();				/* the source's code may have changed them */
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

const KeyTable *
load_keys(const FrameLoad *load)
{
	return load->keys;
}

static const LoadingColumn *
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

/* ----------------------------------------------------------------
 * Rows that nobody asked for
 * ----------------------------------------------------------------
 */

#define KEYS_PER_ARRAY	100000	/* what arrays may hold is limited */
#define KEYS_PER_LIST	100

static ParamListInfo
add_params(const Datum *values, Oid type, int n)
{
	ParamListInfo params = makeParamList(n);

	for (int i = 0; i < n; i++)
		params->params[i] = (ParamExternData) {values[i], false, PARAM_FLAG_CONST, type};
	return params;
}

/* The key's own equality, wherever its operator stands. */
static char *
equals_words(Oid type)
{
	Oid			operator = lookup_type_cache(type, TYPECACHE_EQ_OPR)->eq_opr;
	HeapTuple	tuple = SearchSysCache1(OPEROID, ObjectIdGetDatum(operator));
	Form_pg_operator form;
	char	   *words;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for operator %u", operator);
	form = (Form_pg_operator) GETSTRUCT(tuple);
	words = psprintf("OPERATOR(%s.%s)", quote_identifier(get_namespace_name(form->oprnamespace)),
					 NameStr(form->oprname));
	ReleaseSysCache(tuple);
	return words;
}

static void
read_keys(FrameLoad *load, const DeclaredColumn *key, Datum *keys, int n)
{
	Oid			array_type = get_array_type(key->type);
	int16		length;
	bool		byval;
	char		align;
	Datum		array;

	get_typlenbyvalalign(key->type, &length, &byval, &align);
	array = PointerGetDatum(construct_array(keys, n, key->type, length, byval, align));
	read_rows(load, psprintf("%s %s ANY ($1)", quote_identifier(key->name), equals_words(key->type)),
			  add_params(&array, array_type, 1));
}

/* The same for types without arrays, which arrays are. */
static void
read_few_keys(FrameLoad *load, const DeclaredColumn *key, const Datum *keys, int n)
{
	StringInfoData condition;

	initStringInfo(&condition);
	for (int i = 0; i < n; i++)
		appendStringInfo(&condition, "%s%s %s $%d", i > 0 ? " OR " : "", quote_identifier(key->name),
						 equals_words(key->type), i + 1);
	read_rows(load, condition.data, add_params(keys, key->type, n));
}

void
load_helpers(FrameLoad *load, Datum *keys, uint64 n)
{
	const DeclaredColumn *key = publication_column(load->publication, ROLE_KEY);

	keys_forget_index(load->keys);
	if (OidIsValid(get_array_type(key->type)))
		for (uint64 i = 0; i < n; i += KEYS_PER_ARRAY)
			read_keys(load, key, keys + i, Min(KEYS_PER_ARRAY, n - i));
	else
		for (uint64 i = 0; i < n; i += KEYS_PER_LIST)
			read_few_keys(load, key, keys + i, Min(KEYS_PER_LIST, n - i));
	verify_keys(load);
}

Frame
load_peek(const FrameLoad *load, Code **code)
{
	const LoadingColumn *column = sensitive_column(load);
	Frame		frame = {.nrows = load->nrows};
	Datum	   *values;

	*code = dictionary_merge_equal(column->dictionary, column->column->collation, &frame.nsensitive, &values);
	frame.sensitive = palloc_extended(sizeof(Code) * (load->nrows + 1), MCXT_ALLOC_HUGE);
	for (uint64 row = 0; row < load->nrows; row++)
		frame.sensitive[row] = (*code)[column->number[row]];
	return frame;
}

/* ----------------------------------------------------------------
 * Second pass: numbers to codes
 * ----------------------------------------------------------------
 */

/* Replaces numbers by codes in place. */
static Code *
recode(const FrameLoad *state, uint32 *number, const Code *code)
{
	for (uint64 row = 0; row < state->nrows; row++)
		number[row] = code[number[row]];
	CHECK_FOR_INTERRUPTS();
	return number;
}

static bool
has_null(const FrameLoad *state, const LoadingColumn *column)
{
	for (uint64 row = 0; row < state->nrows; row++)
		if (column->number[row] == DICTIONARY_NULL)
			return true;
	return false;
}

static char *
example_list(const LoadingColumn *column, const Uncodable *uncodable)
{
	StringInfoData list;
	Oid			output;
	bool		varlena;

	initStringInfo(&list);
	getTypeOutputInfo(column->column->type, &output, &varlena);
	for (int i = 0; i < uncodable->nexamples; i++)
		appendStringInfo(&list, "%s\"%s\"", i > 0 ? ", " : "",
						 OidOutputFunctionCall(output, dictionary_value(column->dictionary,
																		uncodable->examples[i])));
	return list.data;
}

static void
refuse_uncodable(const FrameLoad *state, const LoadingColumn *column,
				 const Code *code, const Uncodable *uncodable)
{
	uint64		rows = 0;

	for (uint64 row = 0; row < state->nrows; row++)
		rows += column->number[row] != DICTIONARY_NULL && code[column->number[row]] == NO_CODE;
	ereport(ERROR,
			(errcode(ERRCODE_DATA_EXCEPTION),
			 errmsg("column \"%s\" of publication \"%s\" has " UINT64_FORMAT " row(s) %s",
					column->column->name, state->publication->name, rows, uncodable->reason),
			 errdetail("For example: %s.", example_list(column, uncodable)),
			 errdetail_log("Its values are told to the owner only."),
			 errhint("%s", uncodable->hint)));
}

static void
add_fingerprints(const FrameLoad *state, LoadedFrame *loaded, const LoadingColumn *column)
{
	uint32	   *prints = dictionary_fingerprints(column->dictionary);

	for (uint64 row = 0; row < state->nrows; row++)
		loaded->fingerprint[row] = hash_combine(loaded->fingerprint[row], prints[column->number[row]]);
	pfree(prints);
}

static void
load_quasi_identifier(FrameLoad *state, LoadedFrame *loaded, LoadingColumn *column)
{
	Frame	   *frame = &loaded->frame;
	int			q = frame->nqis++;
	Uncodable	uncodable;
	Code	   *code;

	loaded->codings[q] = code_column(column->column, column->dictionary,
									 has_null(state, column), &code, &uncodable);
	loaded->codings[q]->is_part = state->condition != NULL;
	if (uncodable.reason != NULL)
		refuse_uncodable(state, column, code, &uncodable);
	add_fingerprints(state, loaded, column);
	frame->code[q] = recode(state, column->number, code);
	for (uint64 row = 0; row < state->nrows; row++)
		loaded->codings[q]->domain->frequency[frame->code[q][row]]++;
	frame->domain[q] = *loaded->codings[q]->domain;
	loaded->codings[q]->domain = &frame->domain[q];
	pfree(code);
}

/* Returns the map from the dictionary's numbers to codes. */
static Code *
load_plain(FrameLoad *state, PlainColumn *plain, LoadingColumn *column)
{
	Code	   *code;

	plain->column = column->column;
	if (column->column->role == ROLE_SENSITIVE)
		code = dictionary_merge_equal(column->dictionary, column->column->collation,
									  &plain->ncodes, &plain->values);
	else
	{
		/* Insensitive values leave exactly as they are: each its own code. */
		plain->ncodes = dictionary_size(column->dictionary) - 1;
		plain->values = palloc_extended(sizeof(Datum) * ((Size) plain->ncodes + 1), MCXT_ALLOC_HUGE);
		code = palloc_extended(sizeof(Code) * ((Size) plain->ncodes + 1), MCXT_ALLOC_HUGE);
		code[DICTIONARY_NULL] = NO_CODE;
		for (uint32 i = 1; i <= plain->ncodes; i++)
		{
			plain->values[i - 1] = dictionary_value(column->dictionary, i);
			code[i] = i - 1;
		}
	}
	plain->code = recode(state, column->number, code);
	return code;
}

/* NULL where nobody else was read. */
static const bool *
asked_rows(const FrameLoad *state)
{
	bool	   *asked;

	if (state->nasked == state->nrows)
		return NULL;
	asked = palloc_extended(sizeof(bool) * state->nrows, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	memset(asked, true, state->nasked);
	return asked;
}

static LoadedFrame *
finish_frame(FrameLoad *state)
{
	LoadedFrame *loaded = palloc0(sizeof(LoadedFrame));
	Frame	   *frame = &loaded->frame;

	frame->nrows = state->nrows;
	frame->domain = palloc0(sizeof(Domain) * state->ncolumns);
	frame->code = palloc0(sizeof(Code *) * state->ncolumns);
	loaded->codings = palloc0(sizeof(Coding *) * state->ncolumns);
	loaded->insensitive = palloc0(sizeof(PlainColumn) * state->ncolumns);
	loaded->keys = state->keys->keys;
	loaded->shown = state->shown;
	loaded->fingerprint = palloc_extended(sizeof(uint32) * (state->nrows + 1), MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	for (int i = 0; i < state->ncolumns; i++)
		switch (state->columns[i].column->role)
		{
			case ROLE_KEY:
				break;
			case ROLE_QUASI_IDENTIFIER:
				load_quasi_identifier(state, loaded, &state->columns[i]);
				break;
			case ROLE_SENSITIVE:
				loaded->sensitive_code = load_plain(state, &loaded->sensitive, &state->columns[i]);
				break;
			case ROLE_INSENSITIVE:
				pfree(load_plain(state, &loaded->insensitive[loaded->ninsensitive++], &state->columns[i]));
				break;
		}
	frame->sensitive = loaded->sensitive.code;
	frame->nsensitive = loaded->sensitive.ncodes;
	frame->asked = asked_rows(state);
	return loaded;
}

FrameLoad *
load_rows(const DeclaredPublication *publication, const char *condition,
		  const bool *shown, MemoryContext context)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	FrameLoad  *load = load_create(publication, shown, context);

	load->condition = condition;
	read_rows(load, condition, NULL);
	load->nasked = load->nrows;
	verify_keys(load);
	MemoryContextSwitchTo(old);
	return load;
}

LoadedFrame *
load_finish(FrameLoad *load)
{
	MemoryContext old = MemoryContextSwitchTo(load->context);
	LoadedFrame *loaded;

	keys_forget_index(load->keys);
	loaded = finish_frame(load);
	MemoryContextSwitchTo(old);
	return loaded;
}
