/*
 * make_answer.c
 *		From a question to an answer: checking the question, reading the source, writing the history.
 *
 * SUBTRANSACTION
 *		The source is read in a subtransaction that writes nothing.  So one that fails leaves no trace: what is written
 *		afterwards is the same as for an empty cohort, down to the number of transactions.
 *
 * WHAT IS WRITTEN
 *		All users can see how much WAL there is, and the size of any table, so how much an answer writes must tell nothing
 *		that the answer does not.  It writes: a row of the catalog of releases, one for each metric and one for an error,
 *		whether there was one or not, of fixed width but for the text of the request; for each class that leaves, a row of
 *		the log and one of the answered cells; the groups in which somebody came, went or was away, or that show new
 *		values; and a row for each person who came to a place.  So the amount follows from the rows that leave and from
 *		those that left before, with three exceptions: how long the keys of their people are, if keys are of variable
 *		length, how many rows are invented, and whether all of a group showed new values.  What was asked for and withheld writes nothing,
 *		and an answer without a class writes the same amount whatever the reason.
 *
 *		The first answer of a publication that compares with a distribution, if no release came before, writes that of the
 *		whole source, once, and so how many values there are.  It does so whomever it is about, and whether or not that
 *		cohort could be read.
 */
#include "answer/answer.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "catalog/pg_type.h"
#include "compat.h"
#include "declare/catalog.h"
#include "declare/work.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "frame/arrays.h"
#include "history/fold.h"
#include "history/past_tables.h"
#include "history/rows.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "release/release.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

PG_FUNCTION_INFO_V1(pprepub_shard_skip);

/* ----------------------------------------------------------------
 * Checks and locks before the beginning
 * ----------------------------------------------------------------
 */

/* Parsing a query locks all its tables, those behind views included, and runs no code of the source's. */
static void
lock_source(const DeclaredPublication *publication)
{
	SPIPlanPtr	plan = SPI_prepare(psprintf("SELECT FROM %s", quoted_relation(publication->pinned)), 0, NULL);

	if (plan == NULL)
		elog(ERROR, "could not parse a query of the source: %s", SPI_result_code_string(SPI_result));
	SPI_freeplan(plan);
}

/* Locks the tables that the answer will be written to, so that once it has begun nothing is left to wait for. */
static void
lock_history(const DeclaredPublication *publication)
{
	Oid			tables[] = {
		past_table(publication, GROUPS_TABLE), past_table(publication, PLACES_TABLE), past_table(publication, ASKED_TABLE),
		answered_of(publication), reference_table(publication)
	};

	for (int i = 0; i < (int) lengthof(tables); i++)
		if (OidIsValid(tables[i]))
			LockRelationOid(tables[i], RowExclusiveLock);
}

/* ----------------------------------------------------------------
 * Reading the source
 * ----------------------------------------------------------------
 */

/*
 * Is the server to blame, and not the source?  An error of the server's own text domain counts, not one that a function
 * of the source's raises with its code.  A limit that was set, as temp_file_limit, is reached by how much there is to
 * read, so it is the source's.  Reading alone meets neither serialization failures nor deadlocks: those come from code of
 * the source's that writes.
 */
static bool
is_infrastructure(const ErrorData *error)
{
	/*
	 * Was the worker cancelled, or did it time out?  The source's code raises equal codes, by NOWAIT or from another
	 * server.
	 */
	bool		is_interrupt = error->funcname != NULL && strcmp(error->funcname, "ProcessInterrupts") == 0;

	if (strcmp(error->domain, PG_TEXTDOMAIN("postgres")) != 0 ||
		error->sqlerrcode == ERRCODE_CONFIGURATION_LIMIT_EXCEEDED)
		return false;
	switch (ERRCODE_TO_CATEGORY(error->sqlerrcode))
	{
		case ERRCODE_INSUFFICIENT_RESOURCES:
		case ERRCODE_SYSTEM_ERROR:
			return true;
		case ERRCODE_OPERATOR_INTERVENTION:
			return is_interrupt;
		default:
			return error->sqlerrcode == ERRCODE_LOCK_NOT_AVAILABLE && is_interrupt;
	}
}

typedef struct ReleaseAttempt
{
	const DeclaredPublication *publication;
	Scope	   *scope;
	MemoryContext context;
	ReleaseBuild *build;
} ReleaseAttempt;

