/*
 * load.c
 *		Reading a source into columns of codes.
 *
 * NOTES
 *		The executor hands its rows one by one to a receiver, so that no row is
 *		ever copied.  Each column numbers its distinct values as they
 *		come; codes that mean something by their order can only be given when
 *		all values are known (load_finish.c).
 *
 *		Columns grow by a quarter or so when full: memory is counted in bytes a row.
 */
#include "frame/load_private.h"

#include "declare/parameters.h"
#include "executor/spi.h"
#include "executor/tuptable.h"
#include "frame/arrays.h"
#include "miscadmin.h"
#include "shared/progress.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#define FIRST_CAPACITY	1024
#define MORE_ROWS		16		/* a quarter of a few rows is none */
#define KEYS_PER_ARRAY	100000	/* what arrays may hold is limited */
#define KEYS_PER_LIST	100

/* ----------------------------------------------------------------
 * Rows
 * ----------------------------------------------------------------
 */

static void
resize(FrameLoad *load, uint64 capacity)
{
	for (int i = 0; i < load->ncolumns; i++)
		if (load->columns[i].dictionary != NULL)
			load->columns[i].number = repalloc_huge(load->columns[i].number,
													sizeof(uint32) * Max(capacity, 1));
	load->capacity = capacity;
}

/* Enlarges full columns; more rows than a RowId can number are an error. */
static void
make_room(FrameLoad *load)
{
	if (load->nrows >= MAX_FRAME_ROWS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("the source of publication \"%s\" has more than " UINT64_FORMAT " rows",
						load->publication->name, MAX_FRAME_ROWS),
				 errhint("Declare a publication for each of several views that divide the people among them.")));
	resize(load, Min(load->capacity + load->capacity / 4 + MORE_ROWS, MAX_FRAME_ROWS));
}

static bool
lacks_key(FrameLoad *load, const TupleTableSlot *slot)
{
	load->left_out += slot->tts_isnull[load->key];
	return slot->tts_isnull[load->key];
}

/* Receives a row of the source, or of a registry, where people who are in the source are skipped. */
static bool
receive_row(TupleTableSlot *slot, DestReceiver *self)
{
	FrameLoad  *load = (FrameLoad *) self;
	uint64		row = load->nrows;

	slot_getallattrs(slot);
	if (row == load->capacity)
		make_room(load);
	if (load->is_lenient && lacks_key(load, slot))
		return true;
	if (load->is_registry && keys_find(load->keys, slot->tts_values[load->key]) != NO_KEY)
		return true;
	for (int i = 0; i < load->ncolumns; i++)
	{
		LoadingColumn *column = &load->columns[i];
		bool		isnull = slot->tts_isnull[i];
		Datum		value = isnull ? (Datum) 0 : as_stored(slot->tts_values[i], column->word);

		if (column->dictionary != NULL)
			column->number[row] = dictionary_number(column->dictionary, value, isnull);
		else if (isnull)
			load->null_keys++;
		else
			keys_append(load->keys, value);
	}
	load->nrows++;
	progress_step(1);
	return true;
}

/* Does nothing: the columns are made with the load. */
static void
receiver_startup(DestReceiver *self, int operation, TupleDesc typeinfo)
{
}

/* Does nothing: the memory of a load goes with its context. */
static void
receiver_end(DestReceiver *self)
{
}

/* Notes whether newcomers are laid out by the publication's column i. */
static bool
lay_out_by(FrameLoad *load, const LayoutColumns *layout, int i, const LoadingColumn *column)
{
	bool		is_used = i == layout->leaves;

	if (is_used)
		load->leaves = column;
	for (int s = 0; s < layout->nstrata; s++)
		if (layout->strata[s] == i)
		{
			load->strata[s] = column;
			is_used = true;
		}
	return is_used;
}

