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
#include "partition/buckets.h"
#include "partition/groups.h"

#define FEWER		16
#define FEW_HANDS	8

/* How many of first, first + step, … are below a number. */
static inline uint64
steps_below(uint64 number, uint64 first, uint64 step)
{
	return number > first ? (number - first - 1) / step + 1 : 0;
}

/* ----------------------------------------------------------------
 * Hands of rows that are near each other, with as many of each value as if they were dealt like cards
 *
 * Hands are parted into two halves again and again, and the rows with them: of each value the
 * rows with the lowest codes go to the one half, as many as its hands get of it, and the others to the
 * other half.  So no hand gets other values than it would be dealt, and what the
 * principle was asked of cards holds.
 *
 * The hands of a node are first, first + step, ….  Their halves are every second of them: cards
 * that follow each other, and so all rows of a rare value, go to both sides in turn.
 *
 * Where many hands are left the column is chosen by what its own cells lose, and where few are by
 * all cells.
 * ----------------------------------------------------------------
 */

/* The rows of a node that have one value. */
typedef struct Suit
{
	uint64		from;			/* cards[from] is the first */
	uint64		lower;			/* so many go to the lower half */
	uint64		n;
} Suit;

typedef struct NearDealer
{
	const Frame *frame;
	uint64		n;
	uint64		nhands;
	RowId	   *cards;			/* [n] node by node, and in each value by value */
	RowId	   *buffer;			/* [n] */
	RowId	   *hands;			/* [n] the result */
	uint64	   *begin;			/* [nsensitive + 1] where the cards of a value began; the last ones have none */
	uint64	   *end;
	uint64		nsuits;
	Suit	   *suits;			/* of the node at hand */
	double	   *loss;			/* [nqis] of the node at hand, over all rows */
} NearDealer;

/* Hands that two halves have together. */
typedef struct Node
{
	uint64		first;
	uint64		step;
	uint64		from;			/* cards[from] is the first */
	uint64		n;
	uint64		settled;		/* a bit for each of the first columns in which all rows are alike */
} Node;

static inline Code
value_of(const NearDealer *dealer, RowId row)
{
	return Min(dealer->frame->sensitive[row], dealer->frame->nsensitive);
}

/* How many of the first i cards go to hands first, first + step, … */
static inline uint64
cards_below(const NearDealer *dealer, uint64 i, uint64 first, uint64 step)
{
	return i / dealer->nhands * steps_below(dealer->nhands, first, step) +
		steps_below(i % dealer->nhands, first, step);
}

/* Finds the values of a node, and how many of each go to the lower half. */
static void
find_suits(NearDealer *dealer, const Node *node)
{
	uint64		i = node->from;

	dealer->nsuits = 0;
	while (i < node->from + node->n)
	{
		Suit	   *suit = &dealer->suits[dealer->nsuits++];
		Code		value = value_of(dealer, dealer->cards[i]);

		CHECK_FOR_INTERRUPTS();
		suit->from = i++;
		while (i < node->from + node->n && value_of(dealer, dealer->cards[i]) == value)
			i++;
		suit->n = i - suit->from;
		suit->lower = cards_below(dealer, dealer->end[value], node->first, node->step * 2) -
			cards_below(dealer, dealer->begin[value], node->first, node->step * 2);
	}
}

/* Puts the rows that go to the lower half first, in each value, if the node is parted along a column. */
static void
part_suits(NearDealer *dealer, int q)
{
	for (uint64 s = 0; s < dealer->nsuits; s++)
	{
		const Suit *suit = &dealer->suits[s];

		CHECK_FOR_INTERRUPTS();
		select_lowest(dealer->frame->code[q], dealer->cards + suit->from, suit->n, suit->lower);
	}
}

/* The loss of the cells of one half in a column, over all of its rows. */
static double
loss_of_half(const NearDealer *dealer, int q, bool lower)
{
	const Frame *frame = dealer->frame;
	Span		span = {NO_CODE, 0};
	uint64		rows = 0;

	for (uint64 s = 0; s < dealer->nsuits; s++)
	{
		const Suit *suit = &dealer->suits[s];
		uint64		n = lower ? suit->lower : suit->n - suit->lower;

		if (n > 0)
			span = span_hull(span, rows_span(frame->code[q], dealer->cards + suit->from + (lower ? 0 : suit->lower), n));
		rows += n;
	}
	return rows * cover_loss(&frame->domain[q], span);
}

/* Measures what the cells of a node lose, column by column. */
static void
measure_node(NearDealer *dealer, Node *node)
{
	const Frame *frame = dealer->frame;

	for (int q = 0; q < frame->nqis; q++)
	{
		uint64		bit = q < 64 ? UINT64CONST(1) << q : 0;
		Span		span;

		dealer->loss[q] = 0;
		if ((node->settled & bit) != 0)
			continue;
		span = rows_span(frame->code[q], dealer->cards + node->from, node->n);
		if (span.lo == span.hi)
			node->settled |= bit;
		else
			dealer->loss[q] = node->n * cover_loss(&frame->domain[q], span);
	}
}

