/*
 * deal.c
 *		Groups become classes: those that hold rows for several are dealt out.
 *
 * This is where cuts are relaxed.  A group of twice k rows and more is cut
 * between any two of its rows, equal ones too, into as many classes as the
 * principle allows.  Rows of one record stand in drawn order, so slices mostly
 * are diverse enough; if not, rows are dealt like cards, those with the rarest
 * sensitive value first.  Then any value that n rows have comes to min(n,
 * classes) of the classes, and no class gets less than its share of them: no
 * other way makes more classes l-diverse.
 */
#include "postgres.h"

#include "frame/arrays.h"
#include "miscadmin.h"
#include "partition/groups.h"

typedef struct Dealer
{
	Work	   *work;			/* borrowed */
	Classes    *classes;		/* the result */
	RowId	   *rows;			/* [nrows] class by class */
	RowId	   *cards;			/* the rows of a group while it is dealt */
	uint64		cards_allocated;
} Dealer;

/* Classes that a group can make at most. */
static uint64
most_classes(const Work *work, const Group *group)
{
	if (group->rows == 0)
		return 0;
	return Max(1, group->rows / Max(1, work->principle->k));
}

/* Allocates the result for as many classes as there can be. */
static Dealer *
dealer_create(Work *work, uint64 nrows, MemoryContext context)
{
	Dealer	   *dealer = palloc0(sizeof(Dealer));
	int			nqis = work->frame->nqis;
	Size		nclasses = 0;
	MemoryContext outer;

	for (uint32 group = 0; group < work->ngroups; group++)
		nclasses += most_classes(work, &work->groups[group]);
	dealer->work = work;
	dealer->rows = new_array(RowId, nrows + 1);
	outer = MemoryContextSwitchTo(context);
	dealer->classes = palloc0(sizeof(Classes));
	dealer->classes->nqis = nqis;
	dealer->classes->first = new_array(uint64, nclasses);
	dealer->classes->regions = new_array(Span, (Size) nclasses * nqis + 1);
	dealer->classes->rows = work->records->rows;
	MemoryContextSwitchTo(outer);
	dealer->classes->first[0] = 0;
	return dealer;
}

/* Lays a group's rows behind those of the classes made before. */
static void
lay_out(Dealer *dealer, const Group *group)
{
	const Work *work = dealer->work;
	RowId	   *to = dealer->rows + dealer->classes->first[dealer->classes->nclasses];

	for (uint32 p = group->head; p != NO_PIECE; p = work->pieces[p].next)
	{
		const Piece *piece = &work->pieces[p];

		memcpy(to, work->records->rows + piece->begin, sizeof(RowId) * piece_rows(piece));
		to += piece_rows(piece);
	}
}

/* Is the class of n rows, a step apart, allowed? */
static bool
is_allowed(const Work *work, const RowId *rows, uint64 n, uint64 step)
{
	bool		allowed = false;
	uint64		counted = 0;

	while (counted < n && !allowed)
	{
		CHECK_FOR_INTERRUPTS();
		tally_add(work->tally, work->frame->sensitive[rows[counted++ * step]]);
		allowed = counted >= work->principle->k &&
			principle_allows(work->principle, work->tally);
	}
	while (counted > 0)
	{
		CHECK_FOR_INTERRUPTS();
		tally_remove(work->tally, work->frame->sensitive[rows[--counted * step]]);
	}
	return allowed;
}

/* Where slice i of n rows begins. */
static uint64
slice_start(uint64 n, uint64 nslices, uint64 i)
{
	return i * (n / nslices) + Min(i, n % nslices);
}

/* Are so many equal slices of the rows allowed, or so many hands dealt from them? */
static bool
are_allowed(const Work *work, const RowId *rows, uint64 n, uint64 nclasses, bool dealt)
{
	for (uint64 i = 0; i < nclasses; i++)
	{
		uint64		start = slice_start(n, nclasses, i);
		uint64		size = slice_start(n, nclasses, i + 1) - start;

		CHECK_FOR_INTERRUPTS();
		if (!(dealt ? is_allowed(work, rows + i, size, nclasses) :
			  is_allowed(work, rows + start, size, 1)))
			return false;
	}
	return true;
}

