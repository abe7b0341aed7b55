/*
 * build.c
 *		From a source to a draft that was judged and measured.
 */
#include "postgres.h"

#include "release/release.h"

#include "audit/judge_draft.h"
#include "audit/places_judge.h"
#include "declare/parameters.h"
#include "declare/warn_owner.h"
#include "frame/arrays.h"
#include "frame/load.h"
#include "frame/print.h"
#include "history/fold.h"
#include "history/past_tables.h"
#include "miscadmin.h"
#include "partition/changed_rows.h"
#include "release/past_releases.h"
#include "shared/progress.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

uint64
count_sensitive_values(const Frame *frame)
{
	uint64		values = frame->nsensitive;

	for (int a = 0; frame->aspects != NULL && a < frame->aspects->n; a++)
		values = a == 0 ? frame->aspects->aspect[a].ncodes : Min(values, frame->aspects->aspect[a].ncodes);
	return values;
}

uint64
count_without_value(const Frame *frame)
{
	uint64		n = 0;

	for (uint64 row = 0; row < frame->nrows; row++)
	{
		if (row % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		n += frame->sensitive[row] == NO_CODE;
	}
	return n;
}

/* The word for rows of a frame. */
static const char *
rows_in_words(const DeclaredPublication *publication)
{
	return has_several_rows(publication) ? "people" : "row(s)";
}

/*
 * An error, for the owner, if all rows of the source are too few for a first
 * release, or have too few sensitive values: with the numbers, and what to
 * declare instead.
 */
static void
verify_needs(const DeclaredPublication *publication, const Frame *frame)
{
	const MethodDeclaration *method = method_declaration(publication->method);
	SourceNeeds needs = method->needs(param_values(method, publication->params));
	int64		values = count_sensitive_values(frame) + (needs.nulls_count ? count_without_value(frame) : 0);
	bool		lacks_rows = (int64) frame->nrows < needs.rows;

	if (!lacks_rows && values >= needs.values)
		return;
	if (frame->nrows == 0)
		ereport(ERROR,
				(errcode(ERRCODE_NO_DATA_FOUND),
				 errmsg("publication \"%s\" has nothing that may be published", publication->name),
				 errdetail("The source has no rows that role \"%s\", its owner, can see.", GetUserNameFromId(publication->owner, false)),
				 errhint("Publish when there are some.")));
	ereport(ERROR,
			(errcode(ERRCODE_NO_DATA_FOUND),
			 errmsg("publication \"%s\" has nothing that may be published", publication->name),
			 lacks_rows
			 ? errdetail("The source has " UINT64_FORMAT " %s, and its parameters need at least " INT64_FORMAT ".",
						 frame->nrows, rows_in_words(publication), needs.rows)
			 : errdetail("The source has " INT64_FORMAT " different sensitive value(s), and its parameters need at least " INT64_FORMAT ".",
						 values, needs.values),
			 errhint("Publish when there are more, or declare %s: pprepub.alter_publication().",
					 lacks_rows ? needs.for_fewer_rows : needs.for_fewer_values)));
}

/* The rows of a cohort alone: which others does the method need for their protection? */
static void
load_wanted(ReleaseBuild *build, FrameLoad *load)
{
	const DeclaredPublication *publication = build->publication;
	const Method *method = find_method(publication->method);
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "who is wanted", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(work);
	bool	   *wanted = new_zeros(bool, build->fold->places.ngroups);
	Code	   *code;
	Frame		frame = load_peek(load, &code);
	Past		past = peek_at_past(build->fold, &frame, code);

	progress_phase("read helpers", NO_TOTAL);
	if (method->want_helpers(&frame, &past, param_values(&method->declaration, publication->params), wanted) > 0)
		fetch_helpers(build->fold, load, wanted);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(work);
}

/* By code that shares nothing with what drafted it. */
static void
judge_draft(const ReleaseBuild *build, const Past *past)
{
	const DeclaredPublication *publication = build->publication;
	const MethodSql *sql = find_method_sql(publication->method);
	Principle	promised = principle_under(publication->method, publication->params);

	judge_classes(&build->loaded->frame, build->draft->classes, &promised);
	if (sql->judge != NULL)
		sql->judge(publication, &build->loaded->frame, past, build->draft);
}

/* Rows of people who show those of an earlier day: shown and gone, or there and not shown. */
static uint64
count_stale_rows(const Draft *draft, const Frame *frame)
{
	uint64		n = 0;

	if (draft->shown == NULL || !has_row_values(frame->aspects))
		return 0;
	for (uint64 i = 0; i < draft->classes->first[draft->classes->nclasses]; i++)
	{
		RowId		row = draft->classes->rows[i];

		if (i % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		if (draft->shown[row] != frame->sensitive[row])
			n += count_other_rows(frame->aspects, draft->shown[row], frame->sensitive[row]);
	}
	return n;
}

/* Has the method draft, in SQL or by frame and past; an error, for the owner, if it refuses. */
static void
draft_release(ReleaseBuild *build, const Past *past, uint64 seed)
{
	const DeclaredPublication *publication = build->publication;
	const Method *method = find_method(publication->method);
	const MethodSql *sql = find_method_sql(publication->method);
	const int64 *params = param_values(&method->declaration, publication->params);
	Stopwatch	watch = stopwatch_start();

	progress_phase("draft", NO_TOTAL);
	build->draft = method->draft == NULL ? sql->draft(publication, build->loaded) :
		method->draft(&build->loaded->frame, past, params, seed);
	if (sql->verify_not_refused != NULL)
		sql->verify_not_refused(build);
	if (build->draft->group != NULL)
	{
		Principle	promised = principle_under(build->publication->method, build->publication->params);

		/* Where people sit is judged, too: values of today tell it beside those that are shown. */
		judge_places(&build->loaded->frame, past, places_shown(build->draft), &promised, promised.k,
					 shows_true_rows(build->publication->method, build->publication->params));
	}
	build->draft->stale_rows = count_stale_rows(build->draft, &build->loaded->frame);
	frame_take_shown(&build->loaded->frame, build->draft);
	build->loaded->sensitive.code = build->loaded->frame.sensitive;
	build->draft->suppressed += build->loaded->left_out;
	build->history_seconds += stopwatch_seconds(&watch) - build->draft->cutting_seconds;
}

/*
 * Notes for each column the cell that covers all cells that leave, and then has the ends of ranges rounded.  A method that
 * drafts in SQL has judged its cells as they would be printed without.
 */
static void
note_cells(const ReleaseBuild *build)
{
	const Classes *classes = build->draft->classes;
	bool		drafts_in_sql = find_method(build->publication->method)->draft == NULL;

	for (int q = 0; q < classes->nqis; q++)
	{
		Coding	   *coding = build->loaded->codings[q];
		bool	   *is_end;

		for (uint32 c = 0; c < classes->nclasses; c++)
			coding->leaving = c == 0 ? class_region(classes, c)[q] : span_hull(coding->leaving, class_region(classes, c)[q]);
		if (drafts_in_sql || coding->column->kind != KIND_RANGE || coding->step != NULL)
			continue;
		is_end = new_zeros(bool, coding->domain->size);
		for (uint32 c = 0; c < classes->nclasses; c++)
		{
			Span		cell = class_region(classes, c)[q];

			if (!is_withheld(coding, cell))
				is_end[cell.lo] = is_end[cell.hi] = true;
		}
		round_ends(coding, is_end);
		pfree(is_end);
	}
}

/* Computes the metrics of the draft. */
static void
measure(ReleaseBuild *build)
{
	const Draft *draft = build->draft;
	uint64	   *counterfeits = new_array(uint64, draft->classes->nclasses);
	ReleaseCounts counts = {
		.suppressed = draft->suppressed,
		.waiting = draft->waiting,
		.retired = draft->retired,
		.hidden = draft->hidden,
		.dirty = draft->dirty,
		.stale = draft->stale,
		.unrefreshed = draft->unrefreshed,
		.kept_back = build->loaded->kept_back,
		.stale_rows = draft->stale_rows,
		.counterfeits = counterfeits,
	};

	for (uint32 c = 0; c < draft->classes->nclasses; c++)
		counterfeits[c] = class_counterfeits(draft->classes, c);
	build->metrics = measure_release(&build->loaded->frame, draft->classes, &counts, draft->k);
}

void
measure_against_source(ReleaseBuild *build)
{
	if (build->request->cohort == NULL)
		return;
	progress_phase("measure by source", NO_TOTAL);
	read_source_widths(build->loaded->codings, build->loaded->frame.nqis, build->publication);
	measure(build);
}

ReleaseBuild *
build_empty_release(const DeclaredPublication *publication, const Scope *scope, MemoryContext context)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	ReleaseBuild *build = palloc0(sizeof(ReleaseBuild));

	build->publication = publication;
	build->request = scope->request;
	build->reference = scope->reference;
	build->draft = palloc0(sizeof(Draft));
	build->draft->classes = palloc0(sizeof(Classes));
	MemoryContextSwitchTo(old);
	return build;
}

ReleaseBuild *
load_release(const DeclaredPublication *publication, const Scope *scope, MemoryContext context)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	ReleaseBuild *build = palloc0(sizeof(ReleaseBuild));
	Stopwatch	watch = stopwatch_start();
	const MethodSql *sql = find_method_sql(publication->method);
	FrameLoad  *load;
	void	   *updates;
	bool		is_weaker;

	build->publication = publication;
	build->request = scope->request;
	load = load_rows(publication, scope->condition, scope->shown, scope->is_lenient, context);
	if (sql->load_tables != NULL)
		sql->load_tables(publication, load);
	build->load_seconds = stopwatch_lap(&watch);
	progress_phase("read history", publication->remembered);
	is_weaker = publication->releases > 0 && keeps_past(publication, PAST_PLACES) && was_weaker(publication);
	build->fold = fold_read(publication, load, scope->condition == NULL, is_weaker, context);
	build->reference = scope->reference != NULL ? scope->reference : read_distribution(publication, scope);
	compare_with_distribution(publication, scope, build->reference, load);
	build->history_seconds = stopwatch_lap(&watch);
	if (scope->condition != NULL && build->fold->places.ngroups > 0 &&
		find_method(publication->method)->want_helpers != NULL)
		load_wanted(build, load);
	updates = sql->read_updates == NULL ? NULL : sql->read_updates(publication, load);
	build->loaded = load_finish(load);
	if (!scope->is_lenient)
		verify_distribution_has_all(publication, build->reference, build->loaded);
	build->load_seconds += stopwatch_lap(&watch);
	progress_phase("guard history", NO_TOTAL);
	(void) fold_past(build->fold, build->loaded);
	build->loaded->frame.shows_no_value = shows_last_values(publication, scope->shown);
	build->fold->past.is_whole = scope->condition == NULL;
	build->fold->past.is_answer = scope->is_lenient;
	build->fold->past.founds_none = scope->is_lenient && has_release_of_everybody(publication);
	build->fold->past.was_weaker = is_weaker;
	if (sql->apply_updates != NULL)
		sql->apply_updates(publication, updates, build->loaded, &build->fold->past);
	build->history_seconds += stopwatch_lap(&watch);
	MemoryContextSwitchTo(old);
	return build;
}

