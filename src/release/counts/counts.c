/*
 * counts.c
 *		counts(): bounds of the newest full release, for those who may read it.
 *
 *		The rows are read by one query with the rights of the caller, in which every name is qualified.  Rows of equal
 *		cells are one, and come sorted, so that sums are the same to the last digit each time.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "declare/publication.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "frame/arrays.h"
#include "funcapi.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "release/counts/counts.h"
#include "utils/array.h"
#include "utils/builtins.h"

PG_FUNCTION_INFO_V1(pprepub_counts);

/* A combination of bins. */
typedef struct Tally
{
	int64		at_least;
	double		estimate;
	int64		at_most;
} Tally;

typedef struct Counting
{
	CountedRelease *release;
	MemoryContext context;

	/* Rows of the release, those of equal cells being one */
	uint32	   *cells;			/* [rows][ncolumns] */
	int64	   *times;			/* [rows] */
	uint64		rows;
	uint64		room;

	Touches    *touches[MAX_BY];
	const uint32 *row;			/* [ncolumns] the cells that are being counted, */
	int64		n;				/* and how often they occur */
	Tally	   *tallies;		/* [combinations] bins of the last column vary first */
	uint64		combinations;
} Counting;

/* ----------------------------------------------------------------
 * Rows
 * ----------------------------------------------------------------
 */

/* Texts are compared by their bytes, whatever their column's collation takes for equal. */
static char *
rows_sql(const CountedRelease *release)
{
	StringInfoData sql;
	StringInfoData numbers;

	initStringInfo(&sql);
	initStringInfo(&numbers);
	appendStringInfoString(&sql, "SELECT ");
	for (int i = 0; i < release->ncolumns; i++)
	{
		const char *name = quote_identifier(release->columns[i].name);

		appendStringInfo(&sql, release->columns[i].form == COUNT_RANGES ? "r.%s, " : "(r.%s)::pg_catalog.text COLLATE pg_catalog.\"C\", ", name);
		appendStringInfo(&numbers, "%s%d", i > 0 ? ", " : "", i + 1);
	}
	appendStringInfo(&sql, "pg_catalog.count(*) FROM %s AS r GROUP BY %s ORDER BY %s",
					 quoted_relation(release->view), numbers.data, numbers.data);
	return sql.data;
}

/* Adds a row of the query's result. */
static void
add_row(Counting *counting, HeapTuple tuple, TupleDesc desc)
{
	CountedRelease *release = counting->release;
	bool		isnull;

	if (counting->rows == counting->room)
	{
		counting->room = array_room(counting->room, counting->rows + 1);
		array_resize(counting->cells, counting->room * release->ncolumns);
		array_resize(counting->times, counting->room);
	}
	for (int i = 0; i < release->ncolumns; i++)
	{
		Datum		cell = SPI_getbinval(tuple, desc, i + 1, &isnull);

		release->columns[i].shows_null |= isnull;
		counting->cells[counting->rows * release->ncolumns + i] = dictionary_number(release->columns[i].shown, cell, isnull);
	}
	counting->times[counting->rows++] = DatumGetInt64(SPI_getbinval(tuple, desc, release->ncolumns + 1, &isnull));
}

/* Adds a batch of the query's rows. */
static void
add_rows(Counting *counting)
{
	MemoryContext old = MemoryContextSwitchTo(counting->context);

	for (uint64 i = 0; i < SPI_processed; i++)
	{
		CHECK_FOR_INTERRUPTS();
		add_row(counting, SPI_tuptable->vals[i], SPI_tuptable->tupdesc);
	}
	MemoryContextSwitchTo(old);
}

#define ROWS_AT_ONCE 1000

/* Reads the rows as the caller. */
static void
read_rows(Counting *counting)
{
	char	   *sql = rows_sql(counting->release);
	Portal		cursor;

	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "could not connect to SPI");
	cursor = SPI_cursor_open_with_args(NULL, sql, 0, NULL, NULL, NULL, true, 0);
	do
	{
		SPI_cursor_fetch(cursor, true, ROWS_AT_ONCE);
		add_rows(counting);
		SPI_freetuptable(SPI_tuptable);
	} while (SPI_processed > 0);
	SPI_cursor_close(cursor);
	SPI_finish();
}

/* ----------------------------------------------------------------
 * Counting
 * ----------------------------------------------------------------
 */

/* An error if there are too many combinations of bins. */
static void
set_combinations(Counting *counting)
{
	counting->combinations = 1;
	for (int i = 0; i < counting->release->ncolumns; i++)
	{
		counting->combinations *= counting->release->columns[i].nbins;
		if (counting->combinations > MAX_BINS)
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("there are more than %d combinations of bins", MAX_BINS),
					 errhint("Count by fewer columns, or give fewer bins.")));
	}
}

/* Counts a row in all bins of the columns from one on, given what the bins of the columns before say. */
static void
count_row(Counting *counting, int column, uint64 combination, bool lies, double share)
{
	const Touches *touches;
	uint32		cell;

	if (column == counting->release->ncolumns)
	{
		Tally	   *tally = &counting->tallies[combination];

		tally->at_least += lies ? counting->n : 0;
		tally->estimate += share * counting->n;
		tally->at_most += counting->n;
		return;
	}
	touches = counting->touches[column];
	cell = counting->row[column];
	combination *= counting->release->columns[column].nbins;
	for (uint64 i = touches->first[cell]; i < touches->first[cell + 1]; i++)
		count_row(counting, column + 1, combination + touches->touch[i].bin, lies && touches->touch[i].lies, share * touches->touch[i].share);
}

