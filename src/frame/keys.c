/*
 * keys.c
 *		Finding people by their keys.
 *
 * NOTES
 *		Keys are mostly integers that were numbered through: then each number in
 *		between has a place in an array.  Otherwise it is a hash table, open
 *		addressing over slots that keep the hash, so that a key that is not
 *		there is seldom compared with any.
 */
#include "frame/keys.h"

#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "frame/bare.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

#define FIRST_CAPACITY	1024
#define PLACES_PER_KEY	8

/* Few people are looked for among many others: most of these have none of their bits. */
#define FILTERED_KEYS	32768
#define BITS_PER_KEY	256
#define FILTER_BITS		20		/* at most: more than a cache holds take longer than they save */

KeyTable *
keys_create(Oid type, Oid collation)
{
	KeyTable   *table = palloc0(sizeof(KeyTable));
	TypeCacheEntry *operators = lookup_type_cache(type, TYPECACHE_HASH_PROC_FINFO | TYPECACHE_EQ_OPR_FINFO);

	get_typlenbyval(type, &table->length, &table->byval);
	table->bitwise = type == INT4OID || type == INT8OID || type == INT2OID;
	table->hash = &operators->hash_proc_finfo;
	table->equal = &operators->eq_opr_finfo;
	table->collation = collation;
	table->context = CurrentMemoryContext;
	table->capacity = FIRST_CAPACITY;
	table->keys = palloc(sizeof(Datum) * table->capacity);
	return table;
}

static inline uint32
hash_key(const KeyTable *table, Datum key)
{
	if (table->bitwise)
		return murmurhash32((uint32) key ^ (uint32) (key >> 32) * 0x9e3779b9);
	return DatumGetUInt32(FunctionCall1Coll(table->hash, table->collation, key));
}

uint32
keys_hash(const KeyTable *table, Datum key)
{
	return hash_key(table, key);
}

static inline bool
equal_keys(const KeyTable *table, Datum a, Datum b)
{
	if (table->bitwise)
		return a == b;
	return DatumGetBool(FunctionCall2Coll(table->equal, table->collation, a, b));
}

bool
keys_equal(const KeyTable *table, Datum a, Datum b)
{
	return equal_keys(table, a, b);
}

/* The slot where a key is, or would be. */
static inline KeySlot *
find_slot(const KeyTable *table, Datum key, uint32 hash)
{
	uint64		at = hash & (table->nslots - 1);

	while (table->slots[at].number != NO_KEY &&
		   (table->slots[at].hash != hash || !equal_keys(table, table->keys[table->slots[at].number], key)))
		at = (at + 1) & (table->nslots - 1);
	return &table->slots[at];
}

static void
make_slots(KeyTable *table, uint64 keys)
{
	Size		bytes;

	table->nslots = pg_nextpower2_64(Max(keys + keys / 2, 16));
	bytes = sizeof(KeySlot) * table->nslots;
	table->slots = MemoryContextAllocExtended(table->context, bytes, MCXT_ALLOC_HUGE);
	memset(table->slots, 0xff, bytes);	/* NO_KEY */
}

/* Twice the slots; keys are known to differ, so only hashes are looked at. */
static void
grow_slots(KeyTable *table)
{
	KeySlot    *old = table->slots;
	uint64		nold = table->nslots;

	make_slots(table, table->size * 2);
	for (uint64 i = 0; i < nold; i++)
	{
		uint64		at = old[i].hash & (table->nslots - 1);

		if (old[i].number == NO_KEY)
			continue;
		while (table->slots[at].number != NO_KEY)
			at = (at + 1) & (table->nslots - 1);
		table->slots[at] = old[i];
	}
	pfree(old);
	CHECK_FOR_INTERRUPTS();
}

static Datum
copy_key(const KeyTable *table, Datum key)
{
	if (table->byval)
		return key;
	if (table->length == -1)
		return PointerGetDatum(PG_DETOAST_DATUM_COPY(key));
	return datumCopy(key, table->byval, table->length);
}

void
keys_append(KeyTable *table, Datum key)
{
	MemoryContext old;

	if (table->size >= MAX_KEYS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("there are more than " UINT64_FORMAT " keys", MAX_KEYS),
				 errhint("Declare a publication for each of several views that divide the people among them.")));
	if (table->size == table->capacity)
	{
		table->capacity += table->capacity / 4 + 16;
		table->keys = repalloc_huge(table->keys, sizeof(Datum) * table->capacity);
	}
	old = MemoryContextSwitchTo(table->context);
	table->keys[table->size++] = copy_key(table, key);
	MemoryContextSwitchTo(old);
}

