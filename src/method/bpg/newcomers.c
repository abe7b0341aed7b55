/*
 * newcomers.c
 *		Classes of people who were never published.
 *
 * NOTES
 *		Newcomers who leave together had better stand together: a class that
 *		leaves as a whole leaves nobody behind, so nobody is withheld for it, and
 *		no row invented.  So where it can be told who will leave together, they
 *		are parted by that before they are cut by anything else.
 *
 *		Then, for the sake of analysts who ask about some values of a
 *		quasi-identifier, classes are kept from mixing its values: an answer about
 *		one takes whole classes, and need not add rows of others, nor withhold.
 *
 *		Newcomers of several releases who wait for each other are laid out better
 *		than those of each alone, since no class ever has people of both.
 *
 *		The guarantee does not rest on any of this.  A set is parted from the others only
 *		if each of both is allowed as a class would be, which is all that cutting
 *		asks of sets of newcomers; each becomes classes as it would if nobody else
 *		had come; and the draft is judged like any other.
 */
#include "postgres.h"

#include "frame/arrays.h"
#include "method/bpg/bpg.h"
#include "miscadmin.h"

/* Sets of newcomers, which are cut apart: bpg->rows from end[i - 1] up to, not including, end[i]. */
typedef struct NewcomerSets
{
	uint64		n;
	uint64	   *end;			/* [n] */
} NewcomerSets;

/* Sorts rows by their codes, those without one last; returns how many have one. */
static uint64
sort_by_code(const RowGroups *groups, RowId *rows, uint64 n)
{
	RowId	   *before = new_array(RowId, n);
	uint32	   *group = new_array(uint32, n);
	uint32	   *place;
	uint64	   *first;
	uint64		known;

	memcpy(before, rows, sizeof(RowId) * n);
	for (uint64 i = 0; i < n; i++)
		group[i] = Min(groups->code[rows[i]], groups->ncodes);
	list_by_group(group, n, (uint64) groups->ncodes + 1, &first, &place);
	for (uint64 i = 0; i < n; i++)
		rows[i] = before[place[i]];
	known = first[groups->ncodes];
	pfree(before);
	pfree(group);
	pfree(place);
	pfree(first);
	return known;
}

/* Can these rows be a class of the reserve? */
static bool
is_allowed(Bpg *bpg, const RowId *rows, uint64 n)
{
	const Principle principle = principle_k_l(bpg->reserved, bpg->l);
	const Code *sensitive = bpg->frame->sensitive;
	bool		allowed;

	for (uint64 i = 0; i < n; i++)
		tally_add(bpg->tally, sensitive[rows[i]]);
	allowed = principle.allows(&principle, bpg->tally);
	for (uint64 i = 0; i < n; i++)
		tally_remove(bpg->tally, sensitive[rows[i]]);
	return allowed;
}

/* Where the rows with the same code as this one end; they are sorted by it. */
static uint64
end_of_run(const Code *code, const RowId *rows, uint64 from, uint64 n)
{
	uint64		to = from + 1;

	CHECK_FOR_INTERRUPTS();
	while (to < n && code[rows[to]] == code[rows[from]])
		to++;
	return to;
}

/* ----------------------------------------------------------------
 * By when they leave
 * ----------------------------------------------------------------
 */

/*
 * Appends sets of as few values each as make an allowed one, from rows that are sorted by
 * them; what remains joins the last.
 */
static void
append_sets(Bpg *bpg, NewcomerSets *sets, const Code *code, uint64 from, uint64 to)
{
	const Principle principle = principle_k_l(bpg->reserved, bpg->l);
	const Code *sensitive = bpg->frame->sensitive;
	const RowId *rows = bpg->rows;

	for (uint64 i = from; i < to; i++)
	{
		CHECK_FOR_INTERRUPTS();
		tally_add(bpg->tally, sensitive[rows[i]]);
		if ((i + 1 < to && code[rows[i + 1]] == code[rows[i]]) || !principle.allows(&principle, bpg->tally))
			continue;
		for (; from <= i; from++)
			tally_remove(bpg->tally, sensitive[rows[from]]);
		sets->end[sets->n++] = from;
	}
	for (; from < to; from++)
		tally_remove(bpg->tally, sensitive[rows[from]]);
	if (sets->n > 0)
		sets->end[sets->n - 1] = to;
}

/* People of whom it is not known when they leave are a set of their own, if they can be. */
static NewcomerSets
sets_by_leaving(Bpg *bpg, uint64 n)
{
	const RowGroups *leaves = bpg->frame->leaves;
	NewcomerSets sets = {0, new_array(uint64, n / bpg->reserved)};
	uint64		known;

	if (leaves == NULL)
	{
		sets.n = is_allowed(bpg, bpg->rows, n);
		sets.end[0] = n;
		return sets;
	}
	known = sort_by_code(leaves, bpg->rows, n);
	append_sets(bpg, &sets, leaves->code, 0, known);
	append_sets(bpg, &sets, leaves->code, sets.n == 0 ? 0 : known, n);
	return sets;
}

/* ----------------------------------------------------------------
 * By strata
 * ----------------------------------------------------------------
 */