/* Makes a load without rows, with the columns that are shown, the key, the sensitive one, and those of the layout. */
static FrameLoad *
load_create(const DeclaredPublication *publication, const bool *shown, MemoryContext context)
{
	FrameLoad  *load = palloc0(sizeof(FrameLoad));
	const DeclaredColumn *key = publication_column(publication, ROLE_KEY);
	int			ncolumns = publication->ncolumns + publication->nhidden;
	LayoutColumns layout = layout_columns(publication);

	load->receiver.receiveSlot = receive_row;
	load->receiver.rStartup = receiver_startup;
	load->receiver.rShutdown = receiver_end;
	load->receiver.rDestroy = receiver_end;
	load->receiver.mydest = DestTuplestore; /* any that is not SPI's own */
	load->publication = publication;
	load->shown = shown;
	load->context = context;
	load->columns = palloc0(sizeof(LoadingColumn) * (ncolumns + 1));
	load->nstrata = layout.nstrata;
	load->strata = palloc0(sizeof(LoadingColumn *) * (layout.nstrata + 1));
	load->capacity = FIRST_CAPACITY;
	load->keys = keys_create(key->type, key->collation);
	for (int i = 0; i < ncolumns; i++)
	{
		const DeclaredColumn *declared = &publication->columns[i];
		LoadingColumn *column = &load->columns[load->ncolumns];
		int16		length;
		bool		byval;

		/*
		 * The sensitive column, or the tuple of several, is read even where it is not shown, since releases are judged
		 * by it.
		 */
		if (declared->role == ROLE_SENSITIVE_PART)
			continue;
		column->is_layout_only = !(i < publication->ncolumns && shown[i]) && declared->role != ROLE_KEY && declared->role != ROLE_SENSITIVE;
		if (!lay_out_by(load, &layout, i, column) && column->is_layout_only)
			continue;
		load->ncolumns++;
		column->column = declared;
		column->weight = layout.weight[i];
		get_typlenbyval(declared->type, &length, &byval);
		column->word = byval ? length : 0;
		if (declared->role == ROLE_QUASI_IDENTIFIER && declared->kind == KIND_TAXONOMY && !column->is_layout_only)
			column->tree = stored_tree_read(declared->tree);
		if (declared->role == ROLE_KEY)
		{
			load->key = load->ncolumns - 1;
			continue;
		}
		column->dictionary = dictionary_create(declared->type);
		column->number = palloc(sizeof(uint32) * FIRST_CAPACITY);
	}
	return load;
}

/* Builds the query for the load's columns, of the rows that meet a condition, or of all rows. */
static char *
source_query(const FrameLoad *load, const char *condition)
{
	StringInfoData sql;

	initStringInfo(&sql);
	for (int i = 0; i < load->ncolumns; i++)
		appendStringInfo(&sql, "%s%s", i == 0 ? "SELECT " : ", ",
						 quote_identifier(load->columns[i].column->name));
	appendStringInfo(&sql, " FROM %s", quoted_relation(load->publication->pinned));
	if (condition != NULL)
		appendStringInfo(&sql, " WHERE %s", condition);
	return sql.data;
}

const LoadingColumn *
load_sensitive_column(const FrameLoad *load)
{
	for (int i = 0; i < load->ncolumns; i++)
		if (load->columns[i].column->role == ROLE_SENSITIVE)
			return &load->columns[i];
	elog(ERROR, "the publication has no sensitive column");
}

/*
 * Appends the rows of a query.  A portal would let the source's own code fetch from it, or close it.  The plan may have
 * parallel workers, but for an answer, since everybody sees in pg_stat_activity that somebody has some.
 */
static void
read_query(FrameLoad *load, const char *sql, ParamListInfo params)
{
	SPIPrepareOptions prepare = {.cursorOptions = load->is_lenient ? 0 : CURSOR_OPT_PARALLEL_OK};
	SPIExecuteOptions options = {.params = params, .read_only = true, .dest = &load->receiver};
	SPIPlanPtr	plan;
	int			result;

	if (params != NULL)
	{
		prepare.parserSetup = params->parserSetup;
		prepare.parserSetupArg = params->parserSetupArg;
	}
	plan = SPI_prepare_extended(sql, &prepare);
	if (plan == NULL)
		elog(ERROR, "could not plan to read the source: %s", SPI_result_code_string(SPI_result));
	result = SPI_execute_plan_extended(plan, &options);
	if (result != SPI_OK_SELECT)
		elog(ERROR, "could not read the source: %s", SPI_result_code_string(result));
	SPI_freeplan(plan);
	resize(load, load->nrows);
	fix_settings();				/* the source's code may have changed them */
}

static void
read_rows(FrameLoad *load, const char *condition, ParamListInfo params)
{
	read_query(load, source_query(load, condition), params);
}

