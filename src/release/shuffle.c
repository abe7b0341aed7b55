/*
 * shuffle.c
 *		Fisher and Yates' shuffle over the server's strong random source.
 */
#include "release/shuffle.h"

#include "miscadmin.h"

/* The source is asked for many numbers at a time: each call costs a microsecond. */
#define NUMBERS 1024

struct Shuffler
{
	uint32		numbers[NUMBERS];
	int			used;
};

static void
refill(void *buffer, size_t size)
{
	if (!pg_strong_random(buffer, size))
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR),
				 errmsg("could not get random numbers")));
}

Shuffler *
shuffler_create(void)
{
	Shuffler   *shuffler = palloc(sizeof(Shuffler));

	shuffler->used = NUMBERS;
	return shuffler;
}

/* Returns a random number; draws many at a time, since each call of the source is slow. */
static uint32
next_number(Shuffler *shuffler)
{
	if (shuffler->used == NUMBERS)
	{
		refill(shuffler->numbers, sizeof(shuffler->numbers));
		shuffler->used = 0;
	}
	return shuffler->numbers[shuffler->used++];
}

/*
 * A number from 0 to limit - 1.  Each is the upper half of a product for as many
 * lower halves as any other, but for those below 2^32 mod limit: these are drawn again.
 */
static uint32
next_below(Shuffler *shuffler, uint32 limit)
{
	uint64		product = (uint64) next_number(shuffler) * limit;

	if ((uint32) product < limit)
	{
		uint32		excess = -limit % limit;

		while ((uint32) product < excess)
			product = (uint64) next_number(shuffler) * limit;
	}
	return product >> 32;
}

void
shuffle(Shuffler *shuffler, uint32 *elements, uint32 n)
{
	for (uint32 i = n; i > 1; i--)
	{
		uint32		j = next_below(shuffler, i);
		uint32		swapped = elements[i - 1];

		if (i % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		elements[i - 1] = elements[j];
		elements[j] = swapped;
	}
}

uint64
random_seed(void)
{
	uint64		seed;

	refill(&seed, sizeof(seed));
	return seed;
}
