/*
 * places.c
 *		Those who have places: whether they sit there again, and what their parts show.
 *
 * NOTES
 *		All here goes by numbers of people and by what was shown, with three exceptions.  A person who was away sits at the
 *		own place only if it shows the own value, where each has one row; new values are shown only if the principle allows
 *		them; and of true rows it is asked which values free places would be hidden with.
 *
 *		A part shows new values if all its places are taken by people who were there before, and all are asked for: so
 *		each of them may be the one whose value has changed.
 */
#include "postgres.h"

#include "frame/arrays.h"
#include "method/bpg/bpg.h"
#include "miscadmin.h"
#include "partition/changed_rows.h"
#include "shared/progress.h"
#include "utils/memutils.h"

/* How often others are drawn that are parted off together with free places. */
#define MOST_CHOICES	4

/*
 * A person leaves a place if that narrows the cells of those who share it by more rows than this: a person who cannot go
 * elsewhere is withheld, and an invented row stands in.
 */
#define MOVING_IS_WORTH	1.0
#define WAITING_IS_WORTH 2.0

/* ----------------------------------------------------------------
 * Parts
 * ----------------------------------------------------------------
 */

/* Counts what so many places showed in an epoch. */
static void
tally_places(Bpg *bpg, uint32 group, uint64 epoch, uint64 first, uint64 n)
{
	const Code *value = group_values(bpg->places, group, epoch);

	for (uint64 i = first; i < first + n; i++)
		tally_add(bpg->tally, value[bpg->member[i] - bpg->places->first[group]]);
}

/* Have so many places shown rows from an epoch on that are allowed, with all that came and went between releases? */
static bool
are_a_set(Bpg *bpg, const Part *part, uint64 epoch, uint64 first, uint64 n)
{
	bool		allowed = true;

	for (; epoch < group_epochs(bpg->places, part->group) && allowed; epoch++)
	{
		tally_places(bpg, part->group, epoch, first, n);
		allowed = principle_allows(&bpg->principle, bpg->tally);
		tally_clear(bpg->tally);
	}
	return allowed && changes_of_places_are_allowed(&bpg->principle, bpg->frame->aspects, bpg->places, part->group, bpg->member + first, n, NULL);
}

/*
 * A part that was shown once may be too weak for the principle of today, by itself or by ties.  Where the principle was
 * weaker once, what the part showed before its newest values may be too weak, too.
 */
static bool
must_be_hidden(Bpg *bpg, Part *part)
{
	uint64		epoch = bpg->past->was_weaker ? 0 : group_epochs(bpg->places, part->group) - 1;

	part->is_weak = !are_a_set(bpg, part, epoch, part->first, part->n);
	return part->is_weak || !ties_allow_part(bpg->ties, bpg->member[part->first]);
}

void
find_parts(Bpg *bpg)
{
	const Places *places = bpg->places;
	uint64		at = 0;
	uint32		room = 0;

	bpg->member = new_array(uint64, places->nplaces);
	bpg->part_of = new_array(uint32, places->nplaces);
	bpg->sitter = new_array(RowId, places->nplaces);
	bpg->has_arrived = new_zeros(bool, places->nplaces);
	memset(bpg->part_of, 0xff, sizeof(uint32) * places->nplaces);	/* NO_PART */
	memset(bpg->sitter, 0xff, sizeof(RowId) * places->nplaces); /* NO_ROW */
	for (uint32 g = 0; g < places->ngroups; g++)
	{
		uint64		first = places->first[g];
		uint64		n = group_size(places, g);

		CHECK_FOR_INTERRUPTS();
		for (uint64 i = 0; i < n; i++)
		{
			Part		part = {.group = g, .first = at};

			if (places->part[first + i] != i || (places->is_apart[first + i] && bpg->repair == REPAIR_COUNTERFEIT))
				continue;
			for (uint64 j = i; j < n; j++)
			{
				if (places->part[first + j] != i)
					continue;
				bpg->member[at++] = first + j;
				bpg->part_of[first + j] = bpg->nparts;
			}
			part.n = at - part.first;
			array_reserve(bpg->part, room, bpg->nparts + 1);
			bpg->part[bpg->nparts] = part;
			bpg->part[bpg->nparts].is_closed = must_be_hidden(bpg, &bpg->part[bpg->nparts]);
			bpg->nparts++;
		}
	}
	bpg->cell = new_array(Span, (uint64) bpg->nparts * bpg->frame->nqis);
	bpg->cell_loss = new_array(double, (uint64) bpg->nparts * bpg->frame->nqis);
}