void
draft_and_measure(ReleaseBuild *build, const Past *past, uint64 seed)
{
	draft_release(build, past, seed);
	progress_phase("judge draft", NO_TOTAL);
	judge_draft(build, past);
	note_cells(build);
	progress_phase("measure draft", NO_TOTAL);
	measure(build);
}

ReleaseBuild *
build_release(const DeclaredPublication *publication, const Scope *scope, MemoryContext context)
{
	ReleaseBuild *build = load_release(publication, scope, context);
	MemoryContext old = MemoryContextSwitchTo(context);
	Stopwatch	watch = stopwatch_start();

	draft_and_measure(build, &build->fold->past, random_seed());
	build->partition_seconds = stopwatch_lap(&watch);
	build->memory = MemoryContextMemAllocated(context, true);
	MemoryContextSwitchTo(old);
	return build;
}

void
verify_something(const ReleaseBuild *build)
{
	const char *whole = build->request->cohort == NULL ? "source" : "cohort";

	if (build->draft->classes->nclasses > 0)
		return;
	if (build->request->cohort == NULL && build->publication->releases == 0)
		verify_needs(build->publication, &build->loaded->frame);
	ereport(ERROR,
			(errcode(ERRCODE_NO_DATA_FOUND),
			 errmsg("publication \"%s\" has nothing that may be published",
					build->publication->name),
			 build->publication->releases == 0
			 ? errdetail("Not even all " UINT64_FORMAT " %s of the %s together satisfy its parameters.",
						 build->draft->suppressed, rows_in_words(build->publication), whole)
			 : errdetail("No part of the " UINT64_FORMAT " %s of the %s satisfies its parameters together with what was published before.",
						 build->draft->suppressed, rows_in_words(build->publication), whole),
			 build->request->cohort == NULL
			 ? errhint("Publish when there are more people, or more different sensitive values, or declare weaker parameters%s.",
					   has_several_rows(build->publication) ? ", or a smaller max_rows" : "")
			 : errhint("Ask for a larger cohort, or declare weaker parameters.")));
}

