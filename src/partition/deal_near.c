/*
 * deal_near.c
 *		Hands of rows that are near each other, with as many of each value as if they were dealt like cards.
 *
 * Hands are parted into two halves again and again, and the rows with them: of each value the
 * rows with the lowest codes go to the one half, as many as its hands get of it, and the others to the
 * other half.  So no hand gets other values than it would be dealt, and what the
 * principle was asked of cards holds.
 *
 * NOTES
 *		The hands of a node are first, first + step, ….  Their halves are every second of them: cards
 *		that follow each other, and so all rows of a rare value, go to both sides in turn.
 *
 *		Where many hands are left the column is chosen by what its own cells lose, and where few are by
 *		all cells.
 */
#include "postgres.h"

#include "frame/arrays.h"
#include "miscadmin.h"
#include "partition/groups.h"

#define FEW_HANDS	8

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

/* Finds where values begin and end. */
static void
find_values(NearDealer *dealer)
{
	for (uint64 i = 0; i < dealer->n; i++)
	{
		Code		value = value_of(dealer, dealer->cards[i]);

		CHECK_FOR_INTERRUPTS();
		if (i == 0 || value != value_of(dealer, dealer->cards[i - 1]))
			dealer->begin[value] = i;
		dealer->end[value] = i + 1;
	}
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
	if (rows == 0 || span.lo == span.hi)
		return 0;
	return rows * weight_of(frame, q) * domain_loss(&frame->domain[q], domain_cover(&frame->domain[q], span));
}

/* The loss that parting along a column saves, in all columns or in that one alone. */
static double
saving_along(NearDealer *dealer, int q, bool all)
{
	double		saved = 0;

	part_suits(dealer, q);
	for (int other = 0; other < dealer->frame->nqis; other++)
		if (all ? dealer->loss[other] > 0 : other == q)
			saved += dealer->loss[other] - loss_of_half(dealer, other, true) - loss_of_half(dealer, other, false);
	return saved;
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
			dealer->loss[q] = node->n * weight_of(frame, q) *
				domain_loss(&frame->domain[q], domain_cover(&frame->domain[q], span));
	}
}

/* The column to part a node along, the one that loses most if none saves anything; -1 if its rows are alike. */
static int
choose_column(NearDealer *dealer, bool all)
{
	int			chosen = -1;
	double		most = 0;

	for (int q = 0; q < dealer->frame->nqis; q++)
	{
		double		loss = dealer->loss[q];
		double		saved;

		if (loss <= 0)
			continue;
		saved = saving_along(dealer, q, all);
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
	find_values(&dealer);
	deal_node(&dealer, &(Node) {0, 1, 0, n, 0});
	pfree(dealer.buffer);
	pfree(dealer.begin);
	pfree(dealer.end);
	pfree(dealer.suits);
	pfree(dealer.loss);
}