/* The cells over those who sit in a part, but for one of them or NO_ROW; returns their loss. */
static double
measure_cells(const Bpg *bpg, const Part *part, RowId without, Span *cell, double *cell_loss)
{
	const Frame *frame = bpg->frame;
	double		loss = 0;

	for (int q = 0; q < frame->nqis; q++)
	{
		Span		span = {NO_CODE, 0};

		for (uint64 i = part->first; i < part->first + part->n; i++)
		{
			RowId		row = bpg->sitter[bpg->member[i]];

			if (row != NO_ROW && row != without)
				span = span_hull(span, row_span(frame, q, row));
		}
		cell[q] = span.lo == NO_CODE ? span : domain_cover(&frame->domain[q], span);
		cell_loss[q] = cover_loss(&frame->domain[q], span);
		loss += bpg->weight[q] * cell_loss[q];
	}
	return loss;
}

static void
measure_part(Bpg *bpg, uint32 p)
{
	uint64		first = (uint64) p * bpg->frame->nqis;

	bpg->part[p].loss = measure_cells(bpg, &bpg->part[p], NO_ROW, bpg->cell + first, bpg->cell_loss + first);
}

double
cost_of_person(const Bpg *bpg, uint32 p, RowId row, double limit)
{
	const Frame *frame = bpg->frame;
	const Part *part = &bpg->part[p];
	const Span *cell = bpg->cell + (uint64) p * frame->nqis;
	const double *cell_loss = bpg->cell_loss + (uint64) p * frame->nqis;
	double		cost = part->loss;

	for (int q = 0; q < frame->nqis && cost < limit; q++)
	{
		Span		own = row_span(frame, q, row);

		if (!span_contains(cell[q], own))
			cost += (part->occupied + 1) * bpg->weight[q] *
				(domain_loss(&frame->domain[q], domain_cover(&frame->domain[q], span_hull(cell[q], own))) - cell_loss[q]);
	}
	return cost;
}

/* ----------------------------------------------------------------
 * Sitting down
 * ----------------------------------------------------------------
 */

/* A person of a part that is closed may seek a place elsewhere if that tells nothing of a value. */
static Fate
fate_of_dismissed(const Bpg *bpg, uint64 place, RowId row, Fate otherwise)
{
	if (!is_asked(bpg->frame, row))
		return LEFT_OUT;
	return bpg->past->is_whole && shown_at(bpg, place) == bpg->frame->sensitive[row] ? SEEKS : otherwise;
}

/*
 * People who were there when the part was shown last sit there again; of others the value decides.  Where each may have
 * several rows nobody could go elsewhere, so all who come back sit there, and nothing is told by who does.
 */
static void
seat_holder(Bpg *bpg, uint64 place, RowId row)
{
	bool		is_away = bpg->past->is_away != NULL && bpg->past->is_away[place];
	Part	   *part;

	if (bpg->part_of[place] == NO_PART)
		return;
	part = &bpg->part[bpg->part_of[place]];
	if (part->is_weak)
		bpg->fate[row] = LEFT_OUT;
	else if (part->is_closed)
		bpg->fate[row] = fate_of_dismissed(bpg, place, row, LEFT_OUT);
	else if (!is_away || has_row_values(bpg->frame->aspects) || shown_at(bpg, place) == bpg->frame->sensitive[row])
	{
		bpg->sitter[place] = row;
		bpg->fate[row] = SITS;
		part->occupied++;
	}
}

