/*
 * numbering.h
 *		Numbers for keys of a few words each: the first key that comes is 0.
 */
#ifndef PPREPUB_METHOD_SEQUENTIAL_NUMBERING_H
#define PPREPUB_METHOD_SEQUENTIAL_NUMBERING_H

typedef struct Numbering
{
	int32		width;			/* words of a key */
	uint32		n;
	uint32	   *key;			/* [n * width] */

	/* Private */
	uint32		room;
	uint32	   *slot;			/* [nslots] numbers, or NO_NUMBER */
	uint64		nslots;			/* a power of two */
} Numbering;

#define NO_NUMBER PG_UINT32_MAX

/* Allocated in the current context. */
extern Numbering numbering_create(int32 width);

/* A key's number; a key that is new gets n, which then is one more. */
extern uint32 number_of(Numbering *numbering, const uint32 *key);

static inline const uint32 *
key_of(const Numbering *numbering, uint32 number)
{
	return &numbering->key[(Size) number * numbering->width];
}

#endif							/* PPREPUB_METHOD_SEQUENTIAL_NUMBERING_H */
