/*
 * classes.c
 *		Classes of what is shown of a neighborhood, appended to the draft.
 */
#include "postgres.h"

#include "method/bpg/bpg.h"
#include "miscadmin.h"
#include "partition/mondrian.h"
#include "portability/instr_time.h"
#include "utils/memutils.h"

/* Cutting is what every release costs; all else is for the sake of the past. */
static void
note_cutting(Bpg *bpg, instr_time start)
{
	instr_time	now;

	INSTR_TIME_SET_CURRENT(now);
	INSTR_TIME_SUBTRACT(now, start);
	bpg->draft->cutting_seconds += INSTR_TIME_GET_DOUBLE(now);
}

void
add_class(Bpg *bpg, const RowId *rows, uint64 n, const Span *region)
{
	const Frame *frame = bpg->frame;
	instr_time	start;
	uint32		c;

	INSTR_TIME_SET_CURRENT(start);
	drafting_add_rows(bpg->drafting, rows, n);
	c = drafting_end_class(bpg->drafting, region);
	note_cutting(bpg, start);
	if (frame->asked != NULL)
		for (uint64 i = 0; i < n; i++)
			bpg->draft->dirty += !frame->asked[rows[i]];
	bpg->draft->parent[c] = bpg->n;
}

uint64 *
invent_for_class(Bpg *bpg, uint64 n)
{
	const Code *values = drafting_invent(bpg->drafting, n);

	return bpg->draft->stands_for + (values - bpg->draft->classes->counterfeit);
}

bool
were_allowed(Bpg *bpg, const RowId *rows, uint64 n)
{
	bool		allowed = true;
	uint64		nepochs = judges_values(bpg) && bpg->n != NO_NEIGHBORHOOD ? past_epochs(bpg->past, bpg->n) : 0;

	for (uint64 epoch = 0; epoch < nepochs && allowed; epoch++)
	{
		const Code *values = past_values(bpg->past, bpg->n, epoch);
		uint64		counted = 0;

		while (counted < n && !has_enough_values(bpg))
			tally_add(bpg->tally, values[bpg->member[rows[counted++]]]);
		allowed = principle_allows_values(&bpg->principle, bpg->tally);
		while (counted > 0)
			tally_remove(bpg->tally, values[bpg->member[rows[--counted]]]);
	}
	return allowed;
}

/* Are the classes allowed with the values that their members had in the past? */
static bool
allowed_in_past(Bpg *bpg, const Classes *classes)
{
	for (uint32 c = 0; c < classes->nclasses; c++)
		if (!were_allowed(bpg, classes->rows + classes->first[c], class_size(classes, c)))
			return false;
	return true;
}

bool
cut_rows(Bpg *bpg, RowId *rows, uint64 n)
{
	Principle	reserved = bpg->principle;
	Classes    *classes;
	MemoryContext old;
	instr_time	start;

	if (n < 2 * bpg->reserved && bpg->n != NO_NEIGHBORHOOD)
		return false;
	reserved.k = bpg->reserved;
	MemoryContextReset(bpg->cuts);
	old = MemoryContextSwitchTo(bpg->cuts);
	INSTR_TIME_SET_CURRENT(start);
	classes = mondrian(bpg->frame, rows, n, &reserved, bpg->seed);
	note_cutting(bpg, start);
	MemoryContextSwitchTo(old);
	if (classes->nclasses == 0 || !allowed_in_past(bpg, classes))
		return false;
	for (uint32 c = 0; c < classes->nclasses; c++)
	{
		CHECK_FOR_INTERRUPTS();
		add_class(bpg, classes->rows + classes->first[c], class_size(classes, c), class_region(classes, c));
	}
	return true;
}

void
publish_neighborhood(Bpg *bpg, uint64 n)
{
	uint64		nreplaced = count_side(bpg, true) - n;
	uint64	   *stands_for;
	uint64		filled = 0;

	if (may_be_parted(bpg) && !shows_nothing_new(bpg) && memchr(bpg->fate, HELD, bpg->size) == NULL && cut_by_layout(bpg, n))
		return;
	stands_for = invent_for_class(bpg, nreplaced);
	for (uint64 i = 0; i < bpg->size && filled < nreplaced; i++)
		if (bpg->fate[i] == REPLACED)
			stands_for[filled++] = bpg->past->first[bpg->n] + i;
	show_last_values(bpg, stands_for, nreplaced);
	add_class(bpg, bpg->rows, n, NULL);
}
