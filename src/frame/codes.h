/*
 * codes.h
 *		Sorting codes.
 */
#ifndef PPREPUB_FRAME_CODES_H
#define PPREPUB_FRAME_CODES_H

#include "postgres.h"

#include "frame/span.h"

#define FEW_CODES 16

static inline int
compare_codes(const void *a, const void *b)
{
	Code		x = *(const Code *) a;
	Code		y = *(const Code *) b;

	return (x > y) - (x < y);
}

/* Ascending.  Mostly these are the values of a class, which are few. */
static inline void
sort_codes(Code *codes, uint64 n)
{
	if (n > FEW_CODES)
	{
		qsort(codes, n, sizeof(Code), compare_codes);
		return;
	}
	for (uint64 i = 1; i < n; i++)
	{
		Code		code = codes[i];
		uint64		at = i;

		for (; at > 0 && codes[at - 1] > code; at--)
			codes[at] = codes[at - 1];
		codes[at] = code;
	}
}

#endif							/* PPREPUB_FRAME_CODES_H */
