/*
 * load.c
 *		Reading a source into columns of codes.
 *
 * NOTES
 *		The executor hands its rows one by one to a receiver, so that no row is ever copied.  Each column numbers its
 *		distinct values as they come; codes that mean something by their order can only be given when all values are known,
 *		in a second pass.
 *
 *		Columns grow by a quarter or so when full: memory is counted in bytes a row.
 */
#include "frame/load.h"

#include "common/hashfn.h"
#include "declare/parameters.h"
#include "executor/spi.h"
#include "executor/tuptable.h"
#include "frame/arrays.h"
#include "frame/line.h"
#include "frame/several_rows.h"
#include "miscadmin.h"
#include "shared/progress.h"
#include "tcop/dest.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#define FIRST_CAPACITY	1024
#define MORE_ROWS		16		/* a quarter of a few rows is none */
#define KEYS_PER_ARRAY	100000	/* what arrays may hold is limited */
#define KEYS_PER_LIST	100
#define ROWS_PER_TUPLE	64		/* so many times must tuples repeat themselves for an order of all to be worth its time */

/* A value of a person's rows that the first of them does not have; or, where has_own_rows(), the value of each row. */
typedef struct Further
{
	RowId		person;
	uint32		number;
} Further;

/* A column of the source on its way into the frame. */
typedef struct LoadingColumn
{
	const DeclaredColumn *column;
	const StoredTree *tree;		/* or NULL */
	int16		word;			/* the type's length if passed by value, or 0 */
	Dictionary *dictionary;		/* NULL for the key */
	uint32	   *number;			/* [capacity] the dictionary's numbers */
	uint64		nfurther;		/* values of people whose rows differ in it, or of all rows */
	uint64		further_allocated;
	struct Further *further;	/* [nfurther] */
	bool		is_layout_only; /* newcomers are laid out by it, but the frame does not have it */
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
	int			key;			/* a column */
	int			nlayout;		/* 0 where nobody asks how newcomers are laid out */
	const LoadingColumn **layout;	/* [nlayout] see layout_columns(); NULL where it has none */
	KeyTable   *keys;			/* rows by their keys */

	uint64		nrows;
	uint64		nasked;			/* rows asked for, which come first; others are helpers */
	uint64		nregistered;	/* rows from a registry only, which come last */
	bool		is_registry;	/* is a registry being read? */
	uint64		capacity;
	uint64		null_keys;

	/* Numbers of the protected sensitive values, or NULL for all */
	uint32	   *protected;
	uint64		nprotected;

	/* Answers leave a row out that cannot be shown, instead of raising an error */
	bool		is_lenient;
	uint64		left_out;		/* of the rows asked for */

	/* Where a person may have several rows */
	RowSets    *sets;			/* or NULL */
	uint64		kept_back;		/* rows of people asked for who have too many */
	bool		has_insensitive;	/* columns that are shown */

	/* The distribution that people are compared with, and the numbers of its values; or NULL */
	const Shares *shares;
	uint32	   *share_number;	/* [shares->n] */

	bool		is_exact;		/* codes stand for values, also where releases show bins */
};

/* ---- Rows ---- */

static void
resize(FrameLoad *load, uint64 capacity)
{
	for (int i = 0; i < load->ncolumns; i++)
		if (load->columns[i].dictionary != NULL)
			load->columns[i].number = repalloc_huge(load->columns[i].number, sizeof(uint32) * Max(capacity, 1));
	load->capacity = capacity;
}

/* Receives a row of the source, or of a registry, where people who are in the source are skipped. */
static bool
receive_row(TupleTableSlot *slot, DestReceiver *self)
{
	FrameLoad  *load = (FrameLoad *) self;
	uint64		row = load->nrows;

	slot_getallattrs(slot);
	if (row >= MAX_FRAME_ROWS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("the source of publication \"%s\" has more than " UINT64_FORMAT " rows",
						load->publication->name, MAX_FRAME_ROWS),
				 errhint("Declare a publication for each of several views that divide the people among them.")));
	if (row == load->capacity)
		resize(load, Min(load->capacity + load->capacity / 4 + MORE_ROWS, MAX_FRAME_ROWS));
	if (load->is_lenient && slot->tts_isnull[load->key])
	{
		load->left_out++;
		return true;
	}
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

/* Nothing need be done: columns are made with the load, and its memory goes with its context. */
static void
receiver_startup(DestReceiver *self, int operation, TupleDesc typeinfo)
{
}

/* Likewise. */
static void
receiver_end(DestReceiver *self)
{
}

