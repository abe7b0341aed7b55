/*
 * newcomers.c
 *		People who have no place are cut into new groups.
 *
 * NOTES
 *		People who leave together had better stand together: a group that leaves as a whole leaves nobody behind.  So
 *		where it can be told who will leave together, they are parted by that before they are cut by anything else.
 *
 *		Then, for the sake of analysts who ask about some values of a quasi-identifier, groups are kept from mixing its
 *		values: an answer about one takes whole groups, and need not add rows, nor withhold.
 *
 *		The guarantee does not rest on any of this.  Each group is allowed by itself, begins with true rows only, and is
 *		judged like any other.
 */
#include "postgres.h"

#include "frame/arrays.h"
#include "method/bpg/bpg.h"
#include "miscadmin.h"
#include "partition/mondrian.h"
#include "portability/instr_time.h"
#include "shared/progress.h"
#include "utils/memutils.h"

/* Groups of people whose ties were refused elsewhere are larger: they have more values in common with others. */
#define WIDER			3

/* Sets of rows that are cut, under a principle that asks for groups larger than they must be. */
typedef struct Cutting
{
	Bpg		   *bpg;
	Principle	principle;
	MemoryContext work;			/* of one cut */
} Cutting;

/* Is a set allowed? */
static bool
is_allowed(const Cutting *cutting, const Principle *principle, const RowId *rows, uint64 n)
{
	Tally	   *tally = cutting->bpg->tally;
	bool		allowed;

	for (uint64 i = 0; i < n; i++)
		tally_add(tally, cutting->bpg->frame->sensitive[rows[i]]);
	allowed = principle_allows(principle, tally);
	tally_clear(tally);
	return allowed;
}

/* A new group, without those whose ties are refused; these wait, and so does it if it is too small then. */
static void
add_group(Cutting *cutting, RowId *rows, uint64 n)
{
	Bpg		   *bpg = cutting->bpg;
	uint64		left = n;
	uint32		c;

	for (uint64 i = 0; i < n; i++)
		if (has_stays(bpg, rows[i]))
		{
			left = tie_to_class(bpg->ties, rows, n);
			break;
		}
	if (left < n && !is_allowed(cutting, &bpg->principle, rows, left))
		return;
	for (uint64 i = 0; i < left; i++)
		bpg->fate[rows[i]] = SITS;
	drafting_add_rows(bpg->drafting, rows, left);
	c = drafting_end_class(bpg->drafting, NULL);
	bpg->draft->group[c] = NO_GROUP;
}

/* Cuts rows into groups; false if they cannot be one. */
static bool
cut_rows(Cutting *cutting, RowId *rows, uint64 n)
{
	Bpg		   *bpg = cutting->bpg;
	MemoryContext old;
	Classes    *classes;
	instr_time	start;
	instr_time	now;

	MemoryContextReset(cutting->work);
	old = MemoryContextSwitchTo(cutting->work);
	INSTR_TIME_SET_CURRENT(start);
	classes = mondrian(bpg->frame, rows, n, &cutting->principle, bpg->seed);
	INSTR_TIME_SET_CURRENT(now);
	INSTR_TIME_SUBTRACT(now, start);
	bpg->draft->cutting_seconds += INSTR_TIME_GET_DOUBLE(now);
	MemoryContextSwitchTo(old);
	for (uint32 c = 0; c < classes->nclasses; c++)
	{
		CHECK_FOR_INTERRUPTS();
		add_group(cutting, classes->rows + classes->first[c], class_size(classes, c));
	}
	return classes->nclasses > 0;
}

/* ----------------------------------------------------------------
 * Sets of rows that are cut apart
 * ----------------------------------------------------------------
 */

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

