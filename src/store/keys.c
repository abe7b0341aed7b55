/*
 * keys.c
 *		Finding the group that rows belong to.  See keys.h.
 */
#include "postgres.h"

#include "store/keys.h"

#include "compat.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/memutils.h"

/* Combinations of codes that are remembered, at most. */
#define MOST_KNOWN 16384

/* An estimate of groups is not believed beyond this. */
#define MOST_EXPECTED 65536

typedef struct Key
{
	int			place;			/* in the batch */
	bool		by_value;
	const CodedVector *coded;	/* or NULL */
	const BatchColumn *column;
} Key;

struct Keys
{
	PlanState  *parent;			/* borrowed */
	TupleDesc	desc;			/* borrowed */
	MemoryContext context;		/* owned: of the table and all in it */
	MemoryContext scratch;		/* owned */
	int			nkeys;
	Key		   *keys;
	int			ncounts;
	long		ngroups;		/* that are expected */

	/* The table */
	AttrNumber *attributes;
	Oid		   *functions;
	FmgrInfo   *hashes;
	Oid		   *collations;
	TupleHashTable table;
	TupleHashIterator iterator;
	TupleTableSlot *input;
	TupleTableSlot *output;

	/* Counts of combinations of codes that were met in the current group, or NULL */
	bool		remembers;
	bool		clean;			/* for this group */
	Count	  **known;
};

/* Makes an empty table. */
static void
make_table(Keys *keys)
{
	MemoryContext old = MemoryContextSwitchTo(keys->context);

	keys->table = make_tuple_hash(keys->parent, keys->desc, keys->nkeys, keys->attributes, keys->functions, keys->hashes,
								  keys->collations, keys->ngroups, keys->context, keys->scratch);
	MemoryContextSwitchTo(old);
	keys->clean = false;
}

/* Takes operators and collations into arrays, as hash tables want them. */
static void
take_operators(Keys *keys, List *operators, List *collations)
{
	Oid		   *equal = palloc(keys->nkeys * sizeof(Oid));

	keys->attributes = palloc(keys->nkeys * sizeof(AttrNumber));
	keys->collations = palloc(keys->nkeys * sizeof(Oid));
	for (int i = 0; i < keys->nkeys; i++)
	{
		equal[i] = list_nth_oid(operators, i);
		keys->collations[i] = list_nth_oid(collations, i);
		keys->attributes[i] = i + 1;
	}
	execTuplesHashPrepare(keys->nkeys, equal, &keys->functions, &keys->hashes);
}

Keys *
make_keys(PlanState *parent, TupleDesc desc, const int *places, List *operators, List *collations, int ncounts,
		  double ngroups)
{
	Keys	   *keys = palloc0(sizeof(Keys));

	keys->parent = parent;
	keys->desc = desc;
	keys->context = AllocSetContextCreate(CurrentMemoryContext, "groups of rows", ALLOCSET_DEFAULT_SIZES);
	keys->scratch = AllocSetContextCreate(CurrentMemoryContext, "hashing", ALLOCSET_DEFAULT_SIZES);
	keys->nkeys = desc->natts;
	keys->keys = palloc0(keys->nkeys * sizeof(Key));
	for (int i = 0; i < keys->nkeys; i++)
	{
		keys->keys[i].place = places[i];
		keys->keys[i].by_value = TupleDescAttr(desc, i)->attbyval;
	}
	keys->ncounts = ncounts;
	keys->ngroups = (long) Min(Max(ngroups, 1), MOST_EXPECTED);
	take_operators(keys, operators, collations);
	keys->input = ExecInitExtraTupleSlot(parent->state, desc, &TTSOpsVirtual);
	keys->output = ExecInitExtraTupleSlot(parent->state, desc, &TTSOpsMinimalTuple);
	keys->known = palloc(MOST_KNOWN * sizeof(Count *));
	make_table(keys);
	return keys;
}

void
reset_keys(Keys *keys)
{
	ExecClearTuple(keys->output);
	MemoryContextReset(keys->context);
	make_table(keys);
}

MemoryContext
keys_context(const Keys *keys)
{
	return keys->context;
}

bool
keys_are_many(const Keys *keys)
{
	return MemoryContextMemAllocated(keys->context, true) > get_hash_memory_limit();
}