/* Makes a load without rows, with the columns that are shown, the key, the sensitive one, and those of the layout. */
static FrameLoad *
load_create(const DeclaredPublication *publication, const bool *shown, MemoryContext context)
{
	FrameLoad  *load = palloc0(sizeof(FrameLoad));
	const DeclaredColumn *key = publication_column(publication, ROLE_KEY);
	int			ncolumns = publication->ncolumns + publication->nhidden;
	int		   *layout = layout_columns(publication, &load->nlayout);

	load->receiver = (DestReceiver) {receive_row, receiver_startup, receiver_end, receiver_end, DestTuplestore /* any that is not SPI's */ };
	load->publication = publication;
	load->shown = shown;
	load->context = context;
	load->columns = palloc0(sizeof(LoadingColumn) * (ncolumns + 1));
	load->layout = palloc0(sizeof(LoadingColumn *) * load->nlayout);
	load->capacity = FIRST_CAPACITY;
	load->keys = keys_create(key->type, key->collation);
	for (int i = 0; i < ncolumns; i++)
	{
		const DeclaredColumn *declared = &publication->columns[i];
		LoadingColumn *column = &load->columns[load->ncolumns];
		int16		length;
		bool		byval;
		bool		is_used;

		/* The sensitive column, or the tuple of several, is read even where it is not shown, to judge releases. */
		if (declared->role == ROLE_SENSITIVE_PART)
			continue;
		is_used = (i < publication->ncolumns && shown[i]) || declared->role == ROLE_KEY || declared->role == ROLE_SENSITIVE;
		column->is_layout_only = !is_used;
		for (int j = 0; j < load->nlayout; j++)
			if (layout[j] == i)
			{
				load->layout[j] = column;
				is_used = true;
			}
		if (!is_used)
			continue;
		load->ncolumns++;
		column->column = declared;
		load->has_insensitive |= declared->role == ROLE_INSENSITIVE && !column->is_layout_only;
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
		if (declared->role == ROLE_SENSITIVE && has_several_rows(publication))
			load->sets = row_sets_create(publication);
	}
	return load;
}

static LoadingColumn *
load_sensitive_column(const FrameLoad *load)
{
	for (int i = 0; i < load->ncolumns; i++)
		if (load->columns[i].column->role == ROLE_SENSITIVE)
			return &load->columns[i];
	elog(ERROR, "the publication has no sensitive column");
}

/* ----------------------------------------------------------------
 * People who have several rows
 * ----------------------------------------------------------------
 */