/* Runs in a subtransaction, too, before the other: what it finds is written whatever becomes of the cohort. */
static void
try_distribution(void *what)
{
	ReleaseAttempt *release = what;
	MemoryContext old;

	SPI_connect();
	old = MemoryContextSwitchTo(release->context);
	release->scope->reference = read_distribution(release->publication, release->scope);
	MemoryContextSwitchTo(old);
	SPI_finish();
}

/* Runs in the subtransaction. */
static void
try_release(void *what)
{
	ReleaseAttempt *release = what;

	SPI_connect();
	release->build = build_release(release->publication, release->scope, release->context);
	SPI_finish();
}

/* An error of the source's costs what an answer costs, and looks like the answer of an empty cohort. */
static ReleaseBuild *
release_or_nothing(const DeclaredPublication *publication, Scope *scope,
				   MemoryContext context, ErrorData **error)
{
	ReleaseAttempt release = {publication, scope, context, NULL};

	*error = try_in_subtransaction(try_distribution, &release);
	if (*error == NULL)
		*error = try_in_subtransaction(try_release, &release);
	if (*error == NULL)
		return release.build;
	if (is_infrastructure(*error))
		ReThrowError(*error);
	return build_empty_release(publication, scope, context);
}

/* ----------------------------------------------------------------
 * Writing an answer
 * ----------------------------------------------------------------
 */

typedef struct MemorySink
{
	RowSink		base;
	Answer	   *answer;
	MemoryContext context;		/* of the answer */
	uint64		room;			/* for rows */

	/* The row of the history's that keeps a class's cells */
	RowWriter  *answered;
	int			ncells;
	int		   *attribute;		/* [ncells] where a released row has them */
	Datum	   *values;			/* of the kept row */
	bool	   *nulls;
} MemorySink;

/* RowSink: writes a class's cells into the history. */
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

/* RowSink: copies a row into the answer.  Nothing in it is toasted: cells were just printed, plain values detoasted when read. */
static void
add_row(RowSink *base, const Datum *values, const bool *nulls)
{
	MemorySink *sink = (MemorySink *) base;
	Answer	   *answer = sink->answer;
	MemoryContext old = MemoryContextSwitchTo(sink->context);

	array_reserve(answer->rows, sink->room, answer->nrows + 1);
	answer->rows[answer->nrows++] =
		heap_form_minimal_tuple(answer->desc, unconstify(Datum *, values), unconstify(bool *, nulls), 0);
	MemoryContextSwitchTo(old);
}