/*
 * The column to part a node along, by what that saves in all columns or in that one alone; the one that loses most if none
 * saves anything; -1 if its rows are alike.
 */
static int
choose_column(NearDealer *dealer, bool all)
{
	int			chosen = -1;
	double		most = 0;

	for (int q = 0; q < dealer->frame->nqis; q++)
	{
		double		loss = dealer->loss[q];
		double		saved = 0;

		if (loss <= 0)
			continue;
		part_suits(dealer, q);
		for (int other = 0; other < dealer->frame->nqis; other++)
			if (all ? dealer->loss[other] > 0 : other == q)
				saved += dealer->loss[other] - loss_of_half(dealer, other, true) - loss_of_half(dealer, other, false);
		if (chosen < 0 || saved > most || (saved == most && loss > dealer->loss[chosen]))
		{
			chosen = q;
			most = saved;
		}
	}
	return chosen;
}

/* Moves the lower half of a node's rows before the other; returns how many they are. */
static uint64
part_rows(NearDealer *dealer, const Node *node)
{
	RowId	   *lower = dealer->buffer;
	RowId	   *upper;
	uint64		n = 0;

	for (uint64 s = 0; s < dealer->nsuits; s++)
		n += dealer->suits[s].lower;
	upper = lower + n;
	for (uint64 s = 0; s < dealer->nsuits; s++)
	{
		const Suit *suit = &dealer->suits[s];
		const RowId *rows = dealer->cards + suit->from;

		memcpy(lower, rows, sizeof(RowId) * suit->lower);
		memcpy(upper, rows + suit->lower, sizeof(RowId) * (suit->n - suit->lower));
		lower += suit->lower;
		upper += suit->n - suit->lower;
	}
	memcpy(dealer->cards + node->from, dealer->buffer, sizeof(RowId) * node->n);
	return n;
}

/* Deals the rows of a node to its hands. */
static void
deal_node(NearDealer *dealer, Node *node)
{
	uint64		second = node->first + node->step;
	uint64		n;
	int			q;

	CHECK_FOR_INTERRUPTS();
	if (second >= dealer->nhands)
	{
		memcpy(dealer->hands + slice_start(dealer->n, dealer->nhands, node->first), dealer->cards + node->from,
			   sizeof(RowId) * node->n);
		return;
	}
	find_suits(dealer, node);
	measure_node(dealer, node);
	q = choose_column(dealer, steps_below(dealer->nhands, node->first, node->step) <= FEW_HANDS);
	if (q >= 0)
		part_suits(dealer, q);
	n = part_rows(dealer, node);
	deal_node(dealer, &(Node) {node->first, node->step * 2, node->from, n, node->settled});
	deal_node(dealer, &(Node) {second, node->step * 2, node->from + n, node->n - n, node->settled});
}

void
deal_near(const Frame *frame, RowId *cards, uint64 n, uint64 nhands, RowId *hands)
{
	NearDealer	dealer = {.frame = frame, .n = n, .nhands = nhands, .cards = cards, .hands = hands};

	dealer.buffer = new_array(RowId, n);
	dealer.begin = new_array(uint64, (Size) frame->nsensitive + 1);
	dealer.end = new_array(uint64, (Size) frame->nsensitive + 1);
	dealer.suits = new_array(Suit, Min(n, (uint64) frame->nsensitive + 1));
	dealer.loss = new_array(double, frame->nqis);
	for (uint64 i = 0; i < n; i++)
	{
		Code		value = value_of(&dealer, cards[i]);

		CHECK_FOR_INTERRUPTS();
		if (i == 0 || value != value_of(&dealer, cards[i - 1]))
			dealer.begin[value] = i;
		dealer.end[value] = i + 1;
	}
	deal_node(&dealer, &(Node) {0, 1, 0, n, 0});
	pfree(dealer.buffer);
	pfree(dealer.begin);
	pfree(dealer.end);
	pfree(dealer.suits);
	pfree(dealer.loss);
}

void
even_split(const Frame *frame, const RowId *rows, const uint64 *lo, const uint64 *hi, uint32 n, uint64 sets, RowId *cell)
{
	uint64		ncards = 0;
	RowId	   *cards;
	RowId	   *hands;
	const RowId *next;

	for (uint32 i = 0; i < n; i++)
		ncards += hi[i] - lo[i];
	cards = new_array(RowId, ncards);
	next = hands = new_array(RowId, ncards);
	ncards = 0;
	for (uint32 i = 0; i < n; i++)
	{
		memcpy(cards + ncards, rows + lo[i], sizeof(RowId) * (hi[i] - lo[i]));
		ncards += hi[i] - lo[i];
	}
	if (sets > 1)
		deal_near(frame, cards, ncards, sets, hands);
	else
		memcpy(hands, cards, sizeof(RowId) * ncards);
	/* A hand's cards stand in the order of their values. */
	for (uint64 g = 0; g < sets; g++)
		for (uint32 i = 0; i < n; i++, cell++)
		{
			bool		is_there = hi[i] > lo[i] && next < hands + slice_start(ncards, sets, g + 1) &&
				frame->sensitive[*next] == frame->sensitive[rows[lo[i]]];

			*cell = is_there ? *next++ : NO_ROW;
		}
	pfree(cards);
	pfree(hands);
}

