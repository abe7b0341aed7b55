/*
 * build.c
 *		From a source to a draft that was judged and measured.
 */
#include "postgres.h"

#include "audit/judge.h"
#include "declare/parameters.h"
#include "declare/tables.h"
#include "frame/arrays.h"
#include "frame/load.h"
#include "history/fold.h"
#include "history/protected.h"
#include "method/m_distinct/sql/updates.h"
#include "method/sequential/sql/sequence.h"
#include "release/past_releases.h"
#include "release/promises.h"
#include "release/refusal.h"
#include "release/release.h"
#include "release/shuffle.h"
#include "release/stopwatch.h"
#include "utils/memutils.h"

static const uint64 *
count_counterfeits(const Classes *classes)
{
	uint64	   *counts = new_array(uint64, classes->nclasses);

	for (uint32 c = 0; c < classes->nclasses; c++)
		counts[c] = class_counterfeits(classes, c);
	return counts;
}

/* The rows of a cohort alone: which others does the method need for their protection? */
static void
load_wanted(Making *making, FrameLoad *load)
{
	const DeclaredPublication *publication = making->publication;
	const Method *method = find_method(publication->method);
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "who is wanted", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(work);
	uint32		nneighborhoods = making->fold->past.nneighborhoods;
	bool	   *wanted = new_zeros(bool, nneighborhoods);
	Code	   *code;
	Frame		frame = load_peek(load, &code);
	Past		past = peek_at_past(making->fold, code);

	if (method->want_helpers(&frame, &past, param_values(&method->declaration, publication->params), wanted) > 0)
		fetch_helpers(making->fold, load, wanted);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(work);
}

/* By code that shares nothing with what drafted it. */
static void
judge_draft(const Making *making, const Past *past)
{
	const DeclaredPublication *publication = making->publication;
	const Promise *promise = find_promise(publication);
	Principle	promised = principle_under(publication->method, publication->params);

	judge_classes(&making->loaded->frame, making->draft->classes, &promised);
	if (promise != NULL && promise->judge != NULL)
		promise->judge(publication, &making->loaded->frame, past, making->draft);
}

static void
draft_release(Making *making, const Past *past)
{
	const DeclaredPublication *publication = making->publication;
	const Method *method = find_method(publication->method);
	const Frame *frame = &making->loaded->frame;
	const int64 *params = param_values(&method->declaration, publication->params);
	Stopwatch	watch = stopwatch_start();

	making->draft = method->draft == NULL ? draft_in_sequence(publication, making->loaded) :
		method->draft(frame, past, params, random_seed());
	verify_not_refused(making);
	making->draft->suppressed += making->loaded->left_out;
	making->history_seconds += stopwatch_seconds(&watch) - making->draft->cutting_seconds;
}

/* What leaves, all cells of a column together. */
static void
note_leaving(const Making *making)
{
	const Classes *classes = making->draft->classes;

	for (int q = 0; q < classes->nqis; q++)
		for (uint32 c = 0; c < classes->nclasses; c++)
		{
			Span	   *leaving = &making->loaded->codings[q]->leaving;

			*leaving = c == 0 ? class_region(classes, c)[q] : span_hull(*leaving, class_region(classes, c)[q]);
		}
}

static void
measure(Making *making)
{
	const Draft *draft = making->draft;
	ReleaseCounts counts = {
		.suppressed = draft->suppressed,
		.dirty = draft->dirty,
		.counterfeits = count_counterfeits(draft->classes),
	};

	making->metrics = measure_release(&making->loaded->frame, draft->classes, &counts, draft->k);
}

void
measure_against_source(Making *making)
{
	if (making->request->cohort == NULL)
		return;
	read_widths(making->loaded, making->publication);
	measure(making);
}

/* From where the directory says; from end to end where there is none, or it is out of date. */
static Fold *
read_past(const DeclaredPublication *publication, Directory *directory, FrameLoad *load, bool is_all, MemoryContext context)
{
	Fold	   *fold = directory == NULL ? NULL : fold_look_up(publication, directory, load, context);

	return fold != NULL ? fold : fold_read(publication, load, is_all, context);
}