/* People whose quasi-identifiers have changed leave if the others are so much better off without them. */
static void
let_movers_leave(Bpg *bpg, uint32 p)
{
	Part	   *part = &bpg->part[p];
	uint64		first = (uint64) p * bpg->frame->nqis;
	double		worth = has_row_values(bpg->frame->aspects) ? WAITING_IS_WORTH : MOVING_IS_WORTH;
	Span	   *cell = new_array(Span, bpg->frame->nqis);
	double	   *cell_loss = new_array(double, bpg->frame->nqis);

	for (uint64 i = part->first; i < part->first + part->n; i++)
	{
		RowId		row = bpg->sitter[bpg->member[i]];
		double		loss;

		if (row == NO_ROW || !bpg->past->has_moved[row])
			continue;
		loss = measure_cells(bpg, part, row, cell, cell_loss);
		if (part->occupied * part->loss - (part->occupied - 1) * loss <= worth)
			continue;
		bpg->sitter[bpg->member[i]] = NO_ROW;
		bpg->fate[row] = SEEKS;
		part->occupied--;
		part->loss = loss;
		memcpy(bpg->cell + first, cell, sizeof(Span) * bpg->frame->nqis);
		memcpy(bpg->cell_loss + first, cell_loss, sizeof(double) * bpg->frame->nqis);
	}
	pfree(cell);
	pfree(cell_loss);
}

void
seat_holders(Bpg *bpg)
{
	const Places *places = bpg->places;

	for (uint64 row = 0; row < bpg->frame->nrows; row++)
		bpg->fate[row] = is_asked(bpg->frame, row) ? SEEKS : LEFT_OUT;
	for (uint64 place = 0; place < places->nplaces; place++)
		if (places->row[place] != NO_ROW)
			seat_holder(bpg, place, places->row[place]);
	for (uint32 p = 0; p < bpg->nparts; p++)
	{
		CHECK_FOR_INTERRUPTS();
		measure_part(bpg, p);
		if (bpg->past->is_whole && !bpg->past->is_answer && bpg->past->has_moved != NULL)
			let_movers_leave(bpg, p);
	}
}

void
take_place(Bpg *bpg, RowId row, uint64 place)
{
	const Frame *frame = bpg->frame;
	Part	   *part = &bpg->part[bpg->part_of[place]];
	uint64		first = (uint64) bpg->part_of[place] * frame->nqis;

	bpg->sitter[place] = row;
	bpg->has_arrived[place] = true;
	bpg->fate[row] = SITS;
	part->occupied++;
	part->loss = 0;
	for (int q = 0; q < frame->nqis; q++)
	{
		Span	   *cell = &bpg->cell[first + q];
		Span		own = row_span(frame, q, row);

		if (!span_contains(*cell, own))
		{
			*cell = domain_cover(&frame->domain[q], span_hull(*cell, own));
			bpg->cell_loss[first + q] = domain_loss(&frame->domain[q], *cell);
		}
		part->loss += bpg->weight[q] * bpg->cell_loss[first + q];
	}
}

/* The person at a place, if there is one, gets up. */
static void
dismiss(Bpg *bpg, uint64 place, Fate fate)
{
	RowId		row = bpg->sitter[place];

	if (bpg->has_arrived[place] && has_stays(bpg, row))
		ties_forget(bpg->ties, row, place);
	bpg->fate[row] = bpg->has_arrived[place] ? SEEKS : fate;
	bpg->sitter[place] = NO_ROW;
	bpg->has_arrived[place] = false;
	bpg->part[bpg->part_of[place]].occupied--;
}

void
dismiss_arrivals(Bpg *bpg)
{
	for (uint32 p = 0; p < bpg->nparts; p++)
	{
		const Part *part = &bpg->part[p];
		bool		is_taken = false;

		CHECK_FOR_INTERRUPTS();
		for (uint64 i = part->first; i < part->first + part->n && part->occupied < part->n; i++)
			if (bpg->has_arrived[bpg->member[i]])
			{
				dismiss(bpg, bpg->member[i], SEEKS);
				is_taken = true;
			}
		if (is_taken)
			measure_part(bpg, p);
	}
}

