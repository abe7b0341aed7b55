/*
 * answer.c
 *		A judged draft as rows in memory, and the cells of its classes in the
 *		history.
 */
#include "serve/answer.h"

#include "access/htup_details.h"
#include "history/answered.h"
#include "history/writer.h"
#include "serve/columns.h"
#include "serve/released.h"
#include "serve/rows.h"
#include "serve/stopwatch.h"
#include "utils/memutils.h"

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
create_answer(const Making *making, MemoryContext context)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	Answer	   *answer = palloc0(sizeof(Answer));
	uint64		nrows = making->metrics.rows + making->metrics.counterfeits;

	answer->desc = released_columns(making->publication);
	answer->rows = palloc_extended(sizeof(MinimalTuple) * (nrows + 1), MCXT_ALLOC_HUGE);
	MemoryContextSwitchTo(old);
	return answer;
}

static SentRelease
send_answer(const Making *making, int32 number, Answer *answer, MemoryContext context)
{
	MemorySink	sink = {{.add_class = keep_class,.add_row = add_row},.answer = answer,.context = context};
	SentRelease sent;

	sink.attribute = released_cells(making->publication, &sink.ncells);
	sink.values = palloc0(sizeof(Datum) * (ANSWERED_CELLS + sink.ncells));
	sink.nulls = palloc0(sizeof(bool) * (ANSWERED_CELLS + sink.ncells));
	sink.values[ANSWERED_RELEASE] = Int32GetDatum(number);
	sink.answered = writer_open(answered_ensure(making->publication), false);
	sent = send_rows(making, number, &sink.base);
	writer_close(sink.answered);
	return sent;
}

Answer *
make_answer(DeclaredPublication *publication, const Request *request, MemoryContext context)
{
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "answer in the making", ALLOCSET_DEFAULT_SIZES);
	Stopwatch	watch = stopwatch_start();
	const bool *shown = shown_columns(publication, request->columns);
	int32		number = take_number(publication);
	Making	   *making = make_release(publication, request, shown, work);
	Answer	   *answer = create_answer(making, context);
	SentRelease sent = send_answer(making, number, answer, context);

	note_release(making, number, &sent, stopwatch_seconds(&watch));
	check_history(publication);
	MemoryContextDelete(work);
	return answer;
}
