/*
 * distribution.c
 *		Finding the distribution of a release, and refusing declared ones that are none.
 */
#include "release/release.h"

#include <math.h>

#include "access/xact.h"
#include "catalog/pg_type.h"
#include "declare/parameters.h"
#include "executor/spi.h"
#include "frame/arrays.h"
#include "history/recall.h"
#include "release/past_releases.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

#define PARAM DISTRIBUTION_NAME
#define SUM_TOLERANCE 1e-6

/* ----------------------------------------------------------------
 * Of a release
 * ----------------------------------------------------------------
 */

/* The load of a release of everybody, which is not an answer, is all of the source. */
static bool
is_whole(const Scope *scope)
{
	return scope->condition == NULL && !scope->is_lenient;
}

/* Adds what everybody in the source has: their keys and values are read, and forgotten. */
static void
find_in_source(Reference *reference, const DeclaredPublication *publication, bool is_lenient)
{
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "everybody", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(work);
	FrameLoad  *load = load_rows(publication, NULL, new_zeros(bool, publication->ncolumns), is_lenient, work);

	reference_find(reference, load, publication->releases + 1);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(work);
}

Reference *
read_distribution(const DeclaredPublication *publication, const Scope *scope)
{
	Principle	promised = principle_under(publication->method, publication->params);
	Reference  *reference;

	if (!principle_compares(&promised))
		return NULL;
	reference = reference_read(publication);
	if (reference->shares.n == 0 && publication->releases > 0)
	{
		/* An answer has no temporary files: their size would tell of the history, and a limit on it end the answer. */
		const Recalled *recalled = scope->is_lenient ? recall(publication) : recall_in_parts(publication);

		reference_recall(reference, publication, recalled);
		recalled_close(recalled);
	}
	if (reference->shares.n == 0 && !is_whole(scope))
		find_in_source(reference, publication, scope->is_lenient);
	return reference;
}

void
compare_with_distribution(const DeclaredPublication *publication, const Scope *scope, Reference *reference, FrameLoad *load)
{
	if (reference == NULL)
		return;
	if (is_whole(scope) && !reference->is_declared)
		reference_find(reference, load, publication->releases + 1);
	load_shares(load, &reference->shares);
}

/* Marks the codes of an aspect that have a share. */
static bool *
codes_with_shares(const Frame *frame, const Aspect *aspect)
{
	bool	   *has_share = new_zeros(bool, aspect->ncodes);

	for (Code value = 0; value < frame->nsensitive; value++)
	{
		Code		code = aspect->code == NULL ? value : aspect->code[value];

		if (code != NO_CODE)
			has_share[code] |= frame->aspects->share[value] > 0;
	}
	return has_share;
}

/* Raises an error about people who have a value of a column without a share. */
static void
verify_column_has_all(const DeclaredPublication *publication, const LoadedFrame *loaded, int c)
{
	const Frame *frame = &loaded->frame;
	const SensitiveColumn *column = &loaded->columns->column[c];
	const Aspect *aspect = &frame->aspects->aspect[c];
	bool	   *has_share = codes_with_shares(frame, aspect);
	Code		example = NO_CODE;
	uint64		people = 0;
	Oid			output;
	bool		varlena;

	for (uint64 row = 0; row < frame->nrows; row++)
	{
		Code		value = frame->sensitive[row];
		Code		code = value == NO_CODE || aspect->code == NULL ? value : aspect->code[value];

		if (code == NO_CODE || has_share[code])
			continue;
		example = code_in_column(column, value);
		people++;
	}
	pfree(has_share);
	if (people == 0)
		return;
	getTypeOutputInfo(column->column->type, &output, &varlena);
	ereport(ERROR,
			(errcode(ERRCODE_DATA_EXCEPTION),
			 errmsg("the declared distribution of publication \"%s\" lacks values of column \"%s\" that " UINT64_FORMAT " people have",
					publication->name, column->column->name, people),
			 errdetail("For example: \"%s\". Nobody who has one could be shown.", OidOutputFunctionCall(output, column->values[example])),
			 errdetail_log("Its values are told to the owner only."),
			 errhint("Declare a distribution that has them, or a view that turns them into others.")));
}

void
verify_distribution_has_all(const DeclaredPublication *publication, const Reference *reference, const LoadedFrame *loaded)
{
	Principle	promised = principle_under(publication->method, publication->params);

	if (reference == NULL || !reference->is_declared || !principle_needs_shares(&promised))
		return;
	for (int c = 0; c < loaded->columns->n; c++)
		verify_column_has_all(publication, loaded, c);
}

/* ----------------------------------------------------------------
 * Declared
 * ----------------------------------------------------------------
 */

