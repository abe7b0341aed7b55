/*
 * directory.h
 *		An index of the fold in memory: a look-up by key that outlives the
 *		transaction, for a process that answers again and again.
 *
 * The directory keeps hashes of keys and the places of rows, some fifteen bytes
 * a person, so that an answer reads only the neighborhoods that it touches.
 */
#ifndef PPREPUB_HISTORY_DIRECTORY_H
#define PPREPUB_HISTORY_DIRECTORY_H

#include "postgres.h"

#include "declare/publication.h"
#include "executor/tuptable.h"
#include "frame/key_table.h"
#include "storage/itemptr.h"

typedef struct Directory Directory;

/* The place of a neighborhood's row, and the number that verifies it. */
typedef struct NeighborhoodRef
{
	ItemPointerData tid;
	uint32		index;			/* in the directory */
	int64		number;
} NeighborhoodRef;

typedef struct NeighborhoodRefs
{
	uint32		n;
	NeighborhoodRef *refs;		/* [n] in the order of the table */
	ItemPointerData *tids;		/* [n] of these rows */
} NeighborhoodRefs;

/* Reads the whole fold, if there is one.  Callers act as the owner, inside SPI, under the active snapshot. */
extern Directory *directory_read(const DeclaredPublication *publication, MemoryContext context);

/* Does it cover all releases of the publication, which must be locked?  False before there is a fold. */
extern bool directory_is_current(const Directory *directory, const DeclaredPublication *publication);

/*
 * Finds the neighborhoods of these people.  The result may contain others of
 * people with the same hash, and has at least one unless the directory is empty.
 */
extern NeighborhoodRefs directory_find(const Directory *directory, const KeyTable *people);

/* The last numbers given to neighborhoods and to invented rows. */
extern int64 directory_last_number(const Directory *directory);
extern int64 directory_last_invented(const Directory *directory);

/*
 * Follow a release: a neighborhood is forgotten before its members are added in
 * new ones, and the directory advances when all are added.  If the transaction
 * aborts, the directory is wrong and must be deleted with its context.
 */
extern void directory_add(Directory *directory, TupleTableSlot *slot);
extern void directory_forget(Directory *directory, uint32 index);
extern void directory_advance(Directory *directory, int32 releases, int64 newcomers);

#endif							/* PPREPUB_HISTORY_DIRECTORY_H */