/* Fills the answer, the log and the table of answered cells; without a class, the last is not written. */
static SentRelease
write_rows(const ReleaseBuild *build, int32 number, Answer *answer, MemoryContext context)
{
	MemorySink	sink = {{.add_class = keep_class, .add_row = add_row, .log = ASKED_TABLE}, .answer = answer, .context = context};
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

/* An error's text is cut, or filled up with blanks, to this length: its row says nothing by its size. */
#define FAILURE_BYTES 300

/* Returns the error's message, cut or filled up to its length; blanks alone where there was no error. */
static char *
failure_text(const ErrorData *failure)
{
	char	   *text = palloc(FAILURE_BYTES + 1);
	int			length = 0;

	if (failure != NULL && failure->message != NULL)
	{
		length = pg_mbcliplen(failure->message, strlen(failure->message), FAILURE_BYTES);
		memcpy(text, failure->message, length);
	}
	memset(text + length, ' ', FAILURE_BYTES - length);
	text[FAILURE_BYTES] = '\0';
	return text;
}

Answer *
remember_answer(DeclaredPublication *publication, const ReleaseBuild *build,
				const ErrorData *failure, double seconds, MemoryContext context)
{
	Stopwatch	watch = stopwatch_start();
	int32		number = next_number(publication);
	MemoryContext old = MemoryContextSwitchTo(context);
	Answer	   *answer = palloc0(sizeof(Answer));
	SentRelease sent;
	CatalogAccess access;

	answer->desc = released_columns(build->publication);
	MemoryContextSwitchTo(old);
	sent = write_rows(build, number, answer, context);
	answer->number = number;
	answer->groups = past_table(publication, GROUPS_TABLE);
	note_release(build, number, &sent, seconds + stopwatch_seconds(&watch));
	/* Writes a row of the same size whether there was an error or not. */
	catalog_enter(&access);
	catalog_add("catalog_failure", (Datum[]) {
		Int32GetDatum(publication->id),
		Int32GetDatum(number),
		TimestampTzGetDatum(GetCurrentTransactionStartTimestamp()),
		CStringGetTextDatum(unpack_sql_state(failure == NULL ? ERRCODE_SUCCESSFUL_COMPLETION : failure->sqlerrcode)),
		CStringGetTextDatum(failure_text(failure)),
	}, 1);
	catalog_leave(&access);
	check_history(publication);
	return answer;
}

/* ----------------------------------------------------------------
 * All of it
 * ----------------------------------------------------------------
 */

Answer *
make_answer(const Question *question, void (*begin) (void), MemoryContext context)
{
	Stopwatch	watch = stopwatch_start();
	MemoryContext work = AllocSetContextCreate(context, "making an answer", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(work);
	DeclaredPublication *publication;
	Scope		scope;
	ErrorData  *error = NULL;
	ReleaseBuild *build;
	Answer	   *answer;

	/* The worker's snapshot shows committed publications only, not what the asking transaction has declared. */
	if (!catalog_finds("SELECT FROM pprepub_internal.catalog_publication WHERE publication = $1",
					   CATALOG_INT(question->publication)))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("publication \"%s\" was declared, or dropped, by a transaction that others do not see yet",
						question->name),
				 errdetail("Answers are made in a transaction of their own."),
				 errhint("Commit first, and ask then.")));
	publication = publication_open_number(question->publication, ExclusiveLock);
	if (question->bins == NULL)
		verify_may_have_answer(publication, question->request.by);
	verify_may_release(publication);
	if (question->bins == NULL)
		scope = scope_of(publication, &question->request, true);
	lock_source(publication);
	verify_alone(publication);	/* again: the source was not locked when it was checked before */
	if (question->bins != NULL)
	{
		NoiseQuestion *noise = read_noise_question(publication, question, true);

		begin();
		answer = make_noisy_answer(publication, question, noise, context);
		MemoryContextSwitchTo(old);
		MemoryContextDelete(work);
		return answer;
	}
	if (keeps_past(publication, PAST_PLACES))
		past_indexes_ensure(publication);	/* whomever it is about: when they are made would tell about how many */
	lock_history(publication);
	begin();
	build = release_or_nothing(publication, &scope, work, &error);
	answer = remember_answer(publication, build, error, stopwatch_seconds(&watch), context);
	MemoryContextSwitchTo(context);
	if (error != NULL && question->sees_errors)
	{
		ErrorData  *told = palloc0(sizeof(ErrorData));

		told->sqlerrcode = error->sqlerrcode;
		told->message = error->message == NULL ? NULL : pstrdup(error->message);
		told->detail = pstrdup("Others see an answer without rows, which was remembered.");
		answer->failure = told;
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(work);
	return answer;
}

/* ----------------------------------------------------------------
 * Numbers that a shard passes, since others have had more answers
 * ----------------------------------------------------------------
 */

/* Nobody can withdraw it. */
static void
begin_at_once(void)
{
}

/* shard_skip(publication, number): answers about nobody take the numbers before it.  Analysts see nothing of them. */
Datum
pprepub_shard_skip(PG_FUNCTION_ARGS)
{
	Question	question = {.name = text_argument(fcinfo, 0, "the name of a publication"), .request = {.cohort = "false", .by = NO_ROLE, .by_role = NO_ROLE}};
	DeclaredPublication *publication;
	int32		number;

	verify_not_null(fcinfo, 1, "the number of a release");
	verify_may_change("shard_skip()");
	number = PG_GETARG_INT32(1);
	publication = publication_open(question.name, ExclusiveLock);
	question.publication = publication->id;
	if (next_number(publication) > number)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the next release of publication \"%s\" has number %d, not %d", question.name, next_number(publication), number)));
	for (int32 next = next_number(publication); next < number; next++)
	{
		OwnersWork	work;

		CHECK_FOR_INTERRUPTS();
		work_begin(&work, publication->owner, GetTransactionSnapshot());
		(void) make_answer(&question, begin_at_once, work.context);
		work_close(&work);
	}
	PG_RETURN_VOID();
}
