/*
 * classes.c
 *		Classes of what is shown of a neighborhood, and of people who were never
 *		published.
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
#include "partition/mondrian.h"
#include "portability/instr_time.h"
#include "shared/progress.h"
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

/* Were the values of these rows, of the neighborhood at hand, allowed in each release that they were in?  Newcomers' were. */
static bool
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

/*
 * Cuts n rows, newcomers or of the neighborhood at hand, into classes as small as the reserve allows; false if they cannot
 * be cut, or be a class at all.  Newcomers have a reserve of their own, if it is to be chosen.
 */
static bool
cut_rows(Bpg *bpg, RowId *rows, uint64 n)
{
	Principle	reserved = bpg->principle;
	uint64		before = progress_so_far();
	Classes    *classes;
	bool		allowed;
	MemoryContext old;
	instr_time	start;

	if (bpg->n == NO_NEIGHBORHOOD)
		choose_reserve(bpg, rows, n);
	progress_done(before);		/* samples were cut to choose it */
	if (n < 2 * bpg->reserved && bpg->n != NO_NEIGHBORHOOD)
		return false;
	reserved.k = bpg->reserved;
	MemoryContextReset(bpg->cuts);
	old = MemoryContextSwitchTo(bpg->cuts);
	INSTR_TIME_SET_CURRENT(start);
	classes = mondrian(bpg->frame, rows, n, &reserved, bpg->seed);
	note_cutting(bpg, start);
	MemoryContextSwitchTo(old);
	allowed = classes->nclasses > 0;
	for (uint32 c = 0; c < classes->nclasses && allowed; c++)
		allowed = were_allowed(bpg, classes->rows + classes->first[c], class_size(classes, c));
	for (uint32 c = 0; c < classes->nclasses && allowed; c++)
	{
		CHECK_FOR_INTERRUPTS();
		add_class(bpg, classes->rows + classes->first[c], class_size(classes, c), class_region(classes, c));
	}
	return allowed;
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

/* The conditions on a set: a reserve that is to be chosen is no reason to join sets, or strata. */
static Principle
principle_of_set(const Bpg *bpg)
{
	Principle	principle = bpg->principle;

	principle.k = bpg->reserve == AUTO_RESERVE ? bpg->k : bpg->reserved;
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
	RowSets		sets = {leaves == NULL && is_allowed(bpg, bpg->rows, n), new_array(uint64, n / principle_of_set(bpg).k)};
	uint64		known;

	sets.end[0] = n;
	if (leaves == NULL)
		return sets;
	known = sort_by_code(leaves, bpg->rows, n);
	append_sets(bpg, &sets, leaves->code, 0, known);
	append_sets(bpg, &sets, leaves->code, sets.n == 0 ? 0 : known, n);
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
static int
compare_runs(const void *a, const void *b)
{
	const Run  *x = a;
	const Run  *y = b;

	if (x->is_allowed != y->is_allowed)
		return x->is_allowed ? -1 : 1;
	return x->n != y->n ? (x->n > y->n ? -1 : 1) : (x->rows > y->rows ? -1 : 1);
}

/* Each value is a set if it can be; the others are one together, with the smallest of those that could be if need be. */
static RowSets
sets_by_stratum(Bpg *bpg, const RowGroups *stratum, RowId *rows, uint64 n)
{
	RowSets		sets = {0, new_array(uint64, n / principle_of_set(bpg).k)};
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
		run[nruns++] = (Run) {sorted + from, to - from, is_allowed(bpg, rows + from, to - from)};
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
		if (is_allowed(bpg, rows + sets.end[sets.n - 1], n - sets.end[sets.n - 1]))
			break;
	if (sets.n == 0 || sets.end[sets.n - 1] < n)
		sets.end[sets.n++] = n;
	pfree(sorted);
	pfree(run);
	return sets;
}

/* Cuts a set that is allowed: by the strata from this one on, as far as that can be, and then by all quasi-identifiers. */
static void
cut_set(Bpg *bpg, RowId *rows, uint64 n, int stratum)
{
	bool		is_class = n < 2 * principle_of_set(bpg).k;

	if (!is_class && stratum < bpg->frame->nstrata)
	{
		RowSets		sets = sets_by_stratum(bpg, &bpg->frame->strata[stratum], rows, n);
		uint64		from = 0;

		for (uint64 i = 0; i < sets.n; from = sets.end[i++])
			cut_set(bpg, rows + from, sets.end[i] - from, stratum + 1);
		pfree(sets.end);
	}
	else if (is_class || !cut_rows(bpg, rows, n))
		add_class(bpg, rows, n, NULL);
}

/* Cuts the first n of bpg->rows, as cut_rows() does, but parted first by when they leave and by strata. */
static bool
cut_by_layout(Bpg *bpg, uint64 n)
{
	uint64		from = 0;
	RowSets		sets;

	if ((bpg->frame->leaves == NULL && bpg->frame->nstrata == 0) || n < 2 * principle_of_set(bpg).k)
		return cut_rows(bpg, bpg->rows, n);
	sets = sets_by_leaving(bpg, n);
	for (uint64 i = 0; i < sets.n; from = sets.end[i++])
		cut_set(bpg, bpg->rows + from, sets.end[i] - from, 0);
	pfree(sets.end);
	return sets.n > 0;
}

/* ----------------------------------------------------------------
 * Neighborhoods and newcomers
 * ----------------------------------------------------------------
 */

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

void
draft_newcomers(Bpg *bpg)
{
	const Frame *frame = bpg->frame;
	uint64		n = 0;

	bpg->n = NO_NEIGHBORHOOD;
	for (uint64 row = 0; row < frame->nrows; row++)
	{
		uint64		member = bpg->past->releases == 0 ? NO_MEMBER : bpg->past->member[row];

		CHECK_FOR_INTERRUPTS();
		if (!is_asked(frame, row))
			continue;
		bpg->draft->suppressed += member == LOST_MEMBER;
		bpg->draft->lost += member == LOST_MEMBER;
		if (member == NO_MEMBER)
			bpg->rows[n++] = row;
	}
	if (n == 0)
		return;
	progress_phase("cut newcomers", n);
	if (cut_by_layout(bpg, n))
		return;
	bpg->reserved = bpg->k;
	progress_phase("cut newcomers", n);
	if (cut_by_layout(bpg, n))
		return;
	if (is_too_costly(bpg, n, 0))
		bpg->draft->given_up += n;
	else if (invent_company(bpg, n))
		return;
	bpg->draft->suppressed += n;
}