/* ----------------------------------------------------------------
 * Rows that cannot be shown
 *
 * An answer must not reveal that something is wrong with a single row, so such
 * rows are left out as if they were not in the source: they are not shown and
 * help to protect no other row, but their people stay remembered.  Values that
 * occur only in rows left out are dropped, too, because invented rows are made
 * of sensitive values, and domains of the others.
 * ----------------------------------------------------------------
 */

/* Marks rows with a value that no cell can hold. */
static void
mark_uncodable(const FrameLoad *load, const LoadingColumn *column, uint64 from, bool *is_out)
{
	Uncodable	uncodable;
	Code	   *code;

	(void) code_column(column->column, NULL, column->tree, column->dictionary, false, &code, &uncodable);
	for (uint64 row = from; row < load->nrows && uncodable.reason != NULL; row++)
		is_out[row] |= column->number[row] != DICTIONARY_NULL && code[column->number[row]] == NO_CODE;
}

/* Marks rows with a sensitive value that the taxonomy does not cover by which its column is judged. */
static void
mark_beyond(const FrameLoad *load, const LoadingColumn *column, uint64 from, bool *is_out)
{
	uint32		size = dictionary_size(column->dictionary);
	Datum	   *values = new_array(Datum, size);
	SensitiveColumns *columns;

	for (uint32 i = 1; i < size; i++)
		values[i - 1] = dictionary_value(column->dictionary, i);
	columns = sensitive_columns(load->publication, values, size - 1);
	for (int c = 0; c < columns->n; c++)
		for (uint64 row = from; row < load->nrows && columns->column[c].judged.beyond != NO_CODE; row++)
			is_out[row] |= column->number[row] != DICTIONARY_NULL && is_beyond(columns, c, column->number[row] - 1);
}

/* Marks all rows of a repeated key, since it is not known which of them is the person's. */
static void
mark_repeated(const FrameLoad *load, uint64 from, bool *is_out)
{
	for (uint64 row = from; row < load->nrows; row++)
	{
		uint32		first = keys_find(load->keys, load->keys->keys[row]);

		if (first == row)
			continue;
		is_out[row] = true;
		if (first >= from)
			is_out[first] = true;
	}
}

/* Closes up the rows that stay. */
static void
leave_out(FrameLoad *load, uint64 from, const bool *is_out)
{
	uint64		kept = from;

	for (uint64 row = from; row < load->nrows; row++)
	{
		if (is_out[row])
			continue;
		load->keys->keys[kept] = load->keys->keys[row];
		for (int i = 0; i < load->ncolumns; i++)
			if (load->columns[i].dictionary != NULL)
				load->columns[i].number[kept] = load->columns[i].number[row];
		kept++;
	}
	load->nrows = load->keys->size = kept;
}

/* Renumbers the values of the rows that are left, so that others are forgotten. */
static void
forget_values(FrameLoad *load, LoadingColumn *column)
{
	Dictionary *old = column->dictionary;
	uint32	   *number = new_zeros(uint32, dictionary_size(old));
	MemoryContext work = MemoryContextSwitchTo(load->context);

	column->dictionary = dictionary_create(column->column->type);
	MemoryContextSwitchTo(work);
	for (uint64 row = 0; row < load->nrows; row++)
	{
		uint32		before = column->number[row];

		if (before != DICTIONARY_NULL && number[before] == DICTIONARY_NULL)
			number[before] = dictionary_number(column->dictionary, dictionary_value(old, before), false);
		column->number[row] = number[before];
	}
	pfree(number);
}

/* Helpers' sensitive values may stay: the past uses their numbers, and releases with helpers invent no rows. */
static void
forget_all_values(FrameLoad *load, uint64 from)
{
	for (int i = 0; i < load->ncolumns; i++)
		if (load->columns[i].dictionary != NULL &&
			(from == 0 || load->columns[i].column->role != ROLE_SENSITIVE))
			forget_values(load, &load->columns[i]);
}

