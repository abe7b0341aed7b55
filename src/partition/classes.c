/*
 * classes.c
 *		The regions that rows cover, and rows on the lower side of one.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "partition/classes.h"

Span
rows_span(const Code *code, const RowId *rows, uint64 n)
{
	Span		span = {NO_CODE, 0};

	for (uint64 i = 0; i < n; i++)
		if (rows[i] != NO_ROW)
			span_widen(&span, code[rows[i]]);
	return span;
}

void
rows_region(const Frame *frame, const RowId *rows, uint64 n, Span *region)
{
	for (int q = 0; q < frame->nqis; q++)
	{
		Span		span = rows_span(frame->code[q], rows, n);

		CHECK_FOR_INTERRUPTS();
		if (frame->upto != NULL && frame->upto[q] != NULL)
			span = span_hull(span, rows_span(frame->upto[q], rows, n));
		region[q] = domain_cover(&frame->domain[q], span);
	}
}

void
select_lowest(const Code *code, RowId *rows, uint64 n, uint64 k)
{
	uint64		low = 0;
	uint64		high = n;

	while (high - low > 1 && k > low && k < high)
	{
		Code		pivot = code[rows[low + (high - low - 1) / 2]];
		uint64		i = low;
		uint64		j = high - 1;

		for (;;)
		{
			RowId		swap;

			while (code[rows[i]] < pivot)
				i++;
			while (code[rows[j]] > pivot)
				j--;
			if (i >= j)
				break;
			swap = rows[i];
			rows[i++] = rows[j];
			rows[j--] = swap;
		}
		/* rows up to j are not above the pivot, those from i on not below it */
		if (k <= j + 1)
			high = j + 1;
		else
			low = j + 1;
	}
}