/* Counts all rows, by what is worked out once for each cell. */
static void
count_rows(Counting *counting)
{
	for (int i = 0; i < counting->release->ncolumns; i++)
		counting->touches[i] = touches_of(&counting->release->columns[i]);
	counting->tallies = new_zeros(Tally, counting->combinations);
	for (uint64 i = 0; i < counting->rows; i++)
	{
		CHECK_FOR_INTERRUPTS();
		counting->row = counting->cells + i * counting->release->ncolumns;
		counting->n = counting->times[i];
		count_row(counting, 0, 0, true, 1);
	}
}

/* ----------------------------------------------------------------
 * The result
 * ----------------------------------------------------------------
 */

static JsonbValue
json_string(char *string)
{
	return (JsonbValue) {.type = jbvString, .val.string = {.len = strlen(string), .val = string}};
}

/* A combination as JSON: labels by column. */
static Datum
combination_json(const CountedRelease *release, uint64 combination)
{
	JsonbParseState *state = NULL;
	uint64		below = 1;

	pushJsonbValue(&state, WJB_BEGIN_OBJECT, NULL);
	for (int i = release->ncolumns - 1; i >= 0; i--)
	{
		CountColumn *column = &release->columns[i];
		char	   *label = column->bins[combination / below % column->nbins].label;
		JsonbValue	name = json_string(column->name);
		JsonbValue	bin = {.type = jbvNull};

		if (label != NULL)
			bin = json_string(label);
		below *= column->nbins;
		pushJsonbValue(&state, WJB_KEY, &name);
		pushJsonbValue(&state, WJB_VALUE, &bin);
	}
	return JsonbPGetDatum(JsonbValueToJsonb(pushJsonbValue(&state, WJB_END_OBJECT, NULL)));
}

/* Puts a row for each combination of bins. */
static void
put_tallies(const Counting *counting, ReturnSetInfo *result)
{
	for (uint64 i = 0; i < counting->combinations; i++)
	{
		const Tally *tally = &counting->tallies[i];
		Datum		values[] = {
			combination_json(counting->release, i),
			Int64GetDatum(tally->at_least),
			Float8GetDatum(tally->estimate),
			Int64GetDatum(tally->at_most),
		};
		bool		nulls[lengthof(values)] = {false};

		CHECK_FOR_INTERRUPTS();
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
}

/* ----------------------------------------------------------------
 * Arguments
 * ----------------------------------------------------------------
 */

static void
refuse_by(const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("invalid list of columns to count by"),
			 errdetail("%s", detail),
			 errhint("Name up to %d columns of the release, each once: '{age,sex}'.", MAX_BY)));
}

/* The names of columns. */
static char **
by_argument(FunctionCallInfo fcinfo, int n, int *nby)
{
	Datum	   *names;
	bool	   *nulls;
	char	  **by;

	verify_not_null(fcinfo, n, "the columns to count by");
	deconstruct_array(PG_GETARG_ARRAYTYPE_P(n), NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR, &names, &nulls, nby);
	if (*nby == 0 || *nby > MAX_BY)
		refuse_by(psprintf("There are %d.", *nby));
	by = palloc(sizeof(char *) * *nby);
	for (int i = 0; i < *nby; i++)
	{
		if (nulls[i])
			refuse_by("One is NULL.");
		by[i] = pstrdup(NameStr(*DatumGetName(names[i])));
		for (int j = 0; j < i; j++)
			if (strcmp(by[i], by[j]) == 0)
				refuse_by(psprintf("Column \"%s\" is named twice.", by[i]));
	}
	return by;
}

/* The object of bins, NULL for none. */
static Jsonb *
bins_argument(FunctionCallInfo fcinfo, int n)
{
	Jsonb	   *bins = PG_ARGISNULL(n) ? NULL : PG_GETARG_JSONB_P(n);

	if (bins != NULL && !JB_ROOT_IS_OBJECT(bins))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("bins must be a JSON object"),
				 errhint("Give bins by column: {\"age\": 10, \"sex\": [\"F\", \"M\"]}.")));
	return bins;
}

/* An error if there are bins of a column that is not counted by. */
static void
verify_names_of_bins(const CountedRelease *release, Jsonb *bins)
{
	JsonbIterator *iterator = JsonbIteratorInit(&bins->root);
	JsonbValue	item;
	JsonbIteratorToken token;

	while ((token = JsonbIteratorNext(&iterator, &item, true)) != WJB_DONE)
	{
		int			i = 0;
		char	   *name;

		if (token != WJB_KEY)
			continue;
		name = pnstrdup(item.val.string.val, item.val.string.len);
		while (i < release->ncolumns && strcmp(name, release->columns[i].name) != 0)
			i++;
		if (i == release->ncolumns)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("there are bins of column \"%s\", which is not counted by", name),
					 errhint("Name it among the columns to count by, or leave its bins out.")));
	}
}

static const JsonbValue *
bins_of(Jsonb *bins, const char *column)
{
	return bins == NULL ? NULL : getKeyJsonValueFromContainer(&bins->root, column, strlen(column), NULL);
}

Datum
pprepub_counts(PG_FUNCTION_ARGS)
{
	Counting	counting = {.context = CurrentMemoryContext};
	char	   *publication = text_argument(fcinfo, 0, "the name of a publication");
	int			nby;
	char	  **by = by_argument(fcinfo, 1, &nby);
	Jsonb	   *bins = bins_argument(fcinfo, 2);

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	counting.release = counted_release(publication, by, nby);
	if (bins != NULL)
		verify_names_of_bins(counting.release, bins);
	read_rows(&counting);
	for (int i = 0; i < nby; i++)
	{
		understand_cells(&counting.release->columns[i]);
		set_bins(&counting.release->columns[i], bins_of(bins, by[i]));
	}
	set_combinations(&counting);
	count_rows(&counting);
	put_tallies(&counting, (ReturnSetInfo *) fcinfo->resultinfo);
	return (Datum) 0;
}