/* The quasi-identifiers that lose most, in words. */
static char *
costliest_columns(const ReleaseBuild *build)
{
	int			costliest[3];
	int			n = costliest_qis(&build->metrics, build->loaded->frame.nqis,
								  costliest, lengthof(costliest));
	StringInfoData columns;

	initStringInfo(&columns);
	for (int i = 0; i < n; i++)
		appendStringInfo(&columns, "%s\"%s\"", i > 0 ? ", " : "",
						 build->loaded->codings[costliest[i]]->column->name);
	return columns.data;
}

#define SAYS_NOTHING 0.95

void
notice_of_empty_columns(const ReleaseBuild *build)
{
	const Metrics *metrics = &build->metrics;
	uint32		nqis = build->loaded->frame.nqis;
	StringInfoData columns;
	uint32		n = 0;

	initStringInfo(&columns);
	for (uint32 q = 0; q < nqis; q++)
		if (metrics->lm_by_qi[q] > SAYS_NOTHING * metrics->rows)
			appendStringInfo(&columns, "%s\"%s\"", n++ > 0 ? ", " : "", build->loaded->codings[q]->column->name);
	if (n > 0)
		ereport(NOTICE,
				(errmsg("the release says next to nothing about %u of %u quasi-identifiers: %s", n, nqis, columns.data),
				 errdetail("Their cells lose more than %.0f %% of what the values say.", 100 * SAYS_NOTHING),
				 n < nqis
				 ? errhint("Without them the others keep more: name those to be shown in columns => '{…}', or publish fewer columns.")
				 : errhint("Publish more people, coarser or fewer quasi-identifiers, or declare weaker parameters.")));
}