/* The number of each new row's person, from 0 on, in the order of their first rows; *npeople: how many there are. */
static uint32 *
number_people(FrameLoad *load, uint64 from, uint64 *npeople)
{
	uint64		nrows = load->nrows - from;
	uint32	   *person = new_array(uint32, nrows);

	(void) keys_index(load->keys);
	*npeople = 0;
	for (uint64 i = 0; i < nrows; i++)
	{
		uint32		first = keys_find(load->keys, load->keys->keys[from + i]);

		if (i % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		person[i] = first == from + i || first < from ? (*npeople)++ : person[first - from];
	}
	return person;
}

/* Does it keep values of all rows of people, so that what a release shows of a row comes from one? */
static bool
has_own_rows(const FrameLoad *load, const LoadingColumn *column)
{
	return load->sets != NULL && load->has_insensitive && !column->is_layout_only &&
		(column->column->role == ROLE_SENSITIVE || column->column->role == ROLE_INSENSITIVE);
}

/* Keeps the first row of each person, and the further values of others. */
static void
gather_column(FrameLoad *load, LoadingColumn *column, uint64 from, uint64 npeople, const uint64 *first, const uint32 *row)
{
	MemoryContext old = MemoryContextSwitchTo(load->context);
	uint32	   *own = new_array(uint32, load->nrows - from);

	for (uint64 p = 0; p < npeople; p++)
	{
		uint64		n = first[p + 1] - first[p];
		uint32		number = column->number[from + row[first[p]]];

		if (p % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		for (uint64 i = 0; i < n; i++)
			own[i] = column->number[from + row[first[p] + i]];
		sort_codes(own, n);
		for (uint64 i = 0; i < n && !has_own_rows(load, column); i++)
		{
			if (own[i] == number || (i > 0 && own[i] == own[i - 1]))
				continue;
			array_reserve(column->further, column->further_allocated, column->nfurther + 1);
			column->further[column->nfurther++] = (Further) {from + p, own[i]};
		}
		column->number[from + p] = number;
	}
	pfree(own);
	MemoryContextSwitchTo(old);
}

/* Puts the sensitive rows of each person together. */
static void
gather_sensitive(FrameLoad *load, LoadingColumn *column, uint64 from, uint64 npeople, const uint64 *first, const uint32 *row)
{
	uint32	   *own = NULL;
	uint64		room = 0;
	Code	   *order = NULL;
	Code		ncodes;

	if (dictionary_size(column->dictionary) < (load->nrows - from) / ROWS_PER_TUPLE)
		order = dictionary_codes_in_order(column->dictionary, InvalidOid, &ncodes);
	for (uint64 p = 0; p < npeople; p++)
	{
		uint64		n = first[p + 1] - first[p];

		if (p % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		array_reserve(own, room, n);
		for (uint64 i = 0; i < n; i++)
			own[i] = column->number[from + row[first[p] + i]];
		column->number[from + p] = row_set_number(load->sets, column->dictionary, order, own, n);
		load->kept_back += from > 0 ? 0 : n - Min(n, (uint64) load->publication->max_rows);
	}
}

/* Makes one row of all new rows of each person; people stand in the order of their first rows. */
static void
gather_people(FrameLoad *load, uint64 from)
{
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "people", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(work);
	uint64		npeople;
	uint32	   *person = number_people(load, from, &npeople);
	uint64	   *first;
	uint32	   *row;

	list_by_group(person, load->nrows - from, npeople, &first, &row);
	/* Values of all rows are kept, before only the first ones of people are left. */
	for (int i = 0; i < load->ncolumns; i++)
	{
		LoadingColumn *column = &load->columns[i];

		if (!has_own_rows(load, column))
			continue;
		MemoryContextSwitchTo(load->context);
		array_reserve(column->further, column->further_allocated, column->nfurther + load->nrows - from);
		MemoryContextSwitchTo(work);
		for (uint64 row = from; row < load->nrows; row++)
			column->further[column->nfurther++] = (Further) {from + person[row - from], column->number[row]};
	}
	for (int i = 0; i < load->ncolumns; i++)
		if (load->columns[i].column->role == ROLE_SENSITIVE)
			gather_sensitive(load, &load->columns[i], from, npeople, first, row);
		else if (i != load->key)
			gather_column(load, &load->columns[i], from, npeople, first, row);
	for (uint64 p = 0; p < npeople; p++)
		load->keys->keys[from + p] = load->keys->keys[from + row[first[p]]];
	load->nrows = load->keys->size = from + npeople;
	MemoryContextSwitchTo(old);
	MemoryContextDelete(work);
}

void
load_keep_shown(FrameLoad *load, RowId row, uint32 shown)
{
	LoadingColumn *column = load_sensitive_column(load);

	if (load->kept_back > 0 && column->number[row] != DICTIONARY_NULL)
		column->number[row] = row_set_sample(load->sets, column->dictionary, column->number[row], shown,
											 keys_hash(load->keys, load->keys->keys[row]));
}

/* Draws samples for people of whom none was shown. */
static void
draw_samples(FrameLoad *load)
{
	for (uint64 row = 0; row < load->nrows && load->kept_back > 0; row++)
	{
		CHECK_FOR_INTERRUPTS();
		load_keep_shown(load, row, DICTIONARY_NULL);
	}
}

/* ---- Reading ---- */

/*
 * Appends the rows of a relation that meet a condition, or all: those of the pinned view, or of a registry, which has keys
 * and quasi-identifiers only.  A portal would let the source's own code fetch from it, or close it.  The plan may have
 * parallel workers, but for an answer, since everybody sees in pg_stat_activity that somebody has some.
 */
static void
read_rows(FrameLoad *load, Oid relation, const char *condition, ParamListInfo params)
{
	SPIPrepareOptions prepare = {.cursorOptions = load->is_lenient ? 0 : CURSOR_OPT_PARALLEL_OK};
	SPIExecuteOptions options = {.params = params, .read_only = true, .dest = &load->receiver};
	StringInfoData sql;
	SPIPlanPtr	plan;
	int			result;
	uint64		from = load->nrows;

	initStringInfo(&sql);
	for (int i = 0; i < load->ncolumns; i++)
	{
		const DeclaredColumn *column = load->columns[i].column;

		appendStringInfoString(&sql, i == 0 ? "SELECT " : ", ");
		if (!load->is_registry || column->role == ROLE_KEY || column->role == ROLE_QUASI_IDENTIFIER)
			appendStringInfoString(&sql, quote_identifier(column->name));
		else
			appendStringInfo(&sql, "NULL::%s", column_type_sql(column));
	}
	appendStringInfo(&sql, " FROM %s", quoted_relation(relation));
	if (condition != NULL && load->sets == NULL)
		appendStringInfo(&sql, " WHERE %s", condition);
	else if (condition != NULL) /* all rows of the people of whom one meets it */
		appendStringInfo(&sql, " WHERE %s %s ANY (SELECT %s FROM %s WHERE %s)",
						 quote_identifier(load->columns[load->key].column->name), equality_sql(load->columns[load->key].column->type),
						 quote_identifier(load->columns[load->key].column->name), quoted_relation(relation), condition);
	if (params != NULL)
	{
		prepare.parserSetup = params->parserSetup;
		prepare.parserSetupArg = params->parserSetupArg;
	}
	plan = SPI_prepare_extended(sql.data, &prepare);
	if (plan == NULL)
		elog(ERROR, "could not plan to read the source: %s", SPI_result_code_string(SPI_result));
	result = SPI_execute_plan_extended(plan, &options);
	if (result != SPI_OK_SELECT)
		elog(ERROR, "could not read the source: %s", SPI_result_code_string(result));
	SPI_freeplan(plan);
	fix_settings();				/* the source's code may have changed them */
	if (load->sets != NULL && load->null_keys == 0)
		gather_people(load, from);
	resize(load, load->nrows);
}

/* ----------------------------------------------------------------
 * Rows that cannot be shown
 *
 * An answer must not reveal that something is wrong with a single row, so such rows are left out as if they were not in the
 * source: they are not shown and help to protect no other row, but their people stay remembered.  Values that occur only in rows
 * left out are dropped, too, because invented rows are made of sensitive values, and domains of the others.
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
	for (uint64 i = 0; i < column->nfurther && uncodable.reason != NULL; i++)
		is_out[column->further[i].person] |= column->further[i].number != DICTIONARY_NULL && code[column->further[i].number] == NO_CODE;
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
	for (uint64 i = 0; i < column->nfurther; i++)
	{
		uint32		before = column->further[i].number;

		if (before != DICTIONARY_NULL && number[before] == DICTIONARY_NULL)
			number[before] = dictionary_number(column->dictionary, dictionary_value(old, before), false);
		column->further[i].number = number[before];
	}
	pfree(number);
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
	RowId	   *number;
	uint64		kept;

	old = MemoryContextSwitchTo(work);
	is_out = new_zeros(bool, load->nrows);
	for (int i = 0; i < load->ncolumns; i++)
		if (load->columns[i].column->role == ROLE_QUASI_IDENTIFIER && !load->columns[i].is_layout_only)
			mark_uncodable(load, &load->columns[i], from, is_out);
	mark_beyond(load, load_sensitive_column(load), from, is_out);
	/* It is not known which row of a repeated key is the person's. */
	for (uint64 row = from; row < load->nrows && repeated > 0; row++)
	{
		uint32		first = keys_find(load->keys, load->keys->keys[row]);

		if (first == row)
			continue;
		is_out[row] = true;
		if (first >= from)
			is_out[first] = true;
	}
	/* Closes up the rows that stay. */
	kept = from;
	number = new_array(RowId, load->nrows);
	for (uint64 row = 0; row < from; row++)
		number[row] = row;
	for (uint64 row = from; row < load->nrows; row++)
	{
		if (is_out[row])
			continue;
		number[row] = kept;
		load->keys->keys[kept] = load->keys->keys[row];
		for (int i = 0; i < load->ncolumns; i++)
			if (load->columns[i].dictionary != NULL)
				load->columns[i].number[kept] = load->columns[i].number[row];
		kept++;
	}
	for (int i = 0; i < load->ncolumns; i++)
	{
		LoadingColumn *column = &load->columns[i];
		uint64		n = 0;

		for (uint64 f = 0; f < column->nfurther; f++)
			if (!is_out[column->further[f].person])
				column->further[n++] = (Further) {number[column->further[f].person], column->further[f].number};
		column->nfurther = n;
	}
	load->nrows = load->keys->size = kept;
	MemoryContextSwitchTo(old);
	MemoryContextDelete(work);
	if (load->nrows == before)
		return;
	/* Helpers' sensitive values may stay: the past uses their numbers, and releases with helpers invent no rows. */
	for (int i = 0; i < load->ncolumns; i++)
		if (load->columns[i].dictionary != NULL && (from == 0 || load->columns[i].column->role != ROLE_SENSITIVE))
			forget_values(load, &load->columns[i]);
	(void) keys_index(load->keys);
}

/*
 * Indexes the keys of new rows.  A lenient load leaves out bad rows; any other raises an error for a key that is NULL or
 * repeated, since each person has one row.
 */
static void
index_rows(FrameLoad *load, uint64 from)
{
	const DeclaredColumn *key = publication_column(load->publication, ROLE_KEY);
	uint64		repeated;

	if (load->is_lenient)
	{
		sieve_rows(load, from);
		return;
	}
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
				 errhint("Declare a view with one row for each key, or rows => 'several' if all rows of a key are one person's.")));
}

