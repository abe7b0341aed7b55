/*
 * invent.c
 *		Rows of nobody: how many, and what they show.
 *
 * NOTES
 *		Observers may know that somebody has left.  Were his value missing from then
 *		on where all others have those that they had, it would have been his: so
 *		whoever stands in for him shows what was shown of him.
 */
#include "postgres.h"

#include "method/bpg/bpg.h"
#include "miscadmin.h"
#include "utils/memutils.h"

static void
know_value(Bpg *bpg, Code value)
{
	if (value == NO_CODE || bpg->is_known[value])
		return;
	bpg->is_known[value] = true;
	bpg->known[bpg->nknown++] = value;
}

static void
know_rows(Bpg *bpg, const RowId *rows, uint64 n)
{
	for (uint64 i = 0; i < n; i++)
	{
		if (i % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		know_value(bpg, bpg->frame->sensitive[rows[i]]);
	}
}

/*
 * The values that leave by true rows, those of the newcomers to be cut among
 * them, and those that have left before.  Others would tell of somebody who is
 * withheld.
 */
static void
know_values(Bpg *bpg, uint64 newcomers)
{
	const Classes *classes = bpg->draft->classes;
	const Past *past = bpg->past;
	uint64		nvalues = past->nneighborhoods == 0 ? 0 : past->first_value[past->nneighborhoods];

	if (bpg->known != NULL)
		return;
	bpg->known = palloc_extended(sizeof(Code) * ((Size) bpg->frame->nsensitive + 1), MCXT_ALLOC_HUGE);
	bpg->is_known = palloc_extended(sizeof(bool) * ((Size) bpg->frame->nsensitive + 1), MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	know_rows(bpg, classes->rows, classes->first[classes->nclasses]);
	know_rows(bpg, bpg->rows, newcomers);
	for (uint64 i = 0; i < nvalues; i++)
		know_value(bpg, past->value[i]);
}

/* Any value, but first those that the class, which is in the tally, lacks; NULL where nothing else is known. */
static Code
invent_value(Bpg *bpg)
{
	Code		at;

	know_values(bpg, 0);
	if (bpg->nknown == 0)
		return NO_CODE;
	at = pg_prng_uint64_range(&bpg->random, 0, bpg->nknown - 1);
	for (Code step = 1; step < bpg->nknown && bpg->tally->values < bpg->l && bpg->tally->count[bpg->known[at]] > 0; step++)
		at = (at + 1) % bpg->nknown;
	return bpg->known[at];
}

/* What was shown last of a member of a neighborhood. */
static Code
last_shown(const Past *past, uint32 n, uint64 member)
{
	return past_values(past, n, past_epochs(past, n) - 1)[member - past->first[n]];
}

/* A value for an invented row of a class, and into the tally with it. */
static void
show_value(Bpg *bpg, uint64 i, Code value)
{
	bpg->draft->classes->counterfeit[i] = value;
	tally_add(bpg->tally, value);
}

static void
show_class(Bpg *bpg, uint32 c)
{
	const Classes *classes = bpg->draft->classes;
	const uint64 *stands_for = bpg->draft->stands_for;

	for (uint64 i = classes->first[c]; i < classes->first[c + 1]; i++)
		tally_add(bpg->tally, bpg->frame->sensitive[classes->rows[i]]);
	for (uint64 i = classes->first_counterfeit[c]; i < classes->first_counterfeit[c + 1]; i++)
		if (stands_for[i] != NO_MEMBER)
			show_value(bpg, i, last_shown(bpg->past, bpg->draft->parent[c], stands_for[i]));
	for (uint64 i = classes->first_counterfeit[c]; i < classes->first_counterfeit[c + 1]; i++)
		if (stands_for[i] == NO_MEMBER)
			show_value(bpg, i, invent_value(bpg));
}

/* Where people's values have become the same since, stand-ins must show what the class lacks, though they showed other values. */
static void
vary_stand_ins(Bpg *bpg, uint32 c)
{
	const Classes *classes = bpg->draft->classes;
	uint64		n = class_counterfeits(classes, c);
	uint64		from = bpg->tally->values < bpg->l ? pg_prng_uint64_range(&bpg->random, 0, n - 1) : 0;

	for (uint64 step = 0; step < n && bpg->tally->values < bpg->l; step++)
	{
		uint64		i = classes->first_counterfeit[c] + (from + step) % n;
		Code		value = classes->counterfeit[i];

		if (value != NO_CODE && bpg->tally->count[value] == 1)
			continue;
		tally_remove(bpg->tally, value);
		show_value(bpg, i, invent_value(bpg));
	}
}

static void
forget_class(Bpg *bpg, uint32 c)
{
	const Classes *classes = bpg->draft->classes;

	for (uint64 i = classes->first[c]; i < classes->first[c + 1]; i++)
		tally_remove(bpg->tally, bpg->frame->sensitive[classes->rows[i]]);
	for (uint64 i = classes->first_counterfeit[c]; i < classes->first_counterfeit[c + 1]; i++)
		tally_remove(bpg->tally, classes->counterfeit[i]);
}

void
invent_values(Bpg *bpg)
{
	const Classes *classes = bpg->draft->classes;

	if (classes->first_counterfeit[classes->nclasses] == 0)
		return;
	for (uint32 c = 0; c < classes->nclasses; c++)
	{
		if (class_counterfeits(classes, c) == 0)
			continue;
		CHECK_FOR_INTERRUPTS();
		show_class(bpg, c);
		vary_stand_ins(bpg, c);
		forget_class(bpg, c);
	}
}

/* Are there enough values to make any class diverse? */
static bool
may_invent(Bpg *bpg, uint64 n)
{
	if (bpg->repair != REPAIR_COUNTERFEIT)
		return false;
	know_values(bpg, n);
	return bpg->nknown > 0 && bpg->nknown >= bpg->l;
}

/* How many rows must be invented until these are allowed, with values that they lack first. */
static void
invent_rows(Bpg *bpg, uint64 n)
{
	uint64		lacking = n < bpg->k ? bpg->k - n : 0;
	uint64	   *stands_for;

	for (uint64 i = 0; i < n; i++)
		tally_add(bpg->tally, bpg->frame->sensitive[bpg->rows[i]]);
	if (bpg->l > 1 && bpg->tally->values < bpg->l)
		lacking = Max(lacking, bpg->l - bpg->tally->values);
	stands_for = invent_for_class(bpg, lacking);
	for (uint64 i = 0; i < lacking; i++)
		stands_for[i] = NO_MEMBER;
	add_class(bpg, bpg->rows, n, NULL);
	tally_clear(bpg->tally, bpg->frame);
}

bool
invent_company(Bpg *bpg, uint64 n)
{
	if (!may_invent(bpg, n))
		return false;
	invent_rows(bpg, n);
	return true;
}