/* ----------------------------------------------------------------
 * The departed
 * ----------------------------------------------------------------
 */

/* Would every choice of as many places as are free have been allowed by itself, and what it leaves, in each release so far? */
static bool
may_be_parted(Bpg *bpg, const Part *part)
{
	uint64		free = part->n - part->occupied;
	bool		allowed = free >= bpg->k && part->occupied >= bpg->k;

	for (uint64 epoch = 0; epoch < group_epochs(bpg->places, part->group) && allowed; epoch++)
	{
		tally_places(bpg, part->group, epoch, part->first, part->n);
		allowed = principle_allows_every_part(&bpg->principle, bpg->tally, free) &&
			principle_allows_every_part(&bpg->principle, bpg->tally, part->occupied);
		tally_clear(bpg->tally);
	}
	return allowed && changes_of_places_are_allowed(NULL, bpg->frame->aspects, bpg->places, part->group, bpg->member + part->first, part->n, NULL);
}

/* Were so many places in front allowed by themselves, and the rest? */
static bool
are_two_sets(Bpg *bpg, const Part *part, uint64 n)
{
	return are_a_set(bpg, part, 0, part->first, n) && are_a_set(bpg, part, 0, part->first + n, part->n - n);
}

void
retire_parts(Bpg *bpg, bool may_part)
{
	for (uint32 p = 0; p < bpg->nparts; p++)
	{
		Part	   *part = &bpg->part[p];

		CHECK_FOR_INTERRUPTS();
		if (part->is_closed || part->occupied >= part->n - part->occupied || (may_part && may_be_parted(bpg, part)))
			continue;
		part->is_closed = true;
		for (uint64 i = part->first; i < part->first + part->n; i++)
		{
			uint64		place = bpg->member[i];

			if (bpg->sitter[place] != NO_ROW)
				dismiss(bpg, place, fate_of_dismissed(bpg, place, bpg->sitter[place], RETIRED));
		}
	}
}

/* Brings free places to the front; returns how many these are. */
static uint64
free_first(Bpg *bpg, const Part *part)
{
	uint64		front = part->first;

	for (uint64 i = part->first; i < part->first + part->n; i++)
	{
		uint64		place = bpg->member[i];

		if (bpg->sitter[place] != NO_ROW)
			continue;
		bpg->member[i] = bpg->member[front];
		bpg->member[front++] = place;
	}
	return front - part->first;
}

/* Parts the places in front off. */
static void
part_off(Bpg *bpg, Part *part, uint64 n)
{
	if (bpg->draft->is_apart == NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(bpg->context);

		bpg->draft->is_apart = new_zeros(bool, bpg->places->nplaces);
		MemoryContextSwitchTo(old);
	}
	for (; n > 0; n--)
	{
		uint64		place = bpg->member[part->first++];

		if (bpg->sitter[place] != NO_ROW)
			dismiss(bpg, place, LEFT_OUT);
		bpg->draft->is_apart[place] = true;
		bpg->part_of[place] = NO_PART;
		part->n--;
	}
}

/* Somebody who may be hidden together with free places. */
typedef struct Company
{
	double		distance;
	uint64		place;
} Company;

/* The nearest first. */
static int
compare_company(const void *a, const void *b)
{
	const Company *x = a;
	const Company *y = b;

	return x->distance != y->distance ? (x->distance < y->distance ? -1 : 1) : x->place < y->place ? -1 : x->place > y->place;
}

/* The loss of cells over two people. */
static double
distance_of(const Bpg *bpg, RowId a, RowId b)
{
	const Frame *frame = bpg->frame;
	double		distance = 0;

	for (int q = 0; q < frame->nqis; q++)
	{
		Span		hull = span_hull(row_span(frame, q, a), row_span(frame, q, b));

		distance += bpg->weight[q] * domain_loss(&frame->domain[q], domain_cover(&frame->domain[q], hull));
	}
	return distance;
}