/* ---- Loads ---- */

const KeyTable *
load_keys(const FrameLoad *load)
{
	return load->keys;
}

void
load_renumber(FrameLoad *load, const RowId *number)
{
	for (int i = 0; i < load->ncolumns; i++)
	{
		uint32	   *before = load->columns[i].number;

		CHECK_FOR_INTERRUPTS();
		if (load->columns[i].dictionary == NULL)
			continue;
		for (uint64 f = 0; f < load->columns[i].nfurther; f++)
			load->columns[i].further[f].person = number[load->columns[i].further[f].person];
		load->columns[i].number = MemoryContextAllocHuge(load->context, sizeof(uint32) * Max(load->capacity, 1));
		for (uint64 row = 0; row < load->nrows; row++)
			load->columns[i].number[number[row]] = before[row];
		pfree(before);
	}
	keys_renumber(load->keys, number);
}

void
load_sensitive_numbers(FrameLoad *load, const Datum *values, const bool *nulls, uint32 *numbers, int n)
{
	Dictionary *dictionary = load_sensitive_column(load)->dictionary;

	for (int i = 0; i < n; i++)
		numbers[i] = dictionary_number(dictionary, values[i], nulls[i]);
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
	read_rows(load, publication->pinned, condition, NULL);
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

/* ---- Rows that were not asked for ---- */

static ParamListInfo
add_params(const Datum *values, Oid type, int n)
{
	ParamListInfo params = makeParamList(n);

	for (int i = 0; i < n; i++)
		params->params[i] = (ParamExternData) {values[i], false, PARAM_FLAG_CONST, type};
	return params;
}

/* Reads the rows with these keys: by an array, or by a list where the type has no arrays (such as arrays). */
static void
read_keys(FrameLoad *load, const DeclaredColumn *key, Datum *keys, int n)
{
	Oid			array_type = get_array_type(key->type);
	StringInfoData condition;
	int16		length;
	bool		byval;
	char		align;
	Datum		array;

	if (OidIsValid(array_type))
	{
		get_typlenbyvalalign(key->type, &length, &byval, &align);
		array = PointerGetDatum(construct_array(keys, n, key->type, length, byval, align));
		read_rows(load, load->publication->pinned, psprintf("%s %s ANY ($1)", quote_identifier(key->name), equality_sql(key->type)),
				  add_params(&array, array_type, 1));
		return;
	}
	initStringInfo(&condition);
	for (int i = 0; i < n; i++)
		appendStringInfo(&condition, "%s%s %s $%d", i > 0 ? " OR " : "", quote_identifier(key->name), equality_sql(key->type), i + 1);
	read_rows(load, load->publication->pinned, condition.data, add_params(keys, key->type, n));
}

void
load_helpers(FrameLoad *load, Datum *keys, uint64 n)
{
	const DeclaredColumn *key = publication_column(load->publication, ROLE_KEY);
	uint64		most = OidIsValid(get_array_type(key->type)) ? KEYS_PER_ARRAY : KEYS_PER_LIST;
	uint64		from = load->nrows;

	for (uint64 i = 0; i < n; i += most)
		read_keys(load, key, keys + i, Min(most, n - i));
	index_rows(load, from);
}

void
load_registry(FrameLoad *load, Oid copy)
{
	MemoryContext old = MemoryContextSwitchTo(load->context);
	uint64		from = load->nrows;

	load->is_registry = true;
	read_rows(load, copy, NULL, NULL);
	load->is_registry = false;
	load->nregistered = load->nrows - from;
	index_rows(load, from);
	MemoryContextSwitchTo(old);
}

/* ---- Values ---- */

void
load_protected(FrameLoad *load, Oid copy)
{
	const DeclaredPublication *publication = load->publication;
	int			n;
	const DeclaredColumn *column = &publication->columns[list_sensitive(publication, &n)[0]];
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
	{
		values[i] = SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1, &nulls[i]);
		if (has_several_rows(publication) && !nulls[i]) /* as if somebody had this row alone */
			values[i] = value_of_rows(load_sensitive_column(load)->column->type, (Datum[]) {join_value(publication, &values[i], &nulls[i])}, 1);
	}
	load_sensitive_numbers(load, values, nulls, load->protected, SPI_processed);
	pfree(values);
	pfree(nulls);
	SPI_freetuptable(SPI_tuptable);
	MemoryContextSwitchTo(old);
}

