/*
 * repair.c
 *		Moving members of a neighborhood from one side to the other until both
 *		are allowed.
 */
#include "postgres.h"

#include "method/bpg/bpg.h"
#include "miscadmin.h"

static inline bool
may_be_added(const Bpg *bpg, uint64 i)
{
	return !is_published(bpg, i) &&
		(bpg->repair == REPAIR_COUNTERFEIT ? bpg->frame->nsensitive > 0 : row_of(bpg, i) != NO_ROW);
}

/* Publishes a member who was not asked for, by a dirty or an invented row. */
static void
add_member(Bpg *bpg, uint64 i)
{
	set_fate(bpg, i, bpg->repair == REPAIR_COUNTERFEIT ? REPLACED : SHOWN);
}

static void
add_all(Bpg *bpg)
{
	for (uint64 i = 0; i < bpg->size; i++)
		if (may_be_added(bpg, i))
			add_member(bpg, i);
}

/*
 * The member who brings most of what one side lacks, among those who may
 * move to it; ties go to whoever comes first after a place drawn by lot.
 */
static uint64
find_helper(Bpg *bpg, bool published, bool (*may_move) (const Bpg *bpg, uint64 i))
{
	uint64		from = pg_prng_uint64_range(&bpg->random, 0, bpg->size - 1);
	uint64		best = NO_MEMBER;
	uint64		nepochs = bpg->l <= 1 ? 0 : past_epochs(bpg->past, bpg->n);
	uint32		most = 0;		/* that anybody can bring */

	for (uint64 epoch = 0; epoch < nepochs; epoch++)
		most += measure_gain(bpg, past_values(bpg->past, bpg->n, epoch), published, most == 0);
	for (uint64 step = 0, i = from; step < bpg->size; step++, i++)
	{
		if (i == bpg->size)
			i = 0;
		if (!may_move(bpg, i) || (best != NO_MEMBER && bpg->gain[i] <= bpg->gain[best]))
			continue;
		best = i;
		if (most == 0 || bpg->gain[best] == most)
			break;
	}
	return best;
}

static bool
may_be_withheld(const Bpg *bpg, uint64 i)
{
	return bpg->fate[i] == SHOWN;
}

/* Withholds as many of those who were asked for as it takes to hide the rest among them. */
static void
withhold(Bpg *bpg)
{
	uint64		published = count_side(bpg, true);

	while (published > bpg->k && !side_is_allowed(bpg, false))
	{
		uint64		i = find_helper(bpg, false, may_be_withheld);

		if (i == NO_MEMBER)
			return;
		CHECK_FOR_INTERRUPTS();
		set_fate(bpg, i, LEFT);
		published--;
	}
}

/* E0 - E1: who is left must be nobody, or allowed. */
static void
mend_rest(Bpg *bpg)
{
	bool		all = true;

	if (rest_is_safe(bpg))
		return;
	for (uint64 i = 0; i < bpg->size; i++)
		all &= is_published(bpg, i) || may_be_added(bpg, i);
	if (bpg->repair != REPAIR_NONE && all)
		add_all(bpg);
	else
		withhold(bpg);
}

/* E1 and its intersection with E0, which are the same here. */
static void
mend_published(Bpg *bpg)
{
	if (bpg->repair == REPAIR_NONE || side_is_allowed(bpg, true))
		return;
	while (bpg->repair != REPAIR_DIRTY && !side_is_allowed(bpg, true))
	{
		uint64		i = find_helper(bpg, true, may_be_added);

		if (i == NO_MEMBER)
			return;
		CHECK_FOR_INTERRUPTS();
		add_member(bpg, i);
	}
	if (bpg->repair == REPAIR_DIRTY || !rest_is_safe(bpg))
		add_all(bpg);
}

void
mend_sides(Bpg *bpg)
{
	mend_rest(bpg);
	mend_published(bpg);
}
