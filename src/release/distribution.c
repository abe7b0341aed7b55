/*
 * distribution.c
 *		Finding the distribution of a release, and refusing declared ones that are none.
 */
#include "release/release.h"

#include "access/xact.h"
#include "declare/parameters.h"
#include "executor/spi.h"
#include "frame/arrays.h"
#include "history/recall.h"
#include "release/past_releases.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

/* The load of a release of everybody, which is not an answer, is all of the source. */
static bool
is_whole(const Scope *scope)
{
	return scope->condition == NULL && !scope->is_lenient;
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
	{
		/* The keys and values of everybody in the source are read, and forgotten. */
		MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "everybody", ALLOCSET_DEFAULT_SIZES);
		MemoryContext old = MemoryContextSwitchTo(work);

		reference_find(reference, load_rows(publication, NULL, new_zeros(bool, publication->ncolumns), scope->is_lenient, work),
					   publication->releases + 1);
		MemoryContextSwitchTo(old);
		MemoryContextDelete(work);
	}
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

/* Raises an error about people who have a value of a column without a share. */
static void
verify_column_has_all(const DeclaredPublication *publication, const LoadedFrame *loaded, int c)
{
	const Frame *frame = &loaded->frame;
	const SensitiveColumn *column = &loaded->columns->column[c];
	const Aspect *aspect = &frame->aspects->aspect[c];
	bool	   *has_share = new_zeros(bool, aspect->ncodes);
	Code		example = NO_CODE;
	uint64		people = 0;

	for (Code value = 0; value < frame->nsensitive; value++)
	{
		Code		code = aspect->code == NULL ? value : aspect->code[value];

		if (code != NO_CODE)
			has_share[code] |= frame->aspects->share[value] > 0;
	}
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
	ereport(ERROR,
			(errcode(ERRCODE_DATA_EXCEPTION),
			 errmsg("the declared distribution of publication \"%s\" lacks values of column \"%s\" that " UINT64_FORMAT " people have",
					publication->name, column->column->name, people),
			 errdetail("For example: \"%s\". Nobody who has one could be shown.", value_text(column->column->type, column->values[example])),
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

/* Were releases compared with another one? */
static bool
was_another(const DeclaredPublication *publication, Oid old_copy, Oid new_copy)
{
	char	   *new = quoted_relation(new_copy);
	char	   *old;

	if (publication->releases == 0 || !OidIsValid(old_copy))
		return publication->releases > 0 && OidIsValid(reference_table(publication));
	old = quoted_relation(old_copy);
	if (SPI_execute(psprintf("(TABLE %s EXCEPT TABLE %s) UNION ALL (TABLE %s EXCEPT TABLE %s) LIMIT 1", new, old, old, new), true, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not compare two distributions");
	return SPI_processed > 0;
}

void
check_distribution(const DeclaredPublication *publication, Oid old_copy, Oid new_copy, bool accept_weakening)
{
	bool		is_other;

	CommandCounterIncrement();
	PushActiveSnapshot(GetLatestSnapshot());
	if (SPI_execute(psprintf("SELECT pprepub_internal.wrong_distribution(%u) AS wrong", new_copy), true, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not look at a distribution");
	catalog_raise();
	is_other = was_another(publication, old_copy, new_copy);
	PopActiveSnapshot();
	if (is_other && !accept_weakening)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("another distribution might weaken what publication \"%s\" has promised", publication->name),
				 errdetail("Its releases were compared with the one so far; those to come would be compared with this one."),
				 errhint("If that is what you want, say so: add \"accept_weakening\": true to the parameters.")));
}
