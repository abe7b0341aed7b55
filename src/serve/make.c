/*
 * make.c
 *		From a source to a draft that was judged and measured.
 */
#include "postgres.h"

#include "audit/judge.h"
#include "declare/parameters.h"
#include "portability/instr_time.h"
#include "serve/release.h"
#include "serve/shuffle.h"
#include "utils/memutils.h"

static double
seconds_since(instr_time start)
{
	instr_time	now;

	INSTR_TIME_SET_CURRENT(now);
	INSTR_TIME_SUBTRACT(now, start);
	return INSTR_TIME_GET_DOUBLE(now);
}

static void
refuse_nothing(const Making *making)
{
	ereport(ERROR,
			(errcode(ERRCODE_NO_DATA_FOUND),
			 errmsg("publication \"%s\" has nothing that may be published",
					making->publication->name),
			 making->publication->releases == 0
			 ? errdetail("Not even all " UINT64_FORMAT " row(s) of the source together satisfy its parameters.",
						 making->loaded->frame.nrows)
			 : errdetail("No part of the " UINT64_FORMAT " row(s) of the source satisfies its parameters together with what was published before.",
						 making->loaded->frame.nrows),
			 errhint("Publish when there are more people, or more different sensitive values, or declare weaker parameters.")));
}

static const uint64 *
count_counterfeits(const Classes *classes)
{
	uint64	   *counts = palloc_extended(sizeof(uint64) * ((Size) classes->nclasses + 1), MCXT_ALLOC_HUGE);

	for (uint32 c = 0; c < classes->nclasses; c++)
		counts[c] = class_counterfeits(classes, c);
	return counts;
}

static void
draft_release(Making *making)
{
	const DeclaredPublication *publication = making->publication;
	const Method *method = find_method(publication->method);
	const Frame *frame = &making->loaded->frame;
	Draft	   *draft;
	ReleaseCounts counts = {0};

	draft = method->draft(frame, fold_past(making->fold, making->loaded),
						  param_values(&method->declaration, publication->params), random_seed());
	making->draft = draft;
	if (draft->classes->nclasses == 0)
		refuse_nothing(making);
	judge_classes(frame, draft->classes, &draft->principle);
	counts.suppressed = draft->suppressed;
	counts.dirty = draft->dirty;
	counts.counterfeits = count_counterfeits(draft->classes);
	making->metrics = measure_release(frame, draft->classes, &counts, draft->k);
}

Making *
make_release(const DeclaredPublication *publication, MemoryContext context)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	Making	   *making = palloc0(sizeof(Making));
	FrameLoad  *load;
	instr_time	start;

	making->publication = publication;
	INSTR_TIME_SET_CURRENT(start);
	load = load_rows(publication, context);
	making->fold = fold_read(publication, load, context);
	making->loaded = load_finish(load);
	making->load_seconds = seconds_since(start);

	INSTR_TIME_SET_CURRENT(start);
	draft_release(making);
	making->partition_seconds = seconds_since(start);
	making->memory = MemoryContextMemAllocated(context, true);
	MemoryContextSwitchTo(old);
	return making;
}

void
warn_of_suppression(const Making *making)
{
	double		share = suppressed_share(&making->metrics);
	int			costliest[3];
	int			n = costliest_qis(&making->metrics, making->loaded->frame.nqis,
								  costliest, lengthof(costliest));
	StringInfoData columns;

	if (share <= 0.5)
		return;
	initStringInfo(&columns);
	for (int i = 0; i < n; i++)
		appendStringInfo(&columns, "%s\"%s\"", i > 0 ? ", " : "",
						 making->loaded->codings[costliest[i]]->column->name);
	ereport(WARNING,
			(errmsg("publication \"%s\" withholds %.1f %% of the rows",
					making->publication->name, 100.0 * share),
			 errdetail("The quasi-identifiers that cost most are %s.", columns.data),
			 errhint("Declare fewer or coarser quasi-identifiers, or weaker parameters.")));
}
