/*
 * keys.h
 *		People by their keys: numbers 0, 1, 2 … in the order that they came.
 *
 * Keys are told apart by their type's own equality, under the column's
 * collation: the same person may be written in more than one way.
 */
#ifndef PPREPUB_FRAME_KEYS_H
#define PPREPUB_FRAME_KEYS_H

#include "postgres.h"

#include "fmgr.h"
#include "frame/dictionary.h"

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

	/* Integers that lie close together have a place each; all others are hashed */
	int64		first_place;
	uint64		nplaces;
	uint32	   *places;			/* a number or NO_KEY */
	uint64		nslots;			/* a power of 2 */
	KeySlot    *slots;
	uint64	   *filter;			/* a bit for each place; or one for some of the keys that there
								 * could be, not set where nobody has one; or NULL */
	int			filter_shift;	/* from a key's spread to its bit */
	MemoryContext context;
} KeyTable;

/* An integer that was passed as a datum of its own type. */
static inline int64
keys_integer(Datum key)
{
	return (int64) key;
}

/* Where integers have places: a key's, or the one behind the last, which is nobody's. */
static inline uint64
keys_place(const KeyTable *table, Datum key)
{
	return Min((uint64) keys_integer(key) - (uint64) table->first_place, table->nplaces);
}

/* A table that lives in the current context. */
extern KeyTable *keys_create(Oid type, Oid collation);

/* A key as a tuple gives it. */
static inline Datum
keys_as_stored(const KeyTable *table, Datum key)
{
	return as_stored(key, table->byval ? table->length : 0);
}

/* Equal keys have the same. */
extern uint32 keys_hash(const KeyTable *table, Datum key);

extern bool keys_equal(const KeyTable *table, Datum a, Datum b);

/* Appends a key without looking; to be followed by keys_index() once. */
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

/*
 * May any of these keys be found, which are of a fixed length, and perhaps not
 * aligned?  Says no for most of those of whom none is, and is much faster.
 */
extern bool keys_may_find(const KeyTable *table, const char *keys, int length, int n);

/* The same for many keys at once, which hides the time that memory takes. */
extern void keys_find_many(const KeyTable *table, const Datum *keys, uint32 *numbers, int n);

/*
 * The same for keys of a fixed length, one right behind the other, and perhaps
 * not aligned.  Returns how many have a number.
 */
extern int	keys_find_bare(const KeyTable *table, const char *keys, int length, uint32 *numbers, int n);

/* The number of a key, which is copied if it is new; for a table that is filled by this alone. */
extern uint32 keys_add(KeyTable *table, Datum key);

/* The same for up to KEYS_AT_ONCE keys, which hides the time that memory takes. */
#define KEYS_AT_ONCE 32
extern void keys_add_many(KeyTable *table, const Datum *keys, uint32 *numbers, int n);

#endif							/* PPREPUB_FRAME_KEYS_H */
