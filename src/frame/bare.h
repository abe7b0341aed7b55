/*
 * bare.h
 *		Values of a fixed length as they stand in an array: one right behind the
 *		other, and perhaps not aligned.
 */
#ifndef PPREPUB_FRAME_BARE_H
#define PPREPUB_FRAME_BARE_H

#include "postgres.h"

#define READ_BARE(type, to_datum) \
	for (int i = 0; i < n; i++) \
	{ \
		type		value; \
		memcpy(&value, bare + sizeof(type) * i, sizeof(type)); \
		values[i] = to_datum(value); \
	}

/* As a tuple would give them. */
static inline void
read_bare(Datum *values, const char *bare, int length, int n)
{
	switch (length)
	{
		case sizeof(char):
			READ_BARE(char, CharGetDatum);
			break;
		case sizeof(int16):
			READ_BARE(int16, Int16GetDatum);
			break;
		case sizeof(int32):
			READ_BARE(int32, Int32GetDatum);
			break;
		default:
			READ_BARE(Datum, (Datum));
	}
}

#undef READ_BARE

#endif							/* PPREPUB_FRAME_BARE_H */
