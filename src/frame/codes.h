/*
 * codes.h
 *		Sorting codes, and finding one among sorted ones.
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

/* The place of a code among n that ascend; n if it is not there. */
static inline uint64
find_code(const Code *codes, uint64 n, Code code)
{
	uint64		low = 0;
	uint64		high = n;

	while (low < high)
	{
		uint64		middle = low + (high - low) / 2;

		if (codes[middle] < code)
			low = middle + 1;
		else
			high = middle;
	}
	return low < n && codes[low] == code ? low : n;
}

#endif							/* PPREPUB_FRAME_CODES_H */
