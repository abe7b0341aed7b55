/*
 * updates.c
 *		Reading tables of updates, and refusing what they do not allow.
 */
#include "postgres.h"

#include "method/m_distinct/sql/updates.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "audit/updates.h"
#include "declare/catalog.h"
#include "declare/parameters.h"
#include "declare/warn_owner.h"
#include "executor/spi.h"
#include "frame/arrays.h"
#include "frame/dictionary.h"
#include "history/rows.h"
#include "release/past_releases.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

#define PARAM "updates"
#define MAX_EXAMPLES 3

/* The columns of a copy. */
enum
{
	UPDATE_FROM,
	UPDATE_TO,
	UPDATE_PROBABILITY,
	UPDATE_COLUMNS
};

/* Rows of a table of updates, values being numbers that a dictionary gives them. */
typedef struct UpdateRows
{
	uint64		n;
	uint64		allocated;
	Update	   *list;			/* [n] */
	uint64		probabilities;	/* how many have one */
} UpdateRows;

/* Reads a copy; an error if it has not the columns that it was made with. */
static UpdateRows *
read_rows_of(const DeclaredPublication *publication, Oid table, uint32 (*number) (void *, Datum), void *numbering)
{
	UpdateRows *rows = palloc0(sizeof(UpdateRows));
	RowReader  *reader = reader_open(table);
	TupleTableSlot *slot;

	while ((slot = reader_next(reader)) != NULL)
	{
		bool		has_probability;

		if (slot->tts_tupleDescriptor->natts != UPDATE_COLUMNS)
			ereport(ERROR,
					(errcode(ERRCODE_DATA_CORRUPTED),
					 errmsg("the copy of table \"%s\" of publication \"%s\" has other columns than it was made with",
							PARAM, publication->name),
					 errhint("pprepub.alter_publication() copies the table again.")));
		if (slot->tts_isnull[UPDATE_FROM] || slot->tts_isnull[UPDATE_TO])
			continue;
		has_probability = !slot->tts_isnull[UPDATE_PROBABILITY];
		array_reserve(rows->list, rows->allocated, rows->n + 1);
		rows->list[rows->n].from = number(numbering, slot->tts_values[UPDATE_FROM]);
		rows->list[rows->n].to = number(numbering, slot->tts_values[UPDATE_TO]);
		rows->list[rows->n++].probability = has_probability ? DatumGetFloat8(slot->tts_values[UPDATE_PROBABILITY]) : 0;
		rows->probabilities += has_probability;
	}
	reader_close(reader);
	return rows;
}

/* In codes, which each number has, or NO_CODE; NULL: those that are less than ncodes are their own. */
static Updates *
updates_of_rows(const UpdateRows *rows, const Code *code, Code ncodes)
{
	Update	   *list = new_array(Update, rows->n);
	uint64		n = 0;

	for (uint64 i = 0; i < rows->n; i++)
	{
		Code		from = code == NULL ? rows->list[i].from : code[rows->list[i].from];
		Code		to = code == NULL ? rows->list[i].to : code[rows->list[i].to];

		if (from < ncodes && to < ncodes)
			list[n++] = (Update) {from, to, rows->list[i].probability};
	}
	return updates_create(ncodes, list, n, rows->n > 0 && rows->probabilities == rows->n);
}

/* ----------------------------------------------------------------
 * When they are declared
 * ----------------------------------------------------------------
 */

/* A table that is checked. */
typedef struct Checking
{
	const DeclaredPublication *publication;
	const DeclaredColumn *column;	/* the sensitive one */
	Dictionary *dictionary;
	const Code *code;			/* by number */
	Code		ncodes;
	Datum	   *values;			/* by code */
	Oid			output;
} Checking;

static uint32
number_of(void *dictionary, Datum value)
{
	return dictionary_number(dictionary, value, false);
}

static char *
text_of(const Checking *checking, Code code)
{
	return OidOutputFunctionCall(checking->output, checking->values[code]);
}