/* Appends the smallest set to the rest, which comes behind the sets; those behind it close up.  Returns how many rows the rest has. */
static uint64
give_smallest(NewcomerSets *sets, RowId *rows, RowId *rest, uint64 nrest)
{
	uint64		smallest = 0;
	uint64		from = 0;
	uint64		size = sets->end[0];

	for (uint64 i = 1; i < sets->n; i++)
		if (sets->end[i] - sets->end[i - 1] < size)
		{
			smallest = i;
			from = sets->end[i - 1];
			size = sets->end[i] - from;
		}
	memcpy(rest + nrest, rows + from, sizeof(RowId) * size);
	memmove(rows + from, rows + from + size, sizeof(RowId) * (sets->end[sets->n - 1] - from - size));
	for (uint64 i = smallest + 1; i < sets->n; i++)
		sets->end[i - 1] = sets->end[i] - size;
	sets->n--;
	return nrest + size;
}

/* Each value is a set if it can be; the others are one together, with the smallest of those that could be if need be. */
static NewcomerSets
sets_by_stratum(Bpg *bpg, const RowGroups *stratum, RowId *rows, uint64 n)
{
	NewcomerSets sets = {0, new_array(uint64, n / bpg->reserved)};
	RowId	   *rest = new_array(RowId, n);
	uint64		nrest = 0;
	uint64		kept = 0;

	sort_by_code(stratum, rows, n);
	for (uint64 from = 0, to; from < n; from = to)
	{
		to = end_of_run(stratum->code, rows, from, n);
		if (is_allowed(bpg, rows + from, to - from))
		{
			memmove(rows + kept, rows + from, sizeof(RowId) * (to - from));
			sets.end[sets.n++] = kept += to - from;
			continue;
		}
		memcpy(rest + nrest, rows + from, sizeof(RowId) * (to - from));
		nrest += to - from;
	}
	if (nrest > 0 && sets.n > 0 && !is_allowed(bpg, rest, nrest))
		nrest = give_smallest(&sets, rows, rest, nrest);
	memcpy(rows + n - nrest, rest, sizeof(RowId) * nrest);
	if (nrest > 0)
		sets.end[sets.n++] = n;
	pfree(rest);
	return sets;
}

/* Cuts a set that is allowed: by the strata from this one on, as far as that can be, and then by all quasi-identifiers. */
static void
cut_set(Bpg *bpg, RowId *rows, uint64 n, int stratum)
{
	uint64		from = 0;
	NewcomerSets sets;

	if (n < 2 * bpg->reserved)
	{
		add_class(bpg, rows, n, NULL);
		return;
	}
	if (stratum == bpg->frame->nstrata)
	{
		choose_reserve(bpg, rows, n);
		if (!cut_rows(bpg, rows, n))
			elog(ERROR, "a set of newcomers that is allowed cannot be a class");
		forget_reserve(bpg);
		return;
	}
	sets = sets_by_stratum(bpg, &bpg->frame->strata[stratum], rows, n);
	for (uint64 i = 0; i < sets.n; i++)
	{
		cut_set(bpg, rows + from, sets.end[i] - from, stratum + 1);
		from = sets.end[i];
	}
	pfree(sets.end);
}

/* ----------------------------------------------------------------
 * All of them
 * ----------------------------------------------------------------
 */

/*
 * Cuts the first n of bpg->rows, newcomers, into classes as small as the reserve allows; false if they
 * cannot be a class at all.  A reserve that is to be chosen is chosen for each set by itself, so that it
 * is no reason to join strata.
 */
static bool
cut_newcomers(Bpg *bpg, uint64 n)
{
	uint64		from = 0;
	NewcomerSets sets;

	if (bpg->frame->leaves == NULL && bpg->frame->nstrata == 0)
	{
		choose_reserve(bpg, bpg->rows, n);
		return cut_rows(bpg, bpg->rows, n);
	}
	sets = sets_by_leaving(bpg, n);
	for (uint64 i = 0; i < sets.n; i++)
	{
		cut_set(bpg, bpg->rows + from, sets.end[i] - from, 0);
		from = sets.end[i];
	}
	pfree(sets.end);
	return sets.n > 0;
}

/* Only the number of a release decides, so that those who wait tell nothing. */
static bool
wait_for_more(const Bpg *bpg)
{
	return bpg->past->releases % bpg->gather != 0;
}

void
draft_newcomers(Bpg *bpg)
{
	const Frame *frame = bpg->frame;
	uint64		n = 0;

	bpg->n = NO_NEIGHBORHOOD;
	for (uint64 row = 0; row < frame->nrows; row++)
	{
		uint64		member = bpg->past->releases == 0 ? NO_MEMBER : bpg->past->member[row];

		if (!is_asked(frame, row))
			continue;
		bpg->draft->suppressed += member == LOST_MEMBER;
		bpg->draft->lost += member == LOST_MEMBER;
		if (member == NO_MEMBER)
			bpg->rows[n++] = row;
	}
	if (n == 0)
		return;
	if (wait_for_more(bpg))
	{
		bpg->draft->suppressed += n;
		bpg->draft->waiting += n;
		return;
	}
	forget_reserve(bpg);
	if (cut_newcomers(bpg, n))
		return;
	bpg->reserved = bpg->k;
	if (cut_newcomers(bpg, n))
		return;
	if (is_too_costly(bpg, n, 0))
		bpg->draft->given_up += n;
	else if (invent_company(bpg, n))
		return;
	bpg->draft->suppressed += n;
}