/* Sorts the places behind free ones by how near people sit to one of them who is drawn, so that cells of both sides become narrower. */
static void
draw_company(Bpg *bpg, const Part *part, uint64 nfree)
{
	uint64	   *place = bpg->member + part->first + nfree;
	uint64		n = part->n - nfree;
	RowId		drawn = bpg->sitter[place[pg_prng_uint64_range(&bpg->random, 0, n - 1)]];
	Company    *company = new_array(Company, n);

	for (uint64 i = 0; i < n; i++)
		company[i] = (Company) {distance_of(bpg, drawn, bpg->sitter[place[i]]), place[i]};
	qsort(company, n, sizeof(Company), compare_company);
	for (uint64 i = 0; i < n; i++)
		place[i] = company[i].place;
	pfree(company);
}

/*
 * Hides free places among others, lest all of the part be hidden.  Here values decide; the lot that was drawn before is
 * known to nobody, so a refusal tells of no set of people.  Free places alone are those of a set that observers know: there
 * numbers decide, and values that were shown.
 */
static void
hide_free_places(Bpg *bpg, Part *part)
{
	uint64		nfree = free_first(bpg, part);

	for (uint64 try = 0; try < MOST_CHOICES; try++)
	{
		uint64		n = Max(nfree, bpg->k) + try * Max(bpg->k / MOST_CHOICES, 1);

		if (part->n < n + bpg->k)
			return;
		if (n > nfree)
			draw_company(bpg, part, nfree);
		if (!(n > nfree ? are_two_sets(bpg, part, n) : may_be_parted(bpg, part)) || !ties_allow_parting(bpg->ties, bpg->member + part->first, n))
			continue;
		part_off(bpg, part, n);
		return;
	}
}

void
part_the_departed(Bpg *bpg)
{
	for (uint32 p = 0; p < bpg->nparts; p++)
	{
		Part	   *part = &bpg->part[p];

		CHECK_FOR_INTERRUPTS();
		if (part->is_closed || part->occupied == part->n)
			continue;
		if (bpg->repair == REPAIR_DIRTY)
			hide_free_places(bpg, part);
		else if (may_be_parted(bpg, part))
		{
			uint64		n = free_first(bpg, part);

			if (ties_allow_parting(bpg->ties, bpg->member + part->first, n))
				part_off(bpg, part, n);
		}
	}
}

/* ----------------------------------------------------------------
 * Showing parts
 * ----------------------------------------------------------------
 */

/* How many of those who sit in a part were asked for? */
static uint64
count_asked(const Bpg *bpg, const Part *part)
{
	uint64		n = 0;

	for (uint64 i = part->first; i < part->first + part->n; i++)
	{
		RowId		row = bpg->sitter[bpg->member[i]];

		n += row != NO_ROW && is_asked(bpg->frame, row);
	}
	return n;
}

static bool
is_shown(const Bpg *bpg, const Part *part, uint64 asked)
{
	if (part->is_closed || asked == 0 || (bpg->repair == REPAIR_DIRTY && part->occupied < part->n))
		return false;
	return bpg->past->is_whole ? part->occupied >= part->n - part->occupied : !adds_too_much(bpg, part->n - asked, part->n);
}

/* May people who have rows that are not shown, or have lost some, be told from the others by what is shown then? */
static bool
rows_may_change(const Bpg *bpg, const Part *part)
{
	Code	   *today;
	bool		may;

	if (!has_row_values(bpg->frame->aspects))
		return true;
	today = new_array(Code, part->n);
	for (uint64 i = 0; i < part->n; i++)
		today[i] = bpg->frame->sensitive[bpg->sitter[bpg->member[part->first + i]]];
	may = changes_of_places_are_allowed(&bpg->principle, bpg->frame->aspects, bpg->places, part->group, bpg->member + part->first, part->n, today);
	pfree(today);
	return may;
}