/* Puts one more example into words, unless there are enough. */
static void
note_example(StringInfo words, uint64 before, const char *example)
{
	if (before < MAX_EXAMPLES)
		appendStringInfo(words, "%s%s", before > 0 ? ", " : "", example);
}

/*
 * Counts the updates that others do not allow, and puts them into words: the first few, and how many more.  Known: only
 * those between values of which something was declared there, or NULL.  They are written by the writer, if there is one.
 */
static uint64
find_missing(const Checking *checking, const Updates *updates, const Updates *others, const Updates *known, RowWriter *writer, char **words)
{
	StringInfoData text;
	uint64		n = 0;

	initStringInfo(&text);
	for (Code v = 0; v < updates->nvalues; v++)
		for (uint64 at = updates->first[v]; at < updates->first[v + 1]; at++)
		{
			Code		to = updates->to[at];

			if (updates_allow(others, v, to) || (known != NULL && (updates_size(known, v) == 0 || updates_size(known, to) == 0)))
				continue;
			note_example(&text, n++, psprintf("\"%s\" to \"%s\"", text_of(checking, v), text_of(checking, to)));
			if (writer != NULL)
				writer_add(writer, (Datum[UPDATE_COLUMNS]) {checking->values[v], checking->values[to]}, (bool[UPDATE_COLUMNS]) {false, false, true});
		}
	if (n > MAX_EXAMPLES)
		appendStringInfo(&text, " and " UINT64_FORMAT " more", n - MAX_EXAMPLES);
	*words = text.data;
	return n;
}

/* Closing adds rows to the copy, or is an error where these would have no probabilities. */
static void
complete_copy(const Checking *checking, const Updates *given, const Updates *closed, Oid copy)
{
	const char *why = "A value that can stay as it is, or change in two steps, can do so in one: %s.";
	RowWriter  *writer = given->probability != NULL ? NULL : writer_open(copy, false);
	char	   *added;
	uint64		n = find_missing(checking, closed, given, NULL, writer, &added);

	if (writer != NULL)
		writer_close(writer);
	if (n > 0 && writer == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the table that \"%s\" names lacks " UINT64_FORMAT " update(s)", PARAM, n),
				 errdetail(why, added),
				 errhint("Add them with their probabilities, or leave all probabilities out.")));
	if (n > 0)
		ereport(NOTICE,
				(errmsg(UINT64_FORMAT " update(s) were added to those of publication \"%s\"", n, checking->publication->name),
				 errdetail(why, added)));
}

static int
hint_undeclared(void)
{
	return errhint("Add rows for them to the table that \"%s\" names, at least one to itself each, and call pprepub.alter_publication().", PARAM);
}

