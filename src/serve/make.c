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
			 errdetail("Not even all " UINT64_FORMAT " row(s) of the source together satisfy its parameters.",
					   making->loaded->frame.nrows),
			 errhint("Publish when there are more people, or more different sensitive values, or declare weaker parameters.")));
}

static void
draft_release(Making *making)
{
	const DeclaredPublication *publication = making->publication;
	const Method *method = find_method(publication->method);
	const Frame *frame = &making->loaded->frame;
	Draft	   *draft;
	ReleaseCounts counts = {0};

	draft = method->draft(frame, param_values(&method->declaration, publication->params),
						  random_seed());
	making->draft = draft;
	if (draft->classes->nclasses == 0)
		refuse_nothing(making);
	judge_classes(frame, draft->classes, &draft->principle);
	counts.suppressed = draft->suppressed;
	counts.dirty = draft->dirty;
	counts.counterfeits = draft->counterfeits;
	making->metrics = measure_release(frame, draft->classes, &counts, draft->k);
}

Making *
make_release(const DeclaredPublication *publication, MemoryContext context)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	Making	   *making = palloc0(sizeof(Making));
	instr_time	start;

	making->publication = publication;
	INSTR_TIME_SET_CURRENT(start);
	making->loaded = load_frame(publication, context);
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
	const Metrics *metrics = &making->metrics;
	double		asked = metrics->rows - metrics->dirty + metrics->suppressed;
	StringInfoData costly;
	const double *loss = metrics->lm_by_qi;

	if (metrics->suppressed <= asked / 2)
		return;
	initStringInfo(&costly);
	for (int place = 0; place < Min(3, making->loaded->frame.nqis); place++)
	{
		int			worst = -1;

		/* the place-th largest loss: as many columns lose more */
		for (int q = 0; q < making->loaded->frame.nqis; q++)
		{
			int			above = 0;

			for (int other = 0; other < making->loaded->frame.nqis; other++)
				above += loss[other] > loss[q] || (loss[other] == loss[q] && other < q);
			if (above == place)
				worst = q;
		}
		appendStringInfo(&costly, "%s\"%s\"", place > 0 ? ", " : "",
						 making->loaded->codings[worst]->column->name);
	}
	ereport(WARNING,
			(errmsg("publication \"%s\" withholds %.1f %% of the rows",
					making->publication->name, 100.0 * metrics->suppressed / asked),
			 errdetail("The quasi-identifiers that cost most are %s.", costly.data),
			 errhint("Declare fewer or coarser quasi-identifiers, or weaker parameters.")));
}
