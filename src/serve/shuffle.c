/*
 * shuffle.c
 *		Fisher and Yates' shuffle over the server's strong random source.
 */
#include "serve/shuffle.h"

#include "miscadmin.h"

/* The source is asked for many numbers at a time: each call costs a microsecond. */
typedef struct RandomBuffer
{
	uint64		numbers[512];
	int			used;
} RandomBuffer;

static void
refill(void *buffer, size_t size)
{
	if (!pg_strong_random(buffer, size))
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR),
				 errmsg("could not get random numbers")));
}

static uint64
next_number(RandomBuffer *buffer)
{
	if (buffer->used == lengthof(buffer->numbers))
	{
		refill(buffer->numbers, sizeof(buffer->numbers));
		buffer->used = 0;
	}
	return buffer->numbers[buffer->used++];
}

/* A number from 0 to limit - 1; what would favour the small ones is drawn again. */
static uint64
next_below(RandomBuffer *buffer, uint64 limit)
{
	uint64		excess = (PG_UINT64_MAX % limit + 1) % limit;
	uint64		number;

	do
		number = next_number(buffer);
	while (number > PG_UINT64_MAX - excess);
	return number % limit;
}

void
shuffle(uint32 *elements, uint64 n)
{
	RandomBuffer buffer = {.used = lengthof(buffer.numbers)};

	for (uint64 i = n; i > 1; i--)
	{
		uint64		j = next_below(&buffer, i);
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