/* Orders rows by how many of the tally share their sensitive value; NULLs come last. */
static int
compare_rarity(const void *a, const void *b, void *arg)
{
	const Work *work = arg;
	Code		value_a = work->frame->sensitive[*(const RowId *) a];
	Code		value_b = work->frame->sensitive[*(const RowId *) b];
	uint32		count_a;
	uint32		count_b;

	CHECK_FOR_INTERRUPTS();
	if (value_a == value_b)
		return 0;
	if (value_a == NO_CODE || value_b == NO_CODE)
		return value_a == NO_CODE ? 1 : -1;
	count_a = work->tally->count[value_a];
	count_b = work->tally->count[value_b];
	if (count_a != count_b)
		return count_a < count_b ? -1 : 1;
	return value_a < value_b ? -1 : 1;
}

/* Copies the rows of a group, rarest sensitive values first, to cards. */
static void
sort_cards(Dealer *dealer, const RowId *rows, uint64 n)
{
	Work	   *work = dealer->work;

	if (dealer->cards_allocated < n)
	{
		if (dealer->cards != NULL)
			pfree(dealer->cards);
		dealer->cards = new_array(RowId, n);
		dealer->cards_allocated = n;
	}
	memcpy(dealer->cards, rows, sizeof(RowId) * n);
	for (uint64 i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		tally_add(work->tally, work->frame->sensitive[rows[i]]);
	}
	qsort_arg(dealer->cards, n, sizeof(RowId), compare_rarity, work);
	for (uint64 i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		tally_remove(work->tally, work->frame->sensitive[rows[i]]);
	}
}

/*
 * Deals rows into as many hands as are allowed, at most so many, and lays the
 * hands out one after the other.  Returns how many hands there are.
 */
static uint64
deal_cards(Dealer *dealer, RowId *rows, uint64 n, uint64 most)
{
	uint64		nhands = 1;

	sort_cards(dealer, rows, n);
	while (nhands < most)
	{
		uint64		middle = most - (most - nhands) / 2;

		if (are_allowed(dealer->work, dealer->cards, n, middle, true))
			nhands = middle;
		else
			most = middle - 1;
	}
	if (nhands == 1)
		return 1;
	for (uint64 hand = 0; hand < nhands; hand++)
		for (uint64 i = hand; i < n; i += nhands)
		{
			CHECK_FOR_INTERRUPTS();
			*rows++ = dealer->cards[i];
		}
	return nhands;
}

/* Appends a class of the n rows that come next. */
static void
add_class(Dealer *dealer, uint64 n)
{
	Classes    *classes = dealer->classes;

	rows_region(dealer->work->frame, dealer->rows + classes->first[classes->nclasses], n,
				classes->regions + (Size) classes->nclasses * classes->nqis);
	classes->nclasses++;
	classes->first[classes->nclasses] = classes->first[classes->nclasses - 1] + n;
}

/* Makes a group into as many classes as are allowed. */
static void
deal_group(Dealer *dealer, const Group *group)
{
	Work	   *work = dealer->work;
	RowId	   *rows = dealer->rows + dealer->classes->first[dealer->classes->nclasses];
	uint64		n = group->rows;
	uint64		nclasses = most_classes(work, group);

	lay_out(dealer, group);
	if (nclasses > 1 && !are_allowed(work, rows, n, nclasses, false))
		nclasses = deal_cards(dealer, rows, n, nclasses);
	for (uint64 i = 0; i < nclasses; i++)
		add_class(dealer, slice_start(n, nclasses, i + 1) - slice_start(n, nclasses, i));
}

Classes *
deal_classes(Work *work, uint64 nrows, MemoryContext context)
{
	Dealer	   *dealer = dealer_create(work, nrows, context);

	for (uint32 group = 0; group < work->ngroups; group++)
	{
		CHECK_FOR_INTERRUPTS();
		if (work->groups[group].rows > 0)
			deal_group(dealer, &work->groups[group]);
	}
	memcpy(work->records->rows, dealer->rows, sizeof(RowId) * nrows);
	return dealer->classes;
}
