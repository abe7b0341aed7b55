/*
 * bare.h
 *		Values of a fixed length as they stand in an array: one right behind the
 *		other, and perhaps not aligned.
 */
#ifndef PPREPUB_FRAME_BARE_H
#define PPREPUB_FRAME_BARE_H

#include "postgres.h"

/* One of them, as a tuple would give it.  To be called with a length that the compiler knows. */
static pg_attribute_always_inline Datum
bare_value(const char *bare, int length, int i)
{
	int16		two;
	int32		four;
	Datum		eight;

	switch (length)
	{
		case sizeof(char):
			return CharGetDatum(bare[i]);
		case sizeof(two):
			memcpy(&two, bare + sizeof(two) * i, sizeof(two));
			return Int16GetDatum(two);
		case sizeof(four):
			memcpy(&four, bare + sizeof(four) * i, sizeof(four));
			return Int32GetDatum(four);
		default:
			memcpy(&eight, bare + sizeof(eight) * i, sizeof(eight));
			return eight;
	}
}

/* Calls a function of values and their length, with one that the compiler knows. */
#define CALL_BARE(function, length, ...) \
	((length) == sizeof(char) ? function(__VA_ARGS__, sizeof(char)) : \
	 (length) == sizeof(int16) ? function(__VA_ARGS__, sizeof(int16)) : \
	 (length) == sizeof(int32) ? function(__VA_ARGS__, sizeof(int32)) : \
	 function(__VA_ARGS__, sizeof(Datum)))

static pg_attribute_always_inline void
read_bare_of(Datum *values, const char *bare, int n, int length)
{
	for (int i = 0; i < n; i++)
		values[i] = bare_value(bare, length, i);
}

static inline void
read_bare(Datum *values, const char *bare, int length, int n)
{
	CALL_BARE(read_bare_of, length, values, bare, n);
}

#endif							/* PPREPUB_FRAME_BARE_H */
