/*
 * first_look.c
 *		Counting what a source holds against what its publication needs.
 *
 * NOTES
 *		The source is read once, its key and its sensitive column alone, in the way
 *		that a release reads it: so keys and values are equal here if they are there.
 *		Writes of the source's own code are undone.
 */
#include "postgres.h"

#include "release/first_look.h"

#include "declare/attempt.h"
#include "declare/parameters.h"
#include "declare/work.h"
#include "frame/arrays.h"
#include "frame/load.h"
#include "method/m_distinct/sql/updates.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

typedef struct Look
{
	const DeclaredPublication *publication;
	uint64		rows;
	uint64		nulls;			/* of them, without a sensitive value */
	uint64		values;			/* that differ */
} Look;

static void
count(void *what)
{
	Look	   *look = what;
	const DeclaredPublication *publication = look->publication;
	OwnersWork	work;
	FrameLoad  *load;
	Frame		frame;
	Code	   *code;

	work_begin(&work, publication->owner, GetTransactionSnapshot());
	load = load_rows(publication, NULL, new_zeros(bool, publication->ncolumns), false, work.context);
	/* Values that others can become count, too. */
	(void) read_updates(publication, load);
	frame = load_peek(load, &code);
	look->rows = frame.nrows;
	look->values = frame.nsensitive;
	for (uint64 row = 0; row < frame.nrows; row++)
	{
		if (row % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		look->nulls += frame.sensitive[row] == NO_CODE;
	}
	work_end(&work);
	MemoryContextDelete(work.context);
}

/* Is it an error all the same: an interrupt, or keys that are declared as such, and are none? */
static bool
is_error(const ErrorData *error, bool is_declared)
{
	int			category = ERRCODE_TO_CATEGORY(error->sqlerrcode);

	return category == ERRCODE_OPERATOR_INTERVENTION ||
		(category == ERRCODE_INTEGRITY_CONSTRAINT_VIOLATION && is_declared);
}

static void
warn_of_failure(const DeclaredPublication *publication, const ErrorData *error)
{
	ereport(WARNING,
			(errmsg("the source of publication \"%s\" cannot be read", publication->name),
			 errdetail("%s", error->message),
			 errdetail_log("The error is shown to the owner only."),
			 errhint("Nothing can be published before it can.")));
}

static void
warn_of_too_few(const DeclaredPublication *publication, const char *what, uint64 n, int64 needed, const char *weaker)
{
	if (n >= (uint64) needed)
		return;
	ereport(WARNING,
			(errmsg("publication \"%s\" has too few %s", publication->name, what),
			 errdetail("It has " UINT64_FORMAT ", and its parameters need at least " INT64_FORMAT ".", n, needed),
			 errhint("Publish when there are more, or declare %s.", weaker)));
}

void
look_at_source(const DeclaredPublication *publication, Jsonb *before)
{
	const MethodDeclaration *method = method_declaration(publication->method);
	SourceNeeds needs = method->needs(param_values(method, publication->params));
	SourceNeeds former = {0};
	Look		look = {0};
	ErrorData  *error;

	if (before != NULL)
		former = method->needs(param_values(method, before));
	if (before != NULL && needs.rows <= former.rows && needs.values <= former.values)
		return;
	look.publication = publication_open_number(publication->id, AccessShareLock);
	error = attempt_undone(count, &look);
	if (error != NULL && is_error(error, before == NULL))
		ReThrowError(error);
	if (error != NULL)
		warn_of_failure(publication, error);
	if (error != NULL || look.rows == 0)
		return;					/* it may be filled later */
	if (needs.rows > former.rows)
		warn_of_too_few(publication, "rows", look.rows, needs.rows, needs.for_fewer_rows);
	if (needs.values > former.values)
		warn_of_too_few(publication, "different sensitive values",
						look.values + (needs.nulls_count ? look.nulls : 0), needs.values, needs.for_fewer_values);
}
