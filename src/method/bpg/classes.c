/*
 * classes.c
 *		Classes of what is shown of a neighborhood, appended to the draft.
 */
#include "postgres.h"

#include "method/bpg/bpg.h"
#include "miscadmin.h"
#include "partition/mondrian.h"
#include "partition/region.h"
#include "portability/instr_time.h"
#include "utils/memutils.h"

static void
make_room(Bpg *bpg, uint64 counterfeits)
{
	Draft	   *draft = bpg->draft;
	Classes    *classes = draft->classes;
	int			nqis = Max(1, classes->nqis);

	if (classes->nclasses + 1 >= bpg->classes_allocated)
	{
		bpg->classes_allocated = Max(1024, bpg->classes_allocated * 2);
		classes->first = repalloc_huge(classes->first, sizeof(uint64) * bpg->classes_allocated);
		classes->regions = repalloc_huge(classes->regions, sizeof(Span) * nqis * bpg->classes_allocated);
		draft->parent = repalloc_huge(draft->parent, sizeof(uint32) * bpg->classes_allocated);
		classes->first_counterfeit = repalloc_huge(classes->first_counterfeit,
												   sizeof(uint64) * bpg->classes_allocated);
	}
	counterfeits += classes->first_counterfeit[classes->nclasses];
	if (counterfeits > bpg->counterfeits_allocated)
	{
		bpg->counterfeits_allocated = Max(1024, counterfeits * 2);
		classes->counterfeit = repalloc_huge(classes->counterfeit,
											 sizeof(Code) * bpg->counterfeits_allocated);
		draft->stands_for = repalloc_huge(draft->stands_for,
										  sizeof(uint64) * bpg->counterfeits_allocated);
	}
}

/* Cutting is what every release costs; all else is for the sake of the past. */
static void
note_cutting(Bpg *bpg, instr_time start)
{
	instr_time	now;

	INSTR_TIME_SET_CURRENT(now);
	INSTR_TIME_SUBTRACT(now, start);
	bpg->draft->cutting_seconds += INSTR_TIME_GET_DOUBLE(now);
}

/* Appends a class of these rows; its counterfeits are added afterwards. */
static uint32
add_class(Bpg *bpg, const RowId *rows, uint64 n, const Span *region, uint64 counterfeits)
{
	const Frame *frame = bpg->frame;
	Classes    *classes = bpg->draft->classes;
	uint32		c = classes->nclasses;
	instr_time	start;

	make_room(bpg, counterfeits);
	memcpy(classes->rows + classes->first[c], rows, sizeof(RowId) * n);
	INSTR_TIME_SET_CURRENT(start);
	if (region == NULL)
		rows_region(frame, rows, n, &classes->regions[(Size) c * classes->nqis]);
	else
		memcpy(&classes->regions[(Size) c * classes->nqis], region, sizeof(Span) * classes->nqis);
	note_cutting(bpg, start);
	if (frame->asked != NULL)
		for (uint64 i = 0; i < n; i++)
			bpg->draft->dirty += !frame->asked[rows[i]];
	bpg->draft->parent[c] = bpg->n;
	classes->nclasses++;
	classes->first[c + 1] = classes->first[c] + n;
	classes->first_counterfeit[c + 1] = classes->first_counterfeit[c];
	return c;
}

uint32
add_class_of_rows(Bpg *bpg, uint64 n, uint64 counterfeits)
{
	return add_class(bpg, bpg->rows, n, NULL, counterfeits);
}

/* Its value is drawn when it is known what else leaves. */
void
add_counterfeit(Bpg *bpg, uint32 c, uint64 stands_for)
{
	bpg->draft->stands_for[bpg->draft->classes->first_counterfeit[c + 1]++] = stands_for;
}

/* Are the classes allowed with the values that their members had in the past? */
static bool
allowed_in_past(Bpg *bpg, const Classes *classes)
{
	bool		allowed = true;
	uint64		nepochs = bpg->l <= 1 || bpg->n == NO_NEIGHBORHOOD ? 0 : past_epochs(bpg->past, bpg->n);

	for (uint64 epoch = 0; epoch < nepochs && allowed; epoch++)
	{
		const Code *values = past_values(bpg->past, bpg->n, epoch);

		for (uint32 c = 0; c < classes->nclasses && allowed; c++)
		{
			for (uint64 i = classes->first[c]; i < classes->first[c + 1]; i++)
				tally_add(bpg->tally, values[bpg->member[classes->rows[i]]]);
			allowed = bpg->tally->values >= bpg->l;
			for (uint64 i = classes->first[c]; i < classes->first[c + 1]; i++)
				tally_remove(bpg->tally, values[bpg->member[classes->rows[i]]]);
		}
	}
	return allowed;
}

bool
cut_rows(Bpg *bpg, uint64 n)
{
	Principle	reserved = principle_k_l(bpg->reserved, bpg->l);
	Classes    *classes;
	MemoryContext old;
	instr_time	start;

	if (n < 2 * bpg->reserved && bpg->n != NO_NEIGHBORHOOD)
		return false;
	MemoryContextReset(bpg->cuts);
	old = MemoryContextSwitchTo(bpg->cuts);
	INSTR_TIME_SET_CURRENT(start);
	classes = mondrian(bpg->frame, bpg->rows, n, &reserved, bpg->seed);
	note_cutting(bpg, start);
	MemoryContextSwitchTo(old);
	if (classes->nclasses == 0 || !allowed_in_past(bpg, classes))
		return false;
	for (uint32 c = 0; c < classes->nclasses; c++)
	{
		CHECK_FOR_INTERRUPTS();
		(void) add_class(bpg, classes->rows + classes->first[c], class_size(classes, c),
						 class_region(classes, c), 0);
	}
	return true;
}

void
publish_neighborhood(Bpg *bpg)
{
	uint64		nrows = 0;
	uint64		nreplaced = 0;
	uint32		c;

	for (uint64 i = 0; i < bpg->size; i++)
	{
		nreplaced += bpg->fate[i] == REPLACED;
		if (bpg->fate[i] != SHOWN)
			continue;
		bpg->member[row_of(bpg, i)] = i;
		bpg->rows[nrows++] = row_of(bpg, i);
	}
	if (nreplaced == 0 && cut_rows(bpg, nrows))
		return;
	c = add_class_of_rows(bpg, nrows, nreplaced);
	for (uint64 i = 0; i < bpg->size && nreplaced > 0; i++)
		if (bpg->fate[i] == REPLACED)
			add_counterfeit(bpg, c, bpg->past->first[bpg->n] + i);
}