/* The last set takes in the rows behind it; if it must not, the one before it takes in both, and so on. */
static void
take_in(const Cutting *cutting, RowSets *sets, uint64 to)
{
	bool		allowed = sets->n == 0 || sets->end[sets->n - 1] == to || principle_is_monotonous(&cutting->principle);

	for (; sets->n > 0; sets->n--)
	{
		uint64		from = sets->n == 1 ? 0 : sets->end[sets->n - 2];

		sets->end[sets->n - 1] = to;
		if (allowed || is_allowed(cutting, &cutting->principle, cutting->bpg->rows + from, to - from))
			return;
	}
}

/*
 * Appends sets of as few values each as make an allowed one, from rows that are sorted by them; what remains joins the
 * last.
 */
static void
append_sets(const Cutting *cutting, RowSets *sets, const Code *code, uint64 from, uint64 to)
{
	Bpg		   *bpg = cutting->bpg;
	const RowId *rows = bpg->rows;

	for (uint64 i = from; i < to; i++)
	{
		CHECK_FOR_INTERRUPTS();
		tally_add(bpg->tally, bpg->frame->sensitive[rows[i]]);
		if ((i + 1 < to && code[rows[i + 1]] == code[rows[i]]) || !principle_allows(&cutting->principle, bpg->tally))
			continue;
		sets->end[sets->n++] = i + 1;
		tally_clear(bpg->tally);
	}
	tally_clear(bpg->tally);
	take_in(cutting, sets, to);
}

/* People of whom it is not known when they leave are a set of their own, if they can be. */
static RowSets
sets_by_leaving(const Cutting *cutting, uint64 n)
{
	Bpg		   *bpg = cutting->bpg;
	const RowGroups *leaves = bpg->frame->leaves;
	RowSets		sets = {leaves == NULL && is_allowed(cutting, &cutting->principle, bpg->rows, n), new_array(uint64, n / cutting->principle.k)};
	uint64		known;

	sets.end[0] = n;
	if (leaves == NULL)
		return sets;
	known = sort_by_code(leaves, bpg->rows, n);
	append_sets(cutting, &sets, leaves->code, 0, known);
	append_sets(cutting, &sets, leaves->code, sets.n == 0 ? 0 : known, n);
	return sets;
}

/* The rows that have one value of a stratum. */
typedef struct Run
{
	const RowId *rows;
	uint64		n;
	bool		is_allowed;		/* as a set */
} Run;

/* Values that can be sets come first, and the largest of these. */
DEFINE_ORDER(compare_runs, Run, DESCENDING(is_allowed) DESCENDING(n) DESCENDING(rows));

/* Each value is a set if it can be; the others are one together, with the smallest of those that could be if need be. */
static RowSets
sets_by_stratum(const Cutting *cutting, const RowGroups *stratum, RowId *rows, uint64 n)
{
	RowSets		sets = {0, new_array(uint64, n / cutting->principle.k)};
	RowId	   *sorted = new_array(RowId, n);
	Run		   *run = new_array(Run, Min(n, (uint64) stratum->ncodes + 1));
	uint64		nruns = 0;
	uint64		placed = 0;

	sort_by_code(stratum, rows, n);
	memcpy(sorted, rows, sizeof(RowId) * n);
	for (uint64 from = 0, to = 1; from < n; from = to++)
	{
		CHECK_FOR_INTERRUPTS();
		while (to < n && stratum->code[rows[to]] == stratum->code[rows[from]])
			to++;
		run[nruns++] = (Run) {sorted + from, to - from, is_allowed(cutting, &cutting->principle, rows + from, to - from)};
	}
	qsort(run, nruns, sizeof(Run), compare_runs);
	for (uint64 i = 0; i < nruns; i++)
	{
		memcpy(rows + placed, run[i].rows, sizeof(RowId) * run[i].n);
		placed += run[i].n;
		if (run[i].is_allowed)
			sets.end[sets.n++] = placed;
	}
	for (; sets.n > 0 && sets.end[sets.n - 1] < n; sets.n--)
		if (is_allowed(cutting, &cutting->principle, rows + sets.end[sets.n - 1], n - sets.end[sets.n - 1]))
			break;
	if (sets.n == 0 || sets.end[sets.n - 1] < n)
		sets.end[sets.n++] = n;
	pfree(sorted);
	pfree(run);
	return sets;
}