/* An error if rows of a new copy make no sense, or the source has values of which no update is declared. */
static void
verify_rows(const DeclaredPublication *publication, const DeclaredColumn *column, Oid copy)
{
	CatalogAccess access = {.context = CurrentMemoryContext};

	if (SPI_execute(psprintf("SELECT pprepub_internal.wrong_updates(%u) AS wrong", copy), true, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not look at the updates");
	catalog_raise();
	if (SPI_execute(psprintf("SELECT pg_catalog.sum(n)::int8 AS rows,"
							 " pg_catalog.array_to_string((pg_catalog.array_agg('\"' || v || '\"' ORDER BY n DESC, v COLLATE \"C\"))[:%4$d], ', ') AS examples"
							 " FROM (SELECT s.%1$s::pg_catalog.text AS v, pg_catalog.count(*) AS n FROM %2$s s WHERE s.%1$s IS DISTINCT FROM NULL"
							 " AND NOT EXISTS (SELECT FROM %3$s u WHERE s.%1$s IN (u.from_value, u.to_value)) GROUP BY s.%1$s) v",
							 quote_identifier(column->name), quoted_relation(publication->pinned), quoted_relation(copy), MAX_EXAMPLES),
					true, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not read the sensitive values");
	if (catalog_int(0, "rows") > 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg(INT64_FORMAT " row(s) of the source have sensitive values of which no update is declared", catalog_int(0, "rows")),
				 errdetail("For example: %s.", catalog_text(&access, 0, "examples")),
				 errdetail_log("Their values are told to the owner only."),
				 hint_undeclared()));
}

/* An error if updates of published values were declared, and none are now: nothing would say what the values became. */
static void
verify_none_dropped(const Checking *checking, const Updates *before, const Updates *after)
{
	const Recalled *recalled = NULL;
	StringInfoData examples;
	uint64		values = 0;

	initStringInfo(&examples);
	for (Code v = 0; v < after->nvalues; v++)
	{
		if (updates_size(before, v) == 0 || updates_size(after, v) > 0)
			continue;
		if (recalled == NULL)
			recalled = recall(checking->publication);
		if (recalled_value(recalled, checking->values[v], false) == UNKNOWN_VALUE)
			continue;
		note_example(&examples, values++, psprintf("\"%s\"", text_of(checking, v)));
	}
	if (values > 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the table that \"%s\" names lacks " UINT64_FORMAT " value(s) that were published", PARAM, values),
				 errdetail("For example: %s.", examples.data),
				 errdetail_log("Their values are told to the owner only."),
				 errhint("Observers go on asking what they have become. Add rows for them, at least one to itself each.")));
}

/* Compares with the copy that is replaced: what is possible now between values that were known, and was not; and what was. */
static void
compare_with_old(const Checking *checking, const Updates *before, const Updates *after, bool accept_weakening)
{
	char	   *words;
	uint64		n;

	verify_none_dropped(checking, before, after);
	if (!accept_weakening && find_missing(checking, after, before, before, NULL, &words) > 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("these \"%s\" would weaken what publication \"%s\" has promised", PARAM, checking->publication->name),
				 errdetail("Observers would be taken to know less than before: %s.", words),
				 errhint("If that is what you want, say so: add \"accept_weakening\": true to the parameters.")));
	n = find_missing(checking, before, after, NULL, NULL, &words);
	if (n > 0)
		warn_owner(checking->publication, &(OwnerWarning) {
			.message = psprintf(UINT64_FORMAT " update(s) of publication \"%s\" are not possible any more", n,
								checking->publication->name),
			.detail = psprintf("They were, when releases were made: %s.", words),
			.hint = "pprepub.audit() says whether these releases are still safe.",
		});
}

/* Checks a new copy by itself, against the source, and against the copy that it replaces. */
static void
check_updates(const DeclaredPublication *publication, Oid old_copy, Oid new_copy, bool accept_weakening)
{
	Checking	checking = {.publication = publication, .column = publication_column(publication, ROLE_SENSITIVE)};
	bool		varlena;
	UpdateRows *rows;
	UpdateRows *old = NULL;
	Updates    *given;
	Updates    *closed;

	checking.dictionary = dictionary_create(checking.column->type);
	getTypeOutputInfo(checking.column->type, &checking.output, &varlena);
	CommandCounterIncrement();
	PushActiveSnapshot(GetLatestSnapshot());
	verify_rows(publication, checking.column, new_copy);
	rows = read_rows_of(publication, new_copy, number_of, checking.dictionary);
	if (OidIsValid(old_copy) && publication->releases > 0)
		old = read_rows_of(publication, old_copy, number_of, checking.dictionary);
	PopActiveSnapshot();
	checking.code = dictionary_merge_equal(checking.dictionary, checking.column->collation, &checking.ncodes, &checking.values);
	given = updates_of_rows(rows, checking.code, checking.ncodes);
	closed = updates_close(given);
	complete_copy(&checking, given, closed, new_copy);
	if (old != NULL)
		compare_with_old(&checking, updates_of_rows(old, checking.code, checking.ncodes), closed, accept_weakening);
}