void
verify_distance(const DeclaredPublication *publication)
{
	const MethodDeclaration *method = method_declaration(publication->method);

	if (find_parameter(method, "distance") == NULL || param_named(method, publication->params, "distance") != DISTANCE_ORDERED)
		return;
	for (int i = 0; i < publication->ncolumns; i++)
		if (is_sensitive(&publication->columns[i]) && !has_places(&publication->columns[i]))
			ereport(ERROR,
					(errcode(ERRCODE_DATATYPE_MISMATCH),
					 errmsg("values of column \"%s\" of type %s are in no order that \"distance\" could follow",
							publication->columns[i].name, format_type_be(publication->columns[i].type)),
					 errdetail("Numbers, dates, times and bands are."),
					 errhint("Leave \"distance\" out: each column is judged by its order if it has one.")));
}

/* How many rows of a table meet a condition. */
static int64
count_rows(Oid table, const char *condition)
{
	bool		isnull;

	if (SPI_execute(psprintf("SELECT count(*) FROM %s WHERE %s", quoted_relation(table), condition), false, 1) != SPI_OK_SELECT ||
		SPI_processed != 1)
		elog(ERROR, "could not look at a distribution");
	return DatumGetInt64(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull));
}

/* Raises an error if a row lacks its value or its share, or the share is none. */
static void
verify_rows(const DeclaredPublication *publication, Oid copy)
{
	StringInfoData incomplete;
	int64		rows;

	initStringInfo(&incomplete);
	appendStringInfoString(&incomplete, "share IS NULL");
	for (int i = 0; i < publication->ncolumns; i++)
		if (is_sensitive(&publication->columns[i]))
			appendStringInfo(&incomplete, " OR %s IS NOT DISTINCT FROM NULL", quote_identifier(publication->columns[i].name));
	rows = count_rows(copy, incomplete.data);
	if (rows > 0)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("the table that \"%s\" names has " INT64_FORMAT " row(s) without a value or a share", PARAM, rows),
				 errhint("Shares are of the people who have a value: NULL has none.")));
	rows = count_rows(copy, "NOT (share > 0 AND share <= 1)");	/* NaN is above all numbers */
	if (rows > 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the table that \"%s\" names has " INT64_FORMAT " row(s) with a share that is none", PARAM, rows),
				 errhint("Shares are greater than 0, and 1 at most; leave out values that nobody has.")));
}

/* Raises an error if a value stands in two rows, or the shares are not of all people. */
static void
verify_whole(const Reference *reference, Oid copy)
{
	int64		rows = count_rows(copy, "true");
	double		sum = 0;

	if (rows == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the table that \"%s\" names is empty", PARAM),
				 errhint("Each row has a value, and the share of the people who have it.")));
	if (reference->shares.n < rows)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the table that \"%s\" names has " INT64_FORMAT " row(s) with a value that another row has", PARAM,
						rows - reference->shares.n),
				 errhint("Each value has one row, with all of its share.")));
	for (uint32 i = 0; i < reference->shares.n; i++)
		sum += reference->shares.share[i];
	if (!(fabs(sum - 1) <= SUM_TOLERANCE))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the shares of the table that \"%s\" names sum to %.9g instead of 1", PARAM, sum),
				 errhint("Divide each by their sum, if no value is missing.")));
}

/* Do both give the same values the same shares? */
static bool
is_equal(const Reference *a, const Reference *b)
{
	bool		is_equal = a->shares.n == b->shares.n;

	for (uint32 i = 0; i < a->shares.n && is_equal; i++)
	{
		uint32		at = keys_find(b->values, a->shares.values[i]);

		is_equal = at != NO_KEY && a->shares.share[i] == b->shares.share[at];
	}
	return is_equal;
}

/* Were releases compared with another one? */
static bool
was_another(const DeclaredPublication *publication, const Reference *reference, Oid old_copy)
{
	if (publication->releases == 0)
		return false;
	if (OidIsValid(old_copy))
		return !is_equal(reference, reference_declared(publication, old_copy));
	return OidIsValid(reference_table(publication));
}

void
check_distribution(const DeclaredPublication *publication, Oid old_copy, Oid new_copy, bool accept_weakening)
{
	Reference  *reference;
	bool		is_other;

	CommandCounterIncrement();
	PushActiveSnapshot(GetLatestSnapshot());
	verify_rows(publication, new_copy);
	reference = reference_declared(publication, new_copy);
	verify_whole(reference, new_copy);
	is_other = was_another(publication, reference, old_copy);
	PopActiveSnapshot();
	if (is_other && !accept_weakening)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("another distribution might weaken what publication \"%s\" has promised", publication->name),
				 errdetail("Its releases were compared with the one so far; those to come would be compared with this one."),
				 errhint("If that is what you want, say so: add \"accept_weakening\": true to the parameters.")));
}
