/*
 * invent.c
 *		Invented rows: how many, and what they show.
 *
 * NOTES
 *		Observers may know who is in the source, and so how many rows of a class are
 *		invented, though not which.
 *
 *		They know who has left.  Were his value missing from then on where all others
 *		have those that they had, it would have been his: so a row that stands in for
 *		him shows what was shown of him.  A new value beside it would be of those who
 *		have a true row, and of two such classes it would be of those who have one in the
 *		second only, who may be few.  So beside rows that stand in nobody shows anything new, nor
 *		in the release in which somebody comes back (sides.c).  A neighborhood whose values no
 *		release has shown has nothing that rows could stand in with: it is shown with nobody lacking, or parted.
 *
 *		Where shares of values are judged, not only how many there are, newcomers who get
 *		company must be allowed by themselves, and its values are theirs: observers who
 *		know the rules might find out more of who is true, when a part of the people is told from
 *		the others later.
 *
 *		No value is invented that has not left by a true row, nor NULL: where a
 *		class has as many such values as people, they are theirs.  And more rows
 *		than k lacks would tell how few values the people have.
 */
#include "postgres.h"

#include "frame/arrays.h"
#include "method/bpg/bpg.h"
#include "miscadmin.h"
#include "utils/memutils.h"

/* The value that the draft shows of a row. */
static Code
value_of_row(const Bpg *bpg, RowId row)
{
	return bpg->draft->shown == NULL ? bpg->frame->sensitive[row] : bpg->draft->shown[row];
}

static void
know_value(Bpg *bpg, Code value)
{
	if (value == NO_CODE || bpg->is_known[value])
		return;
	bpg->is_known[value] = true;
	bpg->known[bpg->nknown++] = value;
}