void
check_updates_table(const DeclaredPublication *publication, const char *param,
					Oid old_copy, Oid new_copy, bool accept_weakening)
{
	if (strcmp(param, PARAM) == 0)
		check_updates(publication, old_copy, new_copy, accept_weakening);
}

/* ----------------------------------------------------------------
 * When something is to be published
 * ----------------------------------------------------------------
 */

static uint32
number_in_load(void *load, Datum value)
{
	bool		isnull = false;
	uint32		number;

	load_sensitive_numbers(load, &value, &isnull, &number, 1);
	return number;
}

void *
read_updates(const DeclaredPublication *publication, FrameLoad *load)
{
	Oid			table = copied_table(publication, PARAM);

	return OidIsValid(table) ? read_rows_of(publication, table, number_in_load, load) : NULL;
}

/* Rows that are refused: the first few different cases, and how many rows there are. */
typedef struct Refused
{
	uint64		rows;
	int			n;
	Code		from[MAX_EXAMPLES];
	Code		to[MAX_EXAMPLES];
	uint64		count[MAX_EXAMPLES];
} Refused;

/* Counts a row that is refused, and keeps the first different cases. */
static void
refuse_row(Refused *refused, Code from, Code to)
{
	int			i = 0;

	refused->rows++;
	while (i < refused->n && (refused->from[i] != from || refused->to[i] != to))
		i++;
	if (i == MAX_EXAMPLES)
		return;
	if (i == refused->n)
	{
		refused->from[i] = from;
		refused->to[i] = to;
		refused->count[i] = 0;
		refused->n++;
	}
	refused->count[i]++;
}

/* The cases that were kept, in words. */
static char *
refused_text(const Refused *refused, const Datum *values, const DeclaredColumn *column)
{
	Checking	checking = {.values = unconstify(Datum *, values)};
	StringInfoData text;
	bool		varlena;

	initStringInfo(&text);
	getTypeOutputInfo(column->type, &checking.output, &varlena);
	for (int i = 0; i < refused->n; i++)
	{
		appendStringInfoString(&text, i > 0 ? ", " : "");
		if (refused->from[i] != NO_CODE)
			appendStringInfo(&text, "\"%s\" to ", text_of(&checking, refused->from[i]));
		appendStringInfo(&text, "\"%s\" (" UINT64_FORMAT " row(s))", text_of(&checking, refused->to[i]), refused->count[i]);
	}
	return text.data;
}

void
verify_can_be_followed(const DeclaredPublication *publication, const char *whose, const Code *sensitive, uint64 nrows,
					   const Datum *values, const Updates *updates)
{
	const DeclaredColumn *column = publication_column(publication, ROLE_SENSITIVE);
	Refused		undeclared = {.rows = 0};
	uint64		nulls = 0;

	for (uint64 row = 0; row < nrows; row++)
		if (sensitive[row] == NO_CODE)
			nulls++;
		else if (updates_size(updates, sensitive[row]) == 0)
			refuse_row(&undeclared, NO_CODE, sensitive[row]);
	if (nulls > 0)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("column \"%s\" of %s has " UINT64_FORMAT " row(s) without a value", column->name, whose, nulls),
				 errdetail("Method \"%s\" follows what a value becomes, and nothing is declared of NULL.", publication->method),
				 errhint("Use a view that leaves these rows out, or gives them a value that says so.")));
	if (undeclared.rows > 0)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("column \"%s\" of %s has " UINT64_FORMAT " row(s) with values of which no update is declared",
						column->name, whose, undeclared.rows),
				 errdetail("For example: %s.", refused_text(&undeclared, values, column)),
				 errdetail_log("Its values are told to the owner only."),
				 hint_undeclared()));
}

