/*
 * directory.h
 *		Where in the fold people are: a look-up by key that outlives the
 *		transaction, for a process that answers again and again.
 *
 * It keeps hashes of keys and places of rows, some fifteen bytes a person, so
 * that an answer reads the neighborhoods it touches and no others.
 */
#ifndef PPREPUB_HISTORY_DIRECTORY_H
#define PPREPUB_HISTORY_DIRECTORY_H

#include "postgres.h"

#include "declare/publication.h"
#include "executor/tuptable.h"
#include "frame/keys.h"
#include "storage/itemptr.h"

typedef struct Directory Directory;

/* A neighborhood's row, and its number, by which it is recognised there. */
typedef struct Place
{
	ItemPointerData tid;
	uint32		at;				/* in the directory */
	int64		neighborhood;
} Place;

typedef struct Places
{
	uint32		n;
	Place	   *places;			/* [n] in the order of the table */
	ItemPointerData *tids;		/* [n] theirs */
} Places;

/* As the owner, inside SPI, under the active snapshot: reads the whole fold. */
extern Directory *directory_read(const DeclaredPublication *publication, MemoryContext context);

extern bool directory_knows(const Directory *directory, int32 publication);

/* Does it know all that the publication, which is locked, has released?  Not before there is a fold. */
extern bool directory_is_current(const Directory *directory, const DeclaredPublication *publication);

/* Where those of these people are whom it knows; some places may hold others only, and there is one unless it knows nobody. */
extern Places directory_find(const Directory *directory, const KeyTable *people);

/* Numbers given so far. */
extern int64 directory_last_number(const Directory *directory);
extern int64 directory_last_invented(const Directory *directory);

/*
 * What a release changes: neighborhoods are forgotten before their members are
 * added as others.  When its transaction aborts, the directory is wrong and must
 * be deleted, with its context.
 */
extern void directory_add(Directory *directory, TupleTableSlot *slot);
extern void directory_forget(Directory *directory, uint32 at);
extern void directory_advance(Directory *directory, int32 releases, int64 newcomers);

/* The fold. */
extern Oid	directory_table(const Directory *directory);

/* In a transaction, under a snapshot: finds the space of rows that were forgotten before, for those that come. */
extern void directory_tidy(Directory *directory);

/* The fold, once for each time that so many of its rows have been replaced that it is to be vacuumed; or InvalidOid. */
extern Oid	directory_worn_table(Directory *directory);

#endif							/* PPREPUB_HISTORY_DIRECTORY_H */