void
notice_of_rows_kept_back(const ReleaseBuild *build)
{
	if (build->metrics.kept_back > 0)
		ereport(NOTICE,
				(errmsg(UINT64_FORMAT " row(s) stay back, of people who have more than %d", build->metrics.kept_back, build->publication->max_rows),
				 errdetail("A sample of each person's rows is shown."),
				 errhint("A publication that shows more is declared with a larger max_rows.")));
}

/* Explains what is withheld of a table that has releases. */
static char *
why_withheld(const ReleaseBuild *build)
{
	const Draft *draft = build->draft;
	StringInfoData words;

	initStringInfo(&words);
	appendStringInfoString(&words, "Together with what was published before, these rows would tell too much.");
	if (draft->waiting > 0)
		appendStringInfo(&words, " " UINT64_FORMAT " people wait for a free place that shows their value, or for others to form a group with.",
						 draft->waiting);
	if (draft->retired > 0)
		appendStringInfo(&words, " " UINT64_FORMAT " people are in groups that are not shown any more, since most of their places are free.",
						 draft->retired);
	if (draft->hidden > 0)
		appendStringInfo(&words, " " UINT64_FORMAT " people are in groups that are not shown now: places are free or not asked for, or more is promised than before.",
						 draft->hidden);
	return words.data;
}

/* The hint for what is withheld, or NULL where nothing helps. */
static const char *
what_to_do(const ReleaseBuild *build)
{
	const DeclaredPublication *publication = build->publication;
	const MethodDeclaration *method = method_declaration(publication->method);

	if (publication->releases == 0)
		return "Declare fewer or coarser quasi-identifiers, or weaker parameters.";
	if (method->without_stand_ins == NULL || build->request->cohort != NULL)
		return NULL;
	if (shows_true_rows(publication->method, publication->params))
		return psprintf("Let invented rows take the places of those who have left: pprepub.alter_publication(%s, '{\"repair\": \"counterfeit\"}').",
						quote_literal_cstr(publication->name));
	return "A larger \"reserve\" makes larger groups of those who come, and helps little where many wait: docs/howto/parameters.md tells what helps.";
}

void
warn_of_suppression(const ReleaseBuild *build)
{
	const DeclaredPublication *publication = build->publication;
	const MethodSql *sql = find_method_sql(publication->method);
	double		share = suppressed_share(&build->metrics);

	if (sql->warn != NULL)
	{
		sql->warn(build);
		return;
	}
	/* A small share is worth it, too, where departures cost it and it grows with each of them. */
	if (method_declaration(publication->method)->without_stand_ins == NULL ? share <= 0.5 : share < 0.05)
		return;
	warn_owner(publication, &(OwnerWarning) {
		.message = psprintf("publication \"%s\" withholds %.1f %% of the rows", publication->name, 100.0 * share),
		.detail = publication->releases == 0
			? psprintf("The quasi-identifiers that cost most are %s.", costliest_columns(build))
			: why_withheld(build),
		.hint = what_to_do(build),
		.starves = true,
	});
}
