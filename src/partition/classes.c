/*
 * classes.c
 *		The regions that rows cover.
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
		CHECK_FOR_INTERRUPTS();
		region[q] = domain_cover(&frame->domain[q], rows_span(frame->code[q], rows, n));
	}
}
