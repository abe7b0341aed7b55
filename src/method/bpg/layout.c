/*
 * layout.c
 *		Parting people by when they leave, and by what analysts ask about, before
 *		classes are cut.
 *
 * NOTES
 *		People who leave together had better stand together: a class that
 *		leaves as a whole leaves nobody behind, so nobody is withheld for it, and
 *		no row invented.  So where it can be told who will leave together, they
 *		are parted by that before they are cut by anything else.
 *
 *		Then, for the sake of analysts who ask about some values of a
 *		quasi-identifier, classes are kept from mixing its values: an answer about
 *		one takes whole classes, and need not add rows of others, nor withhold.
 *
 *		Newcomers are laid out so, and neighborhoods that are large enough to be cut
 *		again: those that came before the layout was declared, in larger classes.
 *
 *		The guarantee does not rest on any of this.  A set is parted from the others only
 *		if each of both is allowed as a class would be, with the values of all releases that
 *		it was in, which is all that cutting asks; each becomes classes as it would if there
 *		were nobody else; and the draft is judged like any other.
 */
#include "postgres.h"

#include "frame/arrays.h"
#include "method/bpg/bpg.h"
#include "miscadmin.h"
#include "shared/progress.h"

/* Sets of rows, which are cut apart: rows from end[i - 1] up to, not including, end[i]. */
typedef struct RowSets
{
	uint64		n;
	uint64	   *end;			/* [n] */
} RowSets;

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

/* The rows that a set has at least: a reserve that is to be chosen is no reason to join strata. */
static uint64
least_of_set(const Bpg *bpg)
{
	return bpg->reserve == AUTO_RESERVE ? bpg->k : bpg->reserved;
}

static Principle
principle_of_set(const Bpg *bpg)
{
	Principle	principle = bpg->principle;

	principle.k = least_of_set(bpg);
	return principle;
}

static void
count_values(Bpg *bpg, const RowId *rows, uint64 n)
{
	for (uint64 i = 0; i < n; i++)
		tally_add(bpg->tally, bpg->frame->sensitive[rows[i]]);
}

static void
uncount_values(Bpg *bpg, const RowId *rows, uint64 n)
{
	for (uint64 i = 0; i < n; i++)
		tally_remove(bpg->tally, bpg->frame->sensitive[rows[i]]);
}

/* Can these rows be a set? */
static bool
is_allowed(Bpg *bpg, const RowId *rows, uint64 n)
{
	const Principle principle = principle_of_set(bpg);
	bool		allowed;

	count_values(bpg, rows, n);
	allowed = principle_allows(&principle, bpg->tally);
	uncount_values(bpg, rows, n);
	return allowed && were_allowed(bpg, rows, n);
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

/* The last set takes in the rows behind it; if it must not, the one before it takes in both, and so on. */
static void
take_in(Bpg *bpg, RowSets *sets, uint64 to)
{
	bool		allowed = sets->n == 0 || sets->end[sets->n - 1] == to || principle_is_monotonous(&bpg->principle);

	for (; sets->n > 0; sets->n--)
	{
		uint64		from = sets->n == 1 ? 0 : sets->end[sets->n - 2];

		sets->end[sets->n - 1] = to;
		if (allowed || is_allowed(bpg, bpg->rows + from, to - from))
			return;
	}
}

/*
 * Appends sets of as few values each as make an allowed one, from rows that are sorted by
 * them; what remains joins the last.  One that had too few values in the past is looked at
 * again when it has doubled, so that all of them together take a time that grows with the rows.
 */
static void
append_sets(Bpg *bpg, RowSets *sets, const Code *code, uint64 from, uint64 to)
{
	const Principle principle = principle_of_set(bpg);
	const RowId *rows = bpg->rows;
	uint64		least = 0;

	for (uint64 i = from; i < to; i++)
	{
		uint64		n = i + 1 - from;

		CHECK_FOR_INTERRUPTS();
		tally_add(bpg->tally, bpg->frame->sensitive[rows[i]]);
		if ((i + 1 < to && code[rows[i + 1]] == code[rows[i]]) || n < least || !principle_allows(&principle, bpg->tally))
			continue;
		uncount_values(bpg, rows + from, n);
		if (were_allowed(bpg, rows + from, n))
		{
			sets->end[sets->n++] = from = i + 1;
			least = 0;
			continue;
		}
		count_values(bpg, rows + from, n);
		least = 2 * n;
	}
	uncount_values(bpg, rows + from, to - from);
	take_in(bpg, sets, to);
}

/* People of whom it is not known when they leave are a set of their own, if they can be. */
static RowSets
sets_by_leaving(Bpg *bpg, uint64 n)
{
	const RowGroups *leaves = bpg->frame->leaves;
	RowSets		sets = {0, new_array(uint64, n / least_of_set(bpg))};
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
give_smallest(RowSets *sets, RowId *rows, RowId *rest, uint64 nrest)
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
static RowSets
sets_by_stratum(Bpg *bpg, const RowGroups *stratum, RowId *rows, uint64 n)
{
	RowSets		sets = {0, new_array(uint64, n / least_of_set(bpg))};
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
	while (nrest > 0 && sets.n > 0 && !is_allowed(bpg, rest, nrest))
		nrest = give_smallest(&sets, rows, rest, nrest);
	memcpy(rows + n - nrest, rest, sizeof(RowId) * nrest);
	if (nrest > 0)
		sets.end[sets.n++] = n;
	pfree(rest);
	return sets;
}

/* Cuts a set by all quasi-identifiers; newcomers with a reserve of their own, if it is to be chosen. */
static bool
cut_as_one(Bpg *bpg, RowId *rows, uint64 n)
{
	uint64		before = progress_so_far();

	if (bpg->n == NO_NEIGHBORHOOD)
		choose_reserve(bpg, rows, n);
	progress_done(before);		/* samples were cut to choose it */
	return cut_rows(bpg, rows, n);
}

/* Cuts a set that is allowed: by the strata from this one on, as far as that can be, and then by all quasi-identifiers. */
static void
cut_set(Bpg *bpg, RowId *rows, uint64 n, int stratum)
{
	uint64		from = 0;
	RowSets		sets;

	if (n < 2 * least_of_set(bpg))
	{
		add_class(bpg, rows, n, NULL);
		return;
	}
	if (stratum == bpg->frame->nstrata)
	{
		if (!cut_as_one(bpg, rows, n))
			add_class(bpg, rows, n, NULL);
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

bool
cut_by_layout(Bpg *bpg, uint64 n)
{
	uint64		from = 0;
	RowSets		sets;

	if ((bpg->frame->leaves == NULL && bpg->frame->nstrata == 0) || n < 2 * least_of_set(bpg))
		return cut_as_one(bpg, bpg->rows, n);
	sets = sets_by_leaving(bpg, n);
	for (uint64 i = 0; i < sets.n; i++)
	{
		cut_set(bpg, bpg->rows + from, sets.end[i] - from, 0);
		from = sets.end[i];
	}
	pfree(sets.end);
	return sets.n > 0;
}
