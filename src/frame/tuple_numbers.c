/*
 * tuple_numbers.c
 *		A hash table of tuples, with open addressing.
 */
#include "frame/tuple_numbers.h"

#include "frame/arrays.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#define FIRST_SLOTS 16

/* Hashes the width, too, since tuples of one table may differ in it. */
static inline uint64
hash_words(const uint32 *word, uint32 n)
{
	uint64		hash = n * UINT64CONST(0x9E3779B97F4A7C15);

	for (uint32 i = 0; i < n; i++)
	{
		hash = (hash ^ word[i]) * UINT64CONST(0xC2B2AE3D27D4EB4F);
		hash ^= hash >> 29;
	}
	return hash;
}

/* Tuples are short: a loop is faster than memcmp(). */
static inline bool
equal_words(const uint32 *a, const uint32 *b, uint32 n)
{
	uint32		different = 0;

	for (uint32 i = 0; i < n; i++)
		different |= a[i] ^ b[i];
	return different == 0;
}

/* The slot where a tuple is, or would be. */
static inline uint32 *
find_slot(const TupleNumbers *tuples, const uint32 *word, uint32 n)
{
	for (uint64 i = hash_words(word, n);; i++)
	{
		uint32	   *slot = &tuples->slot[i & (tuples->nslots - 1)];

		if (*slot == NO_NUMBER ||
			(tuple_width(tuples, *slot) == n && equal_words(tuple_words(tuples, *slot), word, n)))
			return slot;
	}
}

/* Replaces the slots by more, a power of 2, and enters all tuples again. */
static void
make_slots(TupleNumbers *tuples, uint64 nslots)
{
	CHECK_FOR_INTERRUPTS();
	array_resize(tuples->slot, nslots);
	memset(tuples->slot, 0xff, sizeof(uint32) * nslots);	/* NO_NUMBER */
	tuples->nslots = nslots;
	for (uint32 i = 0; i < tuples->n; i++)
		*find_slot(tuples, tuple_words(tuples, i), tuple_width(tuples, i)) = i;
}

TupleNumbers *
tuple_numbers_create(int32 width)
{
	TupleNumbers *tuples = palloc0(sizeof(TupleNumbers));

	tuples->width = width;
	array_reserve(tuples->word, tuples->words_allocated, (uint64) FIRST_SLOTS / 2 * Max(width, 1));
	if (width == ANY_WIDTH)
	{
		array_reserve(tuples->first, tuples->firsts_allocated, FIRST_SLOTS / 2);
		tuples->first[0] = 0;
	}
	make_slots(tuples, FIRST_SLOTS);
	return tuples;
}

uint32
tuple_number(TupleNumbers *tuples, const uint32 *word, uint32 n)
{
	uint32	   *slot = find_slot(tuples, word, n);
	uint64		filled;

	Assert(tuples->first != NULL || n == (uint32) tuples->width);
	if (*slot != NO_NUMBER)
		return *slot;
	if (tuples->n >= PG_UINT32_MAX / 4)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("a release has too many different regions"),
				 errhint("Publish fewer columns, or in several releases of a cohort each.")));
	*slot = tuples->n;
	filled = tuple_words(tuples, tuples->n) - tuples->word;
	array_reserve(tuples->word, tuples->words_allocated, filled + n);
	memcpy(tuples->word + filled, word, sizeof(uint32) * n);
	tuples->n++;
	if (tuples->first != NULL)
	{
		array_reserve(tuples->first, tuples->firsts_allocated, tuples->n + 1);
		tuples->first[tuples->n] = filled + n;
	}
	if (tuples->n > tuples->nslots / 2)
		make_slots(tuples, tuples->nslots * 2);
	return tuples->n - 1;
}

uint32
tuple_find(const TupleNumbers *tuples, const uint32 *word, uint32 n)
{
	return *find_slot(tuples, word, n);
}