void
load_shares(FrameLoad *load, const Shares *shares)
{
	MemoryContext old = MemoryContextSwitchTo(load->context);
	bool	   *nulls = new_zeros(bool, shares->n);

	load->shares = shares;
	load->share_number = new_array(uint32, shares->n);
	load_sensitive_numbers(load, shares->values, nulls, load->share_number, shares->n);
	pfree(nulls);
	MemoryContextSwitchTo(old);
}

/* The aspects of n sensitive values, by the numbers of which code gives theirs; with shares, if there are any. */
static const Aspects *
load_aspects(const FrameLoad *load, const SensitiveColumns *columns, const Code *code, Code n)
{
	const Shares *shares = load->shares;
	double	   *share;
	int32	   *since;

	if (shares == NULL)
		return columns->aspects;
	share = new_zeros(double, n);
	since = new_zeros(int32, n);
	for (uint32 i = 0; i < shares->n; i++)
	{
		share[code[load->share_number[i]]] = shares->share[i];
		since[code[load->share_number[i]]] = shares->since[i];
	}
	return aspects_with_shares(columns, share, since, n);
}

ValuePeople
load_count_people(FrameLoad *load)
{
	const LoadingColumn *column = load_sensitive_column(load);
	ValuePeople counts = {0};
	const Code *code;

	draw_samples(load);
	code = dictionary_merge_equal(column->dictionary, column->column->collation, &counts.n, &counts.values);
	counts.people = new_zeros(uint64, counts.n);
	for (uint64 row = 0; row < load->nrows; row++)
	{
		Code		value = code[column->number[row]];

		if (row % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		if (value == NO_CODE)
			continue;
		counts.people[value]++;
		counts.known++;
	}
	return counts;
}

Frame
load_peek(FrameLoad *load, Code **code)
{
	const LoadingColumn *column = load_sensitive_column(load);
	Frame		frame = {.nrows = load->nrows};
	Datum	   *values;

	draw_samples(load);
	*code = dictionary_merge_equal(column->dictionary, column->column->collation, &frame.nsensitive, &values);
	frame.sensitive = new_array(Code, load->nrows);
	for (uint64 row = 0; row < load->nrows; row++)
		frame.sensitive[row] = (*code)[column->number[row]];
	frame.aspects = load_aspects(load, sensitive_columns(load->publication, values, frame.nsensitive), *code, frame.nsensitive);
	return frame;
}

/* ---- The second pass: numbers become codes ---- */

/* Replaces numbers by codes in place. */
static Code *
recode(const FrameLoad *load, uint32 *number, const Code *code)
{
	for (uint64 row = 0; row < load->nrows; row++)
	{
		CHECK_FOR_INTERRUPTS();
		number[row] = code[number[row]];
	}
	return number;
}

/* Raises an error with the number of rows; the server log gets no examples, since they are private. */
static void
refuse_uncodable(const FrameLoad *load, const LoadingColumn *column, const RangeStep *step,
				 const Code *code, const Uncodable *uncodable)
{
	uint64		rows = 0;
	StringInfoData examples;

	initStringInfo(&examples);
	for (int i = 0; i < uncodable->nexamples; i++)
		appendStringInfo(&examples, "%s\"%s\"", i > 0 ? ", " : "",
						 value_text(step == NULL ? column->column->type : step->type,
									dictionary_value(column->dictionary, uncodable->examples[i])));
	for (uint64 row = 0; row < load->nrows; row++)
		rows += column->number[row] != DICTIONARY_NULL && code[column->number[row]] == NO_CODE;
	ereport(ERROR,
			(errcode(ERRCODE_DATA_EXCEPTION),
			 errmsg("column \"%s\" of publication \"%s\" has " UINT64_FORMAT " row(s) %s",
					column->column->name, load->publication->name, rows, uncodable->reason),
			 errdetail("For example: %s.", examples.data),
			 errdetail_log("Its values are told to the owner only."),
			 errhint("%s", uncodable->hint)));
}

/*
 * Adds a column to the fingerprints of rows: of its values, or of their bins.  Several rows of a person may come in any
 * order; murmurhash32() would take 0, the print of the number 0, to 0, as if there were no such row.
 */
static void
add_fingerprints(const FrameLoad *load, LoadedFrame *loaded, const LoadingColumn *column, const Bins *bins)
{
	uint32	   *prints = dictionary_fingerprints(bins == NULL ? column->dictionary : bins->bins);
	uint32	   *further = column->nfurther == 0 ? NULL : new_zeros(uint32, load->nrows);

	for (uint64 i = 0; i < column->nfurther; i++)
	{
		uint32		number = column->further[i].number;

		further[column->further[i].person] += hash_bytes_uint32(prints[bins == NULL ? number : bins->number[number]]);
	}
	for (uint64 row = 0; row < load->nrows; row++)
	{
		uint32		number = column->number[row];
		uint32		print = prints[bins == NULL ? number : bins->number[number]];

		CHECK_FOR_INTERRUPTS();
		if (further != NULL && further[row] != 0)
			print = hash_bytes_uint32(print) + further[row];
		loaded->fingerprint[row] = hash_combine(loaded->fingerprint[row], print);
	}
	pfree(prints);
}

/* Adds a column of a range to the fingerprints; puts bins in the place of its values unless these are to be kept. */
static const RangeStep *
round_to_bins(const FrameLoad *load, LoadedFrame *loaded, LoadingColumn *column)
{
	const RangeStep *step = step_of(column->column);
	Bins		bins;

	if (step == NULL)
	{
		add_fingerprints(load, loaded, column, NULL);
		return NULL;
	}
	bins = bins_of(step, column->column->type, column->dictionary);
	add_fingerprints(load, loaded, column, &bins);
	if (load->is_exact)
		return NULL;
	column->dictionary = bins.bins;
	recode(load, column->number, bins.number);
	for (uint64 i = 0; i < column->nfurther; i++)
		column->further[i].number = bins.number[column->further[i].number];
	return step;
}

/* From the codes of first rows to those of all rows of a person: the least stays, and the greatest is returned. */
static Code *
cover_further(const FrameLoad *load, LoadingColumn *column, const Code *code)
{
	Code	   *least = column->number;
	Code	   *greatest = new_array(Code, load->nrows);

	memcpy(greatest, least, sizeof(Code) * load->nrows);
	for (uint64 i = 0; i < column->nfurther; i++)
	{
		RowId		person = column->further[i].person;
		Code		own = code[column->further[i].number];

		least[person] = Min(least[person], own);
		greatest[person] = Max(greatest[person], own);
	}
	return greatest;
}

/* Codes a quasi-identifier; registered people, who are not in the source, do not count as frequencies. */
static void
load_quasi_identifier(FrameLoad *load, LoadedFrame *loaded, LoadingColumn *column)
{
	Frame	   *frame = &loaded->frame;
	int			q = frame->nqis++;
	const RangeStep *step;
	Uncodable	uncodable;
	Code	   *code;
	bool		has_null = false;

	dictionary_forget_index(column->dictionary);
	step = round_to_bins(load, loaded, column);
	for (uint64 row = 0; row < load->nrows && !has_null; row++)
		has_null = column->number[row] == DICTIONARY_NULL;
	for (uint64 i = 0; i < column->nfurther && !has_null; i++)
		has_null = column->further[i].number == DICTIONARY_NULL;
	loaded->codings[q] = code_column(column->column, step, column->tree, column->dictionary, has_null, &code, &uncodable);
	loaded->codings[q]->is_part = load->condition != NULL;
	if (uncodable.reason != NULL && !load->is_lenient)
		refuse_uncodable(load, column, step, code, &uncodable);
	frame->code[q] = recode(load, column->number, code);
	if (column->nfurther > 0)
		frame->upto[q] = cover_further(load, column, code);
	for (uint64 row = 0; row < load->nrows - load->nregistered; row++)
		loaded->codings[q]->domain->frequency[frame->code[q][row]]++;
	frame->domain[q] = *loaded->codings[q]->domain;
	frame->weight[q] = column_weight(method_declaration(load->publication->method), load->publication->params, column->column->name);
	loaded->codings[q]->domain = &frame->domain[q];
	pfree(code);
}

/* Lists the rows of each person, which all columns keep in one order. */
static void
list_own_rows(const FrameLoad *load, LoadedFrame *loaded, LoadingColumn *column, const Code *code, Code **own)
{
	uint32	   *person = new_array(uint32, column->nfurther);
	uint64	   *first;
	uint32	   *row;

	for (uint64 i = 0; i < column->nfurther; i++)
		person[i] = column->further[i].person;
	list_by_group(person, column->nfurther, load->nrows, &first, &row);
	*own = new_array(Code, column->nfurther);
	for (uint64 i = 0; i < column->nfurther; i++)
		(*own)[i] = code[column->further[row[i]].number];
	pfree(person);
	pfree(row);
	pfree(column->further);
	loaded->first_own = first;
}

/* Codes a sensitive or insensitive column; returns the map from the dictionary's numbers to codes. */
static Code *
load_plain(FrameLoad *load, LoadedFrame *loaded, PlainColumn *plain, LoadingColumn *column)
{
	Code	   *code;

	plain->column = column->column;
	if (column->column->role == ROLE_SENSITIVE)
		code = dictionary_merge_equal(column->dictionary, column->column->collation, &plain->ncodes, &plain->values);
	else
	{
		/* Insensitive values leave exactly as they are: each its own code. */
		plain->ncodes = dictionary_size(column->dictionary) - 1;
		plain->values = new_array(Datum, plain->ncodes);
		code = new_array(Code, plain->ncodes);
		code[DICTIONARY_NULL] = NO_CODE;
		for (uint32 i = 1; i <= plain->ncodes; i++)
		{
			plain->values[i - 1] = dictionary_value(column->dictionary, i);
			code[i] = i - 1;
		}
	}
	plain->code = recode(load, column->number, code);
	if (has_own_rows(load, column))
		list_own_rows(load, loaded, column, code, &plain->own);
	return code;
}

/* Groups rows by a column's values, or by their bins, in the order of its type. */
static void
group_rows(const FrameLoad *load, const LoadingColumn *column, RowGroups *groups)
{
	const RangeStep *step = step_of(column->column);
	Bins		bins = {.bins = column->dictionary};
	Code	   *code;

	if (step != NULL)
		bins = bins_of(step, column->column->type, column->dictionary);
	code = dictionary_codes_in_order(bins.bins, column->column->collation, &groups->ncodes);
	groups->code = new_array(Code, load->nrows);
	for (uint64 row = 0; row < load->nrows; row++)
	{
		uint32		number = column->number[row];

		groups->code[row] = code[step == NULL ? number : bins.number[number]];
	}
	pfree(code);
}

/* By what newcomers are laid out; before columns are coded in place. */
static void
load_layout(const FrameLoad *load, Frame *frame)
{
	RowGroups  *groups = new_zeros(RowGroups, load->nlayout);

	if (load->nlayout == 0)
		return;
	for (int j = 0; j < load->nlayout; j++)
		if (load->layout[j] != NULL)
			group_rows(load, load->layout[j], &groups[j]);
	frame->leaves = load->layout[0] == NULL ? NULL : groups;
	frame->nstrata = load->nlayout - 1;
	frame->strata = groups + 1;
}

/* Raises an error if a row has a sensitive value that the taxonomy does not cover by which its column is judged. */
static void
verify_within_bands(const FrameLoad *load, const LoadedFrame *loaded)
{
	for (int c = 0; c < loaded->columns->n; c++)
	{
		const SensitiveColumn *column = &loaded->columns->column[c];
		Code		example = NO_CODE;
		uint64		rows = 0;

		for (uint64 row = 0; row < load->nrows && column->judged.beyond != NO_CODE; row++)
			if (is_beyond(loaded->columns, c, loaded->frame.sensitive[row]))
			{
				example = code_in_column(column, loaded->frame.sensitive[row]);
				rows++;
			}
		if (rows > 0)
			ereport(ERROR,
					(errcode(ERRCODE_DATA_EXCEPTION),
					 column->column->level > 0
					 ? errmsg("column \"%s\" of publication \"%s\" has " UINT64_FORMAT " row(s) with values that level %d of taxonomy \"%s\" lacks",
							  column->column->name, load->publication->name, rows, column->column->level, column->column->taxonomy)
					 : errmsg("column \"%s\" of publication \"%s\" has " UINT64_FORMAT " row(s) with values that taxonomy \"%s\" lacks",
							  column->column->name, load->publication->name, rows, column->column->taxonomy),
					 errdetail("For example: \"%s\".", value_text(column->column->type, column->values[example])),
					 errdetail_log("Its values are told to the owner only."),
					 column->column->level > 0
					 ? errhint("Add them with pprepub.extend_taxonomy() and adopt the extension with pprepub.alter_publication(), or declare a view that turns them into NULL.")
					 : errhint("Judge it by a ladder that holds them, or declare a view that turns them into NULL.")));
	}
}

LoadedFrame *
load_finish(FrameLoad *load)
{
	MemoryContext old = MemoryContextSwitchTo(load->context);
	LoadedFrame *loaded = palloc0(sizeof(LoadedFrame));
	Frame	   *frame = &loaded->frame;

	draw_samples(load);
	keys_forget_index(load->keys);
	frame->nrows = load->nrows;
	frame->domain = palloc0(sizeof(Domain) * load->ncolumns);
	frame->code = palloc0(sizeof(Code *) * load->ncolumns);
	frame->upto = load->sets == NULL ? NULL : palloc0(sizeof(Code *) * load->ncolumns);
	frame->weight = palloc0(sizeof(double) * load->ncolumns);
	loaded->codings = palloc0(sizeof(Coding *) * load->ncolumns);
	loaded->insensitive = palloc0(sizeof(PlainColumn) * load->ncolumns);
	loaded->keys = load->keys->keys;
	loaded->shown = load->shown;
	loaded->fingerprint = new_zeros(uint32, load->nrows);
	load_layout(load, frame);
	progress_phase("code columns", load->ncolumns);
	for (int i = 0; i < load->ncolumns; i++)
	{
		LoadingColumn *column = &load->columns[i];

		if (column->column->role == ROLE_QUASI_IDENTIFIER && !column->is_layout_only)
			load_quasi_identifier(load, loaded, column);
		else if (column->column->role == ROLE_SENSITIVE)
			loaded->sensitive_code = load_plain(load, loaded, &loaded->sensitive, column);
		else if (column->column->role == ROLE_INSENSITIVE && !column->is_layout_only)
			pfree(load_plain(load, loaded, &loaded->insensitive[loaded->ninsensitive++], column));
		progress_step(1);
	}
	frame->sensitive = loaded->sensitive.code;
	frame->nsensitive = loaded->sensitive.ncodes;
	loaded->columns = sensitive_columns(load->publication, loaded->sensitive.values, loaded->sensitive.ncodes);
	spell_alike(load->publication, loaded->columns, loaded->sensitive.values, loaded->sensitive.ncodes);
	frame->aspects = load_aspects(load, loaded->columns, loaded->sensitive_code, frame->nsensitive);
	if (!load->is_lenient)
		verify_within_bands(load, loaded);
	if (load->nasked < load->nrows)
	{
		bool	   *asked = new_zeros(bool, load->nrows);

		memset(asked, true, load->nasked);
		frame->asked = asked;
	}
	frame->is_cohort = load->condition != NULL;
	if (load->protected != NULL)
	{
		bool	   *is_protected = new_zeros(bool, single_codes(frame->aspects, frame->nsensitive));

		for (uint64 i = 0; i < load->nprotected; i++)
			if (load->protected[i] != DICTIONARY_NULL)
			{
				uint64		n;

				is_protected[*single_values(frame->aspects, &loaded->sensitive_code[load->protected[i]], &n)] = true;
			}
		frame->is_protected = is_protected;
	}
	loaded->left_out = load->left_out;
	loaded->kept_back = load->kept_back;
	MemoryContextSwitchTo(old);
	return loaded;
}

LoadedFrame *
load_finish_exact(FrameLoad *load)
{
	load->is_exact = true;
	return load_finish(load);
}