/* An error if rows to be published have values that theirs of before cannot have become. */
static void
verify_possible(const DeclaredPublication *publication, const LoadedFrame *loaded, const Past *past)
{
	const DeclaredColumn *column = publication_column(publication, ROLE_SENSITIVE);
	const Frame *frame = &loaded->frame;
	const Paths *paths = past->paths;
	Refused		impossible = {.rows = 0};

	for (uint64 row = 0; paths != NULL && paths->nclasses > 0 && row < frame->nrows; row++)
	{
		Code		before;

		if (!paths_known(paths, row))
			continue;
		before = paths->shown[paths_last(paths, row)];
		if (before != NO_CODE && !updates_allow(past->updates, before, frame->sensitive[row]))
			refuse_row(&impossible, before, frame->sensitive[row]);
	}
	if (impossible.rows > 0)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("column \"%s\" of publication \"%s\" has " UINT64_FORMAT " row(s) with values that theirs of before cannot have become",
						column->name, publication->name, impossible.rows),
				 errdetail("By the declared updates these are impossible: %s.", refused_text(&impossible, loaded->sensitive.values, column)),
				 errdetail_log("Its values are told to the owner only."),
				 errhint("Correct the rows, or add the updates to the table that \"%s\" names and call pprepub.alter_publication().", PARAM)));
}

/* Does the last class of somebody show values that updates connect?  By releases under strict it does if others were declared since. */
static bool
any_connected(const Past *past)
{
	const Paths *paths = past->paths;
	uint32		nfamilies;
	uint32	   *family = updates_components(past->updates, &nfamilies);
	uint32	   *last = new_zeros(uint32, nfamilies);
	bool		result = false;

	for (uint32 c = 0; c < paths->nclasses && !result; c++)
		for (uint64 i = paths->first_value[c]; i < paths->first_value[c + 1]; i++)
		{
			uint32	   *of;

			if (paths->value[i] == NO_CODE)
				continue;
			of = &last[family[paths->value[i]]];
			result |= *of == c + 1;
			*of = c + 1;
		}
	pfree(last);
	pfree(family);
	return result;
}