/* Indexes the keys, and leaves out rows that cannot be shown, beginning with row "from". */
static void
sieve_rows(FrameLoad *load, uint64 from)
{
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "sieve", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old;
	uint64		repeated = keys_index(load->keys);
	uint64		before = load->nrows;
	bool	   *is_out;

	old = MemoryContextSwitchTo(work);
	is_out = new_zeros(bool, load->nrows);
	for (int i = 0; i < load->ncolumns; i++)
		if (load->columns[i].column->role == ROLE_QUASI_IDENTIFIER && !load->columns[i].is_layout_only)
			mark_uncodable(load, &load->columns[i], from, is_out);
	mark_beyond(load, load_sensitive_column(load), from, is_out);
	if (repeated > 0)
		mark_repeated(load, from, is_out);
	MemoryContextSwitchTo(old);
	leave_out(load, from, is_out);
	MemoryContextDelete(work);
	if (load->nrows == before)
		return;
	forget_all_values(load, from);
	(void) keys_index(load->keys);
}

/* Indexes the keys; a NULL or repeated key is an error, since each person has one row. */
static void
verify_keys(FrameLoad *load)
{
	const DeclaredColumn *key = publication_column(load->publication, ROLE_KEY);
	uint64		repeated;

	if (load->null_keys > 0)
		ereport(ERROR,
				(errcode(ERRCODE_NOT_NULL_VIOLATION),
				 errmsg("key \"%s\" of publication \"%s\" is NULL in " UINT64_FORMAT " row(s)",
						key->name, load->publication->name, load->null_keys),
				 errhint("A key tells people apart over time, so each row needs one.")));
	repeated = keys_index(load->keys);
	if (repeated > 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNIQUE_VIOLATION),
				 errmsg("key \"%s\" of publication \"%s\" is repeated in " UINT64_FORMAT " row(s)",
						key->name, load->publication->name, repeated),
				 errhint("A person has one row in a release: declare a view with one row for each key.")));
}

/* Indexes the keys of new rows; a lenient load leaves out bad rows, any other raises an error. */
static void
index_rows(FrameLoad *load, uint64 from)
{
	if (load->is_lenient)
		sieve_rows(load, from);
	else
		verify_keys(load);
}

/* ----------------------------------------------------------------
 * Loads
 * ----------------------------------------------------------------
 */

const KeyTable *
load_keys(const FrameLoad *load)
{
	return load->keys;
}

void
load_sensitive_numbers(FrameLoad *load, const Datum *values, const bool *nulls, uint32 *numbers, int n)
{
	dictionary_numbers(load_sensitive_column(load)->dictionary, values, nulls, numbers, n);
}

FrameLoad *
load_rows(const DeclaredPublication *publication, const char *condition,
		  const bool *shown, bool is_lenient, MemoryContext context)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	FrameLoad  *load = load_create(publication, shown, context);

	load->condition = condition;
	load->is_lenient = is_lenient;
	progress_phase("read source", NO_TOTAL);
	read_rows(load, condition, NULL);
	load->nasked = load->nrows;
	index_rows(load, 0);
	load->left_out += load->nasked - load->nrows;
	load->nasked = load->nrows;
	MemoryContextSwitchTo(old);
	return load;
}

/* Makes a load of rows that do not come from the source: the past needs only keys and sensitive values. */
FrameLoad *
load_given(const DeclaredPublication *publication, KeyTable *keys,
		   Dictionary *sensitive, uint32 *number, MemoryContext context)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	FrameLoad  *load = palloc0(sizeof(FrameLoad));

	load->publication = publication;
	load->context = context;
	load->shown = palloc0(sizeof(bool) * publication->ncolumns);
	load->keys = keys;
	load->nrows = load->nasked = load->capacity = keys->size;
	load->ncolumns = 1;
	load->columns = palloc0(sizeof(LoadingColumn));
	load->columns[0] = (LoadingColumn) {
		.column = publication_column(publication, ROLE_SENSITIVE),
		.dictionary = sensitive,
		.number = number,
	};
	MemoryContextSwitchTo(old);
	return load;
}

/* ----------------------------------------------------------------
 * Rows that were not asked for
 * ----------------------------------------------------------------
 */

static ParamListInfo
add_params(const Datum *values, Oid type, int n)
{
	ParamListInfo params = makeParamList(n);

	for (int i = 0; i < n; i++)
		params->params[i] = (ParamExternData) {values[i], false, PARAM_FLAG_CONST, type};
	return params;
}

/* One parameter holds all the keys. */
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
	read_rows(load, psprintf("%s %s ANY ($1)", quote_identifier(key->name), equality_sql(key->type)),
			  add_params(&array, array_type, 1));
}