/* May a part show the values of today? */
static bool
may_be_refreshed(Bpg *bpg, const Part *part, uint64 asked)
{
	bool		allowed = asked == part->n && !bpg->frame->shows_no_value;

	for (uint64 i = part->first; i < part->first + part->n && allowed; i++)
		allowed = !bpg->has_arrived[bpg->member[i]];
	if (!allowed)
		return false;
	for (uint64 i = part->first; i < part->first + part->n; i++)
		tally_add(bpg->tally, bpg->frame->sensitive[bpg->sitter[bpg->member[i]]]);
	allowed = principle_allows(&bpg->principle, bpg->tally);
	tally_clear(bpg->tally);
	return allowed && rows_may_change(bpg, part) && ties_allow_values(bpg->ties, bpg->member + part->first, part->n, bpg->sitter);
}

/* Has a person show what the place showed last. */
static void
show_last(Bpg *bpg, RowId row, uint64 place)
{
	Draft	   *draft = bpg->draft;
	const Frame *frame = bpg->frame;

	if (frame->sensitive[row] == shown_at(bpg, place))
		return;
	if (draft->shown == NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(bpg->context);

		draft->shown = new_array(Code, frame->nrows);
		MemoryContextSwitchTo(old);
		memcpy(draft->shown, frame->sensitive, sizeof(Code) * frame->nrows);
	}
	draft->shown[row] = shown_at(bpg, place);
	draft->stale += !frame->shows_no_value;
}

/* Drafts a class; a free place is shown by an invented row. */
static void
show_part(Bpg *bpg, const Part *part, bool is_refreshed)
{
	Draft	   *draft = bpg->draft;
	uint32		c;

	for (uint64 i = part->first; i < part->first + part->n; i++)
	{
		uint64		place = bpg->member[i];
		RowId		row = bpg->sitter[place];

		if (row == NO_ROW)
		{
			Code	   *value = drafting_invent(bpg->drafting, 1);

			*value = shown_at(bpg, place);
			draft->stands_in[value - draft->classes->counterfeit] = place;
			continue;
		}
		drafting_add_rows(bpg->drafting, &row, 1);
		draft->place[row] = place;
		draft->dirty += !is_asked(bpg->frame, row);
		if (!is_refreshed)
			show_last(bpg, row, place);
	}
	c = drafting_end_class(bpg->drafting, NULL);
	draft->group[c] = part->group;
}

void
show_parts(Bpg *bpg)
{
	for (uint32 p = 0; p < bpg->nparts; p++)
	{
		const Part *part = &bpg->part[p];
		uint64		asked = count_asked(bpg, part);

		CHECK_FOR_INTERRUPTS();
		progress_done(p + 1);
		if (is_shown(bpg, part, asked))
			show_part(bpg, part, may_be_refreshed(bpg, part, asked));
		else
			for (uint64 i = part->first; i < part->first + part->n; i++)
				if (bpg->sitter[bpg->member[i]] != NO_ROW)
					dismiss(bpg, bpg->member[i], LEFT_OUT);
	}
}

/* Rows that were asked for are all that is in the frame yet. */
uint32
find_wanted(Bpg *bpg, bool *wanted)
{
	uint32		count = 0;

	memset(wanted, 0, sizeof(bool) * bpg->places->ngroups);
	for (uint32 p = 0; p < bpg->nparts; p++)
	{
		const Part *part = &bpg->part[p];
		uint64		asked = 0;

		CHECK_FOR_INTERRUPTS();
		for (uint64 i = part->first; i < part->first + part->n; i++)
			asked += bpg->places->row[bpg->member[i]] != NO_ROW;
		if (part->is_closed || asked == 0 || asked == part->n || adds_too_much(bpg, part->n - asked, part->n) || wanted[part->group])
			continue;
		wanted[part->group] = true;
		count++;
	}
	return count;
}
