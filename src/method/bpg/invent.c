/*
 * invent.c
 *		Rows of nobody: how many, and what they show.
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

	if (bpg->nknown == 0)
		return NO_CODE;
	at = pg_prng_uint64_range(&bpg->random, 0, bpg->nknown - 1);
	for (Code step = 1; step < bpg->nknown && bpg->tally->values < bpg->l && bpg->tally->count[bpg->known[at]] > 0; step++)
		at = (at + 1) % bpg->nknown;
	return bpg->known[at];
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
	know_values(bpg, 0);
	for (uint32 c = 0; c < classes->nclasses; c++)
	{
		if (class_counterfeits(classes, c) == 0)
			continue;
		CHECK_FOR_INTERRUPTS();
		for (uint64 i = classes->first[c]; i < classes->first[c + 1]; i++)
			tally_add(bpg->tally, bpg->frame->sensitive[classes->rows[i]]);
		for (uint64 i = classes->first_counterfeit[c]; i < classes->first_counterfeit[c + 1]; i++)
		{
			classes->counterfeit[i] = invent_value(bpg);
			tally_add(bpg->tally, classes->counterfeit[i]);
		}
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
