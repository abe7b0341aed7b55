/*
 * key_marks.c
 *		Marking people.
 */
#include "frame/key_marks.h"

#include "frame/arrays.h"
#include "frame/bare.h"
#include "miscadmin.h"
#include "utils/memutils.h"

/* How many bits there are; behind those of places is that of nobody. */
static uint64
count_bits(const KeyTable *table)
{
	return table->places != NULL ? table->nplaces + 1 : table->size;
}

KeyMarks *
marks_create(const KeyTable *table)
{
	KeyMarks   *marks = palloc0(sizeof(KeyMarks));

	marks->table = table;
	marks->bits = new_zeros(uint64, count_bits(table) / 64);
	return marks;
}

/* Where the bit of somebody is who has a number. */
static inline uint64
bit_of(const KeyTable *table, uint64 number)
{
	return table->places != NULL ? keys_place(table, table->keys[number]) : number;
}

void
marks_add(KeyMarks *marks, const uint32 *numbers, int n)
{
	for (int i = 0; i < n; i++)
		if (numbers[i] != NO_KEY)
		{
			uint64		bit = bit_of(marks->table, numbers[i]);

			marks->bits[bit / 64] |= UINT64CONST(1) << bit % 64;
		}
}

/*
 * Whether a place is taken or not, it is marked: no branch depends on who is there,
 * which could not be foreseen.
 */
static pg_attribute_always_inline int
mark_places(KeyMarks *marks, const char *keys, int n, int length)
{
	const KeyTable table = *marks->table;	/* which bits that are written cannot be part of */
	uint64	   *bits = marks->bits;
	int			found = 0;

	for (int i = 0; i < n; i++)
	{
		uint64		place = keys_place(&table, bare_value(keys, length, i));

		found += table.filter[place / 64] >> place % 64 & 1;
		bits[place / 64] |= UINT64CONST(1) << place % 64;
	}
	return found;
}

static uint32 *
room_for(KeyMarks *marks, int n)
{
	if (n > marks->allocated)
	{
		marks->allocated = n + n / 4 + 64;
		marks->numbers = marks->numbers == NULL ?
			MemoryContextAllocHuge(GetMemoryChunkContext(marks), sizeof(uint32) * marks->allocated) :
			repalloc_huge(marks->numbers, sizeof(uint32) * marks->allocated);
	}
	return marks->numbers;
}

int
marks_add_bare(KeyMarks *marks, const char *keys, int length, int n)
{
	uint32	   *numbers;
	int			found;

	if (marks->table->places != NULL)
		return CALL_BARE(mark_places, length, marks, keys, n);
	numbers = room_for(marks, n);
	found = keys_find_bare(marks->table, keys, length, numbers, n);
	marks_add(marks, numbers, n);
	return found;
}

bool *
marks_by_number(const KeyMarks *marks)
{
	const KeyTable *table = marks->table;
	bool	   *marked = new_array(bool, table->size);

	for (uint64 number = 0; number < table->size; number++)
	{
		uint64		bit = bit_of(table, number);

		if (number % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		marked[number] = marks->bits[bit / 64] >> bit % 64 & 1;
	}
	return marked;
}
