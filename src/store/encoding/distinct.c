/*
 * distinct.c
 *		Which of some values are the same: an open hash table of their first ones.
 *
 * NOTES
 *		Who chooses values may choose them so that they all meet in one place of the
 *		table: so steps are counted, and when there are too many, we do without.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "store/encoding/distinct.h"

#define FIRST_SLOTS 256
#define STEPS_A_VALUE 8
#define FREE_STEPS 4096

/* The number of bytes at either end of a longer item that are hashed. */
#define HASHED_BYTES 128

/* The number of values after which we look whether they repeat at all. */
#define VALUES_TRIED 2048

typedef struct Slot
{
	uint32		hash;
	uint32		code;			/* and 1; 0: free */
} Slot;

typedef struct Table
{
	const Values *values;		/* borrowed */
	Distinct   *distinct;		/* borrowed */
	Slot	   *slots;
	uint32		mask;
	uint64		steps;			/* that may still be taken */
} Table;

static inline uint64
mix(uint64 hash, uint64 word)
{
	hash = (hash ^ word) * UINT64CONST(0x9E3779B97F4A7C15);
	return hash ^ (hash >> 29);
}

/* 8 bytes at a time; the last ones may overlap those before. */
static inline uint64
hash_bytes_of(uint64 hash, const char *data, uint32 length)
{
	uint64		word = 0;

	if (length < sizeof(word))
	{
		for (uint32 i = 0; i < length; i++)
			word = word << 8 | (unsigned char) data[i];
		return mix(hash, word);
	}
	for (uint32 at = 0; at + sizeof(word) < length; at += sizeof(word))
	{
		memcpy(&word, data + at, sizeof(word));
		hash = mix(hash, word);
	}
	memcpy(&word, data + length - sizeof(word), sizeof(word));
	return mix(hash, word);
}

/* Hashes a value: a number itself, an item by its length and the bytes at its ends. */
static inline uint32
hash_value(const Values *values, uint32 i)
{
	const Item *item;
	uint64		hash;

	if (values->numbers != NULL)
		return mix(0, values->numbers[i]) * UINT64CONST(0xBF58476D1CE4E5B9) >> 32;
	item = &values->items[i];
	if (item->length <= 2 * HASHED_BYTES)
		hash = hash_bytes_of(item->length, item->data, item->length);
	else
	{
		hash = hash_bytes_of(item->length, item->data, HASHED_BYTES);
		hash = hash_bytes_of(hash, item->data + item->length - HASHED_BYTES, HASHED_BYTES);
	}
	return hash * UINT64CONST(0xBF58476D1CE4E5B9) >> 32;
}

static inline bool
same_value(const Values *values, uint32 i, uint32 j)
{
	return values->numbers != NULL ? values->numbers[i] == values->numbers[j] :
		items_equal(&values->items[i], &values->items[j]);
}

/* Doubles the table and puts every entry into its new slot. */
static void
grow(Table *table)
{
	Slot	   *old = table->slots;
	uint32		nold = table->mask + 1;

	table->mask = nold * 2 - 1;
	table->slots = palloc0(sizeof(Slot) * nold * 2);
	for (uint32 i = 0; i < nold; i++)
	{
		uint32		place = old[i].hash & table->mask;

		if (old[i].code == 0)
			continue;
		while (table->slots[place].code != 0)
			place = (place + 1) & table->mask;
		table->slots[place] = old[i];
	}
	pfree(old);
}

/* The place of a value in the table, or where it belongs. */
static inline Slot *
find_slot(Table *table, uint32 i, uint32 hash)
{
	uint32		place = hash & table->mask;

	for (; table->steps > 0; table->steps--)
	{
		Slot	   *slot = &table->slots[place];

		if (slot->code == 0 ||
			(slot->hash == hash && same_value(table->values, table->distinct->first[slot->code - 1], i)))
			return slot;
		place = (place + 1) & table->mask;
	}
	return NULL;
}

/*
 * If as many values as the limit allows were equally frequent, a certain
 * number of these first values would have been repetitions; do they have less
 * than half as many?
 */
static inline bool
hardly_repeat(const Distinct *distinct, uint32 limit)
{
	return VALUES_TRIED - distinct->n < VALUES_TRIED / 2 * VALUES_TRIED / limit / 2;
}

/* Numbers the values in order of appearance; false if more than the limit differ. */
static bool
add_values(Table *table, uint32 limit)
{
	Distinct   *distinct = table->distinct;

	for (uint32 i = 0; i < table->values->n; i++)
	{
		uint32		hash = hash_value(table->values, i);
		Slot	   *slot = find_slot(table, i, hash);

		if (slot == NULL || (i == VALUES_TRIED && hardly_repeat(distinct, limit)))
			return false;
		if (slot->code == 0)
		{
			if (distinct->n == limit)
				return false;
			distinct->first[distinct->n] = i;
			*slot = (Slot) {.hash = hash, .code = ++distinct->n};
		}
		distinct->codes[i] = slot->code - 1;
		if (distinct->n * 2 > table->mask)
			grow(table);
		if (i % ENCODING_VECTOR == 0)
			CHECK_FOR_INTERRUPTS();
	}
	return true;
}

bool
find_distinct(Distinct *distinct, const Values *values, uint32 limit)
{
	Table		table = {.values = values, .distinct = distinct, .mask = FIRST_SLOTS - 1};
	bool		found;

	*distinct = (Distinct) {.first = palloc(sizeof(uint32) * Max(limit, 1)),
	.codes = palloc(sizeof(uint64) * Max(values->n, 1))};
	table.slots = palloc0(sizeof(Slot) * FIRST_SLOTS);
	table.steps = (uint64) values->n * STEPS_A_VALUE + FREE_STEPS;
	found = add_values(&table, limit);
	pfree(table.slots);
	return found;
}
