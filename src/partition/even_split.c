/*
 * even_split.c
 *		Halving again and again: of each value the lower half of its rows goes to
 *		one side, so that both sides stay even.
 *
 * NOTES
 *		Sets are split as by Xiao and Tao, along the quasi-identifier that loses most; where
 *		few sets are left all of them are tried.  Where a value has fewer rows
 *		than there are sets, the counterfeits go where its rows are not.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "partition/buckets.h"
#include "utils/memutils.h"

#define TRY_ALL 4				/* sets */

typedef struct EvenSplit
{
	const Frame *frame;
	uint32		n;
	RowId	   *rows;
} EvenSplit;

/* Splits all values along a quasi-identifier: at[i] is where the lower side of value i ends. */
static void
halve(EvenSplit *splitter, const uint64 *lo, const uint64 *hi, uint64 sets, uint64 below, int q, uint64 *at)
{
	const Code *code = splitter->frame->code[q];
	Code		limit = 0;

	for (uint32 i = 0; i < splitter->n; i++)
	{
		RowId	   *rows = splitter->rows + lo[i];
		uint64		n = hi[i] - lo[i];
		Code		highest;

		if (n < sets)
			continue;
		select_lowest(code, rows, n, below);
		at[i] = lo[i] + below;
		highest = rows_span(code, rows, below).hi;
		limit = Max(limit, highest);
	}
	for (uint32 i = 0; i < splitter->n; i++)
	{
		RowId	   *rows = splitter->rows + lo[i];
		uint64		n = hi[i] - lo[i];
		uint64		k = 0;

		if (n >= sets)
			continue;
		for (uint64 at_row = 0; at_row < n; at_row++)
			k += code[rows[at_row]] < limit;
		k = Min(k, below);
		k = Max(k, n > sets - below ? n - (sets - below) : 0);
		select_lowest(code, rows, n, k);
		at[i] = lo[i] + k;
	}
}

/* The cost of covering the rows between lo and hi along a quasi-identifier. */
static double
cost_along(const EvenSplit *splitter, const uint64 *lo, const uint64 *hi, int q)
{
	const Frame *frame = splitter->frame;
	Span		span = {NO_CODE, 0};

	for (uint32 i = 0; i < splitter->n; i++)
		for (uint64 at = lo[i]; at < hi[i]; at++)
			span_widen(&span, frame->code[q][splitter->rows[at]]);
	return cover_loss(&frame->domain[q], span);
}

static double
loss_of_side(const EvenSplit *splitter, const uint64 *lo, const uint64 *hi)
{
	double		loss = 0;

	for (int q = 0; q < splitter->frame->nqis; q++)
		loss += cost_along(splitter, lo, hi, q);
	return loss;
}

/* The quasi-identifier along which the rows cost most. */
static int
costliest(const EvenSplit *splitter, const uint64 *lo, const uint64 *hi)
{
	double		most = -1;
	int			found = 0;

	for (int q = 0; q < splitter->frame->nqis; q++)
	{
		double		loss = cost_along(splitter, lo, hi, q);

		if (loss > most)
		{
			most = loss;
			found = q;
		}
	}
	return found;
}

/* The quasi-identifier along which the two sides lose least. */
static int
cheapest(EvenSplit *splitter, const uint64 *lo, const uint64 *hi, uint64 sets, uint64 below, uint64 *at)
{
	double		least = 0;
	int			found = 0;

	for (int q = 0; q < splitter->frame->nqis; q++)
	{
		double		loss;

		halve(splitter, lo, hi, sets, below, q, at);
		loss = loss_of_side(splitter, lo, at) * below + loss_of_side(splitter, at, hi) * (sets - below);
		if (q == 0 || loss < least)
		{
			least = loss;
			found = q;
		}
	}
	return found;
}

/* Splits sets into two halves until they are single; the stack has room for each level's bounds. */
static void
split(EvenSplit *splitter, const uint64 *lo, const uint64 *hi, uint64 sets, RowId *cell, uint64 *stack)
{
	uint32		n = splitter->n;
	uint64		below = sets / 2;
	uint64	   *at = stack;
	int			q;

	if (sets == 1)
	{
		for (uint32 i = 0; i < n; i++)
			cell[i] = hi[i] > lo[i] ? splitter->rows[lo[i]] : NO_ROW;
		return;
	}
	if (sets > 1024)
		CHECK_FOR_INTERRUPTS();
	if (splitter->frame->nqis > 0)
	{
		q = sets <= TRY_ALL ? cheapest(splitter, lo, hi, sets, below, at) : costliest(splitter, lo, hi);
		halve(splitter, lo, hi, sets, below, q, at);
	}
	else
		for (uint32 i = 0; i < n; i++)
			at[i] = lo[i] + Min(below, hi[i] - lo[i]);
	split(splitter, lo, at, below, cell, stack + n);
	split(splitter, at, hi, sets - below, cell + below * n, stack + n);
}

void
even_split(const Frame *frame, RowId *rows, const uint64 *lo, const uint64 *hi,
		   uint32 n, uint64 sets, RowId *cell)
{
	EvenSplit	splitter = {.frame = frame, .n = n, .rows = rows};
	uint64	   *stack;

	if (sets == 0)
		return;
	stack = palloc(sizeof(uint64) * n * 65);	/* a level for each bit of the sets */
	split(&splitter, lo, hi, sets, cell, stack);
	pfree(stack);
}