/* Do the keys lie close enough together to have a place each?  Sets where they begin and end. */
static bool
are_dense(KeyTable *table)
{
	int64		low = PG_INT64_MAX;
	int64		high = PG_INT64_MIN;

	if (!table->bitwise || table->size == 0)
		return false;
	for (uint64 i = 0; i < table->size; i++)
	{
		low = Min(low, keys_integer(table->keys[i]));
		high = Max(high, keys_integer(table->keys[i]));
	}
	table->first_place = low;
	table->nplaces = (uint64) high - (uint64) low + 1;
	return table->nplaces - 1 < PLACES_PER_KEY * table->size;
}

static uint64
index_places(KeyTable *table)
{
	uint64		repeated = 0;

	table->places = MemoryContextAllocExtended(table->context, sizeof(uint32) * table->nplaces, MCXT_ALLOC_HUGE);
	memset(table->places, 0xff, sizeof(uint32) * table->nplaces);	/* NO_KEY */
	table->filter = MemoryContextAllocExtended(table->context, sizeof(uint64) * (table->nplaces / 64 + 1), MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	for (uint64 i = 0; i < table->size; i++)
	{
		uint64		at = keys_place(table, table->keys[i]);
		uint32	   *place = &table->places[at];

		if (i % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		table->filter[at / 64] |= UINT64CONST(1) << at % 64;
		if (*place != NO_KEY)
			repeated++;
		else
			*place = i;
	}
	return repeated;
}

static uint64
index_slots(KeyTable *table)
{
	uint64		repeated = 0;

	make_slots(table, table->size);
	for (uint64 i = 0; i < table->size; i++)
	{
		uint32		hash = hash_key(table, table->keys[i]);
		KeySlot    *slot = find_slot(table, table->keys[i], hash);

		if (i % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		if (slot->number != NO_KEY)
			repeated++;
		else
			*slot = (KeySlot) {hash, i};
	}
	return repeated;
}

/* The bit of a word: the upper ones of a product, as integers are hashed in twice the time. */
static inline uint32
filter_bit(const KeyTable *table, uint32 word)
{
	return word * 0x9e3779b1U >> table->filter_shift;
}

static inline bool
passes_filter(const KeyTable *table, uint32 word)
{
	uint32		bit = filter_bit(table, word);

	return table->filter[bit / 64] >> bit % 64 & 1;
}

/* Integers, of up to four bytes, and of eight. */
static inline uint32
narrow_word(Datum key)
{
	return (uint32) key;
}

static inline uint32
wide_word(Datum key)
{
	return (uint32) key ^ (uint32) (key >> 32) * 0x85ebca6bU;
}

/* What of a key goes into the filter. */
static inline uint32
filtered_word(const KeyTable *table, Datum key, uint32 hash)
{
	if (!table->bitwise)
		return hash;
	return table->length == sizeof(int64) ? wide_word(key) : narrow_word(key);
}

static void
make_filter(KeyTable *table)
{
	int			bits = Min(pg_ceil_log2_32(Max(table->size * BITS_PER_KEY, 64)), FILTER_BITS);

	table->filter = MemoryContextAllocZero(table->context, ((Size) 1 << bits) / BITS_PER_BYTE);
	table->filter_shift = 32 - bits;
	for (uint64 i = 0; i < table->nslots; i++)
		if (table->slots[i].number != NO_KEY)
		{
			uint32		bit = filter_bit(table, filtered_word(table, table->keys[table->slots[i].number],
															  table->slots[i].hash));

			table->filter[bit / 64] |= UINT64CONST(1) << bit % 64;
		}
}

uint64
keys_index(KeyTable *table)
{
	uint64		repeated;

	table->capacity = Max(table->size, 1);
	table->keys = repalloc_huge(table->keys, sizeof(Datum) * table->capacity);
	if (are_dense(table))
		return index_places(table);
	repeated = index_slots(table);
	if (table->size <= FILTERED_KEYS)
		make_filter(table);
	return repeated;
}

void
keys_forget_index(KeyTable *table)
{
	if (table->places != NULL)
		pfree(table->places);
	if (table->slots != NULL)
		pfree(table->slots);
	if (table->filter != NULL)
		pfree(table->filter);
	table->places = NULL;
	table->slots = NULL;
	table->filter = NULL;
}

static inline uint32
find_place(const KeyTable *table, Datum key)
{
	uint64		at = keys_place(table, key);

	return at < table->nplaces ? table->places[at] : NO_KEY;
}

uint32
keys_find(const KeyTable *table, Datum key)
{
	return table->places != NULL ? find_place(table, key) :
		find_slot(table, key, hash_key(table, key))->number;
}

/* How many keys are on their way from memory at a time. */
#define BATCH KEYS_AT_ONCE

static void
find_batch(const KeyTable *table, const Datum *keys, uint32 *numbers, int n)
{
	uint32		hash[BATCH];

	for (int i = 0; i < n; i++)
	{
		hash[i] = hash_key(table, keys[i]);
		__builtin_prefetch(&table->slots[hash[i] & (table->nslots - 1)]);
	}
	for (int i = 0; i < n; i++)
	{
		const KeySlot *slot = &table->slots[hash[i] & (table->nslots - 1)];

		if (slot->number != NO_KEY && slot->hash == hash[i])
			__builtin_prefetch(&table->keys[slot->number]);
	}
	for (int i = 0; i < n; i++)
		numbers[i] = find_slot(table, keys[i], hash[i])->number;
}

/* The same where most of the keys are nobody's. */
static void
find_filtered(const KeyTable *table, const Datum *keys, uint32 *numbers, int n)
{
	uint32		hash[BATCH];
	int			passed[BATCH];
	int			npassed = 0;

	for (int i = 0; i < n; i++)
	{
		hash[i] = hash_key(table, keys[i]);
		numbers[i] = NO_KEY;
	}
	for (int i = 0; i < n; i++)
	{
		passed[npassed] = i;	/* without a branch, which could not be foreseen */
		npassed += passes_filter(table, filtered_word(table, keys[i], hash[i]));
	}
	for (int p = 0; p < npassed; p++)
		numbers[passed[p]] = find_slot(table, keys[passed[p]], hash[passed[p]])->number;
}

void
keys_find_many(const KeyTable *table, const Datum *keys, uint32 *numbers, int n)
{
	const KeyTable at_hand = *table;	/* which numbers that are written cannot be part of */

	if (table->places != NULL)
		for (int i = 0; i < n; i++)
			numbers[i] = find_place(&at_hand, keys[i]);
	else
		for (int i = 0; i < n; i += BATCH)
			(table->filter != NULL ? find_filtered : find_batch) (table, keys + i, numbers + i, Min(BATCH, n - i));
}

int
keys_find_bare(const KeyTable *table, const char *keys, int length, uint32 *numbers, int n)
{
	Datum		batch[BATCH];
	int			found = 0;

	Assert(table->byval && length == table->length);
	for (int first = 0; first < n; first += BATCH)
	{
		int			size = Min(BATCH, n - first);

		read_bare(batch, keys + (Size) length * first, length, size);
		keys_find_many(table, batch, numbers + first, size);
		for (int i = first; i < first + size; i++)
			found += numbers[i] != NO_KEY;
	}
	return found;
}

static inline bool
has_place(const KeyTable *table, Datum key)
{
	uint64		at = keys_place(table, key);

	return table->filter[at / 64] >> at % 64 & 1;
}

static inline bool
narrow_passes(const KeyTable *table, Datum key)
{
	return passes_filter(table, narrow_word(key));
}

static inline bool
wide_passes(const KeyTable *table, Datum key)
{
	return passes_filter(table, wide_word(key));
}

/* So many keys are tested before it is asked whether one has passed: that is a branch, and cannot be foreseen. */
#define TESTED_AT_ONCE 16

/* Does any integer pass a test? */
static pg_attribute_always_inline bool
any_passes(const KeyTable *table, const char *keys, int n, bool (*test) (const KeyTable *table, Datum key), int length)
{
	bool		passed = false;

	for (int first = 0; first < n && !passed; first += TESTED_AT_ONCE)
		for (int i = first; i < Min(n, first + TESTED_AT_ONCE); i++)
			passed |= test(table, bare_value(keys, length, i));
	return passed;
}

bool
keys_may_find(const KeyTable *table, const char *keys, int length, int n)
{
	if (!table->bitwise || !table->byval)
		return true;
	Assert(length == table->length);
	if (table->places != NULL)
		return CALL_BARE(any_passes, length, table, keys, n, has_place);
	if (table->filter == NULL)
		return true;
	return length == sizeof(int64) ? any_passes(table, keys, n, wide_passes, sizeof(int64)) :
		CALL_BARE(any_passes, length, table, keys, n, narrow_passes);
}

static uint32
add_hashed(KeyTable *table, Datum key, uint32 hash)
{
	KeySlot    *slot = find_slot(table, key, hash);

	if (slot->number != NO_KEY)
		return slot->number;
	*slot = (KeySlot) {hash, table->size};
	keys_append(table, key);
	if (table->size + table->size / 2 > table->nslots)
		grow_slots(table);
	return table->size - 1;
}

uint32
keys_add(KeyTable *table, Datum key)
{
	if (table->slots == NULL)
		make_slots(table, 0);
	return add_hashed(table, key, hash_key(table, key));
}

void
keys_add_many(KeyTable *table, const Datum *keys, uint32 *numbers, int n)
{
	uint32		hash[KEYS_AT_ONCE];

	Assert(n <= KEYS_AT_ONCE);
	if (table->slots == NULL)
		make_slots(table, 0);
	for (int i = 0; i < n; i++)
	{
		hash[i] = hash_key(table, keys[i]);
		__builtin_prefetch(&table->slots[hash[i] & (table->nslots - 1)]);
	}
	for (int i = 0; i < n; i++)
		numbers[i] = add_hashed(table, keys[i], hash[i]);
}
