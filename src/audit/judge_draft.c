/*
 * judge_draft.c
 *		The last check of a draft before it may leave.
 *
 * NOTES
 *		A mistake in a partitioner or a method would publish what cannot be taken back, so it must become an error
 *		here.  That only works if the two do not share the mistake: nothing of partition/ is called but the principle's
 *		own verdict, and its tally is filled here, from the frame.
 *
 *		Errors may reach logs that others read.  They hold no value, no count and no row number.
 *
 *		Checks stand in an order that makes each safe to run: the shape before the rows, the rows before what is read
 *		at their place.
 */
#include "postgres.h"

#include "audit/judge_draft.h"
#include "frame/arrays.h"
#include "miscadmin.h"
#include "utils/memutils.h"

/* Rows that are looked at between two looks at the interrupts. */
#define ROWS_PER_INTERRUPT	65536

typedef struct Judge
{
	/* All borrowed */
	const Frame *frame;
	const Classes *classes;

	/* Owned */
	Principle	principle;
	uint8	   *seen;			/* a bit for each row of the frame */
	Tally	   *tally;			/* of the class at hand, else empty */
} Judge;

void
refuse_draft(uint32 c, const char *fault)
{
	ereport(ERROR,
			(errcode(ERRCODE_INTERNAL_ERROR),
			 errmsg("class %u of the draft failed its last check: %s", c, fault),
			 errdetail("Nothing was published."),
			 errhint("This is a bug in pprepub. Please report it, with the method and its parameters.")));
}

/* Refuses classes whose bounds cannot be read safely. */
static void
verify_shape(const Judge *judge)
{
	const Classes *classes = judge->classes;

	if (classes->nqis != judge->frame->nqis)
		refuse_draft(0, "it has a region over other quasi-identifiers");
	if (classes->nclasses > 0 && classes->first[0] != 0)
		refuse_draft(0, "its members do not begin where the rows do");
	for (uint32 c = 0; c < classes->nclasses; c++)
	{
		CHECK_FOR_INTERRUPTS();
		if (classes->first[c + 1] < classes->first[c])
			refuse_draft(c, "its members end before they begin");

		/* More members than rows cannot be all different; do not read them. */
		if (classes->first[c + 1] > judge->frame->nrows)
			refuse_draft(c, "it has more members than there are rows");
	}
}

/* Refuses members that are no rows of the frame, or that are in a class already. */
static void
verify_rows(Judge *judge, uint32 c)
{
	const Classes *classes = judge->classes;

	for (uint64 i = classes->first[c]; i < classes->first[c + 1]; i++)
	{
		RowId		row = classes->rows[i];
		uint8		bit = 1 << (row % 8);

		if (i % ROWS_PER_INTERRUPT == 0)
			CHECK_FOR_INTERRUPTS();
		if (row >= judge->frame->nrows)
			refuse_draft(c, "a member is not a row of the frame");
		if (judge->seen[row / 8] & bit)
			refuse_draft(c, "a member is in it twice, or in two classes");
		judge->seen[row / 8] |= bit;
	}
}

/* Refuses regions that leave the domain, that cannot be printed, or that members lie outside of. */
static void
verify_region(const Judge *judge, uint32 c)
{
	const Classes *classes = judge->classes;

	for (int q = 0; q < judge->frame->nqis; q++)
	{
		const Domain *domain = &judge->frame->domain[q];
		Span		cell = class_region(classes, c)[q];

		if (cell.lo > cell.hi || cell.hi >= domain->size)
			refuse_draft(c, "its region leaves the domain");
		if (!span_equal(domain_cover(domain, cell), cell))
			refuse_draft(c, "its region cannot be printed");
		for (uint64 i = classes->first[c]; i < classes->first[c + 1]; i++)
		{
			if (i % ROWS_PER_INTERRUPT == 0)
				CHECK_FOR_INTERRUPTS();
			if (!span_contains(cell, row_span(judge->frame, q, classes->rows[i])))
				refuse_draft(c, "a member lies outside its region");
		}
	}
}

/* Counts a member's value, which may be anything: the draft is not trusted. */
static void
count_value(Judge *judge, uint32 c, Code value)
{
	if (value != NO_CODE && value >= judge->frame->nsensitive)
		refuse_draft(c, "a member has an unknown sensitive value");
	tally_add(judge->tally, value);
}

/*
 * Counts the members one by one; the fast ways of partition/ are not to be trusted here.  An invented row hides the
 * true ones as well as they each other.
 */
static void
verify_principle(Judge *judge, uint32 c)
{
	const Classes *classes = judge->classes;

	for (uint64 i = classes->first[c]; i < classes->first[c + 1]; i++)
	{
		if (i % ROWS_PER_INTERRUPT == 0)
			CHECK_FOR_INTERRUPTS();
		count_value(judge, c, judge->frame->sensitive[classes->rows[i]]);
	}
	for (uint64 i = 0; i < class_counterfeits(classes, c); i++)
		count_value(judge, c, classes->counterfeit[classes->first_counterfeit[c] + i]);
	if (!principle_allows(&judge->principle, judge->tally))
		refuse_draft(c, "the principle does not allow it");
	tally_clear(judge->tally);
}

void
judge_classes(const Frame *frame, const Classes *classes, const Principle *principle)
{
	Judge		judge = {.frame = frame, .classes = classes};
	MemoryContext context = CurrentMemoryContext;
	MemoryContext work = AllocSetContextCreate(context, "judge", ALLOCSET_DEFAULT_SIZES);

	verify_shape(&judge);
	MemoryContextSwitchTo(work);
	judge.principle = principle_bound(principle, frame->nsensitive, frame->aspects);
	judge.seen = palloc_extended(frame->nrows / 8 + 1, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	judge.tally = tally_create(frame->nsensitive);
	for (uint32 c = 0; c < classes->nclasses; c++)
	{
		CHECK_FOR_INTERRUPTS();
		verify_rows(&judge, c);
		verify_region(&judge, c);
		verify_principle(&judge, c);
	}
	MemoryContextSwitchTo(context);
	MemoryContextDelete(work);
}