Making *
make_nothing(const DeclaredPublication *publication, const Scope *scope,
			 Directory *directory, MemoryContext context)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	Making	   *making = palloc0(sizeof(Making));

	making->publication = publication;
	making->request = scope->request;
	making->directory = directory;
	making->draft = palloc0(sizeof(Draft));
	making->draft->classes = palloc0(sizeof(Classes));
	MemoryContextSwitchTo(old);
	return making;
}

/* What parameters of the method name: see declare/tables.h. */
static void
load_tables(const DeclaredPublication *publication, FrameLoad *load)
{
	Oid			registry = copied_table(publication, "registry");

	if (OidIsValid(registry))
		load_registry(load, registry);
	load_protected_values(publication, load);
}

Making *
make_release(const DeclaredPublication *publication, const Scope *scope,
			 Directory *directory, MemoryContext context)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	Making	   *making = palloc0(sizeof(Making));
	Stopwatch	watch = stopwatch_start();
	FrameLoad  *load;
	UpdateRows *updates;
	const Past *past;

	making->publication = publication;
	making->request = scope->request;
	load = load_rows(publication, scope->condition, scope->shown, scope->is_lenient, context);
	load_tables(publication, load);
	making->load_seconds = stopwatch_lap(&watch);
	making->fold = read_past(publication, directory, load, scope->condition == NULL, context);
	making->directory = making->fold->directory;
	making->history_seconds = stopwatch_lap(&watch);
	if (scope->condition != NULL && making->fold->past.nneighborhoods > 0 &&
		find_method(publication->method)->want_helpers != NULL)
		load_wanted(making, load);
	updates = read_updates(publication, load);
	making->loaded = load_finish(load);
	making->load_seconds += stopwatch_lap(&watch);
	making->fold->past.updates = updates_in_frame(updates, making->loaded);
	past = fold_past(making->fold, making->loaded);
	making->history_seconds += stopwatch_lap(&watch);
	verify_updates(publication, making->loaded, past);
	draft_release(making, past);
	judge_draft(making, past);
	note_leaving(making);
	measure(making);
	making->partition_seconds = stopwatch_lap(&watch);
	making->memory = MemoryContextMemAllocated(context, true);
	MemoryContextSwitchTo(old);
	return making;
}

void
verify_something(const Making *making)
{
	const char *whole = making->request->cohort == NULL ? "source" : "cohort";

	if (making->draft->classes->nclasses > 0)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_NO_DATA_FOUND),
			 errmsg("publication \"%s\" has nothing that may be published",
					making->publication->name),
			 making->publication->releases == 0
			 ? errdetail("Not even all " UINT64_FORMAT " row(s) of the %s together satisfy its parameters.",
						 making->draft->suppressed, whole)
			 : errdetail("No part of the " UINT64_FORMAT " row(s) of the %s satisfies its parameters together with what was published before.",
						 making->draft->suppressed, whole),
			 making->request->cohort == NULL
			 ? errhint("Publish when there are more people, or more different sensitive values, or declare weaker parameters.")
			 : errhint("Ask for a larger cohort, or declare weaker parameters.")));
}

static char *
costliest_columns(const Making *making)
{
	int			costliest[3];
	int			n = costliest_qis(&making->metrics, making->loaded->frame.nqis,
								  costliest, lengthof(costliest));
	StringInfoData columns;

	initStringInfo(&columns);
	for (int i = 0; i < n; i++)
		appendStringInfo(&columns, "%s\"%s\"", i > 0 ? ", " : "",
						 making->loaded->codings[costliest[i]]->column->name);
	return columns.data;
}

void
warn_of_suppression(const Making *making)
{
	const Promise *promise = find_promise(making->publication);
	double		share = suppressed_share(&making->metrics);

	if (promise != NULL && promise->warn != NULL)
	{
		promise->warn(making);
		return;
	}
	if (share <= 0.5)
		return;
	ereport(WARNING,
			(errmsg("publication \"%s\" withholds %.1f %% of the rows",
					making->publication->name, 100.0 * share),
			 making->publication->releases == 0
			 ? errdetail("The quasi-identifiers that cost most are %s.", costliest_columns(making))
			 : errdetail("Together with what was published before, these rows would tell too much."),
			 making->publication->releases == 0
			 ? errhint("Declare fewer or coarser quasi-identifiers, or weaker parameters.")
			 : errhint("Invented rows, \"repair\": \"counterfeit\", take the places of those who have left;"
					   " larger classes, a larger \"reserve\", outlast more of them.")));
}
