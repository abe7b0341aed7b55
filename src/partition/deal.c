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

#define FEWER	16

typedef struct Dealer
{
	Work	   *work;			/* borrowed */
	Classes    *classes;		/* the result */
	RowId	   *rows;			/* [nrows] class by class */
	RowId	   *cards;			/* the rows of a group while it is dealt */
	uint64		cards_allocated;

	/* Where the principle is not monotonous */
	Tally	   *counted;		/* the cards; its values stand as they do */
	uint64	   *next;			/* [nsensitive + 1] where the next card of a value goes */
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
	if (!work->monotonous)
	{
		dealer->counted = tally_create(work->frame->nsensitive);
		dealer->next = new_array(uint64, (Size) work->frame->nsensitive + 1);
	}
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

/* Asks a principle that is not monotonous, of the class as a whole. */
static bool
hand_allowed(Work *work, const RowId *rows, uint64 n, uint64 step)
{
	for (uint64 i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		tally_add(work->tally, work->frame->sensitive[rows[i * step]]);
	}
	return allowed_at_once(work);
}

/* Is the class of n rows, a step apart, allowed? */
static bool
is_allowed(Work *work, const RowId *rows, uint64 n, uint64 step)
{
	bool		allowed = false;
	uint64		counted = 0;

	if (!work->monotonous)
		return hand_allowed(work, rows, n, step);
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

/* Are so many equal slices of the rows allowed, or so many hands dealt from them? */
static bool
are_allowed(Work *work, const RowId *rows, uint64 n, uint64 nclasses, bool dealt)
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

/*
 * Adds to the tally the hand that gets card i of those that are sorted by value, and every nhands-th one
 * before and behind it.
 */
static void
add_hand(const Dealer *dealer, uint64 n, uint64 nhands, uint64 i)
{
	const Tally *cards = dealer->counted;
	Tally	   *hand = dealer->work->tally;
	uint64		begin = 0;

	for (uint32 v = 0; v < cards->values; v++)
	{
		Code		value = cards->value[v];
		uint64		end = begin + cards->count[value];
		uint64		rows = steps_below(end, i, nhands) - steps_below(begin, i, nhands);

		if (rows > 0)
			tally_add_rows(hand, value, rows);
		begin = end;
	}
	hand->rows = steps_below(n, i, nhands);
}

/* Is a hand allowed? */
static bool
is_hand_allowed(Dealer *dealer, uint64 n, uint64 nhands, uint64 i)
{
	add_hand(dealer, n, nhands, i);
	return allowed_at_once(dealer->work);
}

/*
 * Are so many hands allowed?  From one hand to the next the numbers of rows with a value only change where the
 * cards with a value begin, so that a hand for each of these places is enough.
 */
static bool
are_hands_allowed(Dealer *dealer, uint64 n, uint64 nhands)
{
	const Tally *cards = dealer->counted;
	uint64		begin = 0;

	if ((uint64) cards->values * Min(nhands, cards->values + 1) > n)
		return are_allowed(dealer->work, dealer->cards, n, nhands, true);
	for (uint64 hand = 0; hand < nhands && nhands <= cards->values + 1; hand++)
		if (!is_hand_allowed(dealer, n, nhands, hand))
			return false;
	for (uint32 v = 0; v <= cards->values && nhands > cards->values + 1; v++)
	{
		CHECK_FOR_INTERRUPTS();
		if (!is_hand_allowed(dealer, n, nhands, begin % nhands))
			return false;
		if (v < cards->values)
			begin += cards->count[cards->value[v]];
	}
	return is_hand_allowed(dealer, n, nhands, n % nhands);
}

/* Orders values by how many rows of the tally have them. */
static int
compare_counts(const void *a, const void *b, void *arg)
{
	const Tally *tally = arg;
	Code		x = *(const Code *) a;
	Code		y = *(const Code *) b;

	if (tally->count[x] != tally->count[y])
		return tally->count[x] < tally->count[y] ? -1 : 1;
	return x < y ? -1 : x > y;
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

/* Copies rows to cards, those of the rarest values first, and leaves the values in that order. */
static void
sort_by_value(Dealer *dealer, const RowId *rows, uint64 n)
{
	const Frame *frame = dealer->work->frame;
	Tally	   *tally = dealer->counted;
	uint64		next = 0;

	tally_clear(tally);
	for (uint64 i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		tally_add(tally, frame->sensitive[rows[i]]);
	}
	qsort_arg(tally->value, tally->values, sizeof(Code), compare_counts, tally);
	for (uint32 i = 0; i < tally->values; i++)
	{
		dealer->next[tally->value[i]] = next;
		next += tally->count[tally->value[i]];
	}
	dealer->next[frame->nsensitive] = next;
	for (uint64 i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		dealer->cards[dealer->next[Min(frame->sensitive[rows[i]], frame->nsensitive)]++] = rows[i];
	}
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
	if (!work->monotonous)
	{
		sort_by_value(dealer, rows, n);
		return;
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
 * How many hands are allowed, at most so many, by a principle for which fewer need not be better.  Of few
 * all are tried, and of many one in FEWER.
 */
static uint64
most_hands(Dealer *dealer, uint64 n, uint64 most)
{
	uint64		refused = most + 1;
	uint64		nhands = most;

	while (nhands > 1 && !are_hands_allowed(dealer, n, nhands))
	{
		refused = nhands;
		nhands -= Max(1, nhands / FEWER);
	}
	while (refused - nhands > 1)
	{
		uint64		middle = nhands + (refused - nhands) / 2;

		if (are_hands_allowed(dealer, n, middle))
			nhands = middle;
		else
			refused = middle;
	}
	return nhands;
}

/*
 * Deals rows into as many hands as are allowed, at most so many, and lays the
 * hands out one after the other.  Returns how many hands there are.
 */
static uint64
deal_cards(Dealer *dealer, RowId *rows, uint64 n, uint64 most, double loss)
{
	uint64		nhands = 1;

	sort_cards(dealer, rows, n);
	if (!dealer->work->monotonous)
		nhands = most = most_hands(dealer, n, most);
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
	if (!dealer->work->monotonous && loss > 0)
	{
		deal_near(dealer->work->frame, dealer->cards, n, nhands, rows);
		return nhands;
	}
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
		nclasses = deal_cards(dealer, rows, n, nclasses, group->loss);
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