/* Under strict: people of the frame whose earlier classes tell them from others, or NULL; the log is read only if there may be some. */
static bool *
mixed_people(const DeclaredPublication *publication, const LoadedFrame *loaded, const Past *past)
{
	const MethodDeclaration *method = method_declaration(publication->method);
	const Released *released = read_released(publication);
	bool		were_strict = true; /* all releases, and made here */
	const Recalled *recalled;
	uint32	   *family;
	const bool *is_mixed;
	bool	   *result;
	MemoryContext work;
	MemoryContext old;

	for (int32 r = 0; r < publication->releases; r++)
		were_strict &= !released[r].is_imported && param_is_set(method, released[r].params, "strict");
	if (!param_is_set(method, publication->params, "strict") || past->paths == NULL || past->paths->nclasses == 0 ||
		(were_strict && !any_connected(past)))
		return NULL;
	result = new_zeros(bool, loaded->frame.nrows);
	work = AllocSetContextCreate(CurrentMemoryContext, "the log", ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(work);
	recalled = recall(publication);
	(void) updates_in_log(publication, copied_table(publication, PARAM), recalled, &family);
	is_mixed = find_mixed(&recalled->seen, family);
	for (uint64 row = 0; row < loaded->frame.nrows; row++)
	{
		Individual	individual = recalled_person(recalled, loaded->keys[row]);

		result[row] = individual != NO_INDIVIDUAL && is_mixed[individual];
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(work);
	return result;
}

void
apply_updates(const DeclaredPublication *publication, const void *updates, const LoadedFrame *loaded, Past *past)
{
	if (updates == NULL)
		return;
	past->updates = updates_of_rows(updates, loaded->sensitive_code, loaded->frame.nsensitive);
	verify_can_be_followed(publication, psprintf("publication \"%s\"", publication->name),
						   loaded->frame.sensitive, loaded->frame.nrows, loaded->sensitive.values, past->updates);
	verify_possible(publication, loaded, past);
	past->is_mixed = mixed_people(publication, loaded, past);
}

/* ----------------------------------------------------------------
 * When it is audited
 * ----------------------------------------------------------------
 */

/* The values of a log, and behind them others. */
typedef struct LogNumbers
{
	const Recalled *recalled;
	KeyTable   *others;
} LogNumbers;

static uint32
number_in_log(void *what, Datum value)
{
	LogNumbers *numbers = what;
	Code		code = recalled_value(numbers->recalled, value, false);

	return code != UNKNOWN_VALUE ? code : numbers->recalled->seen.nvalues + keys_add(numbers->others, value);
}

Updates *
updates_in_log(const DeclaredPublication *publication, Oid table, const Recalled *recalled, uint32 **family)
{
	const DeclaredColumn *column = publication_column(publication, ROLE_SENSITIVE);
	LogNumbers	numbers = {.recalled = recalled, .others = keys_create(column->type, column->collation)};
	UpdateRows *rows = read_rows_of(publication, table, number_in_log, &numbers);
	uint32		nfamilies;

	if (family != NULL)
	{
		Update	   *list = memcpy(new_array(Update, rows->n), rows->list, sizeof(Update) * rows->n);

		*family = updates_components(updates_create(recalled->seen.nvalues + numbers.others->size, list, rows->n, false), &nfamilies);
	}
	return updates_of_rows(rows, NULL, recalled->seen.nvalues);
}

Updates *
updates_named(const DeclaredPublication *publication, Oid table, Recalled *recalled)
{
	static const char *const needed[] = {"from_value", "to_value"};
	MemoryContext context = CurrentMemoryContext;
	DeclaredColumn plain = *publication_column(publication, ROLE_SENSITIVE);
	char	   *type;
	Update	   *list;
	uint64		n = 0;
	uint64		probabilities = 0;
	Updates    *updates;

	verify_source_kind(table);
	for (int i = 0; i < (int) lengthof(needed); i++)
		if (get_attnum(table, needed[i]) == InvalidAttrNumber)
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_COLUMN),
					 errmsg("\"%s\" has no column \"%s\"", get_rel_name(table), needed[i]),
					 errhint("Its columns are from_value, to_value and, optionally, probability.")));
	/* By a query, since it may be a view, and its columns may stand in any order. */
	plain.typmod = -1;
	plain.collation = InvalidOid;
	type = column_type_sql(&plain);
	SPI_connect();
	if (SPI_execute(psprintf("SELECT from_value::%s, to_value::%s, %s::pg_catalog.float8 FROM %s", type, type,
							 get_attnum(table, "probability") != InvalidAttrNumber ? "probability" : "NULL", quoted_relation(table)),
					true, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not read the updates");
	list = MemoryContextAllocHuge(context, sizeof(Update) * (SPI_processed + 1));
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		Datum		values[UPDATE_COLUMNS];
		bool		nulls[UPDATE_COLUMNS];
		double		probability;

		heap_deform_tuple(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, values, nulls);
		if (nulls[UPDATE_FROM] || nulls[UPDATE_TO])
			continue;
		probability = nulls[UPDATE_PROBABILITY] ? 1 : DatumGetFloat8(values[UPDATE_PROBABILITY]);
		if (!(probability > 0 && probability <= 1))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("\"%s\" has an update with probability %g", get_rel_name(table), probability),
					 errhint("Probabilities are greater than 0, and 1 at most; leave out what is impossible.")));
		probabilities += !nulls[UPDATE_PROBABILITY];
		list[n++] = (Update) {
			recalled_new_value(recalled, values[UPDATE_FROM]), recalled_new_value(recalled, values[UPDATE_TO]), probability
		};
	}
	probabilities = SPI_processed > 0 && probabilities == SPI_processed;
	SPI_finish();
	MemoryContextSwitchTo(context);
	updates = updates_create(recalled->codes->size, list, n, probabilities);
	return probabilities ? updates : updates_close(updates);
}