/* Adds the values of rows to those that invented rows may show. */
static void
know_rows(Bpg *bpg, const RowId *rows, uint64 n)
{
	for (uint64 i = 0; i < n; i++)
	{
		if (i % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		know_value(bpg, value_of_row(bpg, rows[i]));
	}
}

/*
 * The values that were shown last, and those that leave by true rows of the
 * classes so far.  Others would tell of a person who is withheld.
 */
static void
know_values(Bpg *bpg)
{
	const Classes *classes = bpg->draft->classes;
	const Past *past = bpg->past;

	if (bpg->known == NULL)
	{
		bpg->known = new_array(Code, bpg->frame->nsensitive);
		bpg->is_known = new_zeros(bool, bpg->frame->nsensitive);
		/* An older epoch than the last may be of a release that left values out. */
		for (uint32 n = 0; n < past->nneighborhoods; n++)
			for (uint64 i = past->first[n]; i < past->first[n + 1] && !past_is_untold(past, n); i++)
				know_value(bpg, last_shown(past, n, i));
	}
	know_rows(bpg, classes->rows + bpg->nread, classes->first[classes->nclasses] - bpg->nread);
	bpg->nread = classes->first[classes->nclasses];
}

static void
forget_known(Bpg *bpg, Code nknown)
{
	while (bpg->nknown > nknown)
		bpg->is_known[bpg->known[--bpg->nknown]] = false;
}

/* Any value, but first those that the class, which is in the tally, lacks; NULL where nothing else is known. */
static Code
invent_value(Bpg *bpg)
{
	Code		at;

	know_values(bpg);
	if (bpg->nknown == 0)
		return NO_CODE;
	at = pg_prng_uint64_range(&bpg->random, 0, bpg->nknown - 1);
	for (Code step = 1; step < bpg->nknown && bpg->tally->values < bpg->l && bpg->tally->count[bpg->known[at]] > 0; step++)
		at = (at + 1) % bpg->nknown;
	return bpg->known[at];
}

void
invent_values(Bpg *bpg)
{
	const Classes *classes = bpg->draft->classes;

	if (classes->first_counterfeit[classes->nclasses] == 0 || judges_shares(bpg))
		return;
	for (uint32 c = 0; c < classes->nclasses; c++)
	{
		if (class_counterfeits(classes, c) == 0 || bpg->draft->parent[c] != NO_NEIGHBORHOOD)
			continue;
		CHECK_FOR_INTERRUPTS();
		for (uint64 i = classes->first[c]; i < classes->first[c + 1]; i++)
			tally_add(bpg->tally, value_of_row(bpg, classes->rows[i]));
		for (uint64 i = classes->first_counterfeit[c]; i < classes->first_counterfeit[c + 1]; i++)
		{
			classes->counterfeit[i] = invent_value(bpg);
			tally_add(bpg->tally, classes->counterfeit[i]);
		}
		tally_clear(bpg->tally);
	}
}

bool
are_found(Bpg *bpg, uint64 n)
{
	Code		nknown;
	bool		found = bpg->l > 1;

	if (judges_shares(bpg))
		return false;
	know_values(bpg);
	nknown = bpg->nknown;
	for (uint64 i = 0; i < n && found; i++)
	{
		Code		value = bpg->frame->sensitive[bpg->rows[i]];

		found = value == NO_CODE || !bpg->is_known[value];
		know_rows(bpg, &bpg->rows[i], 1);
	}
	found &= bpg->nknown - nknown < bpg->l;
	forget_known(bpg, nknown);
	return found;
}

/* Counts the different values among the first n rows of the class in the making. */
static uint32
count_values(Bpg *bpg, uint64 n)
{
	uint32		values;

	for (uint64 i = 0; i < n; i++)
		tally_add(bpg->tally, bpg->frame->sensitive[bpg->rows[i]]);
	values = bpg->tally->values;
	tally_clear(bpg->tally);
	return values;
}

/* Are there enough values for as many invented rows as k lacks? */
static bool
may_invent(Bpg *bpg, uint64 n)
{
	Code		nknown;

	if (are_found(bpg, n))
		return false;
	nknown = bpg->nknown;
	know_rows(bpg, bpg->rows, n);
	if (bpg->nknown > 0 && bpg->nknown >= bpg->l && count_values(bpg, n) + bpg->k - n >= bpg->l)
		return true;
	forget_known(bpg, nknown);
	return false;
}

/* Where the values of invented rows go, by where it goes whom they stand for. */
static Code *
invented_values(const Bpg *bpg, const uint64 *stands_for)
{
	return bpg->draft->classes->counterfeit + (stands_for - bpg->draft->stands_for);
}

/* One of the values in the tally: the one with which the set lacks least. */
static Code
best_of_tally(Bpg *bpg)
{
	const Tally *tally = bpg->tally;
	uint32		from = pg_prng_uint64_range(&bpg->random, 0, tally->values - 1);
	Code		best = NO_CODE;
	double		least = 0;

	for (uint32 step = 0; step < tally->values; step++)
	{
		Code		value = tally->value[(from + step) % tally->values];
		double		lack;

		tally_add(bpg->tally, value);
		lack = principle_lack(&bpg->principle, tally);
		tally_remove(bpg->tally, value);
		if (best == NO_CODE || lack < least)
		{
			best = value;
			least = lack;
		}
	}
	return best;
}

/* Chooses values for as many rows as k lacks beside newcomers, who are in the tally; false if that cannot be allowed. */
static bool
choose_company(Bpg *bpg, uint64 n, Code *company)
{
	if (!principle_allows_values(&bpg->principle, bpg->tally))
		return false;
	for (uint64 i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		company[i] = best_of_tally(bpg);
		tally_add(bpg->tally, company[i]);
	}
	return principle_allows_values(&bpg->principle, bpg->tally);
}

/* Like may_invent(), where shares are judged; and chooses the values. */
static bool
may_keep_company(Bpg *bpg, uint64 n, Code *company)
{
	bool		allowed;

	for (uint64 i = 0; i < n; i++)
		tally_add(bpg->tally, bpg->frame->sensitive[bpg->rows[i]]);
	allowed = choose_company(bpg, bpg->k - n, company);
	tally_clear(bpg->tally);
	return allowed;
}

bool
invent_company(Bpg *bpg, uint64 n)
{
	bool		chosen = judges_shares(bpg);
	Code	   *company;
	uint64	   *stands_for;

	if (bpg->declared != REPAIR_COUNTERFEIT || n >= bpg->k || bpg->frame->shows_no_value || adds_too_much(bpg, bpg->k - n, bpg->k))
		return false;
	company = chosen ? new_array(Code, bpg->k - n) : NULL;
	if (chosen ? !may_keep_company(bpg, n, company) : !may_invent(bpg, n))
		return false;
	stands_for = invent_for_class(bpg, bpg->k - n);
	for (uint64 i = 0; i < bpg->k - n; i++)
		stands_for[i] = NO_MEMBER;
	if (chosen)
		memcpy(invented_values(bpg, stands_for), company, sizeof(Code) * (bpg->k - n));
	add_class(bpg, bpg->rows, n, NULL);
	return true;
}

/* Has a person show what was shown last. */
static void
show_held(Bpg *bpg, uint64 i)
{
	Draft	   *draft = bpg->draft;
	const Frame *frame = bpg->frame;

	if (draft->shown == NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(bpg->context);

		draft->shown = new_array(Code, frame->nrows);
		MemoryContextSwitchTo(old);
		memcpy(draft->shown, frame->sensitive, sizeof(Code) * frame->nrows);
	}
	draft->shown[row_of(bpg, i)] = last_shown(bpg->past, bpg->n, bpg->past->first[bpg->n] + i);
}

void
show_last_values(Bpg *bpg, const uint64 *stands_for, uint64 n)
{
	Code	   *values = invented_values(bpg, stands_for);

	for (uint64 i = 0; i < n; i++)
		values[i] = last_shown(bpg->past, bpg->n, stands_for[i]);
	for (uint64 i = 0; i < bpg->size; i++)
		if (bpg->fate[i] == HELD)
			show_held(bpg, i);
}
