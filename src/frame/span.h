/*
 * span.h
 *		Codes, and intervals of codes: the one shape that every generalised
 *		value has inside a frame.
 *
 * A taxonomy's leaves are coded depth-first, prefixes alphabetically, numbers
 * by size.  Therefore each cell that can be printed, of whatever kind, is an
 * interval of codes: consistency is overlap, generalisation is containment.
 * The server has an Interval of its own (a time span), hence the name.
 */
#ifndef PPREPUB_FRAME_SPAN_H
#define PPREPUB_FRAME_SPAN_H

typedef uint32 Code;

#define NO_CODE		PG_UINT32_MAX

/* An interval of codes; both ends belong to it. */
typedef struct Span
{
	Code		lo;
	Code		hi;
} Span;

/* Of which nothing is known: any code. */
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

/* How many codes the span holds. */
static inline uint64
span_width(Span i)
{
	return (uint64) i.hi - i.lo + 1;
}

#endif							/* PPREPUB_FRAME_SPAN_H */
