/*
 * answer.c
 *		A judged draft as rows in memory, and the cells of its classes in the
 *		history.
 */
#include "answer/answer.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "catalog/pg_type.h"
#include "frame/arrays.h"
#include "history/answered.h"
#include "history/writer.h"
#include "mb/pg_wchar.h"
#include "release/past_releases.h"
#include "release/release.h"
#include "release/stopwatch.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

typedef struct MemorySink
{
	RowSink		base;
	Answer	   *answer;
	MemoryContext context;		/* of the answer */

	/* What is kept of it */
	RowWriter  *answered;
	int			ncells;
	int		   *attribute;		/* [ncells] of a row that leaves */
	Datum	   *values;			/* of a row that is kept */
	bool	   *nulls;
} MemorySink;

static void
keep_class(RowSink *base, const Datum *values, const bool *nulls, uint64 nrows)
{
	MemorySink *sink = (MemorySink *) base;

	sink->values[ANSWERED_CLASS] = values[0];
	sink->values[ANSWERED_ROWS] = Int64GetDatum((int64) nrows);
	for (int q = 0; q < sink->ncells; q++)
	{
		sink->values[ANSWERED_CELLS + q] = values[sink->attribute[q]];
		sink->nulls[ANSWERED_CELLS + q] = nulls[sink->attribute[q]];
	}
	writer_add(sink->answered, sink->values, sink->nulls);
}

/* Cells were printed just now, and plain values were detoasted when they were read. */
static void
add_row(RowSink *base, const Datum *values, const bool *nulls)
{
	MemorySink *sink = (MemorySink *) base;
	Answer	   *answer = sink->answer;
	MemoryContext old = MemoryContextSwitchTo(sink->context);

	answer->rows[answer->nrows++] =
		heap_form_minimal_tuple(answer->desc, unconstify(Datum *, values), unconstify(bool *, nulls));
	MemoryContextSwitchTo(old);
}

static Answer *
create_answer(const ReleaseBuild *build, MemoryContext context)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	Answer	   *answer = palloc0(sizeof(Answer));
	uint64		nrows = build->metrics.rows + build->metrics.counterfeits;

	answer->desc = released_columns(build->publication);
	answer->rows = new_array(MinimalTuple, nrows);
	MemoryContextSwitchTo(old);
	return answer;
}

static SentRelease
give_rows(const ReleaseBuild *build, int32 number, Answer *answer, MemoryContext context)
{
	MemorySink	sink = {{.add_class = keep_class,.add_row = add_row,.log = LOG_OF_ANSWERS},.answer = answer,.context = context};
	Oid			table = answered_ensure(build->publication);
	SentRelease sent;

	if (build->draft->classes->nclasses == 0)
		return emit_rows(build, number, &sink.base);
	sink.attribute = released_cells(build->publication, &sink.ncells);
	sink.values = palloc0(sizeof(Datum) * (ANSWERED_CELLS + sink.ncells));
	sink.nulls = palloc0(sizeof(bool) * (ANSWERED_CELLS + sink.ncells));
	sink.values[ANSWERED_RELEASE] = Int32GetDatum(number);
	sink.answered = writer_open(table, false);
	sent = emit_rows(build, number, &sink.base);
	writer_close(sink.answered);
	return sent;
}

/* So many bytes of an error's text, filled up with blanks. */
#define FAILURE_BYTES 300

static char *
failure_words(const ErrorData *failure)
{
	char	   *words = palloc(FAILURE_BYTES + 1);
	int			length = 0;

	if (failure != NULL && failure->message != NULL)
	{
		length = pg_mbcliplen(failure->message, strlen(failure->message), FAILURE_BYTES);
		memcpy(words, failure->message, length);
	}
	memset(words + length, ' ', FAILURE_BYTES - length);
	words[FAILURE_BYTES] = '\0';
	return words;
}

/* As long whether there was an error or not. */
static void
note_failure(const DeclaredPublication *publication, int32 number, const ErrorData *failure)
{
	CatalogAccess access;

	catalog_enter(&access);
	catalog_add("catalog_failure", (Datum[]) {
		Int32GetDatum(publication->id),
		Int32GetDatum(number),
		TimestampTzGetDatum(GetCurrentTransactionStartTimestamp()),
		CStringGetTextDatum(unpack_sql_state(failure == NULL ? ERRCODE_SUCCESSFUL_COMPLETION : failure->sqlerrcode)),
		CStringGetTextDatum(failure_words(failure)),
	}, 1);
	catalog_leave(&access);
}

Answer *
remember_answer(DeclaredPublication *publication, const ReleaseBuild *build,
				const ErrorData *failure, double seconds, MemoryContext context)
{
	Stopwatch	watch = stopwatch_start();
	int32		number = next_number(publication);
	Answer	   *answer = create_answer(build, context);
	SentRelease sent = give_rows(build, number, answer, context);

	answer->number = number;
	answer->fold = fold_of(publication);
	note_release(build, number, &sent, seconds + stopwatch_seconds(&watch));
	note_failure(publication, number, failure);
	check_history(publication);
	return answer;
}
