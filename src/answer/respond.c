/*
 * respond.c
 *		Checking a question, reading the source, writing the answer.
 *
 * NOTES
 *		The source is read in a subtransaction that writes nothing.  So one that
 *		fails leaves no trace: what is written afterwards is the same as for an
 *		empty cohort, down to the numbers of transactions.
 */
#include "answer/respond.h"

#include "answer/directory_cache.h"
#include "answer/limits.h"
#include "declare/subtransaction.h"
#include "executor/spi.h"
#include "history/answered.h"
#include "history/fold.h"
#include "history/log.h"
#include "release/release.h"
#include "release/stopwatch.h"
#include "storage/lmgr.h"
#include "utils/memutils.h"

static void
verify_is_committed(const Question *question)
{
	CatalogAccess access;

	catalog_enter(&access);
	if (catalog_read("SELECT FROM pprepub.catalog_publication WHERE publication = $1",
					 CATALOG_PARAM(INT4OID, Int32GetDatum(question->publication))) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("publication \"%s\" was declared, or dropped, by a transaction that others do not see yet",
						question->name),
				 errdetail("Answers are made in a transaction of their own."),
				 errhint("Commit first, and ask then.")));
	catalog_leave(&access);
}

/* Parsing a query takes its locks, down through views, and runs nothing of the source's. */
static void
lock_source(const DeclaredPublication *publication)
{
	SPIPlanPtr	plan = SPI_prepare(psprintf("SELECT FROM %s", quoted_relation(publication->pinned)), 0, NULL);

	if (plan == NULL)
		elog(ERROR, "could not parse a query of the source: %s", SPI_result_code_string(SPI_result));
	SPI_freeplan(plan);
}

/* What the answer will be written to: once it has begun, there is no more to wait for. */
static void
lock_history(const DeclaredPublication *publication)
{
	Oid			tables[] = {fold_of(publication), log_of(publication, LOG_OF_ANSWERS), answered_of(publication)};

	for (int i = 0; i < (int) lengthof(tables); i++)
		if (OidIsValid(tables[i]))
			LockRelationOid(tables[i], RowExclusiveLock);
}

/* Did this process give up waiting, or was it told to?  Not somebody whom the source's code asked, by NOWAIT or far away. */
static bool
is_interrupt(const ErrorData *error)
{
	return error->funcname != NULL && strcmp(error->funcname, "ProcessInterrupts") == 0;
}

/*
 * Is it the machine, and not the source, that is to blame?  What the server
 * itself says counts, not what a function of the source's claims to be.  A limit
 * that was set, as temp_file_limit, is reached by how much there is to read;
 * and reading alone neither fails to be serialized nor locks anything in a
 * circle: that is the doing of code that writes.
 */
static bool
is_infrastructure(const ErrorData *error)
{
	if (strcmp(error->domain, PG_TEXTDOMAIN("postgres")) != 0 ||
		error->sqlerrcode == ERRCODE_CONFIGURATION_LIMIT_EXCEEDED)
		return false;
	switch (ERRCODE_TO_CATEGORY(error->sqlerrcode))
	{
		case ERRCODE_INSUFFICIENT_RESOURCES:
		case ERRCODE_SYSTEM_ERROR:
			return true;
		case ERRCODE_OPERATOR_INTERVENTION:
			return is_interrupt(error);
		default:
			return error->sqlerrcode == ERRCODE_LOCK_NOT_AVAILABLE && is_interrupt(error);
	}
}

typedef struct Trying
{
	const DeclaredPublication *publication;
	const Scope *scope;
	MemoryContext context;
	ReleaseBuild *build;
} Trying;

static void
try_release(void *what)
{
	Trying	   *trying = what;

	SPI_connect();
	trying->build = build_release(trying->publication, trying->scope, kept_directory(trying->publication), trying->context);
	SPI_finish();
}

/* An error of the source's costs what an answer costs, and looks like one about nobody. */
static ReleaseBuild *
release_or_nothing(const DeclaredPublication *publication, const Scope *scope,
				   MemoryContext context, ErrorData **error)
{
	Trying		trying = {publication, scope, context, NULL};

	*error = try_in_subtransaction(try_release, &trying);
	if (*error == NULL)
		return trying.build;
	if (is_infrastructure(*error))
		ReThrowError(*error);
	return build_empty_release(publication, scope, kept_directory(publication), context);
}

Answer *
respond(const Question *question, MemoryContext context)
{
	Stopwatch	watch = stopwatch_start();
	MemoryContext work = AllocSetContextCreate(context, "answer in the making", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(work);
	DeclaredPublication *publication;
	Scope		scope;
	ErrorData  *error;
	ReleaseBuild *build;
	Answer	   *answer;

	verify_is_committed(question);
	publication = publication_open_number(question->publication, ExclusiveLock);
	verify_answers(publication);
	verify_answers_left(publication, question->request.by);
	verify_may_release(publication);
	scope = scope_of(publication, &question->request, true);
	lock_source(publication);
	verify_alone(publication);	/* it was not locked before */
	lock_history(publication);
	answer_begins();
	build = release_or_nothing(publication, &scope, work, &error);
	if (build->directory == NULL)
		kept_forget(publication->id);
	answer = remember_answer(publication, build, error, stopwatch_seconds(&watch), context);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(work);
	return answer;
}
