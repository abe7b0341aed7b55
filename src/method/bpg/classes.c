/*
 * classes.c
 *		Classes of what is shown of a neighborhood, and of people who were never
 *		published.
 *
 * NOTES
 *		People who leave together had better stand together: a class that
 *		leaves as a whole leaves nobody behind, so nobody is withheld for it, and
 *		no row invented.  So where it can be told who will leave together, they
 *		are parted by that before they are cut by anything else: newcomers, and
 *		neighborhoods that are large enough to be cut again.
 *
 *		The guarantee does not rest on it.  A set is parted from the others only
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
 * Sets of people who leave together
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

/* The conditions on a set: a reserve that is to be chosen is no reason to join sets. */
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

/* Cuts the first n of bpg->rows, as cut_rows() does, but parted first by when they leave. */
static bool
cut_by_leaving(Bpg *bpg, uint64 n)
{
	const RowGroups *leaves = bpg->frame->leaves;
	uint64		least = principle_of_set(bpg).k;
	uint64		from = 0;
	uint64		known;
	RowSets		sets;

	if (leaves == NULL || n < 2 * least)
		return cut_rows(bpg, bpg->rows, n);
	sets = (RowSets) {0, new_array(uint64, n / least)};
	known = sort_by_code(leaves, bpg->rows, n);
	append_sets(bpg, &sets, leaves->code, 0, known);
	/* People of whom it is not known when they leave are a set of their own, if they can be. */
	append_sets(bpg, &sets, leaves->code, sets.n == 0 ? 0 : known, n);
	for (uint64 i = 0; i < sets.n; from = sets.end[i++])
		if (sets.end[i] - from < 2 * least || !cut_rows(bpg, bpg->rows + from, sets.end[i] - from))
			add_class(bpg, bpg->rows + from, sets.end[i] - from, NULL);
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

	if (may_be_parted(bpg) && !shows_nothing_new(bpg) && memchr(bpg->fate, HELD, bpg->size) == NULL && cut_by_leaving(bpg, n))
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
	if (cut_by_leaving(bpg, n))
		return;
	bpg->reserved = bpg->k;
	progress_phase("cut newcomers", n);
	if (cut_by_leaving(bpg, n))
		return;
	if (is_too_costly(bpg, n, 0))
		bpg->draft->given_up += n;
	else if (invent_company(bpg, n))
		return;
	bpg->draft->suppressed += n;
}
