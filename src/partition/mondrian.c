/*
 * mondrian.c
 *		From rows to classes, in five steps.
 *
 *		1. records.c			equal rows become one record
 *		2. mondrian_cuts.c	records are cut, from the top down, into blocks
 *		3. gather.c				a block's records are gathered, from the bottom up
 *		4. gather.c				rows move to groups where they lose less
 *		5. deal.c				groups that hold rows for several classes are dealt
 *
 * NOTES
 *		Each step leaves sets that the principle allows: a cut is taken only if
 *		all its parts are, and every later step asks before it takes a row away.
 */
#include "postgres.h"

#include "frame/arrays.h"
#include "miscadmin.h"
#include "partition/groups.h"
#include "partition/mondrian.h"
#include "shared/progress.h"
#include "utils/memutils.h"

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
	group_measure(work, group);
}

/* Cuts until blocks are small enough to be gathered, or cannot be cut. */
static void
cut_and_gather(Work *work)
{
	/* Later steps need the memory that the cutter takes. */
	MemoryContext cuts = AllocSetContextCreate(CurrentMemoryContext, "cuts", ALLOCSET_DEFAULT_SIZES);
	MemoryContext context = MemoryContextSwitchTo(cuts);
	Cutter	   *cutter = cutter_create(work);
	Gatherer   *gatherer = gatherer_create(work);
	Part		part;
	const uint32 *items;

	MemoryContextSwitchTo(context);
	while (next_part(cutter, &part, &items))
	{
		uint32		n = part.to - part.from;
		const Part *parts = NULL;
		uint32		nparts = 0;

		CHECK_FOR_INTERRUPTS();
		if (n <= (work->many_records ? SMALL_BLOCK : MAX_BLOCK))
			gather_records(gatherer, items, n);
		else if ((nparts = cut_part(cutter, part, &parts)) == 0)
			keep_together(work, items, n);
		for (uint32 i = 0; i < n && nparts == 0; i++)
			progress_step(record_rows(work->records, items[i]));
		leave_parts(cutter, part.from, parts, nparts);
	}
	MemoryContextDelete(cuts);
}

Classes *
mondrian(const Frame *frame, RowId *rows, uint64 nrows,
		 const Principle *principle, uint64 seed)
{
	MemoryContext context = CurrentMemoryContext;
	MemoryContext work_context = AllocSetContextCreate(context, "mondrian", ALLOCSET_DEFAULT_SIZES);
	Work	   *work;
	Classes    *classes = NULL;
	uint32		counted;
	bool		allowed;

	Assert(principle->nterms == 0 || principle->judging != NULL);
	MemoryContextSwitchTo(work_context);
	work = work_create(frame, records_collapse(frame, rows, nrows, seed), nrows, principle);
	/* If the rows are not allowed all together, nothing is. */
	if (work->monotonous)
	{
		allowed = count_until_allowed(work, 0, nrows, &counted);
		uncount_rows(work, 0, counted);
	}
	else
	{
		for (uint32 r = 0; r < work->records->nrecords; r++)
			add_record(work, work->tally, r);
		allowed = allowed_at_once(work);
	}
	if (allowed)
	{
		cut_and_gather(work);
		exchange_rows(work);
		classes = deal_classes(work, nrows, context);
	}
	MemoryContextSwitchTo(context);
	MemoryContextDelete(work_context);
	if (classes == NULL)
	{
		classes = palloc0(sizeof(Classes));
		classes->nqis = frame->nqis;
		classes->first = palloc0(sizeof(uint64));
		classes->rows = rows;
	}
	return classes;
}
