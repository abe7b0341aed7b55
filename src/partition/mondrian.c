/*
 * mondrian.c
 *		From rows to classes, in five steps.
 *
 *		1. records.c		equal rows become one record
 *		2. cuts.c			records are cut, from the top down, into blocks; cut_runs.c lays them out
 *		3. gather.c			a block's records are gathered, from the bottom up
 *		4. exchange_rows.c	rows move to groups where they lose less
 *		5. deal.c			groups that hold rows for several classes are dealt
 *
 * NOTES
 *		Each step leaves sets that the principle allows: a cut is taken only if
 *		all its parts are, and every later step asks before it takes a row away.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "shared/progress.h"
#include "utils/memutils.h"

#include "frame/arrays.h"
#include "partition/groups.h"
#include "partition/mondrian.h"

/* A block that is too large to be gathered is one group; it will be dealt. */
static void
keep_together(Work *work, const uint32 *items, uint32 nitems)
{
	const uint32 *first = work->records->first;
	uint32		group = group_create(work);

	for (uint32 i = nitems; i-- > 0;)
	{
		uint32		piece = piece_create(work, items[i], first[items[i]],
										 first[items[i] + 1], work->groups[group].head);

		CHECK_FOR_INTERRUPTS();
		work->groups[group].head = piece;
	}
	group_measure(work, &work->groups[group], group_hull(work, group));
}

/* Cuts until blocks are small enough to be gathered, or cannot be cut. */
static void
cut_and_gather(Work *work)
{
	/* Later steps need the memory that the records on the stack take. */
	MemoryContext cuts = AllocSetContextCreate(CurrentMemoryContext, "cuts", ALLOCSET_DEFAULT_SIZES);
	MemoryContext context = MemoryContextSwitchTo(cuts);
	Cutter	   *cutter = cutter_create(work);
	Gatherer   *gatherer = gatherer_create(work);
	CutStack	stack = cut_stack_create(work->records);

	MemoryContextSwitchTo(context);
	while (stack.depth > 0)
	{
		Part		part = cut_stack_pop(&stack);
		uint32	   *items = stack.items + part.from;
		uint32		n = part.to - part.from;
		const Part *parts = NULL;
		uint32		nparts = 0;

		CHECK_FOR_INTERRUPTS();
		if (n <= most_gathered(work))
			gather_records(gatherer, items, n);
		else if ((nparts = cut_records(cutter, &stack, part, &parts)) == 0)
			keep_together(work, items, n);
		for (uint32 i = part.from; i < part.to && nparts == 0; i++)
			progress_step(stack.nrows[i]);
		cut_stack_push(&stack, part.from, parts, nparts);
	}
	MemoryContextDelete(cuts);
}

/* Are the rows allowed all together?  If not, nothing is. */
static bool
all_allowed(Work *work, uint64 nrows)
{
	uint32		counted;
	bool		allowed;

	if (!work->monotonous)
	{
		for (uint32 r = 0; r < work->records->nrecords; r++)
			add_record(work, work->tally, r);
		return allowed_at_once(work);
	}
	allowed = count_until_allowed(work, 0, nrows, &counted);
	uncount_rows(work, 0, counted);
	return allowed;
}

/* Returns a partition without classes, for rows of which none can be made. */
static Classes *
no_classes(const Frame *frame, RowId *rows)
{
	Classes    *classes = palloc0(sizeof(Classes));

	classes->nqis = frame->nqis;
	classes->first = palloc0(sizeof(uint64));
	classes->rows = rows;
	return classes;
}

Classes *
mondrian(const Frame *frame, RowId *rows, uint64 nrows,
		 const Principle *principle, uint64 seed)
{
	MemoryContext context = CurrentMemoryContext;
	MemoryContext work_context = AllocSetContextCreate(context, "mondrian", ALLOCSET_DEFAULT_SIZES);
	Work	   *work;
	Classes    *classes = NULL;

	Assert(principle->nterms == 0 || principle->judging != NULL);
	MemoryContextSwitchTo(work_context);
	work = work_create(frame, records_collapse(frame, rows, nrows, seed), nrows, principle);
	if (all_allowed(work, nrows))
	{
		cut_and_gather(work);
		exchange_rows(work);
		classes = deal_classes(work, nrows, context);
	}
	MemoryContextSwitchTo(context);
	MemoryContextDelete(work_context);
	return classes != NULL ? classes : no_classes(frame, rows);
}
