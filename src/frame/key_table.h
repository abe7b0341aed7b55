/*
 * key_table.h
 *		People by their keys: numbers 0, 1, 2 … in the order that they came.
 *
 * Keys are compared by their type's own equality, under the column's collation, since one person's key may be written in more
 * than one way.
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

	/* The type's operators; bitwise if keys are equal only as equal datums */
	bool		bitwise;
	bool		hash_decides;	/* equal hashes only for equal keys */
	FmgrInfo   *hash;
	FmgrInfo   *equal;
	Oid			collation;

	uint64		nslots;			/* a power of 2 */
	KeySlot    *slots;			/* NULL once the index is forgotten */
	MemoryContext context;
} KeyTable;

/* Makes a table in the current context. */
extern KeyTable *keys_create(Oid type, Oid collation);

/* Returns the hash of a key; equal keys have equal hashes. */
extern uint32 keys_hash(const KeyTable *table, Datum key);

/* Returns the number of a key, and adds a copy of a new one; not to be mixed with keys_append(). */
extern uint32 keys_add(KeyTable *table, Datum key);

/* Likewise of several keys at once, which hides the time that memory takes. */
extern void keys_add_all(KeyTable *table, const Datum *keys, int n, uint32 *numbers);

/* Appends a key without a look-up; keys_index() must follow. */
extern void keys_append(KeyTable *table, Datum key);

/* Enters the appended keys into the index, and frees memory that they do not need.  Returns how many equal an earlier one. */
extern uint64 keys_index(KeyTable *table);

/* Gives each key another number: number[i] is that of key i. */
extern void keys_renumber(KeyTable *table, const uint32 *number);

/* Frees the index: the keys stay, but cannot be looked up any more; or the keys, too, but for their number. */
extern void keys_forget_index(KeyTable *table);
extern void keys_forget(KeyTable *table);

/* Returns the number of a key, or NO_KEY. */
extern uint32 keys_find(const KeyTable *table, Datum key);

/* Looks several keys up at once, which hides the time that memory takes.  NULL has no number; nulls may be NULL. */
extern void keys_find_all(const KeyTable *table, const Datum *keys, const bool *nulls, int n, uint32 *numbers);

#endif							/* PPREPUB_FRAME_KEY_TABLE_H */