/* ----------------------------------------------------------------
 * Looking up
 * ----------------------------------------------------------------
 */

void
keys_enter(Keys *keys)
{
	keys->clean = false;
}

/* Combinations of codes are remembered if all of them last, and if they are not too many. */
void
keys_go(Keys *keys, Batch *batch)
{
	uint64		combinations = 1;

	keys->remembers = true;
	for (int i = 0; i < keys->nkeys; i++)
	{
		Key		   *key = &keys->keys[i];

		key->column = &batch->columns[key->place];
		key->coded = batch_codes(batch, key->place);
		if (key->coded == NULL)
			batch_values(batch, key->place);
		keys->remembers = keys->remembers && key->coded != NULL && key->coded->lasting;
		if (keys->remembers)
			combinations *= key->coded->ncodes;
		keys->remembers = keys->remembers && combinations <= MOST_KNOWN;
	}
	if (keys->remembers && !keys->clean)
		memset(keys->known, 0, combinations * sizeof(Count *));
	keys->clean = keys->remembers;
	MemoryContextReset(keys->scratch);
}

/* Have two rows the same values, as far as that can be seen at once? */
static inline bool
are_alike(const Key *key, uint16 row, uint16 other)
{
	if (key->coded != NULL)
		return key->coded->codes[row] == key->coded->codes[other];
	return key->by_value && key->column->values[row] == key->column->values[other] &&
		key->column->nulls[row] == key->column->nulls[other];
}

/* Finds the row's group in the table, or makes it. */
static Count *
look_up(Keys *keys, Batch *batch, uint16 row)
{
	TupleTableSlot *slot = keys->input;
	TupleHashEntry entry;
	bool		isnew;
	uint32		hash;

	ExecClearTuple(slot);
	for (int i = 0; i < keys->nkeys; i++)
	{
		const Key  *key = &keys->keys[i];

		if (key->coded != NULL)
			slot->tts_values[i] = batch_value_of_code(batch, key->place, key->coded->codes[row], &slot->tts_isnull[i]);
		else
		{
			slot->tts_values[i] = key->column->values[row];
			slot->tts_isnull[i] = key->column->nulls[row];
		}
	}
	ExecStoreVirtualTuple(slot);
	entry = LookupTupleHashEntry(keys->table, slot, &isnew, &hash);
	if (isnew)
		tuple_hash_data(keys->table, entry) = MemoryContextAllocZero(keys->context, Max(keys->ncounts, 1) * sizeof(Count));
	return tuple_hash_data(keys->table, entry);
}

/* The place of a row's codes among all combinations. */
static inline uint32
combination_of(const Keys *keys, uint16 row)
{
	uint32		combination = 0;

	for (int i = 0; i < keys->nkeys; i++)
		combination = combination * keys->keys[i].coded->ncodes + keys->keys[i].coded->codes[row];
	return combination;
}

Count *
counts_of_rows(Keys *keys, Batch *batch, const uint16 *rows, uint32 n, uint32 *same)
{
	uint32		alike = n;
	Count	  **known;

	for (int i = 0; i < keys->nkeys; i++)
	{
		uint32		j = 1;

		while (j < alike && are_alike(&keys->keys[i], rows[0], rows[j]))
			j++;
		alike = j;
	}
	*same = alike;
	if (!keys->remembers)
		return look_up(keys, batch, rows[0]);
	known = &keys->known[combination_of(keys, rows[0])];
	if (*known == NULL)
		*known = look_up(keys, batch, rows[0]);
	return *known;
}

/* ----------------------------------------------------------------
 * All groups
 * ----------------------------------------------------------------
 */

void
begin_groups(Keys *keys)
{
	InitTupleHashIterator(keys->table, &keys->iterator);
}

Count *
next_group(Keys *keys, TupleTableSlot **slot)
{
	TupleHashEntry entry = ScanTupleHashTable(keys->table, &keys->iterator);

	if (entry == NULL)
		return NULL;
	ExecStoreMinimalTuple(entry->firstTuple, keys->output, false);
	slot_getallattrs(keys->output);
	*slot = keys->output;
	return tuple_hash_data(keys->table, entry);
}
