/*
 * span.h
 *		Codes, and intervals of codes: inside a frame every generalised value is
 *		one.
 *
 * A taxonomy's leaves are coded depth-first, prefixes alphabetically, numbers
 * by size.  Therefore each cell that can be printed, of whatever kind, is an
 * interval of codes: consistency is overlap, generalisation is containment.
 * The server has an Interval of its own (a time span), hence the name.
 */
#ifndef PPREPUB_FRAME_SPAN_H
#define PPREPUB_FRAME_SPAN_H

#include "postgres.h"

typedef uint32 Code;

#define NO_CODE		PG_UINT32_MAX

/* An interval of codes; both ends belong to it. */
typedef struct Span
{
	Code		lo;
	Code		hi;
} Span;

/* The span of an unknown value, which may have any code. */
#define ANYTHING	((Span) {0, PG_UINT32_MAX})

static inline Span
span_of(Code code)
{
	return (Span) {code, code};
}

static inline bool
span_equal(Span a, Span b)
{
	return a.lo == b.lo && a.hi == b.hi;
}

static inline bool
span_contains(Span outer, Span inner)
{
	return outer.lo <= inner.lo && inner.hi <= outer.hi;
}

static inline bool
span_overlaps(Span a, Span b)
{
	return a.lo <= b.hi && b.lo <= a.hi;
}

static inline void
span_widen(Span *span, Code code)
{
	span->lo = Min(span->lo, code);
	span->hi = Max(span->hi, code);
}

static inline Span
span_hull(Span a, Span b)
{
	return (Span) {Min(a.lo, b.lo), Max(a.hi, b.hi)};
}

/* The number of codes in the span. */
static inline uint64
span_width(Span i)
{
	return (uint64) i.hi - i.lo + 1;
}

/* ----------------------------------------------------------------
 * Sorting codes
 * ----------------------------------------------------------------
 */

#define FEW_CODES 16

static inline int
compare_codes(const void *a, const void *b)
{
	Code		x = *(const Code *) a;
	Code		y = *(const Code *) b;

	return (x > y) - (x < y);
}

/* Sorts ascending.  Most callers sort the values of a class, which are few. */
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

/* Finds the place of a code among n ascending ones; n if it is missing. */
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

#endif							/* PPREPUB_FRAME_SPAN_H */