/* Cuts a set that is allowed: by the strata from this one on, as far as that can be, and then by all quasi-identifiers. */
static void
cut_set(Cutting *cutting, RowId *rows, uint64 n, int stratum)
{
	bool		is_class = n < 2 * cutting->principle.k;

	if (!is_class && stratum < cutting->bpg->frame->nstrata)
	{
		RowSets		sets = sets_by_stratum(cutting, &cutting->bpg->frame->strata[stratum], rows, n);
		uint64		from = 0;

		for (uint64 i = 0; i < sets.n; from = sets.end[i++])
			cut_set(cutting, rows + from, sets.end[i] - from, stratum + 1);
		pfree(sets.end);
	}
	else if (is_class || !cut_rows(cutting, rows, n))
		add_group(cutting, rows, n);
}

/* Cuts the first n of bpg->rows, as cut_rows() does, but parted first by when they leave and by strata. */
static bool
cut_by_layout(Cutting *cutting, uint64 n)
{
	const Bpg  *bpg = cutting->bpg;
	uint64		from = 0;
	RowSets		sets;

	if ((bpg->frame->leaves == NULL && bpg->frame->nstrata == 0) || n < 2 * cutting->principle.k)
		return cut_rows(cutting, bpg->rows, n);
	sets = sets_by_leaving(cutting, n);
	for (uint64 i = 0; i < sets.n; from = sets.end[i++])
		cut_set(cutting, bpg->rows + from, sets.end[i] - from, 0);
	pfree(sets.end);
	return sets.n > 0;
}

/* The size of new groups: larger at first, since their places are for all who come later. */
static uint64
reserved_size(const Bpg *bpg)
{
	double		reserve = bpg->past->releases == 0 ? bpg->reserve : 1 + (bpg->reserve - 1) / 2;

	return Min(bpg->k * reserve, MAX_FRAME_ROWS);
}

/* Finds people who may found a group. */
static uint64
gather_newcomers(Bpg *bpg, bool with_stays)
{
	uint64		n = 0;

	for (uint64 row = 0; row < bpg->frame->nrows; row++)
		if (bpg->fate[row] == SEEKS && (with_stays || !has_stays(bpg, row)))
			bpg->rows[n++] = row;
	return n;
}

/* Cuts the first n of bpg->rows: into groups of the size reserved or, if that cannot be, of k. */
static void
cut_newcomers(Cutting *cutting, uint64 n)
{
	uint64		k = cutting->bpg->k;

	cutting->principle.k = reserved_size(cutting->bpg);
	for (; n >= k; cutting->principle.k = k)
	{
		progress_phase("cut newcomers", n);
		if (cut_by_layout(cutting, n) || cutting->principle.k == k)
			return;
	}
}

/*
 * A release of a part of the source leaves all who had a place where they were.  People without one do not wait for the
 * sake of those who may not be tied to a group with them.  Answers between releases of everybody found no groups: the few
 * who came since would be far apart, and not take the places that the next release has for them.
 */
void
draft_newcomers(Bpg *bpg)
{
	Cutting		cutting = {bpg, bpg->principle, AllocSetContextCreate(CurrentMemoryContext, "cut", ALLOCSET_DEFAULT_SIZES)};

	if (bpg->past->founds_none)
		return;
	if (bpg->past->is_whole && ties_are_taken(bpg->ties))
		cut_newcomers(&cutting, gather_newcomers(bpg, true));
	cut_newcomers(&cutting, gather_newcomers(bpg, false));
	if (bpg->past->is_whole && ties_are_taken(bpg->ties))
	{
		uint64		n = gather_newcomers(bpg, true);
		uint64		wide = WIDER * reserved_size(bpg);

		cutting.principle.k = Max(bpg->k, Min(n, wide));
		if (n >= bpg->k)
			cut_by_layout(&cutting, n);
	}
}
