/*
 * key_table.h
 *		People by their keys: numbers 0, 1, 2 … in the order that they came.
 *
 * Keys are told apart by their type's own equality, under the column's
 * collation: the same person may be written in more than one way.
 */
#ifndef PPREPUB_FRAME_KEY_TABLE_H
#define PPREPUB_FRAME_KEY_TABLE_H

#include "postgres.h"

#include "fmgr.h"

#define NO_KEY		PG_UINT32_MAX
#define MAX_KEYS	((uint64) PG_UINT32_MAX - 1)

typedef struct KeySlot
{
	uint32		hash;
	uint32		number;			/* NO_KEY where the slot is free */
} KeySlot;

typedef struct KeyTable
{
	Datum	   *keys;			/* [size] by number */
	uint64		size;
	uint64		capacity;
	bool		byval;
	int16		length;

	/* The type's operators; bitwise: equal only if the same datum */
	bool		bitwise;
	FmgrInfo   *hash;
	FmgrInfo   *equal;
	Oid			collation;

	uint64		nslots;			/* a power of 2 */
	KeySlot    *slots;			/* NULL once the index is forgotten */
	MemoryContext context;
} KeyTable;

/* A table that lives in the current context. */
extern KeyTable *keys_create(Oid type, Oid collation);

/* Equal keys have the same. */
extern uint32 keys_hash(const KeyTable *table, Datum key);

/* The number of a key, which is copied if it is new; for a table that is filled by this alone. */
extern uint32 keys_add(KeyTable *table, Datum key);

/* Appends a key without looking; to be followed by keys_index(). */
extern void keys_append(KeyTable *table, Datum key);

/*
 * Makes the keys appended findable, and gives back what memory they do not
 * need.  Returns how many of them an earlier one equals.
 */
extern uint64 keys_index(KeyTable *table);

/* The keys stay, but cannot be found any more. */
extern void keys_forget_index(KeyTable *table);

/* The number of a key, or NO_KEY. */
extern uint32 keys_find(const KeyTable *table, Datum key);

#endif							/* PPREPUB_FRAME_KEY_TABLE_H */
