/*
 * words.h
 *		Values by reference that are made of integers, as arrays of them are.
 */
#ifndef PPREPUB_STORE_ENCODING_WORDS_H
#define PPREPUB_STORE_ENCODING_WORDS_H

#include "store/encoding/item.h"
#include "store/encoding/packed.h"

/* The most heads: an array begins with up to this many words of 4 bytes before its elements. */
#define MAX_HEADS 5

typedef struct WordsPlan
{
	const ColumnShape *shape;	/* borrowed */
	const Item *items;			/* borrowed */
	uint32		n;
	uint32		nheads;
	uint32		unit;			/* bytes of a word behind the heads: 4 or 8 */
	uint32		nwords;			/* such words, in all items */
	PackedPlan	lengths;		/* in these, of each item */
	PackedPlan	heads[MAX_HEADS];
	PackedPlan	tails;
	uint64		size;
} WordsPlan;

/* False, if the items are not made of words, or of too many. */
extern bool words_measure(WordsPlan *plan, const ColumnShape *shape, const Item *items, uint32 n);
extern void words_write(Output *out, const WordsPlan *plan);

typedef struct WordsReader
{
	const ColumnShape *shape;	/* borrowed */
	uint32		n;
	uint32		nheads;
	uint32		unit;
	uint32		nwords;
	const uint32 *starts;		/* borrowed; for each vector of items, the words before it */
	PackedReader lengths;
	PackedReader heads[MAX_HEADS];
	PackedReader tails;
} WordsReader;

extern const char *words_open(WordsReader *reader, Input *in, const ColumnShape *shape, uint32 n);

/* Reads some items, into the context. */
extern const char *words_read(const WordsReader *reader, uint32 from, uint32 n, MemoryContext context,
							  Datum *values);

/* Do the lengths agree with their directory, and with how many words there are? */
extern const char *words_verify(const WordsReader *reader);

#endif							/* PPREPUB_STORE_ENCODING_WORDS_H */