/* Reads by one parameter for each key, for types without array types (such as arrays). */
static void
read_few_keys(FrameLoad *load, const DeclaredColumn *key, const Datum *keys, int n)
{
	StringInfoData condition;

	initStringInfo(&condition);
	for (int i = 0; i < n; i++)
		appendStringInfo(&condition, "%s%s %s $%d", i > 0 ? " OR " : "", quote_identifier(key->name),
						 equality_sql(key->type), i + 1);
	read_rows(load, condition.data, add_params(keys, key->type, n));
}

/* Reads the rows with these keys in batches: as arrays where the type has arrays, or else as lists. */
static void
read_by_keys(FrameLoad *load, Datum *keys, uint64 n)
{
	const DeclaredColumn *key = publication_column(load->publication, ROLE_KEY);

	if (OidIsValid(get_array_type(key->type)))
		for (uint64 i = 0; i < n; i += KEYS_PER_ARRAY)
			read_keys(load, key, keys + i, Min(KEYS_PER_ARRAY, n - i));
	else
		for (uint64 i = 0; i < n; i += KEYS_PER_LIST)
			read_few_keys(load, key, keys + i, Min(KEYS_PER_LIST, n - i));
}

void
load_helpers(FrameLoad *load, Datum *keys, uint64 n)
{
	uint64		from = load->nrows;

	read_by_keys(load, keys, n);
	index_rows(load, from);
}

/* Builds the query for the load's columns from a registry, with NULL for those that it does not have. */
static char *
registry_query(const FrameLoad *load, Oid copy)
{
	StringInfoData sql;

	initStringInfo(&sql);
	for (int i = 0; i < load->ncolumns; i++)
	{
		const DeclaredColumn *column = load->columns[i].column;
		bool		has = column->role == ROLE_KEY || column->role == ROLE_QUASI_IDENTIFIER;

		appendStringInfo(&sql, "%s%s", i == 0 ? "SELECT " : ", ", has ? quote_identifier(column->name) : "NULL");
		if (!has)
			appendStringInfo(&sql, "::%s", column_type_sql(column));
	}
	appendStringInfo(&sql, " FROM %s", quoted_relation(copy));
	return sql.data;
}

void
load_registry(FrameLoad *load, Oid copy)
{
	MemoryContext old = MemoryContextSwitchTo(load->context);
	uint64		from = load->nrows;

	load->is_registry = true;
	read_query(load, registry_query(load, copy), NULL);
	load->is_registry = false;
	load->nregistered = load->nrows - from;
	index_rows(load, from);
	MemoryContextSwitchTo(old);
}

/* ----------------------------------------------------------------
 * Values
 * ----------------------------------------------------------------
 */

void
load_protected(FrameLoad *load, Oid copy)
{
	const DeclaredColumn *column = load_sensitive_column(load)->column;
	MemoryContext old = MemoryContextSwitchTo(load->context);
	Datum	   *values;
	bool	   *nulls;

	if (SPI_execute(psprintf("SELECT %s FROM %s", quote_identifier(column->name), quoted_relation(copy)), true, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not read which values are protected");
	load->nprotected = SPI_processed;
	values = new_array(Datum, SPI_processed);
	nulls = new_array(bool, SPI_processed);
	load->protected = new_array(uint32, SPI_processed);
	for (uint64 i = 0; i < SPI_processed; i++)
		values[i] = SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1, &nulls[i]);
	load_sensitive_numbers(load, values, nulls, load->protected, SPI_processed);
	pfree(values);
	pfree(nulls);
	SPI_freetuptable(SPI_tuptable);
	MemoryContextSwitchTo(old);
}

Frame
load_peek(const FrameLoad *load, Code **code)
{
	const LoadingColumn *column = load_sensitive_column(load);
	Frame		frame = {.nrows = load->nrows};
	Datum	   *values;

	*code = dictionary_merge_equal(column->dictionary, column->column->collation, &frame.nsensitive, &values);
	frame.sensitive = new_array(Code, load->nrows);
	for (uint64 row = 0; row < load->nrows; row++)
		frame.sensitive[row] = (*code)[column->number[row]];
	frame.aspects = load_aspects(load, sensitive_columns(load->publication, values, frame.nsensitive), *code, frame.nsensitive);
	return frame;
}