/* ----------------------------------------------------------------
 * Groups
 * ----------------------------------------------------------------
 */

typedef struct Dealer
{
	Work	   *work;			/* borrowed */
	Classes    *classes;		/* the result */
	RowId	   *rows;			/* [nrows] class by class */
	RowId	   *cards;			/* the rows of a group while it is dealt */
	uint64		cards_allocated;

	Tally	   *counted;		/* the cards; its values stand as they do */
	uint64	   *next;			/* [nsensitive + 1] where the next card of a value goes */
} Dealer;

/* Classes that a group can make at most. */
static inline uint64
most_classes(const Work *work, const Group *group)
{
	return group->rows == 0 ? 0 : Max(1, group->rows / Max(1, work->principle->k));
}

/* Is the class of n rows, a step apart, allowed? */
static bool
is_allowed(Work *work, const RowId *rows, uint64 n, uint64 step)
{
	bool		allowed = false;
	uint64		counted = 0;

	if (!work->monotonous)
	{
		for (uint64 i = 0; i < n; i++)
		{
			CHECK_FOR_INTERRUPTS();
			tally_add(work->tally, work->frame->sensitive[rows[i * step]]);
		}
		return allowed_at_once(work);
	}
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

/* Is the hand allowed that gets card i of those that are sorted by value, and every nhands-th one before and behind it? */
static bool
is_hand_allowed(Dealer *dealer, uint64 n, uint64 nhands, uint64 i)
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

/* Copies rows to cards, those of the rarest values first and NULLs last, and leaves the values in that order. */
static void
sort_cards(Dealer *dealer, const RowId *rows, uint64 n)
{
	const Frame *frame = dealer->work->frame;
	Tally	   *tally = dealer->counted;
	uint64		next = 0;

	if (dealer->cards_allocated < n)
	{
		if (dealer->cards != NULL)
			pfree(dealer->cards);
		dealer->cards = new_array(RowId, n);
		dealer->cards_allocated = n;
	}
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

/* Makes a group into as many classes as are allowed, behind those made before. */
static void
deal_group(Dealer *dealer, const Group *group)
{
	Work	   *work = dealer->work;
	Classes    *classes = dealer->classes;
	RowId	   *rows = dealer->rows + classes->first[classes->nclasses];
	RowId	   *to = rows;
	uint64		n = group->rows;
	uint64		nclasses = most_classes(work, group);

	for (uint32 p = group->head; p != NO_PIECE; p = work->pieces[p].next)
	{
		const Piece *piece = &work->pieces[p];

		memcpy(to, work->records->rows + piece->begin, sizeof(RowId) * piece_rows(piece));
		to += piece_rows(piece);
	}
	if (nclasses > 1 && !are_allowed(work, rows, n, nclasses, false))
		nclasses = deal_cards(dealer, rows, n, nclasses, group->loss);
	for (uint64 i = 0; i < nclasses; i++)
	{
		uint64		start = slice_start(n, nclasses, i);
		uint64		end = slice_start(n, nclasses, i + 1);

		rows_region(work->frame, rows + start, end - start, classes->regions + (Size) classes->nclasses * classes->nqis);
		classes->first[classes->nclasses + 1] = classes->first[classes->nclasses] + end - start;
		classes->nclasses++;
	}
}

Classes *
deal_classes(Work *work, uint64 nrows, MemoryContext context)
{
	Dealer		dealer = {.work = work, .rows = new_array(RowId, nrows + 1)};
	Classes    *classes;
	Size		nclasses = 0;
	MemoryContext outer;

	dealer.counted = tally_create(work->frame->nsensitive);
	dealer.next = new_array(uint64, (Size) work->frame->nsensitive + 1);
	for (uint32 group = 0; group < work->ngroups; group++)
		nclasses += most_classes(work, &work->groups[group]);
	outer = MemoryContextSwitchTo(context);
	dealer.classes = classes = palloc0(sizeof(Classes));
	classes->nqis = work->frame->nqis;
	classes->first = new_array(uint64, nclasses);
	classes->regions = new_array(Span, (Size) nclasses * classes->nqis + 1);
	classes->rows = work->records->rows;
	MemoryContextSwitchTo(outer);
	classes->first[0] = 0;
	for (uint32 group = 0; group < work->ngroups; group++)
	{
		CHECK_FOR_INTERRUPTS();
		if (work->groups[group].rows > 0)
			deal_group(&dealer, &work->groups[group]);
	}
	memcpy(work->records->rows, dealer.rows, sizeof(RowId) * nrows);
	return classes;
}
