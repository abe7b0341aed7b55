/*
 * key_table.c
 *		Finding people by their keys.
 *
 * NOTES
 *		The table uses open addressing, and its slots keep hashes, so that the look-up of a missing key seldom compares keys.
 *		Three in four slots may be taken: those that a look-up passes lie next to each other.  Those of several look-ups are
 *		fetched together, which simplehash cannot do.
 */
#include "frame/key_table.h"

#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

#define FIRST_CAPACITY	1024
#define FEW_KEYS		4096	/* their slots fit into a processor's cache, eight for each key */

/* Bytes of fresh memory that are cleared between two looks at the interrupts: the system has to find each page. */
#define CLEARED		((Size) 1 << 22)
#define AT_ONCE			32		/* look-ups whose slots are fetched together */

uint32
keys_hash(const KeyTable *table, Datum key)
{
	if (table->hash_decides)
		return murmurhash32((uint32) key);	/* whatever a function left above the value */
	if (table->bitwise)
		return murmurhash32((uint32) key ^ (uint32) (key >> 32) * 0x9e3779b9);
	return DatumGetUInt32(FunctionCall1Coll(table->hash, table->collation, key));
}

static inline bool
equal_keys(const KeyTable *table, Datum a, Datum b)
{
	if (table->bitwise)
		return a == b;
	return DatumGetBool(FunctionCall2Coll(table->equal, table->collation, a, b));
}

/* The slot where a key is, or would be. */
static inline KeySlot *
find_slot(const KeyTable *table, Datum key, uint32 hash)
{
	uint64		at = hash & (table->nslots - 1);

	while (table->slots[at].number != NO_KEY &&
		   (table->slots[at].hash != hash || !(table->hash_decides || equal_keys(table, table->keys[table->slots[at].number], key))))
		at = (at + 1) & (table->nslots - 1);
	return &table->slots[at];
}

/* Makes free slots for a number of keys: few keys may lie so far apart that most missing keys meet a free slot at once. */
static void
make_slots(KeyTable *table, uint64 keys)
{
	Size		bytes;

	table->nslots = pg_nextpower2_64(Max(keys <= FEW_KEYS ? keys * 8 : keys / 3 * 4 + 4, 16));
	bytes = sizeof(KeySlot) * table->nslots;
	table->slots = MemoryContextAllocExtended(table->context, bytes, MCXT_ALLOC_HUGE);
	for (Size done = 0; done < bytes; done += CLEARED)
	{
		CHECK_FOR_INTERRUPTS();
		memset((char *) table->slots + done, 0xff, Min(CLEARED, bytes - done)); /* NO_KEY */
	}
}

KeyTable *
keys_create(Oid type, Oid collation)
{
	KeyTable   *table = palloc0(sizeof(KeyTable));
	TypeCacheEntry *operators = lookup_type_cache(type, TYPECACHE_HASH_PROC_FINFO | TYPECACHE_EQ_OPR_FINFO);

	get_typlenbyval(type, &table->length, &table->byval);
	table->bitwise = type == INT4OID || type == INT8OID || type == INT2OID;
	table->hash_decides = type == INT4OID || type == INT2OID;	/* murmurhash32() maps no two to one */
	table->hash = &operators->hash_proc_finfo;
	table->equal = &operators->eq_opr_finfo;
	table->collation = collation;
	table->context = CurrentMemoryContext;
	table->capacity = FIRST_CAPACITY;
	table->keys = palloc(sizeof(Datum) * table->capacity);
	make_slots(table, 0);
	return table;
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
	if (!table->byval)
	{
		old = MemoryContextSwitchTo(table->context);
		key = table->length == -1 ? PointerGetDatum(PG_DETOAST_DATUM_COPY(key)) : datumCopy(key, false, table->length);
		MemoryContextSwitchTo(old);
	}
	table->keys[table->size++] = key;
}

uint64
keys_index(KeyTable *table)
{
	uint64		repeated = 0;

	table->capacity = Max(table->size, 1);
	table->keys = repalloc_huge(table->keys, sizeof(Datum) * table->capacity);
	keys_forget_index(table);
	make_slots(table, table->size);
	for (uint64 i = 0; i < table->size; i++)
	{
		uint32		hash = keys_hash(table, table->keys[i]);
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

void
keys_renumber(KeyTable *table, const uint32 *number)
{
	Datum	   *before = table->keys;

	table->keys = MemoryContextAllocHuge(table->context, sizeof(Datum) * table->capacity);
	for (uint64 i = 0; i < table->size; i++)
		table->keys[number[i]] = before[i];
	for (uint64 slot = 0; slot < table->nslots; slot++)
		if (table->slots[slot].number != NO_KEY)
			table->slots[slot].number = number[table->slots[slot].number];
	pfree(before);
}

void
keys_forget_index(KeyTable *table)
{
	if (table->slots != NULL)
		pfree(table->slots);
	table->slots = NULL;
}

void
keys_forget(KeyTable *table)
{
	keys_forget_index(table);
	if (table->keys != NULL && !table->byval)
		for (uint64 i = 0; i < table->size; i++)
			pfree(DatumGetPointer(table->keys[i]));
	if (table->keys != NULL)
		pfree(table->keys);
	table->keys = NULL;
}

uint32
keys_find(const KeyTable *table, Datum key)
{
	return find_slot(table, key, keys_hash(table, key))->number;
}

/* Puts the hashes of some keys where their numbers will be, and has their slots fetched. */
static inline void
hash_some(const KeyTable *table, const Datum *keys, const bool *nulls, int n, uint32 *numbers)
{
	for (int i = 0; i < n; i++)
	{
		if (nulls != NULL && nulls[i])
			continue;
		numbers[i] = keys_hash(table, keys[i]);
		__builtin_prefetch(&table->slots[numbers[i] & (table->nslots - 1)]);
	}
}

void
keys_find_all(const KeyTable *table, const Datum *keys, const bool *nulls, int n, uint32 *numbers)
{
	for (int from = 0; from < n; from += AT_ONCE)
	{
		int			end = Min(from + AT_ONCE, n);

		hash_some(table, keys + from, nulls == NULL ? NULL : nulls + from, end - from, numbers + from);
		for (int i = from; i < end; i++)
			numbers[i] = nulls != NULL && nulls[i] ? NO_KEY : find_slot(table, keys[i], numbers[i])->number;
	}
}

/* The number of a key by its hash; a new one is added. */
static uint32
add_hashed(KeyTable *table, Datum key, uint32 hash)
{
	KeySlot    *slot = find_slot(table, key, hash);

	if (slot->number != NO_KEY)
		return slot->number;
	*slot = (KeySlot) {hash, table->size};
	keys_append(table, key);
	if (table->size >= table->nslots / 4 * 3)
	{
		KeySlot    *old = table->slots;
		uint64		nold = table->nslots;

		/* Keys are known to differ, so only their hashes are needed. */
		make_slots(table, table->size + 1);
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
	return table->size - 1;
}

uint32
keys_add(KeyTable *table, Datum key)
{
	return add_hashed(table, key, keys_hash(table, key));
}

void
keys_add_all(KeyTable *table, const Datum *keys, int n, uint32 *numbers)
{
	for (int from = 0; from < n; from += AT_ONCE)
	{
		int			end = Min(from + AT_ONCE, n);

		hash_some(table, keys + from, NULL, end - from, numbers + from);
		for (int i = from; i < end; i++)
			numbers[i] = add_hashed(table, keys[i], numbers[i]);
	}
}
