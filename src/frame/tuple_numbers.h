/*
 * tuple_numbers.h
 *		Numbers for tuples of 32-bit words: equal tuples get the same number, and new
 *		ones 0, 1, 2 … in the order in which they come.
 *
 * The hash table holds the numbers; the tuples are kept one after the other.
 */
#ifndef PPREPUB_FRAME_TUPLE_NUMBERS_H
#define PPREPUB_FRAME_TUPLE_NUMBERS_H

#include "postgres.h"

#define NO_NUMBER	PG_UINT32_MAX
#define ANY_WIDTH	(-1)

typedef struct TupleNumbers
{
	int32		width;			/* words of each tuple; or ANY_WIDTH */
	uint32		n;				/* tuples */
	uint32	   *word;			/* moves when a tuple is added */
	uint64	   *first;			/* [n + 1] where each tuple's words begin; NULL unless ANY_WIDTH */

	/* Private */
	uint64		words_allocated;
	uint32		firsts_allocated;
	uint64		nslots;			/* a power of 2 */
	uint32	   *slot;			/* numbers, or NO_NUMBER */
} TupleNumbers;

/* Makes a table that stays in the current context, even if tuples are added in another one. */
extern TupleNumbers *tuple_numbers_create(int32 width);

/* Returns the number of a tuple of n words; a new tuple is added. */
extern uint32 tuple_number(TupleNumbers *tuples, const uint32 *word, uint32 n);

/* Like tuple_number(), but adds nothing: returns NO_NUMBER if there is no such tuple. */
extern uint32 tuple_find(const TupleNumbers *tuples, const uint32 *word, uint32 n);

static inline void
tuple_numbers_free(TupleNumbers *tuples)
{
	pfree(tuples->word);
	pfree(tuples->slot);
	if (tuples->first != NULL)
		pfree(tuples->first);
	pfree(tuples);
}

static inline const uint32 *
tuple_words(const TupleNumbers *tuples, uint32 number)
{
	return &tuples->word[tuples->first == NULL ? (uint64) number * tuples->width : tuples->first[number]];
}

static inline uint32
tuple_width(const TupleNumbers *tuples, uint32 number)
{
	return tuples->first == NULL ? (uint32) tuples->width : tuples->first[number + 1] - tuples->first[number];
}

#endif							/* PPREPUB_FRAME_TUPLE_NUMBERS_H */
